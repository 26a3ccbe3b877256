"""What a wiki shows of a moment in the past."""

from __future__ import annotations

import pytest

from lorelite import Wiki, WikiConfig
from lorelite.models import HashEmbedder

NS = "class"
HASHES = ["a" * 64, "b" * 64, "c" * 64]
FIRST = "Ada Marsh keeps Heron Lock. Heron Lock stands on the Wend."
SECOND = "Tom Reed reads the tide gauge."


@pytest.fixture(params=["fts5", "memory"])
def indexed(request, open_wiki) -> Wiki:
    return open_wiki(config=WikiConfig(keyword_index=request.param, maintenance="off"))


def bodies(wiki: Wiki, query: str, moment: int | None = None, **options: object) -> list[str]:
    return [node.body for node in wiki.read(NS, query, as_of=moment, **options).facts]


def test_a_fact_that_was_updated_is_found_by_its_old_words_and_read_with_them(indexed, clock):
    then = clock.now
    indexed.write(NS, title="Bridge", body="closed for repair", node_id="bridge")
    for number in range(20):
        indexed.write(NS, title=f"Boat {number}", body="passes the bridge")
    clock.tick()
    indexed.write(NS, title="Bridge", body="open again", node_id="bridge")
    assert bodies(indexed, "repair", then) == ["closed for repair"]
    assert bodies(indexed, "again", then) == []
    assert bodies(indexed, "repair") == []
    assert bodies(indexed, "again") == ["open again"]


def test_words_of_the_past_and_of_the_present_are_weighed_alike(indexed, clock):
    then = clock.now
    for number in range(30):
        indexed.write(NS, title=f"Boat {number}", body="a boat on the river", node_id=f"boat {number}")
    indexed.write(NS, title="Heron", body="a heron on the river", node_id="heron")
    clock.tick()
    indexed.write(NS, title="Gone", body="nothing", node_id="heron")
    assert indexed.read(NS, "heron river", as_of=then, max_results=3).facts[0].id == "heron"


@pytest.mark.parametrize("cause", ["heal", "prune", "ingest"])
def test_what_a_job_took_out_is_still_in_the_past(indexed, clock, cause):
    store = indexed._wiki._engine.store
    then = clock.now
    indexed.write(NS, title="Bridge", body="closed", node_id="bridge")
    clock.tick()
    with store.atomic(cause):
        store.nodes.delete(NS, ["bridge"])
    clock.tick()
    with store.atomic("prune"):
        store.db.run("delete from node where id = 'bridge'")
    assert bodies(indexed, "bridge", then) == ["closed"]
    assert bodies(indexed, "", then) == ["closed"]
    assert bodies(indexed, "bridge") == []


def test_what_was_forgotten_is_gone_from_the_past_even_when_it_is_pruned_later(indexed, clock):
    store = indexed._wiki._engine.store
    then = clock.now
    indexed.write(NS, title="Secret", body="old", node_id="secret")
    clock.tick()
    indexed.write(NS, title="Secret", body="new", node_id="secret")
    clock.tick()
    indexed.forget(NS, node_id="secret")
    assert bodies(indexed, "secret", then) == bodies(indexed, "", then) == []
    with store.atomic("prune"):
        store.db.run("delete from node where id = 'secret'")
    assert bodies(indexed, "secret", then) == bodies(indexed, "", then) == []


def test_a_forgotten_document_takes_its_earlier_versions_along(indexed, clock):
    then = clock.now
    indexed.ingest_document(NS, source_ref="lock.txt", text=FIRST)
    clock.tick()
    indexed.ingest_document(NS, source_ref="lock.txt", text=SECOND)
    assert FIRST in bodies(indexed, "heron", then)
    clock.tick()
    indexed.forget(NS, source_ref="lock.txt")
    assert bodies(indexed, "heron", then) == []


def test_what_came_back_from_being_forgotten_is_in_the_past_again(indexed, clock):
    then = clock.now
    indexed.write(NS, title="Bridge", body="closed", node_id="bridge")
    clock.tick()
    indexed.forget(NS, node_id="bridge")
    clock.tick()
    indexed.undo(NS)
    assert bodies(indexed, "bridge", then) == ["closed"]
    clock.tick()
    indexed.undo(NS)
    assert bodies(indexed, "bridge", then) == []


