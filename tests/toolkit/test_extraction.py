"""Extraction by a model, and the step that builds a graph from it."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, ModelError
from lorelite._drive import drive
from lorelite.graph_records import GraphDocument
from lorelite.models import ScriptedModel
from lorelite.toolkit import EntityExtractor, GraphBuildProcessor, InMemoryEntityStore, KitExtraction

REPLY = "ENTITIES\nAda Lovelace|person\nLock|place\n\nRELATIONS\nAda Lovelace|Lock|keeps\n"


def extractor(*replies: object) -> EntityExtractor:
    return EntityExtractor(ScriptedModel({"toolkit_extract": list(replies)}))  # type: ignore[arg-type]


def drawn(found: KitExtraction) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    return (
        [(entity.name, entity.type) for entity in found.entities],
        [(each.source_id, each.type, each.target_id) for each in found.relations],
    )


@pytest.mark.parametrize(
    "reply",
    [
        REPLY,
        "entities:\n- Ada Lovelace | person\n2. Lock | place\nrelations:\n* Ada Lovelace | Lock | keeps",
        "ENTITY: Ada Lovelace|person\nENTITY: Lock|place\nRELATION: Ada Lovelace|Lock|keeps",
        "**Entities**\n| Name | Type |\n|---|---|\n| Ada Lovelace | person |\n| Lock | place |\n## Relations\n"
        "| source | target | type |\n|:--|--|--|\n| Ada Lovelace | Lock | keeps |",
        "<think>Lock|wrong</think>```\nAda Lovelace|person\n`Lock`|place\n\nAda Lovelace|Lock|keeps\n```",
        '{"entities": [{"name": "Ada Lovelace", "type": "person"}, {"name": "Lock", "type": "place"}],'
        ' "relations": [{"source": "Ada Lovelace", "target": "Lock", "type": "keeps"}]}',
        "Here they are:\n\nada lovelace|person\nAda Lovelace|person\nLock|place\nAda Lovelace|Lock|keeps",
    ],
)
def test_h2_replies_are_understood_in_the_shapes_models_give(reply):
    entities, relations = drawn(drive(extractor(reply).extract("Ada Lovelace keeps the lock.")))
    assert [(name.title(), kind) for name, kind in entities] == [("Ada Lovelace", "person"), ("Lock", "place")]
    assert relations == [("ada-lovelace", "keeps", "lock")]


def test_h2_further_fields_are_a_description_and_missing_ends_become_unknown_entities():
    found = drive(extractor("Entities:\nAda|person|keeper\nRelations:\nAda|Canal|walks|every day").extract("x"))
    assert drawn(found) == ([("Ada", "person"), ("Canal", "unknown")], [("ada", "walks", "canal")])
    assert found.entities[0].properties == {"description": "keeper"}
    assert found.relations[0].properties == {"description": "every day"}


def test_h2_every_record_names_its_document():
    found = drive(extractor(REPLY).extract(GraphDocument(content="x", id="d1")))
    assert {record.source_ids for record in (*found.entities, *found.relations)} == {("d1",)}


def test_h2_a_blank_document_asks_no_model_and_a_useless_reply_is_a_warning():
    assert drive(extractor().extract("  \n")) == KitExtraction()
    found = drive(extractor("I am sorry.").extract("text"))
    assert not found.entities and "could be read" in found.warning


def test_h2_a_failing_model_is_asked_once_more():
    assert drive(extractor(ModelError("busy"), REPLY).extract("x")).entities
    with pytest.raises(ModelError, match="busy"):
        drive(extractor(ModelError("busy"), ModelError("busy")).extract("x"))
    with pytest.raises(InvalidOption, match="model"):
        EntityExtractor(None)


def test_h3_documents_go_through_unchanged_in_order_with_counts():
    store = InMemoryEntityStore()
    build = GraphBuildProcessor(extractor(REPLY, "", REPLY, ""), store)
    documents = [GraphDocument(content="one", id="d1", metadata={"a": 1}), {"content": "two", "id": "d2"}]
    first = drive(build.process(documents))
    assert [(each.id, each.content) for each in first] == [("d1", "one"), ("d2", "two")]
    assert first[0].metadata == {"a": 1, "graph_entities": 2, "graph_relations": 1}
    assert first[1].metadata["graph_entities"] == 0 and "graph_error" in first[1].metadata
    before = drive(store.all_entities()), drive(store.all_relations())
    drive(build.process(documents))
    assert (drive(store.all_entities()), drive(store.all_relations())) == before


def test_h3_a_document_that_fails_ends_the_call_or_is_marked():
    failing = [ModelError("busy")] * 2
    with pytest.raises(ModelError):
        drive(GraphBuildProcessor(extractor(*failing), InMemoryEntityStore()).process(["x"]))
    build = GraphBuildProcessor(extractor(*failing, REPLY), InMemoryEntityStore(), on_error="continue")
    marked, whole = drive(build.process(["x", "y"]))
    assert marked.metadata == {"graph_error": "busy"} and whole.metadata["graph_entities"] == 2
