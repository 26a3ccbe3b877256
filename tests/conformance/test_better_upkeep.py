"""Where Lorelite gives another value than the engine it is compared with, because that one is better: documents,
replies of models, jobs, the outbox."""

from __future__ import annotations

import json

import pytest
from tests.conftest import HASH_A, NS

from lorelite import Hooks, SourceHashCollision, WikiConfig
from lorelite.models import ScriptedModel

DAY = 86_400_000
NO_HEALING = {"downgraded": [], "deleted": [], "newFacts": []}


def facts(wiki):
    return {fact.id: fact for fact in wiki.get_memory_bundle(NS).facts if fact.kind == "fact"}


def stated(wiki):
    return sorted((fact.title, fact.body) for fact in facts(wiki).values())


def ingest(wiki, text="A text.", ref="d", **options):
    return wiki.ingest_document(NS, source_ref=ref, text=text, **options)


def one_fact(title="Lamp", body="Brass."):
    return json.dumps({"facts": [{"title": title, "body": body}]})


# -- documents ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["skip", "throw"])
def test_a_text_that_is_there_under_another_name_costs_no_call(open_wiki, mode):
    """ingest-duplicate-hash-modes"""
    model = ScriptedModel({"extract": one_fact()})
    wiki = open_wiki(model=model)
    ingest(wiki)
    if mode == "throw":
        with pytest.raises(SourceHashCollision):
            ingest(wiki, ref="copy", on_duplicate=mode)
    else:
        report = ingest(wiki, ref="copy", on_duplicate=mode)
        assert (report.status, report.duplicate_of) == ("duplicate", "d")
    assert len(model.requests) == 1


def test_an_empty_reply_takes_nothing_away_unless_that_is_allowed(open_wiki, clock):
    """ingest-empty-facts-wipes-source"""
    told = []
    model = ScriptedModel({"extract": [one_fact(), '{"facts": []}', '{"facts": []}']})
    wiki = open_wiki(model=model, hooks=Hooks(on_diagnostic=told.append))
    ingest(wiki)
    clock.tick()
    assert ingest(wiki, "A newer text.").status == "empty"
    assert stated(wiki) == [("Lamp", "Brass.")] and [each.code for each in told] == ["ingest_empty"]
    clock.tick()
    assert ingest(wiki, "A newer text.", allow_empty=True).status == "ingested"
    assert stated(wiki) == []


@pytest.mark.parametrize(
    "reply",
    [
        '{"facts": [{"title": "Lamp", "body": "Brass.",},],}',
        "{'facts': [{'title': 'Lamp', 'body': 'Brass.', 'tags': None}]}",
        '[{"title": "Lamp", "body": "Brass."}]',
        '{"facts": {"title": "Lamp", "body": "Brass."}}',
        'The form is {facts}. {"facts": [{"title": "Lamp", "body": "Brass."}]}',
    ],
    ids=["trailing-comma", "python-literals", "top-level-array", "facts-not-array", "brace-in-prose-first"],
)
def test_what_a_bent_reply_says_is_recovered(open_wiki, reply):
    """llmjson-trailing-comma, llmjson-python-literals, llmjson-top-level-array, llmjson-facts-not-array,
    llmjson-brace-in-prose-first"""
    wiki = open_wiki(model=ScriptedModel({"extract": reply}))
    assert ingest(wiki).status == "ingested"
    assert stated(wiki) == [("Lamp", "Brass.")]


# -- jobs -----------------------------------------------------------------------------------------------------------


def test_the_librarian_reads_an_event_once_and_adds_a_task_once(open_wiki):
    """librarian-basic"""
    task = {"description": "Buy oil", "priority": 3}
    reply = json.dumps({"facts": [{"title": "Lamp", "body": "It is out."}], "tasks": [task, task]})
    model = ScriptedModel({"librarian": reply})
    wiki = open_wiki(model=model)
    wiki.write(NS, event={"summary": "The lamp went out."})
    first = wiki.run_librarian(NS)
    assert (first.events_read, first.added, first.tasks_added, first.tasks_deduplicated) == (1, 1, 1, 1)
    assert wiki.run_librarian(NS).events_read == 0 and len(model.requests) == 1
    wiki.write(NS, event={"summary": "The lamp is out still."})
    again = wiki.run_librarian(NS)
    assert (again.events_read, again.added, again.tasks_added) == (1, 0, 0)
    assert [each.description for each in wiki.list_tasks(NS)] == ["Buy oil"]


