"""What jobs write in their own name: facts that follow, ends of facts, notes of contradictions. No store, no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from lorelite.engine import Engine
from lorelite.ids import content_id, random_id
from lorelite.prompts.librarian import FactClaim
from lorelite.records import Edge, Node, Origin, Verification
from lorelite.text.grounding import CHECKED_BY, Grounding

CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who writes, and when."""

    namespace: str
    origin: Origin
    generated_by: str
    now: int


@dataclass(frozen=True, slots=True)
class Remark:
    """What a plan has to say to the caller's hook."""

    code: str
    message: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    severity: Literal["info", "warning"] = "warning"


def author_of(engine: Engine, namespace: str, kind: str, now: int) -> Author:
    """A job of this kind, with the engine's model or without one."""
    model = engine.model
    return Author(
        namespace=namespace,
        origin="heuristic" if model is None else "model",
        generated_by=kind if model is None else f"{kind} ({model.name})"[:200],
        now=now,
    )


def inferred_fact(
    claim: FactClaim, author: Author, check: Grounding | None, sources: Sequence[Mapping[str, Any]] = ()
) -> Node:
    """The claim as a new node: a draft where its quotes were checked (*check* is not None) and not found."""
    return Node(
        id=random_id("fact"),
        namespace=author.namespace,
        kind="fact",
        title=claim.title,
        body=claim.body,
        tags=claim.tags,
        confidence=claim.confidence,
        source_type="librarian_inferred",
        origin=author.origin,
        lifecycle="stable" if check is None or check.ok else "draft",
        generated_by=author.generated_by,
        verified=(Verification(CHECKED_BY, author.now),) if check is not None and check.ok else (),
        sources=tuple(sources),
        created_at=author.now,
        updated_at=author.now,
    )


def contradiction(fact: Node, other: Node, author: Author) -> Edge:
    """The edge that says so, as sure as the fact it leads from."""
    return Edge(
        id=content_id("edge", author.namespace, fact.id, CONTRADICTS, other.id),
        namespace=author.namespace,
        source_id=fact.id,
        target_id=other.id,
        edge_type=CONTRADICTS,
        confidence=fact.confidence,
        origin=author.origin,
        created_at=author.now,
        updated_at=author.now,
    )


def ended(node: Node, by: str, at: int, now: int) -> Node:
    """The node, whose place another takes from *at* on. A window is never empty, whatever moment it begins at."""
    end = at if node.valid_from is None else max(at, node.valid_from + 1)
    return replace(node, valid_to=end, superseded_by=by, superseded_at=now, updated_at=now)


def deduplicated(claim: FactClaim, reason: str, known: Node | None = None) -> Remark:
    """That a claim says nothing new."""
    detail: dict[str, Any] = {"item_index": claim.index, "reason": reason}
    detail |= {} if known is None else {"node_id": known.id}
    return Remark("fact_deduplicated", "a fact is known already", detail, "info")
