"""Token budgets without a tokeniser: four characters count as a token, rounded up."""

from __future__ import annotations

CHARS_PER_TOKEN = 4


def token_cost(text: str) -> int:
    """About how many tokens *text* takes."""
    return -(-len(text) // CHARS_PER_TOKEN)


def truncated_to(text: str, tokens: int) -> str:
    """The longest beginning of *text* that costs at most *tokens*; "" for a budget of none."""
    return text[: max(0, tokens) * CHARS_PER_TOKEN]