@pytest.mark.parametrize("source", ["user_stated", "user_confirmed"])
def test_age_deletes_no_fact_of_a_user(open_wiki, clock, source):
    """heal-sql-passes"""
    wiki = open_wiki(model=ScriptedModel({"heal": json.dumps(NO_HEALING)}))
    wiki.write(NS, node_id="user", title="Lamp", body="Brass.", source_type=source)
    wiki.write(NS, node_id="guess", title="Oil", source_type="librarian_inferred", confidence="inferred")
    clock.tick(400 * DAY)
    assert wiki.run_heal(NS).deleted == 1
    assert {id: fact.confidence for id, fact in facts(wiki).items()} == {"user": "certain"}


def test_a_model_deletes_no_fact_of_a_user_and_the_refusal_is_told(open_wiki):
    """heal-llm-decisions, heal-sql-passes"""
    told = []
    model = ScriptedModel({"heal": json.dumps(NO_HEALING | {"deleted": ["user", "guess"]})})
    wiki = open_wiki(model=model, hooks=Hooks(on_diagnostic=told.append))
    wiki.write(NS, node_id="user", title="Lamp", body="Brass.")
    wiki.write(NS, node_id="guess", title="Oil", source_type="librarian_inferred", confidence="inferred")
    assert wiki.run_heal(NS).deleted == 1
    assert set(facts(wiki)) == {"user"} and "heal_skipped" in {each.code for each in told}


def test_pruning_a_node_leaves_no_edge_behind(wiki, clock):
    """prune-boundaries, upsert-inbound-edges-dangle-after-supersede"""
    nodes = [{"id": id, "title": id} for id in ("gone", "live")]
    edges = [{"type": "rel", "source_id": one, "target_id": two} for one, two in (("gone", "live"), ("live", "gone"))]
    wiki.upsert_graph(NS, source_ref="g", source_hash=HASH_A, nodes=nodes, edges=edges)
    wiki.forget(NS, node_id="gone")
    clock.tick(30 * DAY)
    report = wiki.run_prune(NS)
    assert (report.nodes, report.edges) == (1, 2)
    assert wiki.export_dump().namespaces[NS].edges == () and wiki.lint(NS).dangling_edges.count == 0


# -- the outbox -----------------------------------------------------------------------------------------------------


def test_the_outbox_tells_every_table_in_sequence_and_only_what_really_changed(open_wiki):
    """outbox-rows"""
    wiki = open_wiki(config=WikiConfig(maintenance="off"))
    nodes = [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}]
    edges = [{"id": "e", "type": "rel", "source_id": "a", "target_id": "b"}]
    wiki.upsert_graph(NS, source_ref="g", source_hash=HASH_A, nodes=nodes, edges=edges)
    wiki.write(NS, event={"summary": "seen"})
    wiki.add_task(NS, description="look", task_id="t")
    imported = {"id": "i", "entity_id": NS, "title": "I", "body": "", "tags": [], "confidence": "certain",
                "source_type": "user_stated", "created_at": 1, "updated_at": 1}  # fmt: skip
    dump = {"facts": [imported], "tasks": [], "events": [], "edges": []}
    wiki.import_dump({"generatedAt": 1, "entities": {NS: dump}}, merge=True)
    told = wiki.get_outbox_events()
    assert {("node", "a"), ("edge", "e"), ("task", "t"), ("node", "i")} <= {(e.table_name, e.record_id) for e in told}
    assert "event" in {each.table_name for each in told}
    assert [each.sequence for each in told] == sorted({each.sequence for each in told})
    wiki.forget(NS, node_id="ghost")
    assert len(wiki.get_outbox_events()) == len(told), "what was never there is not deleted"
