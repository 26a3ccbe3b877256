"""Taking documents in: without a model, with one, interrupted, repeated, changed."""

from __future__ import annotations

import json
import time

import pytest
from lock_samples import BOOK, NS, SMALL, TEXT, edges
from scripted_reader import reader

from lorelite import SourceHashCollision, Wiki, WikiConfig
from lorelite.models import HashEmbedder, ScriptedModel
from lorelite.store.documents import Chunk
from lorelite.text.extraction import ExtractedEntity, ExtractedFact, ExtractedRelation, Extraction
from lorelite.text.span import Span


def entities(wiki: Wiki) -> dict[str, str]:
    return {node.title: node.id for node in wiki.get_memory_bundle(NS).facts if node.kind == "entity"}


# -- without a model ----------------------------------------------------------------------------------------------


def test_without_a_model_a_document_becomes_chunks_entities_and_edges_with_true_citations(wiki, picture):
    report = wiki.ingest_document(NS, source_ref="lock.md", text=BOOK)
    assert (report.status, report.origin, report.usage.calls) == ("ingested", "heuristic", 0)
    assert report.chunks >= 1 and report.entities >= 3 and report.edges >= 3
    assert {"Heron Lock", "Ada Marsh", "Tom Weir"} <= set(entities(wiki))
    shown = picture(wiki)
    assert shown["edges without ends"] == []
    for node in wiki.read(NS, "Ada Marsh keeps the lock", kinds=["chunk", "entity", "fact"], max_results=100).facts:
        assert node.citations
        for citation in node.citations:
            assert citation.quote == BOOK[citation.start : citation.end] != ""
            assert citation.source_ref == "lock.md"


def test_the_same_document_again_is_free_and_changes_nothing(open_wiki, clock, picture):
    model = reader()
    wiki = open_wiki(model=model, config=SMALL)
    wiki.ingest_document(NS, source_ref="a", text=TEXT)
    before, asked = picture(wiki), len(model.requests)
    clock.tick()
    report = wiki.ingest_document(NS, source_ref="a", text=TEXT)
    assert (report.status, report.facts, report.entities, report.edges) == ("unchanged", 0, 0, 0)
    assert len(model.requests) == asked
    assert picture(wiki) == before
    assert wiki.list_source_refs(NS)[0].updated_at < clock.now


def test_a_changed_document_replaces_the_old_one(wiki, clock):
    wiki.ingest_document(NS, source_ref="a", text="Heron Lock stands on the Wharfe.")
    clock.tick()
    report = wiki.ingest_document(NS, source_ref="a", text="Otter Bridge crosses the Wharfe.")
    assert report.status == "ingested" and report.replaced > 0
    assert wiki.read(NS, "Heron").facts == ()
    assert len(wiki.list_source_refs(NS)) == 1
    assert wiki.get_document(NS, "a") == "Otter Bridge crosses the Wharfe."


def test_a_document_can_go_back_to_an_earlier_text(wiki, clock, picture):
    wiki.ingest_document(NS, source_ref="a", text=BOOK)
    before = picture(wiki)
    clock.tick()
    wiki.ingest_document(NS, source_ref="a", text=TEXT)
    clock.tick()
    assert wiki.ingest_document(NS, source_ref="a", text=BOOK).status == "ingested"
    assert picture(wiki) == before


@pytest.mark.parametrize("choice", ["skip", "throw", "ingest"])
def test_a_second_name_for_the_same_text_is_handled_as_chosen(wiki, picture, choice):
    wiki.ingest_document(NS, source_ref="a", text=BOOK)
    before = picture(wiki)
    if choice == "throw":
        with pytest.raises(SourceHashCollision, match=r"'a'.*'b'") as refusal:
            wiki.ingest_document(NS, source_ref="b", text=BOOK, on_duplicate=choice)
        assert refusal.value.data["existing_source_ref"] == "a"
    else:
        report = wiki.ingest_document(NS, source_ref="b", text=BOOK, on_duplicate=choice)
        expected = ("duplicate", "a") if choice == "skip" else ("ingested", None)
        assert (report.status, report.duplicate_of) == expected
    if choice == "ingest":
        assert [info.source_ref for info in wiki.list_source_refs(NS)] == ["a", "b"]
        wiki.forget(NS, source_ref="b")
    assert picture(wiki) == before


def test_a_source_that_now_says_what_another_says_lets_go_of_what_it_said(wiki):
    wiki.ingest_document(NS, source_ref="a", text=BOOK)
    wiki.ingest_document(NS, source_ref="b", text="Old Harbour was closed.")
    assert wiki.ingest_document(NS, source_ref="b", text=BOOK).status == "ingested"
    assert wiki.get_document(NS, "b") == BOOK
    assert wiki.read(NS, "harbour", kinds=["chunk"]).facts == ()


