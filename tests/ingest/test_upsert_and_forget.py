"""Graphs that a caller has already, and taking things out again."""

from __future__ import annotations

import pytest
from scripted_reader import reader

from lorelite import ForgetReport, InvalidOption, NodeOwnershipConflict, SourceHashCollision, Wiki
from lorelite.records import Task

NS = "class"
A, B, C = "a" * 64, "b" * 64, "c" * 64
NODES = [
    {"id": "fn_a", "type": "function", "title": "parse", "body": "reads", "tags": ["io"], "confidence": "inferred"},
    {"id": "fn_b", "type": "function", "title": "print", "kind": "entity"},
]
EDGES = [{"id": "e1", "type": "calls", "source_id": "fn_a", "target_id": "fn_b", "weight": 2, "description": "twice"}]


def upsert(wiki: Wiki, ref: str = "main.ts", digest: str = A, nodes=NODES, edges=EDGES, namespace: str = NS):
    return wiki.upsert_graph(namespace, source_ref=ref, source_hash=digest, nodes=nodes, edges=edges)


def test_a_graph_is_written_as_given_and_found_at_once(wiki):
    report = upsert(wiki)
    assert (report.nodes_written, report.edges_written, report.superseded) == (2, 1, 0)
    [found] = wiki.read(NS, "parse").facts
    assert (found.id, found.kind, found.node_type, found.tags, found.confidence) == (
        "fn_a", "fact", "function", ("io",), "inferred",
    )  # fmt: skip
    assert (found.source_ref, found.source_hash, found.source_type) == ("main.ts", A, "immutable_document")
    graph = wiki.traverse_graph(NS, source_id="fn_a")
    assert [(node.id, node.kind, node.depth) for node in graph.nodes] == [("fn_a", "fact", 0), ("fn_b", "entity", 1)]
    [edge] = graph.edges
    assert (edge.id, edge.weight, edge.description, edge.confidence) == ("e1", 2.0, "twice", "certain")


def test_the_same_graph_again_writes_nothing_even_when_its_rows_differ(wiki, picture):
    upsert(wiki)
    before = picture(wiki)
    report = upsert(wiki, nodes=[{"id": "other", "title": "other"}], edges=[])
    assert (report.nodes_written, report.edges_written, report.superseded) == (0, 0, 0)
    assert picture(wiki) == before
    assert upsert(wiki, digest=A.upper()).nodes_written == 0


def test_a_new_hash_replaces_the_share_of_its_source_and_of_no_other(wiki, clock, picture):
    upsert(wiki, "other.ts", C, [{"id": "fn_c", "title": "sort"}], [])
    clock.tick()
    upsert(wiki)
    clock.tick()
    report = upsert(wiki, digest=B, nodes=[NODES[0]], edges=[])
    assert (report.nodes_written, report.superseded) == (1, 3)
    assert {row[0] for row in picture(wiki)["nodes"]} == {"fn_a", "fn_c"}
    assert wiki.read(NS, "print").facts == ()
    clock.tick()
    upsert(wiki)
    assert {row[0] for row in picture(wiki)["nodes"]} == {"fn_a", "fn_b", "fn_c"}
    assert len(wiki.traverse_graph(NS, source_id="fn_a").edges) == 1


def test_a_hash_that_belongs_to_another_source_is_refused_whole(wiki, picture):
    upsert(wiki)
    before = picture(wiki)
    with pytest.raises(SourceHashCollision):
        upsert(wiki, "copy.ts", A, [{"id": "x", "title": "x"}])
    assert picture(wiki) == before
    wiki.forget(NS, source_ref="main.ts")
    assert upsert(wiki, "copy.ts", A).nodes_written == 2


def test_an_id_that_lives_in_another_namespace_is_refused_whole_without_telling_where(wiki, picture):
    upsert(wiki)
    with pytest.raises(NodeOwnershipConflict, match="'fn_a'") as refusal:
        upsert(wiki, "x.ts", B, [{"id": "new", "title": "new"}, NODES[0]], [], namespace="other")
    assert "class" not in str(refusal.value)
    assert "other" not in wiki.list_namespaces() or picture(wiki, "other")["nodes"] == []
    with pytest.raises(NodeOwnershipConflict):
        wiki.write("other", title="x", node_id="fn_a")


def test_an_edge_id_that_joins_other_ends_already_is_refused_whole(wiki, picture):
    upsert(wiki)
    before = picture(wiki)
    with pytest.raises(NodeOwnershipConflict, match="edge id 'e1'"):
        upsert(wiki, "x.ts", B, [{"id": "new", "title": "new"}], [EDGES[0] | {"target_id": "new"}])
    assert picture(wiki) == before


