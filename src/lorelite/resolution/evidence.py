"""How likely two entities are one, from what speaks for it and against it: pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import log, log2

from lorelite.merge_records import MergeEvidence
from lorelite.text.title_key import title_key

Span = tuple[str, int, int]
"""(document, start, end)."""

SAME_RELATIONS = frozenset(
    {"sameas", "alsoknownas", "aka", "aliasof", "alias", "synonymof", "equivalentto", "identicalto"}
)
"""Types of relations, letters alone, that say that their ends are one."""
UNTYPED_RELATIONS = frozenset({"related_to", "RELATES_TO", "related", ""})
"""Types that say no more than that something joins their ends."""
UNTOLD_TYPES = frozenset({"", "other", "unknown", "thing", "entity", "misc", "miscellaneous", "object", "none", "n/a"})
"""Types that say nothing of what a thing is."""
_SENTENCE_END = re.compile(r"[.!?…。！？؟।]+[\"'”’»)\]]*\s|\n\s*\n|[。！？]")
_ABBREVIATED = re.compile(r"\b(?:mr|mrs|ms|dr|st|prof|jr|sr|\w)\.\s*$", re.IGNORECASE)
_NEAR = 300
"""Characters between two names in one sentence, at most."""
_FULL_WEIGHT = {"meaning": 0.35, "neighbours": 0.45}
_LEAST_COSINE = 0.6
_LEAST_SHARED = 0.15


@dataclass(frozen=True, slots=True)
class Compared:
    """What is known of a pair."""

    evidence: tuple[MergeEvidence, ...]
    score: float


def have_conflicting_types(one: str | None, other: str | None) -> bool:
    """Are both known to be something, and not the same? Homonyms are kept apart by that."""
    first, second = title_key(one or ""), title_key(other or "")
    return first not in UNTOLD_TYPES and second not in UNTOLD_TYPES and first != second


def combined(evidence: Sequence[MergeEvidence]) -> Compared:
    """The score of all evidence together: names decide, meaning and neighbours add, what speaks against takes away.

    Names and aliases: the best. Each of the others closes a part of what is missing to 1 (noisy-or). Evidence that the
    two are apart leaves its complement.
    """
    score = max((each.score for each in evidence if each.kind in ("name", "alias")), default=0.0)
    for each in evidence:
        if each.kind in _FULL_WEIGHT:
            score = 1 - (1 - score) * (1 - _FULL_WEIGHT[each.kind] * each.score)
    for each in evidence:
        if each.kind == "apart":
            score *= 1 - each.score
    kept = sorted(evidence, key=lambda each: (each.kind == "apart", -each.score, each.kind, each.reason))
    return Compared(tuple(kept), round(score, 4))


def by_meaning(cosine: float) -> MergeEvidence | None:
    """What vectors of two entities say: from 0 at a cosine of 0.6 to 1 at 1."""
    score = (cosine - _LEAST_COSINE) / (1 - _LEAST_COSINE)
    if score <= 0:
        return None
    return MergeEvidence("meaning", round(min(1.0, score), 4), f"described alike (cosine {cosine:.2f})")


def by_neighbours(
    one: Mapping[str, float], other: Mapping[str, float], degrees: Mapping[str, int], names: Mapping[str, str]
) -> MergeEvidence | None:
    """What two entities are related to in common, each neighbour the more telling the fewer it has (Adamic and Adar
    2003), as a share of what the one with fewer relations is related to; a share of many counts for more."""
    shared = sorted(one.keys() & other.keys())
    if not shared:
        return None

    def told(ids: Collection[str]) -> float:
        return sum(1 / log(2 + degrees.get(id, 1)) for id in ids)

    # One neighbour in common out of one says little.
    share = told(shared) / (min(told(one), told(other)) + 1 / log(3))
    if share < _LEAST_SHARED:
        return None
    score = 1 - (1 - min(1.0, share)) ** log2(1 + len(shared))
    shown = ", ".join(names.get(id, id) for id in sorted(shared, key=lambda id: (degrees.get(id, 1), id))[:3])
    more = f" and {len(shared) - 3} more" if len(shared) > 3 else ""
    return MergeEvidence("neighbours", round(score, 4), f"both related to {shown}{more}")


def by_relations(types: Sequence[str]) -> MergeEvidence | None:
    """What relations between the two say: that they are one, or, whatever else they say, that they are two."""
    if not types:
        return None
    same = [name for name in types if "".join(filter(str.isalnum, name.lower())) in SAME_RELATIONS]
    if same:
        return MergeEvidence("alias", 0.95, f"a relation says so: {same[0]}")
    untyped = all(name in UNTYPED_RELATIONS for name in types)
    return MergeEvidence("apart", 0.3 if untyped else 0.5, f"a relation joins them: {types[0]}")


def by_sentences(one: Sequence[Span], other: Sequence[Span], texts: Mapping[str, str]) -> MergeEvidence | None:
    """Are both named in one sentence, beside each other? Then they are two things, the surer the more often."""
    counted, place = 0, 0
    ours, theirs = sorted(one), sorted(other)
    for document, start, end in ours:
        while place < len(theirs) and theirs[place] < (document, start - _NEAR, 0):
            place += 1
        for at in range(place, len(theirs)):
            other_document, other_start, other_end = theirs[at]
            if other_document != document or other_start > end + _NEAR:
                break
            if other_start < end and start < other_end:
                continue
            between = texts[document][min(end, other_end) : max(start, other_start)]
            if not ends_sentence(between):
                counted += 1
                break
    if not counted:
        return None
    share = counted / min(len(one), len(other))
    times = "once" if counted == 1 else f"{counted} times"
    return MergeEvidence(
        "apart", round(min(0.8, 0.3 + 0.5 * share), 4), f"named beside each other in one sentence, {times}"
    )


def ends_sentence(between: str) -> bool:
    """Does a sentence end in this text?"""
    return any(
        not _ABBREVIATED.search(between[: found.start() + 1] + " ") or found[0].startswith("\n")
        for found in _SENTENCE_END.finditer(between)
    )