def test_a_mention_where_chunks_overlap_counts_for_the_chunk_that_was_read(open_wiki):
    text = "Ada knows Bob. " * 40
    config = WikiConfig(chunk_chars=300, chunk_overlap=100)
    wiki = open_wiki(model=reader(), config=config)
    wiki.ingest_document(NS, source_ref="a", text=text)
    chunks = {node.id: node.body for node in wiki.read(NS, "Ada", kinds=["chunk"], max_results=50).facts}
    graph = wiki.traverse_graph(NS, source_id=entities(wiki)["Ada"], edge_types=["mentions"], max_nodes=50)
    weights = {edge.source_id: edge.weight for edge in graph.edges}
    assert weights == {id: body.count("Ada") for id, body in chunks.items()}


def test_progress_is_told_from_nothing_to_all(open_wiki):
    seen = []
    wiki = open_wiki(model=reader(), embedder=HashEmbedder(64), config=SMALL)
    report = wiki.ingest_document(NS, source_ref="a", text=TEXT, on_progress=seen.append)
    extract = [(step.done, step.total) for step in seen if step.stage == "extract"]
    assert extract[0] == (0, report.chunks) and extract[-1] == (report.chunks, report.chunks)
    assert extract == sorted(extract)
    assert seen[-1].stage == "embed" and seen[-1].done > 0


# -- with a model -------------------------------------------------------------------------------------------------


def test_with_a_model_facts_entities_and_typed_edges_are_joined_and_cited(open_wiki):
    text = "Ada knows Bob. Ada is also called Addie. It is said that Ada sings."
    wiki = open_wiki(model=reader())
    report = wiki.ingest_document(NS, source_ref="a", text=text)
    assert (report.status, report.origin, report.facts, report.entities) == ("ingested", "model", 1, 2)
    assert ("Ada", "knows", "Bob") in edges(wiki)
    assert ("a", "mentions", "Ada") in edges(wiki) and ("a", "mentions", "Bob") in edges(wiki)
    assert ("a", "states", "Ada sings") in edges(wiki)
    assert ("Ada sings", "about", "Ada") in edges(wiki)
    [fact] = wiki.read(NS, "sings", kinds=["fact"]).facts
    assert [citation.quote for citation in fact.citations] == ["Ada sings"]
    assert (fact.source_ref, fact.source_type, fact.origin) == ("a", "immutable_document", "model")
    knows = next(edge for edge in wiki.get_memory_bundle(NS).edges if edge.edge_type == "knows")
    graph = wiki.traverse_graph(NS, source_id=knows.source_id, max_depth=1, edge_types=["knows"])
    assert [citation.quote for citation in graph.edges[0].citations] == ["Ada knows Bob."]


def test_a_later_document_joins_names_and_aliases_of_an_earlier_one(open_wiki, clock):
    wiki = open_wiki(model=reader())
    wiki.ingest_document(NS, source_ref="a", text="Ada is also called Addie. Ada knows Bob.")
    clock.tick()
    wiki.ingest_document(NS, source_ref="b", text="Addie owns Cid.")
    assert ("Ada", "owns", "Cid") in edges(wiki)
    assert set(entities(wiki)) == {"Ada", "Bob", "Cid"}


def test_an_alias_that_two_nodes_share_joins_neither(open_wiki, clock):
    wiki = open_wiki(model=reader())
    wiki.ingest_document(NS, source_ref="a", text="Ada is also called Red. Bob is also called Red. Ada knows Bob.")
    clock.tick()
    wiki.ingest_document(NS, source_ref="b", text="Red owns Cid.")
    assert ("Red", "owns", "Cid") in edges(wiki)


def test_edges_find_nodes_that_a_caller_upserted_and_facts_that_a_user_wrote(open_wiki, clock):
    wiki = open_wiki(model=reader())
    wiki.upsert_graph(NS, source_ref="graph", source_hash="a" * 64, nodes=[{"id": "bob-1", "title": "Bob"}])
    wiki.write(NS, title="cid", node_id="cid-1")
    clock.tick()
    wiki.ingest_document(NS, source_ref="a", text="Ada knows Bob. Ada owns Cid.")
    assert set(entities(wiki)) == {"Ada"}
    reached = wiki.traverse_graph(NS, source_id=entities(wiki)["Ada"], direction="outbound").nodes
    assert {node.id for node in reached[1:]} == {"bob-1", "cid-1"}
    assert next(node for node in reached if node.id == "bob-1").kind == "fact"