def test_an_edge_may_come_before_the_node_it_leads_to(wiki, clock):
    upsert(wiki, nodes=[NODES[0]])
    assert [node.id for node in wiki.traverse_graph(NS, source_id="fn_a").nodes] == ["fn_a"]
    clock.tick()
    upsert(wiki, "other.ts", B, [NODES[1]], [])
    assert [node.id for node in wiki.traverse_graph(NS, source_id="fn_a").nodes] == ["fn_a", "fn_b"]


def test_one_id_twice_in_a_graph_is_one_node_that_says_the_last(wiki):
    upsert(wiki, nodes=[*NODES, NODES[0] | {"title": "parse again"}])
    assert [node.title for node in wiki.read(NS, "parse").facts] == ["parse again"]


# -- forget -------------------------------------------------------------------------------------------------------


@pytest.fixture
def filled(open_wiki, clock) -> Wiki:
    wiki = open_wiki(model=reader())
    wiki.ingest_document(NS, source_ref="a", text="Ada knows Bob. It is said that Ada sings.")
    clock.tick()
    wiki.ingest_document(NS, source_ref="b", text="Ada owns Cid.")
    upsert(wiki)
    wiki.write(NS, title="Eels", node_id="eels")
    wiki.write(NS, event={"summary": "high water"})
    wiki._wiki._engine.store.journal.put_task(Task(id="task_1", namespace=NS, description="check the lock"))
    wiki.write("other", title="Otters")
    clock.tick()
    return wiki


SELECTORS = [
    {"node_id": "eels"},
    {"node_id": "fn_a"},
    {"node_id": "nobody"},
    {"task_id": "task_1"},
    {"task_id": "nothing"},
    {"source_ref": "a"},
    {"source_ref": "main.ts", "source_hash": A},
    {"source_ref": "main.ts", "source_hash": B},
    {"source_ref": "nowhere"},
    {"source_hash": A},
    {"clear_all": True},
]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_a_dry_run_counts_what_the_real_one_deletes_and_changes_nothing(filled, picture, selector):
    before = picture(filled), filled.get_memory_bundle(NS), filled.read(NS, "Ada").fact_scores
    rehearsal = filled.forget(NS, dry_run=True, **selector)
    assert rehearsal.dry_run
    assert (picture(filled), filled.get_memory_bundle(NS), filled.read(NS, "Ada").fact_scores) == before
    real = filled.forget(NS, **selector)
    assert not real.dry_run
    counted = {name: getattr(rehearsal, name) for name in ForgetReport.__dataclass_fields__ if name != "dry_run"}
    assert counted == {name: getattr(real, name) for name in counted}
    assert [node.title for node in filled.read("other", "Otters").facts] == ["Otters"]


def test_each_selector_takes_what_it_names(filled):
    assert filled.forget(NS, task_id="task_1").tasks == 1
    assert filled.get_memory_bundle(NS).tasks == ()
    assert filled.forget(NS, node_id="eels").nodes == 1
    assert filled.forget(NS, node_id="eels").nodes == 0
    report = filled.forget(NS, source_ref="a")
    # chunk, fact and Bob go; Ada stays with document b.
    assert (report.documents, report.nodes) == (1, 3)
    titles = {node.title for node in filled.get_memory_bundle(NS).facts}
    assert titles == {"Ada", "Cid", "parse", "print"}
    assert filled.forget(NS, source_hash=A).documents == 1
    everything = filled.forget(NS, clear_all=True)
    assert (everything.documents, everything.events, everything.tasks) == (1, 1, 0)
    assert filled.get_memory_bundle(NS).facts == () and filled.list_source_refs(NS) == []


def test_a_forgotten_source_may_be_taken_in_again_and_is_whole(filled, picture):
    before = picture(filled, ids=False)
    filled.forget(NS, source_ref="b")
    assert filled.ingest_document(NS, source_ref="b", text="Ada owns Cid.").status == "ingested"
    assert picture(filled, ids=False) == before


def test_a_forgotten_node_of_a_source_comes_back_with_the_source(filled, picture):
    before = picture(filled)
    filled.forget(NS, node_id="fn_a")
    assert filled.traverse_graph(NS, source_id="fn_a").nodes == ()
    assert [node.id for node in filled.traverse_graph(NS, source_id="fn_b").nodes] == ["fn_b"]
    assert upsert(filled).nodes_written == 2
    assert picture(filled) == before


def test_forgetting_a_source_of_another_namespace_forgets_nothing(filled):
    assert filled.forget("other", source_ref="a") == ForgetReport()
    assert filled.forget("other", node_id="eels") == ForgetReport()
    assert filled.read(NS, "Ada").facts


def test_a_selector_is_wanted(filled):
    with pytest.raises(InvalidOption, match="exactly one of them"):
        filled.forget(NS)
