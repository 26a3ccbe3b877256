"""Which recorded call comes nearest to one that is not recorded, and what differs: in words for a person."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.call_records import Call, RecordedCall
from lorelite.temporal import iso
from lorelite.text.first_difference import alikeness, first_difference, word_counts

_LONG = 80


def nearest_call(call: Call, candidates: Sequence[RecordedCall], *, by_model: bool) -> str:
    """The nearest of the candidates, which are of the same purpose where there are some.

    by_model: does only a call of the same model answer this one?
    """
    if not candidates:
        return "none is recorded for that purpose"
    words = word_counts(call.user)

    def nearness(found: RecordedCall) -> tuple[float, bool, bool]:
        return alikeness(words, word_counts(found.user)), found.system == call.system, found.model == call.model

    nearest = max(candidates, key=nearness)
    when = iso(nearest.created_at)[:10]
    differs = "; ".join(_differences(call, nearest, by_model)) or "its reply could not be used"
    return f"the nearest is call {nearest.id} of {when}: {differs}"


def _differences(call: Call, found: RecordedCall, by_model: bool) -> list[str]:
    """What differs, each in a few words."""
    told = []
    if found.purpose != call.purpose:
        told.append(f"its purpose is {found.purpose or 'unnamed'}")
    if by_model and found.model != call.model:
        told.append(f"it was sent to {found.model}, not to {call.model}")
    elif by_model and found.parameters != call.parameters:
        told.append(f"its parameters are {_short(found.parameters)}, here {_short(call.parameters)}")
    if found.schema != call.schema:
        told.append("the schema of the reply differs")
    for name, ours, theirs in (("system", call.system, found.system), ("user", call.user, found.user)):
        place, here, there = first_difference(ours, theirs)
        if place >= 0:
            told.append(f"the {name} text differs from character {place:,} on: recorded {there!r}, here {here!r}")
    return told


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"
