"""What recorded calls came to, summed up."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.call_records import CallSummary, CallTotals


def summary(parts: Sequence[CallTotals]) -> CallSummary:
    """The parts and all of them together."""
    costs = [part.cost for part in parts if part.cost is not None]
    total = CallTotals(
        calls=sum(part.calls for part in parts),
        failed=sum(part.failed for part in parts),
        reused=sum(part.reused for part in parts),
        input_tokens=sum(part.input_tokens for part in parts),
        output_tokens=sum(part.output_tokens for part in parts),
        tokens_estimated=any(part.tokens_estimated for part in parts),
        cost=sum(costs) if len(costs) == len(parts) else None,
        duration_ms=sum(part.duration_ms for part in parts),
    )
    return CallSummary(total=total, parts=tuple(parts))
