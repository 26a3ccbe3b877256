import json

import pytest

from bench import report, speed, synthetic

pytestmark = pytest.mark.cpython_only


def test_synthetic_facts_are_the_same_for_the_same_seed():
    assert list(synthetic.facts(30)) == list(synthetic.facts(30))
    assert list(synthetic.facts(30)) != list(synthetic.facts(30, seed=2))


def test_a_small_corpus_is_the_beginning_of_a_larger_one():
    assert list(synthetic.facts(10)) == list(synthetic.facts(50))[:10]


def test_facts_can_be_counted_and_gone_through_again_without_being_kept():
    corpus = synthetic.Facts(20)
    assert len(corpus) == 20
    assert list(corpus) == list(corpus) == list(synthetic.facts(20))


def test_every_tenth_fact_has_a_reference_of_its_own():
    references = [fact.body.rpartition(" ")[2] for fact in synthetic.facts(30) if "REF-" in fact.body]
    assert references == ["REF-0000000", "REF-0000010", "REF-0000020"]


def test_a_graph_has_the_average_degree_asked_for_and_no_loops():
    links = synthetic.links(200, 10)
    assert len(links) == 1000
    assert len({(link.source, link.target) for link in links}) == 1000
    assert all(link.source != link.target for link in links)


def test_a_hub_leads_out_and_in_by_halves():
    links = synthetic.hub_links(10)
    assert [link.source for link in links].count(0) == 5
    assert {link.source + link.target for link in links} == set(range(1, 11))


def test_sentences_of_a_folder_become_facts(tmp_path):
    (tmp_path / "a.txt").write_text("The lamp at the pier is lit at dusk. Short one.", "utf-8")
    passage = "A boat that is named after a bush."
    (tmp_path / "b.json").write_text(json.dumps({"x": [{"text": passage}], "n": 3}), "utf-8")
    assert [fact.body for fact in speed.sentences(tmp_path)] == ["The lamp at the pier is lit at dusk.", passage]


def test_every_operation_is_measured_and_limits_set_the_exit_code(capsys):
    names = [
        "keyword",
        "semantic",
        "hybrid",
        "add_vector",
        "add",
        "write",
        "librarian_plan",
        "open",
        "first",
        "first_semantic",
        "walk",
        "hub",
        "walk_wide",
        "hub_wide",
    ]
    assert speed.main(["--n", "60", "--repeats", "2"]) == 0
    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert line["n"] == 60
    assert list(line["wall"]) == names
    assert all(0 <= line[name] <= line["p95"][name] for name in names)
    assert line["memory_mb"] > 0
    assert speed.main(["--n", "60", "--repeats", "2", "--max", "open=0"]) == 1
    assert "open: " in capsys.readouterr().out


def test_large_files_are_measured_without_vectors_on_a_smaller_graph(capsys):
    few = ["--n", "60", "--repeats", "2", "--vectors-up-to", "50", "--graph-nodes", "30"]
    assert speed.main([*few, "--max", "keyword.p95=0", "memory=1e9"]) == 1
    out = capsys.readouterr().out
    assert "keyword.p95: " in out
    assert "memory: " not in out
    assert not {"semantic", "hybrid", "add_vector", "first_semantic"} & json.loads(out.splitlines()[-1]).keys()


def test_files_that_are_kept_are_not_built_again(tmp_path, capsys):
    kept = ["--n", "60", "--repeats", "2", "--folder", str(tmp_path / "kept")]
    loads = []
    for _ in range(2):
        assert speed.main(kept) == 0
        loads.append(json.loads(capsys.readouterr().out.splitlines()[-1])["load_s"])
    assert loads[0] is not None
    assert loads[1] is None


def test_a_limit_without_a_number_is_refused():
    with pytest.raises(ValueError, match="name=number"):
        report.limits(["open"])


def test_a_table_pads_its_columns():
    assert report.table(("a", "b"), [("long", 1)]) == "a     b\nlong  1"