def test_the_citations_of_a_replaced_version_are_cut_from_its_text(indexed, clock):
    then = clock.now
    indexed.ingest_document(NS, source_ref="lock.txt", text=FIRST)
    clock.tick()
    indexed.ingest_document(NS, source_ref="lock.txt", text=SECOND)
    facts = indexed.read(NS, "Ada Marsh", as_of=then).facts
    citations = [citation for fact in facts for citation in fact.citations]
    assert citations and all(FIRST[c.start : c.end] == c.quote and c.source_ref == "lock.txt" for c in citations)


def test_later_knowledge_of_an_earlier_time_adds_to_the_past(indexed, clock):
    then = clock.now
    indexed.write(NS, title="Bridge", body="closed", node_id="bridge")
    clock.tick()
    indexed.write(NS, title="Ferry", body="ran instead", valid_from=then - 5_000)
    assert sorted(bodies(indexed, "", then)) == ["closed", "ran instead"]
    assert bodies(indexed, "ferry", then) == ["ran instead"]


def test_a_fact_superseded_from_a_past_moment_on_did_not_hold_then(indexed, clock):
    begun = clock.now
    indexed.write(NS, title="Keeper", body="Ada Marsh", node_id="old")
    changed = clock.tick(10_000)
    now = clock.tick(10_000)
    indexed.supersede(NS, node_id="old", by={"title": "Keeper", "body": "Tom Reed"}, valid_from=changed)
    assert bodies(indexed, "keeper", begun) == ["Ada Marsh"]
    assert bodies(indexed, "keeper", changed) == ["Tom Reed"]
    assert bodies(indexed, "keeper", now) == ["Tom Reed"]
    [then] = indexed.read(NS, "keeper", as_of=begun).facts
    assert then.valid_to is None and then.superseded_by is None


def graph_of(wiki: Wiki, moment: int | None, **options: object) -> tuple[list[str], list[str]]:
    graph = wiki.traverse_graph(NS, source_id="a", max_depth=3, as_of=moment, **options)
    return [node.id for node in graph.nodes], sorted(edge.edge_type for edge in graph.edges)


def chain(wiki: Wiki, version: int, ids: str, body: str, types: list[str]) -> None:
    wiki.upsert_graph(
        NS,
        source_ref="graph",
        source_hash=HASHES[version],
        nodes=[{"id": id, "title": id.upper(), "body": body} for id in ids],
        edges=[
            {"type": kind, "source_id": one, "target_id": two}
            for kind, one, two in zip(types, ids, ids[1:], strict=False)
        ],
    )


@pytest.mark.parametrize("direction", ["outbound", "both"])
@pytest.mark.parametrize("edges", ["induced", "walked"])
def test_a_walk_goes_over_the_edges_and_nodes_of_then(indexed, clock, direction, edges):
    then = clock.now
    chain(indexed, 0, "abcd", "old", ["r1", "r2", "r3"])
    later = clock.tick()
    chain(indexed, 1, "abx", "new", ["s1", "s2"])
    clock.tick()
    chain(indexed, 2, "ac", "newer", ["t1"])
    given = {"direction": direction, "edges": edges}
    assert graph_of(indexed, then, **given) == (["a", "b", "c", "d"], ["r1", "r2", "r3"])
    assert graph_of(indexed, later, **given) == (["a", "b", "x"], ["s1", "s2"])
    assert graph_of(indexed, None, **given) == (["a", "c"], ["t1"])
    graph = indexed.traverse_graph(NS, source_id="a", max_depth=3, as_of=then)
    assert {node.body for node in graph.nodes} == {"old"}
    assert [node.depth for node in graph.nodes] == [0, 1, 2, 3]


