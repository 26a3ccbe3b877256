import json
import os
import re
from pathlib import Path

import pytest
from bench.conformance import calls, run
from bench.conformance.__main__ import main
from bench.conformance.better import all_better, general, timeline
from bench.conformance.calls import ingest
from bench.conformance.run import declared_differences, run_case
from bench.conformance.session import CaseModel
from bench.conformance.values import decode, pick, same, snake

from lorelite._drive import drive
from lorelite.ports import ModelRequest

TIME = 1_700_000_000_000


def fact(id, updated_at=TIME):
    return {
        "id": id, "entity_id": "e", "title": id, "body": f"body {id}", "tags": [], "confidence": "certain",
        "source_type": "user_stated", "source_hash": None, "source_ref": None, "created_at": TIME,
        "updated_at": updated_at, "last_accessed_at": None, "access_count": 0, "deleted_at": None,
    }  # fmt: skip


def edge(source, target):
    return {
        "id": f"{source}-{target}", "entity_id": "e", "source_id": source, "target_id": target,
        "edge_type": "rel", "created_at": TIME,
    }  # fmt: skip


def load(*facts, edges=()):
    dump = {"entities": {"e": {"facts": list(facts), "tasks": [], "events": [], "edges": list(edges)}}}
    return {"op": "call", "method": "importDump", "args": [dump, {}], "observed": {"ok": {"$undef": True}}}


def walk(observed, **options):
    return {
        "op": "call",
        "method": "traverseGraph",
        "args": ["e", {"sourceId": "A", **options}],
        "pick": ["nodes.id", "edges.id"],
        "observed": observed,
    }


def case(*steps, name="a-case"):
    return {"name": name, "group": "traversal", "steps": list(steps)}


PAIR = load(fact("A"), fact("B", TIME + 1), edges=[edge("A", "B")])


def test_a_case_that_gives_the_observed_values_is_passed():
    outcome = run_case(case(PAIR, walk({"ok": {"nodes.id": ["A", "B"], "edges.id": ["A-B"]}})), [])
    assert (outcome.status, outcome.judged) == ("passed", 1)


def test_another_value_fails_and_shows_both():
    outcome = run_case(case(PAIR, walk({"ok": {"nodes.id": ["B"], "edges.id": []}})), [])
    assert outcome.status == "failed"
    assert '"nodes.id": ["B"]' in outcome.detail
    assert '"nodes.id": ["A", "B"]' in outcome.detail


def test_a_better_value_counts_only_where_the_differences_declare_it():
    steps = [PAIR, walk({"ok": {"nodes.id": ["A", "B"], "edges.id": ["A-B"]}}, direction="sideways")]
    better = run_case(case(*steps, name="trav-invalid-direction"), ["trav-invalid-direction"])
    undeclared = run_case(case(*steps, name="trav-invalid-direction"), [])
    unexpected = run_case(case(*steps, name="another-case"), ["trav-invalid-direction"])
    assert (better.status, undeclared.status, unexpected.status) == ("better", "failed", "failed")


def test_a_better_value_that_was_observed_as_well_is_no_difference():
    ids = [f"A-rel-{id}" for id in "bmz"]
    named = [{**edge("A", id), "id": f"A-rel-{id}"} for id in "bmz"]
    ties = [load(*map(fact, "Abmz"), edges=named), walk({"ok": {"nodes.id": ["A", "b", "m", "z"], "edges.id": ids}})]
    assert run_case(case(*ties, name="trav-ranking-ties"), ["trav-ranking-ties"]).status == "passed"


def test_an_outbox_that_leaves_out_a_change_is_not_better():
    [rule] = timeline.GENERAL
    made = {"id": "1", "table_name": "entries", "record_id": "a", "operation": "INSERT", "payload": {"title": "A"}}
    unreal = {"id": "2", "table_name": "entries", "record_id": "ghost", "operation": "DELETE", "payload": None}
    assert rule.holds({"ok": [made]}, {"ok": [made, unreal]})
    assert not rule.holds({"ok": []}, {"ok": [made]})


def test_a_case_with_nothing_to_judge_is_skipped_with_its_reason():
    outcome = run_case(case({"op": "dance", "observed": {"ok": []}}), [])
    assert outcome.status == "skipped"
    assert outcome.detail == "step 0: step 'dance' is not mapped, and what follows"


def test_a_missing_read_leaves_the_other_steps_judged_and_is_named():
    missing = {"op": "query", "sql": "SELECT * FROM llm_wiki_outbox", "observed": {"ok": []}}
    found = walk({"ok": {"nodes.id": ["A", "B"], "edges.id": ["A-B"]}})
    outcome = run_case(case(PAIR, missing, found), [])
    assert (outcome.status, outcome.judged) == ("passed", 1)
    assert outcome.unjudged == ("step 1: SQL on llm_wiki_outbox has no counterpart",)


def test_the_reference_sql_reads_our_tables():
    sql = "SELECT id, entity_id, updated_at FROM llm_wiki_entries ORDER BY id"
    rows = [{"id": "A", "entity_id": "e", "updated_at": TIME}, {"id": "B", "entity_id": "e", "updated_at": TIME + 1}]
    edges = {"op": "query", "sql": "SELECT * FROM llm_wiki_edges", "observed": {"ok": [edge("A", "B")]}}
    outcome = run_case(case(PAIR, {"op": "query", "sql": sql, "observed": {"ok": rows}}, edges), [])
    assert (outcome.status, outcome.judged) == ("passed", 2), outcome.detail


