"""Which things are mentioned together more often than chance would have it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

MAX_GROUP = 30
"""Of a longer group only the first 30 members are paired, so that lists stay affordable."""

OFTEN = 5


@dataclass(frozen=True, slots=True)
class CoOccurrence:
    """Members `first` < `second`, the numbers of the groups they share, and how telling that is: 0 < weight <= 1."""

    first: int
    second: int
    groups: tuple[int, ...]
    weight: float


def co_occurrences(
    groups: Sequence[Sequence[int]], *, min_count: int = 2, keep_per_member: int = 3
) -> list[CoOccurrence]:
    """The pairs that share groups more often than chance, and the strongest few pairs of every member.

    Weight: normalised pointwise mutual information (Bouma 2009) moved from [-1, 1] to [0, 1], times the discount of
    Pantel and Lin (2002) for small counts. Kept: positive information and `min_count` shared groups; or `min_count` and
    among the `keep_per_member` strongest of one member, or among those of both; or at least five shared groups, so
    that two protagonists are joined however often each is named alone. Ordered by weight, then by the number of
    shared groups, then by member.
    """
    members = [tuple(dict.fromkeys(group))[:MAX_GROUP] for group in groups]
    occurrences = Counter(member for group in members for member in group)
    shared: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, group in enumerate(members):
        for couple in combinations(sorted(group), 2):
            shared[couple].append(number)
    pairs = []
    positive = set()
    for (a, b), numbers in shared.items():
        information = normalised_pmi(len(numbers), occurrences[a], occurrences[b], len(members))
        rarer = min(occurrences[a], occurrences[b])
        discount = len(numbers) / (len(numbers) + 1) * rarer / (rarer + 1)
        pairs.append(CoOccurrence(a, b, tuple(numbers), max((1 + information) / 2 * discount, 1e-6)))
        if information > 0:
            positive.add((a, b))
    pairs.sort(key=lambda pair: (-pair.weight, -len(pair.groups), pair.first, pair.second))
    kept = []
    for pair, ranks in zip(pairs, _ranks(pairs), strict=True):
        recurs = len(pair.groups) >= min_count
        telling = (pair.first, pair.second) in positive or min(ranks) <= keep_per_member
        if (recurs and telling) or max(ranks) <= keep_per_member or len(pair.groups) >= OFTEN:
            kept.append(pair)
    return kept


def normalised_pmi(together: int, first: int, second: int, total: int) -> float:
    """-1 (never together) to 1 (only together), 0 when independent."""
    if not together:
        return -1.0
    if together == total:
        return 1.0
    share = together / total
    return math.log(share * total * total / (first * second)) / -math.log(share)


def _ranks(pairs: Sequence[CoOccurrence]) -> list[tuple[int, int]]:
    seen: Counter[int] = Counter()
    ranks = []
    for pair in pairs:
        seen[pair.first] += 1
        seen[pair.second] += 1
        ranks.append((seen[pair.first], seen[pair.second]))
    return ranks
