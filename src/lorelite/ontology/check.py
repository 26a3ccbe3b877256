"""What a manifest says about one type and about one edge."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Literal

from lorelite.ontology.manifest import EdgeType, Manifest

DropReason = Literal[
    "no_source_type",
    "invalid_shape",
    "type_not_in_manifest",
    "target_not_found",
    "target_type_mismatch",
    "manifest_violation",
]
"""Why an edge was left out."""

ENGINE_EDGES = frozenset({"mentions", "states", "about", "co_occurs", "contradicts"})
"""Edges that the engine lays itself, between a text and what it tells of: no manifest permits or forbids them."""


class End(Enum):
    """A node that is not there yet, so that nobody can say which type it has."""

    UNKNOWN = "unknown"


EndType = str | None | Literal[End.UNKNOWN]


@dataclass(frozen=True, slots=True)
class _Index:
    names: dict[str, str]
    parents: dict[str, str]
    edges: dict[str, list[EdgeType]]


@lru_cache(maxsize=64)
def _index(manifest: Manifest) -> _Index:
    edges: dict[str, list[EdgeType]] = defaultdict(list)
    for edge in manifest.edge_types:
        edges[edge.type.casefold()].append(edge)
    return _Index(
        {node.type.casefold(): node.type for node in manifest.node_types},
        {node.type.casefold(): node.parent_type.casefold() for node in manifest.node_types if node.parent_type},
        dict(edges),
    )


def resolve_type(manifest: Manifest, name: str | None) -> str | None:
    """The type as the manifest writes it; None when it has none of that name."""
    return None if name is None else _index(manifest).names.get(name.strip().casefold())


def subtypes(manifest: Manifest, name: str) -> tuple[str, ...]:
    """The type and its children, in the manifest's casing and order; a name it does not know stands for itself."""
    wanted = name.strip().casefold()
    index = _index(manifest)
    children = [known for key, known in index.names.items() if index.parents.get(key) == wanted]
    return (index.names.get(wanted, name.strip()), *children)


def check_edge(
    manifest: Manifest, edge_type: str, source_type: EndType, target_type: EndType
) -> EdgeType | Literal["no_source_type", "type_not_in_manifest", "target_type_mismatch"]:
    """The row that permits an edge, or why none does. Ends are types; None is a node without one.

    A row holds for its types and their children. Of several, the one that names both types themselves is preferred,
    then the one that names the target's. An end that is not there yet (End.UNKNOWN) fits any row.
    """
    if source_type is None:
        return "no_source_type"
    index = _index(manifest)
    rows = [
        (row, fit)
        for row in index.edges.get(edge_type.strip().casefold(), ())
        if (fit := _fit(index, row.source_type, source_type))
    ]
    if not rows:
        return "type_not_in_manifest"
    fitting = [(_fit(index, row.target_type, target_type), fit, row) for row, fit in rows]
    best = max(fitting, key=lambda each: each[:2])
    return best[2] if best[0] else "target_type_mismatch"


def _fit(index: _Index, wanted: str, found: EndType) -> int:
    """2 for the type itself, 1 for a child of it, 0 for anything else."""
    if found is End.UNKNOWN:
        return 1
    if found is None:
        return 0
    key, name = found.strip().casefold(), wanted.casefold()
    return 2 if key == name else int(index.parents.get(key) == name)
