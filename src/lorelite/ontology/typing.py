"""Typing what a model proposes: its types, and the edges that it names by title, held against the manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lorelite.ontology.check import DropReason, check_edge, resolve_type
from lorelite.ontology.manifest import Ontology
from lorelite.text.title_key import title_key


@dataclass(frozen=True, slots=True)
class EdgeProposal:
    """An edge as a reply tells it: to whatever has that title."""

    edge_type: str
    target_title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A fact that a model wrote or read. `edges` may hold None for one whose shape could not be understood."""

    id: str
    title: str
    node_type: str | None = None
    edges: tuple[EdgeProposal | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that a title may mean."""

    id: str
    node_type: str | None


@dataclass(frozen=True, slots=True)
class TypedEdge:
    source_id: str
    edge_type: str
    target_id: str


@dataclass(frozen=True, slots=True)
class WaitingEdge:
    """An edge to a title that nothing has yet."""

    source_id: str
    edge_type: str
    target_title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedEdge:
    """An edge that was left out, and why."""

    reason: DropReason
    source_id: str
    source_type: str | None = None
    edge_type: str = ""
    target_title: str = ""
    target_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Typing:
    """What holds of the proposals. `types` names every proposed node; None: nothing to type it by."""

    types: Mapping[str, str | None] = field(default_factory=dict)
    edges: tuple[TypedEdge, ...] = ()
    dropped: tuple[DroppedEdge, ...] = ()


def titles_named(proposals: Iterable[Proposal]) -> set[str]:
    """The title keys that the proposals' edges lead to: what a store is asked for."""
    named = (edge.target_title for proposal in proposals for edge in proposal.edges if edge is not None)
    return {key for title in named if (key := title_key(title))}


def type_proposals(
    ontology: Ontology, proposals: Sequence[Proposal], known: Mapping[str, Sequence[Candidate]]
) -> Typing:
    """Types and edges that the ontology permits. *known*: title key → the nodes that a namespace has of it, best first.

    An edge may lead to a proposed node too, wherever in the list it stands; those come before known ones. Of several
    nodes of a title the first that a row of the manifest permits is meant. A fact whose type the manifest does not
    know stays, untyped and without edges. With mode off nothing is typed.
    """
    if ontology.mode == "off":
        return Typing(types=dict.fromkeys((proposal.id for proposal in proposals), None))
    manifest = ontology.manifest
    types = {proposal.id: resolve_type(manifest, proposal.node_type) for proposal in proposals}
    named: dict[str, list[Candidate]] = {}
    for proposal in proposals:
        if key := title_key(proposal.title):
            named.setdefault(key, []).append(Candidate(proposal.id, types[proposal.id]))
    edges: dict[TypedEdge, None] = {}
    dropped: list[DroppedEdge] = []
    unplaced: list[DroppedEdge] = []
    for proposal in proposals:
        source = types[proposal.id]
        for edge in proposal.edges:
            if edge is None:
                dropped.append(DroppedEdge(reason="invalid_shape", source_id=proposal.id, source_type=source))
                continue
            key = title_key(edge.target_title)
            nodes = [node for node in (*named.get(key, ()), *known.get(key, ())) if node.id != proposal.id]
            placed = _place(ontology, proposal.id, source, edge, nodes)
            if isinstance(placed, TypedEdge):
                edges[placed] = None
            else:
                is_late = placed.reason in ("target_not_found", "target_type_mismatch")
                (unplaced if is_late else dropped).append(placed)
    return Typing(types=types, edges=tuple(edges), dropped=(*dropped, *unplaced))


def _place(
    ontology: Ontology, source_id: str, source: str | None, edge: EdgeProposal, nodes: Sequence[Candidate]
) -> TypedEdge | DroppedEdge:
    """The edge to the first node that a row permits, or why there is none."""
    reason: DropReason = "target_not_found"
    # A row that fits the source at all is needed before it matters where the edge leads.
    for_any_target = check_edge(ontology.manifest, edge.edge_type, source, None)
    if for_any_target in ("no_source_type", "type_not_in_manifest"):
        nodes, reason = (), for_any_target
    for node in nodes:
        row = check_edge(ontology.manifest, edge.edge_type, source, node.node_type)
        if not isinstance(row, str):
            return TypedEdge(source_id, row.type, node.id)
    if nodes:
        reason = "target_type_mismatch"
    return DroppedEdge(
        reason=reason,
        source_id=source_id,
        source_type=source,
        edge_type=edge.edge_type,
        target_title=edge.target_title,
        target_type=nodes[0].node_type if nodes else None,
    )