def test_encodings_of_the_file_are_undone():
    encoded = {"a": [{"$repeat": ["ab", 2]}, {"$num": "Infinity"}], "b": {"$ref": 3}, "c": {"$undef": True}}
    assert decode(encoded, {3: "earlier"}) == {"a": ["abab", float("inf")], "b": "earlier", "c": None}


def test_a_path_picks_through_lists():
    assert pick({"nodes": [{"id": "a"}, {"id": "b"}]}, "nodes.id") == ["a", "b"]


def test_names_become_snake_case():
    assert snake("excludeSourceTypes") == "exclude_source_types"


def test_edges_are_compared_without_order_and_nodes_with_it():
    observed = {"ok": {"nodes.id": ["a", "b"], "edges.id": ["x", "y"]}}
    assert same({"ok": {"nodes.id": ["a", "b"], "edges.id": ["y", "x"]}}, observed)
    assert not same({"ok": {"nodes.id": ["b", "a"], "edges.id": ["x", "y"]}}, observed)


def test_an_error_agrees_with_its_counterpart_and_no_other():
    observed = {"error": {"name": "WikiSourceRefHashCollision"}}
    errors = {"WikiSourceRefHashCollision": "SourceHashCollision"}
    assert same({"error": "SourceHashCollision"}, observed, errors=errors)
    assert not same({"error": "NodeOwnershipConflict"}, observed, errors=errors)
    assert not same({"ok": None}, observed, errors=errors)
    assert not same({"raised": "TypeError: x"}, observed, errors=errors)


def test_one_id_of_ours_stands_for_a_generated_one():
    ids = {}
    assert same({"ok": ["f1", "f2"]}, {"ok": ["<fact_1>", "<fact_2>"]}, ids=ids)
    assert same({"ok": "f2"}, {"ok": "<fact_2>"}, ids=ids)
    assert not same({"ok": "f1"}, {"ok": "<fact_2>"}, ids=ids)


def test_replies_of_a_case_are_used_in_order_and_the_last_one_again():
    model = CaseModel(["one", {"throw": "no"}, {"facts": []}])
    requests = [ModelRequest(system="", user=str(number)) for number in range(4)]
    replies = drive(model.complete(requests))
    assert [reply.text for reply in replies] == ["one", "", '{"facts": []}', '{"facts": []}']
    assert str(replies[1].error) == "no"


def test_an_error_that_is_no_lorelite_error_fails_the_case_with_its_name():
    broken = {"op": "call", "method": "read", "args": ["e"], "observed": {"error": {"name": "Error"}}}
    outcome = run_case(case(PAIR, broken), [])
    assert outcome.status == "failed"
    assert "TypeError" in outcome.detail


def test_a_group_that_judges_a_side_value_fails_on_another(monkeypatch):
    monkeypatch.setattr(ingest, "JUDGED", {"traversal": ("llmCalls",)}, raising=False)
    run.table.cache_clear()
    try:
        spent = case(PAIR, walk({"ok": {"nodes.id": ["A", "B"], "edges.id": ["A-B"]}})) | {"side": {"llmCalls": 2}}
        assert run_case(spent, []).detail == 'llmCalls: observed {"ok": 2}, ours {"ok": 0}'
    finally:
        run.table.cache_clear()


def test_two_areas_cannot_translate_one_call(monkeypatch):
    monkeypatch.setitem(ingest.CALLS, "forget", print)
    with pytest.raises(ValueError, match="'forget'"):
        calls.table("CALLS")


def test_differences_are_read_from_the_first_column():
    rows = ["# Title", "| case(s) | ours |", "|---|---|", "| trav-a, upsert-b-* | y |", "| llm-* that lose | y |"]
    assert declared_differences("\n".join(rows)) == ["trav-a", "upsert-b-*", "llm-*"]


def test_no_step_has_two_expectations():
    steps = [(better.case, better.step) for better in all_better()]
    assert len(steps) == len(set(steps))


def test_every_case_with_a_better_value_is_named_by_a_test_of_that_value():
    tests = Path(__file__).resolve().parents[1]
    texts = [path.read_text("utf-8") for path in tests.rglob("*.py") if path != Path(__file__).resolve()]
    named = {word.strip(".") for text in texts for word in re.findall(r"[\w.-]+", text)}
    cases = {name for better in (*all_better(), *general()) for name in (better.case, better.declared_by)} - {"*"}
    assert sorted(cases - named) == []


def test_an_unknown_group_is_refused_with_the_known_ones(tmp_path, capsys):
    path = tmp_path / "vectors.json"
    path.write_text(json.dumps({"cases": [case(PAIR)]}), "utf-8")
    with pytest.raises(SystemExit):
        main([str(path), "--group", "nonsense"])
    assert "groups are ['traversal']" in capsys.readouterr().err


@pytest.mark.shared
def test_every_shared_vector_is_passed_or_better(capsys):
    folder = os.environ.get("LORELITE_SHARED")
    if not folder:
        pytest.skip("LORELITE_SHARED does not name the folder of evaluation data")
    path = Path(folder) / "conformance" / "vectors.json"
    assert main([str(path), "--min", "1.0"]) == 0, capsys.readouterr().out
