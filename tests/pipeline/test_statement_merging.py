"""C4: what chunks say of a thing is put together by fixed rules, and taken apart without a trace."""

from __future__ import annotations

import json
import math
from itertools import permutations

from lorelite.graph_records import TextChunk
from lorelite.pipeline.merging import (
    ChunkSaid,
    EntitySaid,
    entity_from_json,
    entity_json,
    entity_key,
    merged_entity,
    merged_relation,
    relation_from_json,
    relation_json,
    said_by,
)
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction


def test_c4_the_type_said_most_wins_and_of_equals_the_first() -> None:
    said = [_entity("a", "Scrooge", "person"), _entity("b", "Scrooge", "miser"), _entity("c", "Scrooge", "miser")]

    assert merged_entity(said).type == "miser"
    assert merged_entity(said[:2]).type == "person"
    assert merged_entity([_entity("a", "Scrooge", "")]).type == ""


def test_c4_descriptions_stand_in_the_order_said_and_each_once() -> None:
    said = [
        _entity("a", "Scrooge", "person", "A miser."),
        _entity("b", "Scrooge", "person", "Marley's partner."),
        _entity("c", "Scrooge", "person", "A miser."),
    ]

    assert merged_entity(said).parts == ("A miser.", "Marley's partner.")


def test_c4_sources_are_united_with_the_records_of_each() -> None:
    twice = said_by(
        _chunk("a"),
        Extraction(
            entities=(
                ExtractedEntity(name="Scrooge", type="person", description="One."),
                ExtractedEntity(name="SCROOGE", type="person", description="Two."),
                ExtractedEntity(name="SCROOGE", type="person", description="Two."),
            )
        ),
    )
    merged = merged_entity([twice.entities["SCROOGE"], _entity("b", "Scrooge", "person")])

    assert merged.weights == {"a": 2, "b": 1}
    assert merged.chunk_ids == ("a", "b")
    assert merged.name == "Scrooge"
    assert merged.aliases == ()


def test_c4_a_relation_has_one_pair_its_direction_and_the_sum_of_its_weights() -> None:
    first = _relations("a", 4, ("Marley", "Scrooge", 2.0, "was partner of"), ("Marley", "Scrooge", 3.0, "haunts"))
    second = _relations("b", 2, ("Scrooge", "Marley", 0.5, "buried"))
    pair = ("MARLEY", "SCROOGE")

    one_way = merged_relation([first.relations[pair]])
    both = merged_relation([first.relations[pair], second.relations[pair]])

    assert (one_way.source, one_way.target, one_way.direction, one_way.is_directed) == (*pair, 1, True)
    assert (both.source, both.target, both.direction, both.is_directed) == (*pair, 0, False)
    assert both.weight == 5.5
    assert both.order == 2
    assert both.parts == ("was partner of", "haunts", "buried")
    assert both.chunk_ids == ("a", "b")
    assert merged_relation([second.relations[pair]]).source == "SCROOGE"
    assert merged_relation([second.relations[pair]]).direction == -1


def test_c4_keywords_are_united() -> None:
    said = said_by(
        _chunk("a"),
        Extraction(
            relations=(
                ExtractedRelation(source="X", target="Y", type="r", description="1", keywords=("trade", "debt")),
                ExtractedRelation(source="Y", target="X", type="r", description="2", keywords=("debt", "law")),
            )
        ),
    )

    assert merged_relation([said.relations["X", "Y"]]).keywords == ("trade", "debt", "law")


def test_c4_a_record_that_a_chunk_repeats_word_for_word_counts_once() -> None:
    said = _relations("a", 0, ("X", "Y", 2.0, "same"), ("X", "Y", 2.0, "same"), ("X", "Y", 2.0, "other"))

    assert merged_relation([said.relations["X", "Y"]]).weight == 4.0


def test_a_thing_related_to_itself_and_a_name_of_nothing_are_left_out() -> None:
    said = _relations("a", 0, ("Scrooge", "SCROOGE", 1.0, "is"), ("", "Scrooge", 1.0, "?"))

    assert said == ChunkSaid({}, {})


