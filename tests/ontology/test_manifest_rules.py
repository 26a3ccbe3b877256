"""When a manifest holds together, and what the refusal says."""

from __future__ import annotations

from typing import Any

import pytest

from lorelite import (
    SCHEMA_ORG_MANIFEST,
    EdgeType,
    InvalidManifest,
    LoreliteError,
    Manifest,
    NodeType,
    validate_manifest,
)

PEOPLE: dict[str, Any] = {
    "node_types": [
        {"type": "person", "description": "A human being."},
        {"type": "Boss", "description": "", "parent_type": "person"},
    ],
    "edge_types": [
        {"type": "reports_to", "source_type": "person", "target_type": "person", "description": "Has as superior."}
    ],
}


def test_a_mapping_is_read_and_given_back_as_it_was():
    manifest = validate_manifest(PEOPLE)
    assert manifest == Manifest(
        (NodeType("person", "A human being."), NodeType("Boss", "", "person")),
        (EdgeType("reports_to", "person", "person", "Has as superior."),),
    )
    assert manifest.as_mapping() == PEOPLE
    assert validate_manifest(manifest) == manifest


def test_an_empty_manifest_is_one():
    assert validate_manifest({}) == validate_manifest({"node_types": [], "edge_types": None}) == Manifest()


def test_names_are_stored_without_the_spaces_around_them():
    assert validate_manifest({"node_types": [{"type": " person "}]}).node_types[0].type == "person"


def nodes(*rows: dict[str, Any], edges: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"node_types": list(rows), "edge_types": list(edges)}


def edge(name: str, source: str = "a", target: str = "a") -> dict[str, Any]:
    return {"type": name, "source_type": source, "target_type": target}


A, B = {"type": "a"}, {"type": "b"}
FAULTS = [
    (nodes({"type": " "}), "node_types[0].type", "a name"),
    (nodes({"type": 5}), "node_types[0].type", "a name"),
    (nodes({}), "node_types[0].type", "a name"),
    (nodes({"type": "x" * 101}), "node_types[0].type", "100 characters"),
    (nodes({"type": "two\nlines"}), "node_types[0].type", "one line"),
    (nodes(A, {"type": "A"}), "node_types[1].type", "'a' again"),
    (nodes({"type": "a", "parent_type": ""}), "node_types[0].parent_type", "leave parent_type out"),
    (nodes({"type": "a", "parent_type": "b"}), "node_types[0].parent_type", "'b'"),
    (nodes({"type": "a", "parent_type": "A"}), "node_types[0].parent_type", "its own parent"),
    (
        nodes(A, {"type": "b", "parent_type": "a"}, {"type": "c", "parent_type": "b"}),
        "node_types[2].parent_type",
        "c → b → a",
    ),
    (nodes({"type": "a", "description": 3}), "node_types[0].description", "text"),
    (nodes(A, edges=(edge("e", target="z"),)), "edge_types[0].target_type", "'z'"),
    (nodes(A, edges=(edge("e", source=""),)), "edge_types[0].source_type", "a name"),
    (nodes(A, edges=(edge(""),)), "edge_types[0].type", "a name"),
    (nodes(A, edges=(edge("e"), edge("e", source="A"))), "edge_types[1]", "e (A → a)"),
    (nodes(A, B, edges=(edge("e"), edge("E", target="b"))), "edge_types[1].type", "write it 'e' everywhere"),
    ({"nodes": []}, "manifest", "'nodes'"),
    (nodes({"type": "a", "parent": "b"}), "node_types[0]", "'parent'"),
    ({"node_types": "person"}, "node_types", "a list"),
    ({"node_types": ["person"]}, "node_types[0]", "a mapping"),
    ("person", "manifest", "a mapping"),
    (None, "manifest", "a mapping"),
    (Manifest(node_types=("person",)), "manifest", "records"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("manifest", "place", "said"), FAULTS)
def test_a_fault_is_named_with_its_place_and_a_remedy(manifest: Any, place: str, said: str):
    with pytest.raises(InvalidManifest) as caught:
        validate_manifest(manifest)
    assert caught.value.data["place"] == place
    assert str(caught.value).startswith(f"{place}: expected ") and said in str(caught.value)
    assert isinstance(caught.value, LoreliteError) and isinstance(caught.value, ValueError)


def test_an_edge_may_join_several_pairs_of_types():
    manifest = validate_manifest(nodes(A, B, edges=(edge("e"), edge("e", target="b"), edge("e", source="b"))))
    assert len(manifest.edge_types) == 3


def test_the_ready_manifest_holds_together_and_covers_daily_life():
    assert validate_manifest(SCHEMA_ORG_MANIFEST.as_mapping()) == SCHEMA_ORG_MANIFEST
    types = {node.type for node in SCHEMA_ORG_MANIFEST.node_types}
    assert types >= {"Person", "Organization", "Place", "Event", "CreativeWork", "Book", "Article", "Film", "Task"}
    assert all(node.description for node in SCHEMA_ORG_MANIFEST.node_types)
    joined = {end for row in SCHEMA_ORG_MANIFEST.edge_types for end in (row.source_type, row.target_type)}
    parents = {node.parent_type for node in SCHEMA_ORG_MANIFEST.node_types} - {None}
    assert parents <= joined
