"""What a manifest permits, and how an emergent one grows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lorelite.ontology.check import End, check_edge, resolve_type, subtypes
from lorelite.ontology.guidance import guidance
from lorelite.ontology.manifest import EdgeType, Manifest, NodeType, Ontology
from lorelite.ontology.merge import MAX_TYPES, merge_updates, read_updates
from lorelite.ontology.names import alike_edge, alike_type
from lorelite.ontology.rules import validate_manifest
from lorelite.ontology.schema_org import SCHEMA_ORG_MANIFEST

WORKS = Manifest(
    (
        NodeType("Person"),
        NodeType("CreativeWork"),
        NodeType("Book", "", "CreativeWork"),
        NodeType("Film", "", "creativework"),
    ),
    (
        EdgeType("author", "CreativeWork", "Person"),
        EdgeType("author", "Book", "Person", "of a book"),
        EdgeType("basedOn", "CreativeWork", "CreativeWork"),
        EdgeType("basedOn", "Film", "Book"),
    ),
)  # fmt: skip


def test_types_are_known_in_any_casing_and_written_as_the_manifest_does():
    assert resolve_type(WORKS, " book ") == "Book"
    assert resolve_type(WORKS, "novel") is None
    assert resolve_type(WORKS, None) is None


def test_a_type_stands_for_its_children_too():
    assert subtypes(WORKS, "creativework") == ("CreativeWork", "Book", "Film")
    assert subtypes(WORKS, "BOOK") == ("Book",)
    assert subtypes(WORKS, "Recipe") == ("Recipe",)


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        (("author", "CreativeWork", "Person"), WORKS.edge_types[0]),
        (("AUTHOR", "film", "person"), WORKS.edge_types[0]),
        (("author", "Book", "Person"), WORKS.edge_types[1]),
        (("basedOn", "Film", "Book"), WORKS.edge_types[3]),
        (("basedOn", "Film", "Film"), WORKS.edge_types[2]),
        (("basedOn", "Book", "Film"), WORKS.edge_types[2]),
        (("author", None, "Person"), "no_source_type"),
        (("author", "Person", "Book"), "type_not_in_manifest"),
        (("eats", "Person", "Book"), "type_not_in_manifest"),
        (("author", "Book", "Film"), "target_type_mismatch"),
        (("author", "Book", None), "target_type_mismatch"),
        (("author", "Book", End.UNKNOWN), WORKS.edge_types[1]),
        (("author", End.UNKNOWN, End.UNKNOWN), WORKS.edge_types[0]),
        (("eats", End.UNKNOWN, End.UNKNOWN), "type_not_in_manifest"),
    ],
)
def test_an_edge_needs_a_row_for_both_its_ends(edge: Any, expected: Any):
    assert check_edge(WORKS, *edge) == expected


def test_a_row_for_a_child_does_not_hold_for_its_parent():
    manifest = Manifest(WORKS.node_types, (EdgeType("filmed_as", "Book", "Film"),))
    assert check_edge(manifest, "filmed_as", "CreativeWork", "Film") == "type_not_in_manifest"


def test_common_words_for_a_type_meet_the_manifests_own():
    found = {
        name: alike_type(SCHEMA_ORG_MANIFEST, name) for name in ("person", "organisation", "works", "song", "novel")
    }
    assert found == {
        "person": "Person",
        "organisation": "Organization",
        "works": "CreativeWork",
        "song": None,
        "novel": "Book",
    }
    row = alike_edge(SCHEMA_ORG_MANIFEST, "works_for", "Person", "Company")
    assert not isinstance(row, str) and row.type == "worksFor"
    assert alike_edge(SCHEMA_ORG_MANIFEST, "works_for", "Company", "Person") == "type_not_in_manifest"


# -- growth -------------------------------------------------------------------------------------------------------

PEOPLE = Manifest((NodeType("person", "p"), NodeType("Boss", "b", "person")), (EdgeType("knows", "person", "person"),))


def grown(**updates: Any) -> Manifest:
    merged = merge_updates(PEOPLE, read_updates(updates))
    assert validate_manifest(merged) == merged
    assert merged.node_types[:2] == PEOPLE.node_types and merged.edge_types[:1] == PEOPLE.edge_types
    return merged


def test_new_types_are_added_and_known_ones_left_as_they_are():
    merged = grown(node_types=[{"type": "Dog", "description": "d"}, {"type": "PERSON", "description": "other"}])
    assert merged.node_types[2:] == (NodeType("Dog", "d"),)


def test_nothing_new_gives_the_same_manifest():
    assert (
        grown(
            node_types=[{"type": "boss"}],
            edge_types=[{"type": "KNOWS", "source_type": "Person", "target_type": "person"}],
        )
        is PEOPLE
    )


@pytest.mark.parametrize(
    ("rows", "parents"),
    [
        ([{"type": "puppy", "parent_type": "dog"}, {"type": "dog"}], ["dog", None]),
        ([{"type": "puppy", "parent_type": "nowhere"}], [None]),
        ([{"type": "puppy", "parent_type": "Puppy"}], [None]),
        ([{"type": "chief", "parent_type": "boss"}], [None]),
        ([{"type": "a", "parent_type": "b"}, {"type": "b", "parent_type": "person"}], [None, "person"]),
        ([{"type": "a", "parent_type": "b"}, {"type": "b", "parent_type": "nowhere"}], [None, None]),
    ],
)
def test_a_parent_counts_when_it_has_none_itself(rows: Any, parents: Any):
    assert [node.parent_type for node in grown(node_types=rows).node_types[2:]] == parents


def test_edges_need_known_ends_and_keep_the_casing_first_seen():
    merged = grown(
        node_types=[{"type": "dog"}],
        edge_types=[
            {"type": "owned_by", "source_type": "dog", "target_type": "person", "description": "o"},
            {"type": "OWNED_BY", "source_type": "DOG", "target_type": "Person"},
            {"type": "OWNED_BY", "source_type": "dog", "target_type": "boss"},
            {"type": "owned_by", "source_type": "cat", "target_type": "person"},
            {"type": "Knows", "source_type": "dog", "target_type": "person"},
        ],
    )
    assert [(row.type, row.source_type, row.target_type) for row in merged.edge_types[1:]] == [
        ("owned_by", "dog", "person"), ("owned_by", "dog", "boss"), ("knows", "dog", "person"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "updates",
    [
        None, [], "types", 3, {"node_types": "dog"}, {"node_types": [None, 3, "dog", {"type": None}, {"type": ["x"]}]},
        {"node_types": [{"type": "x" * 101}, {"type": "a\0b"}, {"type": "\ud800"}, {"type": " "}]},
        {"edge_types": [{"type": "e"}, {"source_type": "person", "target_type": "person"}, {}]},
    ],
)  # fmt: skip
def test_whatever_is_no_type_is_passed_over(updates: Any):
    assert merge_updates(PEOPLE, read_updates(updates)) is PEOPLE


def test_a_model_cannot_grow_a_manifest_without_bound():
    merged = grown(node_types=[{"type": f"t{number}", "parent_type": f"t{number + 1}"} for number in range(1_000)])
    assert len(merged.node_types) == MAX_TYPES


# -- what a model is told ----------------------------------------------------------------------------------------


def test_off_says_nothing_and_the_others_the_rules_and_the_manifest():
    assert guidance(Ontology("off", PEOPLE)) == {}
    strict, emergent = guidance(Ontology("strict", PEOPLE)), guidance(Ontology("emergent", PEOPLE))
    assert strict.keys() == {"ontology_mode_instructions", "ontology_manifest"}
    assert "ontology_updates" in emergent["ontology_mode_instructions"]
    assert "ontology_updates" not in strict["ontology_mode_instructions"]
    shown = strict["ontology_manifest"]
    assert json.loads(shown[shown.index("{") :]) == PEOPLE.as_mapping()
