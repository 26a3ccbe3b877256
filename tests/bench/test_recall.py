import json
import os

import pytest

from bench import recall
from lorelite import Wiki
from lorelite.models import HashEmbedder

PAGES = {"Olga": "Olga lives in Bath.", "Bath": "Bath has a weir and a mill.", "Boats": "The ferry leaves at noon."}
ROWS = [
    {"_id": "a", "type": "bridge", "question": "Where does Olga live?", "supporting_facts": [["Olga", 0], ["Bath", 0]]},
    {"_id": "b", "type": "plain", "question": "When does the ferry leave?", "supporting_facts": [["Boats", 0]]},
    {"_id": "c", "type": "plain", "question": "What is blue?", "supporting_facts": [["Bath", 0]]},
]


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "below" / "hotpotqa_train"
    folder.mkdir(parents=True)
    (folder / "hotpotqa_train.json").write_text(json.dumps(ROWS), "utf-8")
    corpus = {title: [text] for title, text in PAGES.items()}
    (folder / "hotpotqa_train_corpus.json").write_text(json.dumps(corpus), "utf-8")
    return str(tmp_path)


def run(capsys, data, *arguments):
    code = recall.main(["--dataset", "hotpotqa-train", "--data", data, *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_last_line_holds_the_measures_and_is_right(capsys, data):
    code, out, _ = run(capsys, data, "--strategy", "keyword")
    line = json.loads(out.splitlines()[-1])
    assert code == 0
    assert (line["dataset"], line["strategy"], line["embedder"]) == ("hotpotqa-train", "keyword", "none")
    assert (line["passages"], line["questions"], line["skipped"]) == (3, 3, 0)
    # "a" finds Olga first and Bath, which her page names but the question does not, never; "b" its page; "c" nothing.
    assert (line["R@1"], line["R@5"], line["all-gold@5"], line["MRR"]) == (50.0, 50.0, 33.33, 66.67)
    assert line["ingest s"] >= 0 and line["median ms"] > 0


def test_a_measure_below_the_least_sets_the_exit_code(capsys, data):
    assert run(capsys, data, "--strategy", "keyword", "--min", "50")[0] == 0
    assert run(capsys, data, "--strategy", "keyword", "--min", "50.1")[0] == 1
    assert run(capsys, data, "--strategy", "keyword", "--metric", "MRR", "--min", "60")[0] == 0


def test_several_strategies_are_tabled_and_the_last_is_judged(capsys, data):
    _, out, _ = run(capsys, data, "--strategy", "keyword", "read", "--embedder", "hash")
    assert "keyword, embedder hash" in out and "read, embedder hash" in out
    assert json.loads(out.splitlines()[-1])["strategy"] == "read"


def test_a_file_that_is_kept_need_not_be_filled_again(capsys, data, tmp_path):
    arguments = ("--strategy", "keyword", "--file", str(tmp_path / "kept.db"))
    first, second = (json.loads(run(capsys, data, *arguments)[1].splitlines()[-1]) for _ in range(2))
    assert first["R@5"] == second["R@5"] == 50.0
    with Wiki.open(tmp_path / "kept.db", read_only=True) as wiki:
        assert len(wiki.list_source_refs("hotpotqa-train")) == 3


def test_a_kept_file_gets_the_vectors_of_another_embedder(capsys, data, tmp_path):
    kept = ("--file", str(tmp_path / "kept.db"))
    run(capsys, data, *kept)
    _, again, _ = run(capsys, data, "--strategy", "read", "--embedder", "hash", *kept)
    _, anew, _ = run(capsys, data, "--strategy", "read", "--embedder", "hash")
    measured = [json.loads(out.splitlines()[-1])["MRR"] for out in (again, anew)]
    assert measured[0] == measured[1]
    with Wiki.open(tmp_path / "kept.db", embedder=HashEmbedder(), read_only=True) as wiki:
        assert wiki.lint("hotpotqa-train").missing_vectors.count == 0


def test_fewer_questions_may_be_asked(capsys, data):
    _, out, _ = run(capsys, data, "--strategy", "keyword", "--limit-questions", "1")
    assert json.loads(out.splitlines()[-1])["questions"] == 1


def test_what_is_not_there_is_told_in_one_line(capsys, tmp_path):
    code, out, err = run(capsys, str(tmp_path))
    assert (code, out) == (2, "")
    assert err.startswith("bench.recall: benchmark 'hotpotqa-train' was not found; expected hotpotqa_train.json")


def test_an_unknown_measure_is_wrong_usage(capsys, data):
    with pytest.raises(SystemExit):
        run(capsys, data, "--metric", "R@3")


def test_recorded_triples_are_taken_in_as_what_a_model_read(capsys, data, tmp_path):
    triples = [["Olga", "lives in", "Bath"], ["Olga", "lives"], "Bath", ["Olga", "", "Bath"]]
    doc = {"title": "Olga", "text": PAGES["Olga"], "extracted_entities": ["Olga", "Bath", "Atlantis"]}
    recording = {"docs": [doc | {"extracted_triples": triples}]}
    (tmp_path / "openie_two.json").write_text(json.dumps(recording), "utf-8")
    kept = tmp_path / "kept.db"
    code, out, _ = run(capsys, data, "--strategy", "pagerank", "--triples", "--file", str(kept))
    assert code == 0
    assert "2 passages without a recording, 3 malformed triples left out" in out
    with Wiki.open(kept, read_only=True) as wiki:
        rows = wiki.export_dump("hotpotqa-train").namespaces["hotpotqa-train"].rows
    assert {row["title"] for row in rows["node"] if row["kind"] == "entity"} == {"Olga", "Bath"}
    assert [row["origin"] for row in rows["edge"] if row["edge_type"] == "lives in"] == ["model"]


def test_triples_without_a_recording_are_told_in_one_line(capsys, data):
    code, out, err = run(capsys, data, "--triples")
    assert (code, out) == (2, "")
    assert "openie*.json" in err


@pytest.mark.shared
@pytest.mark.skipif("LORELITE_SHARED" not in os.environ, reason="LORELITE_SHARED names no folder with data")
def test_chinese_passages_are_found(capsys):
    data = os.path.join(os.environ["LORELITE_SHARED"], "data")
    arguments = ["--dataset", "xquad-zh", "--data", data, "--strategy", "keyword", "--min", "97", "--limit-questions"]
    assert recall.main([*arguments, "200"]) == 0