def test_the_end_of_a_relation_that_nobody_lists_is_described_by_the_relation_until_somebody_does() -> None:
    implied = _relations("a", 0, ("Fred", "Scrooge", 1.0, "Fred is Scrooge's nephew.")).entities["FRED"]
    told = _entity("b", "Fred", "person", "A cheerful man.")

    assert merged_entity([implied]).parts == ("Fred is Scrooge's nephew.",)
    assert merged_entity([implied]).type == ""
    assert merged_entity([implied]).implied
    assert merged_entity([implied, told]).parts == ("A cheerful man.",)
    assert merged_entity([implied, told]).chunk_ids == ("a", "b")
    assert not merged_entity([implied, told]).implied


def test_taking_a_chunk_away_leaves_what_would_be_there_without_it() -> None:
    chunks = [
        _relations("a", 0, ("X", "Y", 0.1, "one")),
        _relations("b", 1, ("Y", "X", 0.2, "two")),
        _relations("c", 2, ("X", "Y", 0.7, "three")),
    ]
    said = [chunk.relations["X", "Y"] for chunk in chunks]
    entities = [chunk.entities["X"] for chunk in chunks]

    for gone in range(3):
        rest = [each for number, each in enumerate(said) if number != gone]
        assert merged_relation(rest).weight == math.fsum(w for n, w in enumerate((0.1, 0.2, 0.7)) if n != gone)
        assert merged_relation(rest).parts == tuple(p for n, p in enumerate(("one", "two", "three")) if n != gone)
        assert merged_relation(rest).direction == (1 if gone == 1 else 0)
        named = [each for number, each in enumerate(entities) if number != gone]
        assert merged_entity(named).chunk_ids == tuple(id for n, id in enumerate("abc") if n != gone)


def test_equal_weights_of_different_chunks_count_each() -> None:
    said = [_relations(chunk_id, 0, ("X", "Y", 2.0, "r")).relations["X", "Y"] for chunk_id in "abc"]

    assert merged_relation(said).weight == 6.0


def test_the_sum_of_weights_does_not_depend_on_the_order_of_chunks() -> None:
    said = [
        _relations(str(n), n, ("X", "Y", weight, "r")).relations["X", "Y"]
        for n, weight in enumerate((0.1, 0.2, 0.3, 1e9))
    ]

    assert len({merged_relation(order).weight for order in permutations(said)}) == 1


def test_contributions_come_back_from_json_as_they_were() -> None:
    said = _relations("a", 3, ("Zoe", "Ann", 1.5, "knows"), ("Ann", "Zoe", 0.5, "knows"))
    entity, relation = _entity("a", "Ann", "person", "Somebody."), said.relations["ANN", "ZOE"]

    assert entity_from_json(json.loads(json.dumps(entity_json(entity)))) == entity
    assert entity_from_json(json.loads(json.dumps(entity_json(said.entities["ZOE"])))) == said.entities["ZOE"]
    assert relation_from_json(json.loads(json.dumps(relation_json(relation))), "ANN", "ZOE") == relation


def test_the_key_of_a_name_knows_no_case() -> None:
    assert entity_key(" “Bob  cratchit” ") == entity_key("BOB CRATCHIT") == "BOB CRATCHIT"
    assert entity_key("C++") == "C++"
    assert entity_key("  ") == ""


def _chunk(chunk_id: str, order: int = 0) -> TextChunk:
    return TextChunk(id=chunk_id, content="", document_ids=("d",), order=order, start=0, end=0)


def _entity(chunk_id: str, name: str, kind: str, description: str = "") -> EntitySaid:
    entity = ExtractedEntity(name=name, type=kind, description=description)
    return said_by(_chunk(chunk_id), Extraction(entities=(entity,))).entities[entity_key(name)]


def _relations(chunk_id: str, order: int, *records: tuple[str, str, float, str]) -> ChunkSaid:
    relations = tuple(
        ExtractedRelation(source=source, target=target, type="", weight=weight, description=description)
        for source, target, weight, description in records
    )
    return said_by(_chunk(chunk_id, order), Extraction(relations=relations))
