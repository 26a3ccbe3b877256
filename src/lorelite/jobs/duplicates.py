"""Facts that may say the same, found by comparing: plainly one statement can be merged, the rest is reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import mul
from typing import Literal

from lorelite.records import CONFIDENCE_RANK, Node
from lorelite.reports import Duplicate
from lorelite.search.vectors import normalised
from lorelite.text.alike import Statement, overlap, same_words, statement

NEAR = 0.97
"""Cosine from which two vectors may stand for one statement."""
_ALIKE = 0.8
"""Share of common words from which two texts may be one statement."""

Reason = Literal["same_words", "same_title", "alike", "near_vector"]


def duplicates_of(fact: Node, others: Iterable[Node], cosines: Mapping[str, float]) -> list[Duplicate]:
    """The pairs of *fact* and one of *others* that may be duplicates, the one to keep first.

    cosines: of the fact's vector with those of others, where there are any. Pairs of a document's facts are left out.
    """
    said = statement(fact.title, fact.body)
    found = []
    for other in others:
        if other.id == fact.id or fact.source_type == other.source_type == "immutable_document":
            continue
        reason = _likeness(said, statement(other.title, other.body), cosines.get(other.id, 0.0))
        if reason is not None:
            found.append(Duplicate(ids=tuple(node.id for node in ranked_to_keep([fact, other])), reason=reason))
    return found


def cosines_of(id: str, others: Iterable[str], vectors: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The cosine of a fact's vector with that of each other fact that has one as long."""
    if id not in vectors:
        return {}
    unit = normalised(vectors[id])
    comparable = [other for other in others if len(vectors.get(other, ())) == len(unit)]
    return {other: sum(map(mul, unit, normalised(vectors[other]))) for other in comparable}


def _likeness(one: Statement, other: Statement, cosine: float) -> Reason | None:
    if same_words(one, other):
        return "same_words"
    if one.key == other.key and one.key:
        return "same_title"
    if overlap(one.words, other.words) >= _ALIKE:
        return "alike"
    return "near_vector" if cosine >= NEAR else None


def is_ours_to_end(node: Node) -> bool:
    """Was the fact inferred, and did nobody vouch for it? What a caller or a document states is not ours to end."""
    return node.source_type == "librarian_inferred" and node.trust_tier != "human-reviewed"


def ranked_to_keep(nodes: Sequence[Node]) -> list[Node]:
    """The fact to keep first: a document's, then a caller's, then the surest, then the oldest."""
    return sorted(nodes, key=_worth)


def _worth(node: Node) -> tuple[int, int, int, int, str]:
    source = 2 if node.source_type == "immutable_document" else 1 if not is_ours_to_end(node) else 0
    draft = node.lifecycle == "draft"
    return -source, draft, -CONFIDENCE_RANK[node.confidence], node.created_at, node.id
