"""Evaluations made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.evaluation import Evaluation, Outcome


def outcome(id: str, *ranks: int | None, tag: str = "", ms: float = 1.0) -> Outcome:
    """A question whose pieces of gold, g1, g2 …, stand at these places."""
    gold = tuple((f"{id} g{number}",) for number in range(1, len(ranks) + 1))
    places = {rank: piece[0] for rank, piece in zip(ranks, gold, strict=True) if rank is not None}
    found = tuple(places.get(place, f"other {place}") for place in range(1, 11))
    return Outcome(id=id, question=f"What of {id}?", tag=tag, gold=gold, found=found, ranks=tuple(ranks), latency_ms=ms)


def evaluation(outcomes: Sequence[Outcome], *, at: tuple[int, ...] = (1, 2, 5), strategy: str = "read") -> Evaluation:
    return Evaluation(name="sample", strategy=strategy, at=at, outcomes=tuple(outcomes))
