"""The records of entity resolution: which entities may be one, what speaks for it, and what was merged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lorelite.records import Usage

EvidenceKind = Literal["name", "alias", "meaning", "neighbours", "type", "apart"]


@dataclass(frozen=True, slots=True)
class MergeEvidence:
    """One thing that speaks for a merge, or, of kind "apart", against it.

    score: how strongly, 0 … 1. reason: in words.
    """

    kind: EvidenceKind
    score: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeSuggestion:
    """Two entities that may be one. `into` is the one of which more is said: it would stay."""

    into_id: str
    other_id: str
    into: str
    """Its name."""
    other: str
    type: str = ""
    """What both are, as far as anybody said."""
    score: float
    """0 … 1, higher is likelier."""
    evidence: tuple[MergeEvidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeReport:
    """What `merge_entities` did."""

    namespace: str
    into_id: str
    name: str
    """Of the entity that stays."""
    merged: tuple[str, ...]
    """Ids of those that are part of it now: what `undo_merge` takes."""
    documents: int = 0
    """That told of them."""
    mentions: int = 0
    """Citations that are the survivor's now."""
    relations: int = 0
    """Relations to others that are the survivor's now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedEntity:
    """A merge that stands, or that was undone."""

    merged_id: str
    into_id: str
    name: str
    """Of the one that was merged away."""
    into: str
    reason: str
    merged_at: int
    """Milliseconds UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatesReport:
    """What `resolve_duplicates` merged, or with dry_run would merge."""

    merged: tuple[MergeSuggestion, ...] = ()
    declined: tuple[MergeSuggestion, ...] = ()
    """What the model did not say yes to."""
    dry_run: bool = False
    usage: Usage = field(default_factory=Usage)