def test_a_name_that_comes_later_is_a_bare_entity_first_and_filled_in_then(open_wiki):
    replies = [
        {"relations": [{"source": "Ada", "target": "Bob", "type": "knows"}], "entities": [{"name": "Ada"}]},
        {"entities": [{"name": "Bob", "type": "person", "description": "Bob keeps bees."}]},
    ]
    text = "Ada knows Bob well. " * 9 + "\n\n" + "Bob keeps bees all year. " * 7
    wiki = open_wiki(model=ScriptedModel({"extract": list(map(json.dumps, replies))}), config=SMALL)
    report = wiki.ingest_document(NS, source_ref="a", text=text)
    assert (report.chunks, report.status) == (2, "ingested")
    [bob] = wiki.read(NS, "Bob", kinds=["entity"]).facts
    assert (bob.node_type, bob.body) == ("person", "Bob keeps bees.")
    assert ("Ada", "knows", "Bob") in edges(wiki)


def test_the_weight_of_a_relation_grows_with_every_chunk_that_states_it(open_wiki):
    wiki = open_wiki(model=reader(), config=SMALL)
    report = wiki.ingest_document(NS, source_ref="a", text=TEXT)
    [edge] = [edge for edge in wiki.get_memory_bundle(NS).edges if edge.edge_type == "knows"]
    assert edge.weight == pytest.approx(8 * 1.0) and report.chunks >= 8
    assert edge.description == "Ada knows Bob"


def test_one_thing_named_twice_in_a_reply_is_one_node_that_says_both(wiki):
    """By the writer itself: parsers merge what they can, but the writer must not depend on it."""
    from lorelite.ingest.source import checked_source
    from lorelite.ingest.versions import add_version, new_version
    from lorelite.ingest.write import write_extraction
    from lorelite.text.chunking import chunk_spans

    engine = wiki._wiki._engine
    source = checked_source(engine, NS, "a", "Ada met ADA and Addie. Bob met Addie.", None)
    document = new_version(engine, source, "model")
    extraction = Extraction(
        entities=(
            ExtractedEntity(name="Ada", description="one", mentions=(Span(0, 3),)),
            ExtractedEntity(name="ADA", type="person", description="two", aliases=("Addie",), mentions=(Span(8, 11),)),
            ExtractedEntity(name="\u200b", aliases=("Nobody",), mentions=(Span(0, 3),)),
        ),
        relations=(
            ExtractedRelation(source="Bob", target="Addie", type="met"),
            ExtractedRelation(source="Bob", target="Nobody", type="met"),
            ExtractedRelation(source="Bob", target="\u200b", type="met"),
        ),
        facts=(ExtractedFact(title="They met", body="They met.", about=("addie", "Bob", "\u200b", "")),),
    )
    with wiki.transaction():
        chunks = add_version(engine, source, document, chunk_spans(source.text, 1000, 100))
        write_extraction(engine, document, chunks, extraction, 0, "model")
    assert all(isinstance(chunk, Chunk) for chunk in chunks)
    assert set(entities(wiki)) == {"Ada", "Bob", "Nobody"}
    [ada] = wiki.read(NS, "Ada", kinds=["entity"]).facts
    assert (ada.body, ada.node_type) == ("one\ntwo", "person")
    assert [citation.quote for citation in ada.citations] == ["Ada", "ADA"]
    assert {("Bob", "met", "Ada"), ("They met", "about", "Ada")} <= edges(wiki)


def test_a_name_whose_node_goes_by_another_name_now_is_a_node_of_its_own(open_wiki, clock):
    wiki = open_wiki(model=reader())
    wiki.ingest_document(NS, source_ref="a", text="Robert is also called Bob. Robert knows Cid.")
    clock.tick()
    wiki.ingest_document(NS, source_ref="b", text="Bob owns Dan.")
    wiki.forget(NS, source_ref="a")
    assert set(entities(wiki)) == {"Bob", "Dan"}
    clock.tick()
    wiki.ingest_document(NS, source_ref="c", text="Robert visits Eve.")
    assert ("Robert", "visits", "Eve") in edges(wiki) and ("Bob", "owns", "Dan") in edges(wiki)
    assert set(entities(wiki)) == {"Bob", "Dan", "Robert", "Eve"}


@pytest.mark.parametrize(
    "piece", [".", "!?", "…", "字", "🦉", "A", "A. ", "Ada of ", "[(", "|a|b|\n", '"a" ', "\u0301"]
)
def test_endless_repetition_takes_linear_time(wiki, piece):
    begin = time.process_time()
    wiki.ingest_document(NS, source_ref="long.txt", text="x" + piece * (30_000 // len(piece)) + "a")
    assert time.process_time() - begin < 12, "were it quadratic, it would take minutes"
