"""Where Lorelite gives another value than the engine it is compared with, because that one is better: graphs given by
callers, their sources, the ontology, dumps."""

from __future__ import annotations

import json

import pytest
from tests.conftest import HASH_A, HASH_B, HASH_C, NS

from lorelite import NodeOwnershipConflict, OntologyConfig, StrictOntologyViolation, WikiConfig
from lorelite.models import CallableEmbedder, ScriptedModel

FARM = {
    "node_types": [{"type": "farmer", "description": "f"}, {"type": "field", "description": "g"}],
    "edge_types": [{"type": "tills", "source_type": "farmer", "target_type": "field", "description": "t"}],
}
ANN, HILL = {"id": "ann", "type": "farmer", "title": "Ann"}, {"id": "hill", "type": "field", "title": "Hill"}


def node(id, **more):
    return {"id": id, "title": f"Title {id}", **more}


def edge(id, source, target, kind="rel"):
    return {"id": id, "type": kind, "source_id": source, "target_id": target}


def upsert(wiki, *nodes, edges=(), ref="one.py", hash=HASH_A, namespace=NS):
    return wiki.upsert_graph(namespace, source_ref=ref, source_hash=hash, nodes=nodes, edges=edges)


def facts(wiki, namespace=NS):
    return {fact.id: fact for fact in wiki.export_dump([namespace]).namespaces[namespace].facts}


def walked(wiki, source):
    return sorted(each.id for each in wiki.traverse_graph(NS, source_id=source).edges)


# -- types and edges ------------------------------------------------------------------------------------------------


def test_without_an_ontology_the_type_that_a_caller_gives_is_kept_and_the_node_found_at_once(wiki):
    """upsert-basic-row-shape"""
    upsert(wiki, node("a", type="thing"))
    [found] = wiki.read(NS, "title").facts
    assert (found.id, found.node_type) == ("a", "thing")


def test_the_type_is_kept_when_a_node_comes_again_with_another_hash(wiki, clock):
    """upsert-supersede-resurrect, upsert-basic-row-shape"""
    upsert(wiki, node("a", type="thing"), node("b", type="thing"))
    clock.tick()
    assert upsert(wiki, node("a", type="thing"), node("c", type="thing"), hash=HASH_B).superseded == 2
    assert {id: fact.node_type for id, fact in facts(wiki).items()} == {"a": "thing", "c": "thing"}


def test_a_node_of_another_namespace_stays_as_it_was_with_its_type(wiki):
    """upsert-foreign-node-id, upsert-basic-row-shape"""
    upsert(wiki, node("a", type="thing"), namespace="theirs")
    with pytest.raises(NodeOwnershipConflict):
        upsert(wiki, node("b"), node("a", type="other"))
    assert facts(wiki, "theirs")["a"].node_type == "thing"
    assert NS not in wiki.export_dump().namespaces


def test_an_edge_ends_with_its_node_and_is_back_when_the_node_is(wiki, clock):
    """upsert-inbound-edges-dangle-after-supersede"""
    upsert(wiki, node("target"), ref="target.py")
    upsert(wiki, node("source"), edges=[edge("e", "source", "target")], ref="source.py", hash=HASH_B)
    clock.tick()
    upsert(wiki, node("other"), ref="target.py", hash=HASH_C)
    assert walked(wiki, "source") == [] and wiki.lint(NS).dangling_edges.count == 0
    clock.tick()
    upsert(wiki, node("target"), ref="target.py")
    assert walked(wiki, "source") == ["e"] and wiki.lint(NS).dangling_edges.count == 0


def test_an_edge_id_that_is_taken_is_refused_by_name_before_anything_is_written(wiki):
    """upsert-edge-id-collision"""
    upsert(wiki, node("a"), node("b"), edges=[edge("e", "a", "b")])
    with wiki.transaction(), pytest.raises(NodeOwnershipConflict, match="edge id 'e'"):
        upsert(wiki, node("c"), edges=[edge("e", "c", "a")], ref="two.py", hash=HASH_B)
    assert set(facts(wiki)) == {"a", "b"}, "although the transaction around it was committed"
    assert wiki.has_changed(NS, source_ref="two.py", source_hash=HASH_B)


# -- sources --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", [("src/lamp.py", "srclamp.py"), ("Ω/λ.md", "Ω/μ.md"), ("///", "..")])
def test_refs_are_kept_as_given_and_stay_distinct(wiki, pair):
    """upsert-sourceRef-normalisation-collision, upsert-hasChanged-list-find-pending"""
    one, two = pair
    upsert(wiki, node("a"), ref=one)
    assert wiki.has_changed(NS, source_ref=two, source_hash=HASH_A)
    assert upsert(wiki, node("b"), ref=two, hash=HASH_B).superseded == 0
    assert {id: fact.source_ref for id, fact in facts(wiki).items()} == {"a": one, "b": two}
    assert {each.source_ref for each in wiki.list_source_refs(NS)} == {one, two}


