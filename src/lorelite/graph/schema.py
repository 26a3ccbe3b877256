"""Communities as notes on the nodes of a graph, and read back from there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from lorelite.graph.hierarchy import Cluster


class NodeCluster(TypedDict):
    """A cluster that a node is in."""

    level: int
    cluster: str


class SingleCommunitySchema(TypedDict):
    """A community as a graph store tells of it. Level 0 is the coarsest."""

    id: str
    level: int
    title: str
    """"Cluster <id>"."""
    nodes: list[str]
    edges: list[tuple[str, str]]
    """Sorted pairs that touch one of the nodes."""
    chunk_ids: list[str]
    occurrence: float
    """Its chunks as a share of those of the community that has most: 0 … 1."""
    sub_communities: list[str]
    parent: str | None


def clusters_by_node(clusters: Iterable[Cluster]) -> dict[str, list[NodeCluster]]:
    """Node → its clusters, from level 0 down."""
    found: dict[str, list[NodeCluster]] = {}
    for cluster in sorted(clusters, key=lambda cluster: cluster.level):
        for node in cluster.members:
            found.setdefault(node, []).append({"level": cluster.level, "cluster": cluster.id})
    return found


def community_schema(
    nodes: Iterable[tuple[str, Mapping[str, Any]]], pairs: Iterable[tuple[str, str]]
) -> dict[str, SingleCommunitySchema]:
    """Community id → what the `clusters` of the nodes say, ordered by level, then number.

    pairs: the edges; a community has those that touch one of its nodes. Its chunks are those of its nodes'
    `source_id`; `occurrence` compares their number with that of the community that has most.
    """
    neighbours: dict[str, set[str]] = {}
    for one, other in pairs:
        neighbours.setdefault(one, set()).add(other)
        neighbours.setdefault(other, set()).add(one)
    found: dict[str, SingleCommunitySchema] = {}
    edges: dict[str, set[tuple[str, str]]] = {}
    for node, data in nodes:
        above: str | None = None
        for entry in data.get("clusters") or ():
            id = str(entry["cluster"])
            community = found.get(id)
            if community is None:
                community = found[id] = _empty(id, entry["level"], above)
            community["nodes"].append(node)
            community["chunk_ids"] += _listed(data.get("source_id"))
            touching = edges.setdefault(id, set())
            touching.update((min(node, other), max(node, other)) for other in neighbours.get(node, ()))
            above = id
    for id, community in found.items():
        community["nodes"].sort()
        community["chunk_ids"] = list(dict.fromkeys(community["chunk_ids"]))
        community["edges"] = sorted(edges[id])
        if community["parent"] is not None:
            found[community["parent"]]["sub_communities"].append(id)
    most = max((len(community["chunk_ids"]) for community in found.values()), default=0)
    for community in found.values():
        community["sub_communities"].sort(key=_number)
        community["occurrence"] = len(community["chunk_ids"]) / most if most else 0.0
    return dict(sorted(found.items(), key=lambda item: (item[1]["level"], _number(item[0]))))


def _empty(id: str, level: int, parent: str | None) -> SingleCommunitySchema:
    return {
        "id": id,
        "level": level,
        "title": f"Cluster {id}",
        "nodes": [],
        "edges": [],
        "chunk_ids": [],
        "occurrence": 0.0,
        "sub_communities": [],
        "parent": parent,
    }


def _listed(value: str | Sequence[str] | None) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def _number(id: str) -> tuple[int, str]:
    """Numbers in their order, before other ids."""
    return (int(id), "") if id.isdecimal() else (1 << 62, id)
