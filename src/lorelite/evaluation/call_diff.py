"""Two models over the same prompts: what each said, and what it took."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from lorelite.call_records import CallDiff, CallDifference, CallTotals, RecordedCall
from lorelite.engine import Engine
from lorelite.errors import BadReply, InvalidOption
from lorelite.store.calls import CallFilter
from lorelite.text.loose_json import parse_loose_json


def diff_calls(engine: Engine, model_a: str, model_b: str, which: CallFilter) -> CallDiff:
    """The last replies of two models to each prompt that both were asked. Raises InvalidOption for one model twice."""
    if model_a == model_b:
        raise InvalidOption("model_b", f"another model than {model_a!r}", model_b)
    calls = engine.store.calls
    pairs = calls.pairs(model_a, model_b, which)
    found: list[tuple[RecordedCall, RecordedCall]] = []
    for id_a, id_b in pairs:
        first, second = calls.get(id_a), calls.get(id_b)
        assert first is not None and second is not None
        found.append((first, second))
    compared = [compare(first, second) for first, second in found]
    differences = tuple(each for each in compared if each.only_first or each.only_second)
    return CallDiff(
        model_a=model_a,
        model_b=model_b,
        same=len(compared) - len(differences),
        differences=differences,
        only_a=calls.prompts_of(model_a, which) - len(pairs),
        only_b=calls.prompts_of(model_b, which) - len(pairs),
        total_a=total(model_a, [first for first, _ in found]),
        total_b=total(model_b, [second for _, second in found]),
    )


def compare(first: RecordedCall, second: RecordedCall) -> CallDifference:
    """What only one of two replies to a prompt says."""
    lines_a, lines_b = reply_lines(first), reply_lines(second)
    return CallDifference(
        first=first,
        second=second,
        only_first=_without(lines_a, lines_b),
        only_second=_without(lines_b, lines_a),
    )


def reply_lines(call: RecordedCall) -> list[str]:
    """The reply in lines that can be compared: of JSON a line for each member, or each item of a list that is one."""
    if call.schema is None:
        return [line.strip() for line in call.reply.splitlines() if line.strip()]
    try:
        value = parse_loose_json(call.reply)
    except BadReply:
        return [call.reply.strip()]
    members = value.items() if isinstance(value, Mapping) else [("", value)]
    return [line for name, member in members for line in _member_lines(name, member)]


def _member_lines(name: str, member: object) -> Iterable[str]:
    begin = f"{name}: " if name else ""
    for item in member if isinstance(member, list) else [member]:
        yield begin + json.dumps(item, ensure_ascii=False, sort_keys=True)


def total(model: str, calls: Sequence[RecordedCall]) -> CallTotals:
    """What these calls of a model came to."""
    costs = [call.cost for call in calls if call.cost is not None]
    return CallTotals(
        model=model,
        calls=len(calls),
        reused=sum(call.used for call in calls),
        input_tokens=sum(call.input_tokens for call in calls),
        output_tokens=sum(call.output_tokens for call in calls),
        tokens_estimated=any(call.tokens_estimated for call in calls),
        cost=sum(costs) if len(costs) == len(calls) else None,
        duration_ms=sum(call.duration_ms for call in calls),
    )


def _without(lines: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The lines that are not among the others, each as often as it is there more often."""
    left = Counter(others)
    found = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            found.append(line)
    return tuple(found)
