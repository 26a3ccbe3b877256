"""What model calls have cost, and what they will."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What model calls have cost. Zero without a model."""

    calls: int = 0
    """Calls that a model answered; those answered from the file are in `reused`."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    """Money, in US dollars unless the prices are of another currency; None: some call has no known price."""
    reused: int = 0
    """Calls answered from those recorded in the file: no tokens, no money."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=_sum(self.cost, other.cost),
            reused=self.reused + other.reused,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What calls will cost, before they are made: low and high, since nobody knows how long replies will be."""

    calls: int = 0
    """Calls that would be sent."""
    reused: int = 0
    """Calls that the file answers from those recorded, at no cost."""
    input_tokens: int = 0
    """Of the calls that would be sent; by estimate, see docs/models.md."""
    output_tokens_low: int = 0
    output_tokens_high: int = 0
    cost_low: float | None = 0.0
    """Money; None: the price of the model is not known."""
    cost_high: float | None = 0.0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            calls=self.calls + other.calls,
            reused=self.reused + other.reused,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens_low=self.output_tokens_low + other.output_tokens_low,
            output_tokens_high=self.output_tokens_high + other.output_tokens_high,
            cost_low=_sum(self.cost_low, other.cost_low),
            cost_high=_sum(self.cost_high, other.cost_high),
        )


def _sum(first: float | None, second: float | None) -> float | None:
    """The sum; not known where one of them is not."""
    return None if first is None or second is None else first + second
