"""Two runs over the same questions, side by side, with an interval for each difference.

The interval is the percentile bootstrap over questions (B. Efron, R. Tibshirani, An Introduction to the Bootstrap,
1993, chapter 13), paired: a resample draws questions, and with each the results of both runs.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lorelite.errors import InvalidOption
from lorelite.evaluation.ranks import Ranks, all_gold_at, recall_at, reciprocal_rank
from lorelite.evaluation.result import Evaluation, Outcome, padded

RESAMPLES = 10_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One measure of both runs, in percent, and between what bounds the difference lies."""

    measure: str
    before: float
    after: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """Percentage points, after − before."""
        return self.after - self.before

    @property
    def is_clear(self) -> bool:
        """Does the interval leave out 0?"""
        return not self.low <= 0 <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What changed from one run to another over the same questions."""

    before: str
    after: str
    questions: int
    differences: tuple[Difference, ...]

    def table(self) -> str:
        """A row for each measure; a star where the interval leaves out 0."""
        lines = [["measure", self.before, self.after, "difference", f"{LEVEL:.0%} interval", ""]]
        lines += [
            [
                each.measure,
                f"{each.before:.1f}",
                f"{each.after:.1f}",
                f"{each.difference:+.1f}",
                f"{each.low:+.1f} … {each.high:+.1f}",
                "*" if each.is_clear else "",
            ]
            for each in self.differences
        ]
        return padded(lines)


def compare(before: Evaluation, after: Evaluation, *, resamples: int = RESAMPLES, seed: int = 0) -> Comparison:
    """The measures of two evaluations, with 95 % intervals of their differences; the same seed gives the same ones.

    Raises InvalidOption unless both asked the same questions, and at one k at least.
    """
    pairs = _paired(before, after)
    at = [k for k in before.at if k in after.at]
    if not at:
        raise InvalidOption("at", f"one k at least that both evaluations have ({before.at})", after.at)
    both = [(_measures(old.ranks, at), _measures(new.ranks, at)) for old, new in pairs]
    rows = [tuple(new[name] - old[name] for name in old) for old, new in both]
    bounds = _intervals(rows, resamples, random.Random(seed))
    differences = [
        Difference(
            measure=name,
            before=100 * sum(old[name] for old, _ in both) / len(both),
            after=100 * sum(new[name] for _, new in both) / len(both),
            low=100 * low,
            high=100 * high,
        )
        for name, (low, high) in zip(both[0][0], bounds, strict=True)
    ]
    names = _labels(before, after)
    return Comparison(before=names[0], after=names[1], questions=len(pairs), differences=tuple(differences))


def _paired(before: Evaluation, after: Evaluation) -> list[tuple[Outcome, Outcome]]:
    old, new = ({outcome.id: outcome for outcome in each.outcomes} for each in (before, after))
    alone = [id for id in (*old, *new) if id not in old or id not in new]
    alone += [id for id in old if id in new and old[id].question != new[id].question]
    if alone or not old:
        raise InvalidOption(
            "evaluations to compare",
            f"the same questions with the same ids in both ({len(old):,} and {len(new):,} questions)",
            "no questions" if not old else f"{len(alone):,} that differ, for example {', '.join(alone[:3])}",
        )
    return [(outcome, new[id]) for id, outcome in old.items()]


def _measures(ranked: Ranks, at: Sequence[int]) -> Mapping[str, float]:
    deepest = max(at)
    measured = {f"R@{k}": recall_at(ranked, k) for k in at}
    measured |= {f"all-gold@{k}": all_gold_at(ranked, k) for k in at}
    # Places that only one of the two looked at would count for that one alone.
    return measured | {"MRR": reciprocal_rank([rank for rank in ranked if rank is not None and rank <= deepest])}


def _intervals(rows: Sequence[tuple[float, ...]], resamples: int, source: random.Random) -> list[tuple[float, float]]:
    """For each column the bounds that hold the mean in LEVEL of the resamples."""
    kinds = list(dict.fromkeys(rows))  # few: most questions come out the same way
    place = {row: number for number, row in enumerate(kinds)}
    drawn_from = [place[row] for row in rows]
    means: list[list[float]] = [[] for _ in rows[0]]
    for _ in range(resamples):
        counts = Counter(source.choices(drawn_from, k=len(rows))).items()
        for column, found in enumerate(means):
            found.append(sum(kinds[kind][column] * count for kind, count in counts) / len(rows))
    cut = math.floor((1 - LEVEL) / 2 * resamples)
    return [(ordered[cut], ordered[-1 - cut]) for ordered in map(sorted, means)]


def _labels(before: Evaluation, after: Evaluation) -> tuple[str, str]:
    """Names that tell the two apart."""
    for old, new in ((before.label, after.label), (before.name, after.name)):
        if old != new:
            return old, new
    return "before", "after"
