"""Token budgets without a tokeniser: four characters count as a token, rounded up."""

from __future__ import annotations

from collections.abc import Sequence

CHARS_PER_TOKEN = 4


def token_cost(text: str) -> int:
    """About how many tokens *text* takes."""
    return -(-len(text) // CHARS_PER_TOKEN)


def truncated_to(text: str, tokens: int) -> str:
    """The longest beginning of *text* that costs at most *tokens*; "" for a budget of none."""
    return text[: max(0, tokens) * CHARS_PER_TOKEN]


def pack(costs: Sequence[int], scores: Sequence[float | None] | None, budget: int) -> list[int]:
    """Which items go into *budget* tokens: their positions, in order of rank.

    costs, scores: of the items, best first; an item whose score is None counts as worth nothing, and without scores
    all count alike. The first item is always kept: the caller cuts it when it costs more than the budget. Of the
    others those go in first that are worth most per token (Dantzig's greedy rule for the knapsack, 1957), each whole.
    """
    if not costs:
        return []
    worth = [1.0] * len(costs) if scores is None else _worth(scores)
    room = budget - costs[0]
    kept = [0]
    for position in sorted(range(1, len(costs)), key=lambda at: (-worth[at] / max(1, costs[at]), at)):
        if costs[position] <= room:
            kept.append(position)
            room -= costs[position]
    return sorted(kept)


def _worth(scores: Sequence[float | None]) -> list[float]:
    """Scores moved up so that none is negative: a long item must not gain by sharing its loss among more tokens."""
    lowest = min((score for score in scores if score is not None), default=0.0)
    return [0.0 if score is None else score - min(0.0, lowest) for score in scores]