@pytest.mark.parametrize(
    ("selector", "left"),
    [({"clear_all": True}, 0), ({"source_hash": HASH_A}, 0), ({"source_ref": "one.py"}, 0), ({"node_id": "a"}, 1)],
)
def test_what_was_forgotten_can_be_seeded_again(wiki, clock, selector, left):
    """upsert-after-forget-clearAll-is-noop, upsert-after-forget-by-hash-or-id-is-noop"""
    upsert(wiki, node("a"), node("b"))
    clock.tick()
    wiki.forget(NS, **selector)
    assert len(wiki.read(NS, "").facts) == left
    assert wiki.has_changed(NS, source_ref="one.py", source_hash=HASH_A)
    clock.tick()
    assert upsert(wiki, node("a"), node("b")).nodes_written == 2
    assert set(facts(wiki)) == {"a", "b"}
    assert not wiki.has_changed(NS, source_ref="one.py", source_hash=HASH_A)


def test_a_vector_goes_with_the_text_it_was_made_from(open_wiki, clock):
    """upsert-keeps-stale-embedding"""
    embedder = CallableEmbedder(lambda texts: [[1.0, 0.0] if "old" in text else [0.0, 1.0] for text in texts], "words")
    wiki = open_wiki(embedder=embedder)
    upsert(wiki, node("a", body="old"))
    wiki.run_reembed(NS)
    clock.tick()
    upsert(wiki, node("a", body="new"), hash=HASH_B)
    wiki.run_reembed(NS)
    scores = {query: wiki.read(NS, query, hybrid_weight="cosine").fact_scores["a"] for query in ("old", "new")}
    assert scores == pytest.approx({"old": 0.0, "new": 1.0})
    assert wiki.run_reembed(NS).embedded == 0


def test_a_dump_keeps_refs_titles_and_bodies_as_they_are(wiki):
    """dump-validation, upsert-sourceRef-normalisation-collision"""
    given = {
        "id": "a", "entity_id": NS, "title": "t" * 700, "body": "b" * 9_500, "tags": [], "confidence": "certain",
        "source_type": "user_stated", "source_ref": "docs/Ω.md", "created_at": 1, "updated_at": 1,
    }  # fmt: skip
    wiki.import_dump({"generatedAt": 1, "entities": {NS: {"facts": [given], "tasks": [], "events": [], "edges": []}}})
    found = facts(wiki)["a"]
    assert (len(found.title), len(found.body), found.source_ref) == (700, 9_500, "docs/Ω.md")


# -- ontology -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "target"), [("hill", "hill"), ("ann", "ann")])
def test_strict_checks_both_ends_of_an_edge_and_writes_nothing_of_what_it_refuses(wiki, source, target):
    """onto-strict-upsert"""
    wiki.set_ontology(NS, FARM, mode="strict")
    with pytest.raises(StrictOntologyViolation):
        upsert(wiki, ANN, HILL, edges=[edge("e", source, target, "tills")])
    assert wiki.read([NS], "").facts == ()
    assert upsert(wiki, ANN, HILL, edges=[edge("e", "ann", "hill", "tills")]).edges_written == 1


def test_the_mode_of_the_settings_holds_for_a_namespace_that_has_no_ontology_of_its_own(open_wiki):
    """onto-global-mode-without-seed-is-off"""
    wiki = open_wiki(config=WikiConfig(ontology=OntologyConfig(mode="strict")))
    with pytest.raises(StrictOntologyViolation):
        upsert(wiki, ANN)
    assert wiki.read([NS], "").facts == ()


def test_off_stores_no_types_and_edges_of_a_model_even_where_a_manifest_is(open_wiki):
    """onto-off-mode-with-manifest-still-types"""
    tills = {"edge_type": "tills", "target_title": "Hill"}
    ann = {"title": "Ann", "body": "A farmer.", "okf_type": "farmer", "edges": [tills]}
    reply = json.dumps({"facts": [ann, {"title": "Hill", "body": "A field.", "okf_type": "field"}]})
    wiki = open_wiki(model=ScriptedModel({"extract": reply}))
    wiki.set_ontology(NS, FARM, mode="off")
    wiki.ingest_document(NS, source_ref="d", text="Ann tills the hill.")
    found = wiki.export_dump().namespaces[NS]
    assert {fact.title: fact.node_type for fact in found.facts if fact.kind == "fact"} == {"Ann": None, "Hill": None}
    assert "tills" not in {each.edge_type for each in found.edges}
