import hashlib
import itertools
import json
import shutil
import subprocess
import sys

import pytest
from bench.reference import __main__ as reference
from bench.reference import generator, install
from bench.reference.compare import Comparison
from bench.reference.ours import Ours
from bench.reference.processes import Broken, Subject, TooSlow
from bench.reference.timing import Limits, Timing, in_turns

pytestmark = pytest.mark.cpython_only

SAMPLE = """
import { createHash } from "node:crypto";
import * as g from "%s";
const facts = [];
for (const fact of g.facts()) { facts.push(fact); if (facts.length === 300) break; }
const vectors = facts.slice(0, 20).map((fact) => g.vector(fact.title + " " + fact.body));
const graph = [g.edges(500, 10), g.spokes(20)];
const sample = [facts, vectors, g.vector("!"), g.queryFacts(30, 10000), ...graph, g.sourceHash(41)];
console.log(createHash("sha256").update(JSON.stringify(sample)).digest("hex"));
"""


def test_the_generator_follows_its_description():
    first, *_, eleventh = itertools.islice(generator.facts(), 11)
    draw = generator.uniform(12345)
    numbers = [draw() for _ in range(3)]
    assert numbers[0] >> 30 == first.title.count(" ") - 3
    place = [number * generator.WORDS >> 32 for number in numbers[1:]]
    assert first.title.split()[0] == generator.word(place[0] * place[1] // generator.WORDS)
    assert eleventh.body.endswith(" ref10")
    assert generator.word(0) == "bababa"
    assert generator.word(1641) == "bebe" + "me"  # 3 + 7 + 11 = 21, the second syllable of m


def test_a_mulberry_stream_is_the_one_others_get():
    assert [generator.uniform(seed)() for seed in (0, 1)] == [1144304738, 2693262067]


def test_python_and_javascript_make_the_same_data(tmp_path):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    facts = list(itertools.islice(generator.facts(), 300))
    sample = [
        [{"id": fact.id, "title": fact.title, "body": fact.body} for fact in facts],
        [generator.vector(f"{fact.title} {fact.body}") for fact in facts[:20]],
        generator.vector("!"),
        generator.query_facts(30, 10_000),
        *(
            [{"id": e.id, "source": e.source, "target": e.target, "type": e.edge_type} for e in edges]
            for edges in (generator.edges(500, 10), generator.spokes(20))
        ),
        generator.source_hash(41),
    ]
    ours = hashlib.sha256(json.dumps(sample, separators=(",", ":")).encode()).hexdigest()
    script = tmp_path / "sample.mjs"
    script.write_text(SAMPLE % (install.SOURCES / "generator.mjs").as_uri())
    assert subprocess.run(["node", script], capture_output=True, text=True, check=True).stdout.strip() == ours


def test_vectors_are_the_same_without_numpy(monkeypatch):
    fast = generator.vector("bababa ref10 bebebe bababa")
    monkeypatch.setattr(generator, "numpy", None)
    monkeypatch.setattr(generator, "_token_vector", generator._token_vector.__wrapped__)
    assert generator.vector("bababa ref10 bebebe bababa") == fast
    assert all(type(number) is int for number in fast)


def test_a_graph_has_the_edges_described():
    edges = generator.edges(200, 10)
    assert len({(edge.source, edge.target) for edge in edges}) == 1000
    assert all(edge.source != edge.target for edge in edges)
    assert generator.anchors([*edges, generator.Edge("x", 0, 1, "r"), generator.Edge("y", 1, 0, "r")], 2)[0] == 1
    assert [(edge.source, edge.target) for edge in generator.spokes(2)] == [(0, 1), (2, 0)]


def test_ours_finds_walks_and_adds(tmp_path):
    ours = Ours()
    facts, graph = str(tmp_path / "facts.db"), str(tmp_path / "graph.db")
    ours.build(facts, 40)
    ours.build_graph(graph, 40, degree=4, hub=20)
    titles = [fact.title for fact in itertools.islice(generator.facts(), 41)]
    ours.prepare([generator.query(titles[7])])
    ours.open(facts)
    for search in (ours.keyword, ours.semantic, ours.hybrid):
        assert search(generator.query(titles[7]))[0] == "f0000007"
    added = next(itertools.islice(generator.facts(), 40, None))
    ours.add(40, {"id": added.id, "title": added.title, "body": added.body})
    assert ours.keyword(added.title)[0] == added.id
    ours.close()
    ours.open(graph)
    assert len(ours.walk(0)) == 20
    ours.close()


ECHO = """
import json, sys, time
print("{}", flush=True)
for line in sys.stdin:
    given = json.loads(line)
    if given["do"] == "sleep": time.sleep(30)
    if given["do"] == "fall": print(json.dumps({"error": "fell"}), flush=True)
    else: print(json.dumps({"wall": 2.0, "cpu": 1.0, "found": given}), flush=True)
"""


@pytest.fixture
def echo():
    subject = Subject("echo", [sys.executable, "-c", ECHO])
    yield subject
    subject.stop()


def test_a_subject_that_fails_or_takes_too_long_says_so(echo):
    assert echo.ask("say", word="a").found == {"do": "say", "word": "a"}
    assert echo.memory_mb() > 1
    with pytest.raises(Broken, match="echo, fall: fell"):
        echo.ask("fall")
    with pytest.raises(TooSlow):
        echo.ask("sleep", seconds=0.05)


def test_subjects_take_turns_and_one_that_is_too_slow_drops_out(echo):
    made = []

    class Noted:
        def __init__(self, label):
            self.label = label

        def ask(self, operation, **given):
            made.append((self.label, operation, given.get("turn")))
            return echo.ask("say" if self.label == "a" or given.get("turn") == 0 else "sleep", seconds=0.05)

    def calls(label):
        return (("do", {"turn": turn}) for turn in itertools.count())

    timings = in_turns({"a": Noted("a"), "b": Noted("b")}, calls, Limits(repeats=2, patience=7), is_limited=True)
    assert made == [("a", "do", 0), ("b", "do", 0)] * 2 + [("a", "do", 1), ("b", "do", 1)]
    assert timings["a"].cpu == [1.0, 1.0]
    assert timings["b"].cpu == [1.0, 7000]
    assert timings["b"].gave_up


def test_a_turn_may_be_of_several_calls(echo):
    made = []

    class Noted:
        def __init__(self, label):
            self.label = label

        def ask(self, operation, **given):
            made.append((self.label, given["turn"]))
            return echo.ask("say")

    def calls(label):
        return (("do", {"turn": turn}) for turn in range(3))

    timings = in_turns({"a": Noted("a"), "b": Noted("b")}, calls, Limits(), warm=False, burst=2)
    assert made == [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("a", 2), ("b", 2)]
    assert len(timings["a"].cpu) == 3


def test_a_subject_that_dropped_out_is_not_asked_again(tmp_path):
    class Failing:
        asked = 0

        def ask(self, operation, **given):
            self.asked += 1
            raise Broken("it fell")

        def stop(self):
            pass

    failing = Failing()
    comparison = Comparison(10, Limits(repeats=2), tmp_path, tmp_path, tmp_path, print, False)
    subjects = comparison.subjects = {"a": failing}
    for name in ("open", "keyword"):
        comparison._measure(name, dict(subjects), lambda _: itertools.repeat(("do", {})))
    assert failing.asked == 1
    assert comparison.results.timings == {"open": {}, "keyword": {}}
    assert comparison.results.skipped == ["open and what follows, a: it fell"]


def test_medians_and_the_95th_percentile_are_of_the_calls():
    timing = Timing(wall=[3.0, 1.0, 2.0], cpu=[float(number) for number in range(100)])
    assert (timing.wall_ms, timing.cpu_ms, timing.cpu_p95) == (2.0, 49.5, 94.0)


def test_nothing_is_installed_in_a_test_and_what_is_missing_is_told(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(install, "FOLDER", tmp_path / "npm")
    assert reference.main(["--n", "20", "--no-install"]) == 0
    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert line["ratios"] == {}
    [reason] = line["skipped"]
    assert reason.startswith("everything: ")
    assert reference.main(["--n", "20", "--no-install", "--min", "add=200"]) == 1


def test_both_engines_are_measured_and_ratios_set_the_exit_code(capsys, tmp_path):
    try:
        install.npm_folder(may_install=False)
    except install.Missing as reason:
        pytest.skip(str(reason))
    kept = tmp_path / "kept"
    arguments = [
        "--folder",
        str(kept),
        "--n",
        "60",
        "--repeats",
        "3",
        "--runtime",
        "cpython",
        "--no-install",
        "--patience",
        "20",
    ]
    code = reference.main([*arguments, "--min", "open=1e9", "--max", "keyword=0"])
    out = capsys.readouterr().out
    line = json.loads(out.splitlines()[-1])
    assert code == 1
    assert "open: " in out
    assert "keyword: " in out
    measured = {"open", "keyword", "semantic", "hybrid", "add", "walk", "hub", "minisearch", "minisearch_exact"}
    assert measured <= line["ratios"].keys()
    assert all(ratio > 0 for ratio in line["ratios"].values())
    assert "semantic: 100% of the reference's results" in out
    assert len(list(kept.glob("*.db"))) == 6
    assert reference.main(arguments) == 0
    told = capsys.readouterr().out.splitlines()
    [engine] = [line for line in told if line.startswith("lorelite cpython: ") and "resident" in line]
    assert "built in" not in engine