def test_a_walk_of_the_past_heeds_its_filters_as_they_held_then(indexed, clock):
    then = clock.now
    chain(indexed, 0, "abc", "old", ["r1", "r2"])
    indexed.write(NS, title="aside", node_id="aside", confidence="tentative")
    clock.tick()
    chain(indexed, 1, "a", "new", [])
    assert graph_of(indexed, then, edge_types=["r1"])[0] == ["a", "b"]
    assert graph_of(indexed, then, kinds=["entity"])[0] == ["a"]
    assert graph_of(indexed, then, min_confidence="certain")[0] == ["a", "b", "c"]
    assert graph_of(indexed, then, exclude_source_types=["immutable_document"])[0] == ["a"]


def test_a_walk_from_what_was_written_later_stays_where_it_is(indexed, clock):
    then = clock.now
    indexed.write(NS, title="root")
    clock.tick()
    chain(indexed, 0, "ab", "new", ["r1"])
    assert graph_of(indexed, then) == (["a"], [])


def test_tasks_and_events_are_those_of_then(indexed, clock):
    task = indexed.add_task(NS, description="mend the sluice")
    indexed.write(NS, event={"summary": "the sluice leaks"})
    then = clock.now
    clock.tick()
    indexed.update_task(NS, task_id=task.id, status="done")
    indexed.add_task(NS, description="paint the hut")
    indexed.write(NS, event={"summary": "the sluice is tight"})
    bundle = indexed.read(NS, "", as_of=then)
    assert [(task.description, task.status) for task in bundle.tasks] == [("mend the sluice", "pending")]
    assert [event.summary for event in bundle.events] == ["the sluice leaks"]
    assert [task.description for task in indexed.read(NS, "").tasks] == ["paint the hut"]


def test_meaning_finds_what_says_the_same_now_and_shows_it_as_it_was(open_wiki, clock):
    wiki = open_wiki(embedder=HashEmbedder(64))
    wiki.write(NS, title="Eels", body="sleep by day", node_id="eels")
    wiki.write(NS, title="Heron", body="stands in the reeds", node_id="heron")
    then = clock.now
    clock.tick()
    wiki.update_fact(NS, node_id="eels", confidence="tentative")
    wiki.write(NS, title="Heron", body="flew off", node_id="heron")
    found = wiki.read(NS, "eels sleep", as_of=then, hybrid_weight=1)
    assert set(found.fact_scores) == {"eels"} and found.facts[0].confidence == "certain"
    assert set(wiki.read(NS, "heron", as_of=then).facts[0].body.split()) == {"stands", "in", "the", "reeds"}


def test_a_transaction_sees_the_past_of_what_it_changed_itself(indexed, clock):
    indexed.write(NS, title="Bridge", body="closed", node_id="bridge")
    then = clock.now
    clock.tick()
    with indexed.transaction():
        assert bodies(indexed, "bridge", then) == ["closed"]
        indexed.write(NS, title="Bridge", body="open", node_id="bridge")
        assert bodies(indexed, "bridge", then) == ["closed"]


def test_several_namespaces_are_read_as_they_were(indexed, clock):
    for name in (NS, "other"):
        indexed.write(name, title="Bridge", body=f"closed in {name}", node_id=f"bridge {name}")
    then = clock.now
    clock.tick()
    for name in (NS, "other"):
        indexed.write(name, title="Bridge", body="open", node_id=f"bridge {name}")
    found = indexed.read([NS, "other"], "bridge", as_of=then).facts
    assert {node.body for node in found} == {"closed in class", "closed in other"}


def test_what_a_forgotten_document_said_of_an_entity_that_others_speak_of_is_not_read_in_the_past(indexed, clock):
    indexed.ingest_document(NS, source_ref="one.txt", text="Ada Marsh keeps Heron Lock.")
    indexed.ingest_document(NS, source_ref="two.txt", text="Ada Marsh owes forty pounds.")
    then = clock.now
    clock.tick()
    indexed.forget(NS, source_ref="two.txt")
    found = indexed.read(NS, "Ada Marsh pounds", as_of=then, kinds=["entity"]).facts
    assert found and not [node for node in found if "pounds" in node.body]
    assert any("Heron Lock" in node.body for node in found)
