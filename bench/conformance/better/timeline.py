"""Better values of calls/timeline.py."""

from __future__ import annotations

from typing import Any

from bench.conformance.expectations import Better, Outcome, value

_TOLD = ("entries", "tasks")
"""The tables that the reference tells of."""


def _all_real_changes(ours: Outcome, observed: Outcome) -> bool:
    """Every change that the reference tells of and that took place, in its order, among changes of other tables."""
    if not isinstance(ours.get("ok"), list) or not isinstance(observed.get("ok"), list):
        return False
    if not all(isinstance(row, dict) and "table_name" in row for row in (*ours["ok"], *observed["ok"])):
        return False
    told = [_change(row) for row in ours["ok"] if row["table_name"] in _TOLD]
    there = {record for _, record, operation, _ in told if operation != "DELETE"}
    wanted = [_change(row) for row in observed["ok"]]
    # The deletion of what was never there did not take place; any other change did.
    made = [each for each in wanted if each[2] != "DELETE" or each[1] in there or each[1].startswith("<")]
    sequences = [int(row["id"]) for row in ours["ok"]]
    return sequences == sorted(set(sequences)) and _holds_in_order(told, made)


def _change(row: dict[str, Any]) -> tuple[str, str, str, Any]:
    payload = row["payload"] or {}
    return row["table_name"], row["record_id"], row["operation"], payload.get("title", payload.get("description"))


def _holds_in_order(told: list[tuple[str, str, str, Any]], wanted: list[tuple[str, str, str, Any]]) -> bool:
    rest = iter(told)
    return all(
        any(
            (ours[0], ours[2], ours[3]) == (one[0], one[2], one[3]) and (ours[1] == one[1] or one[1].startswith("<"))
            for ours in rest
        )
        for one in wanted
    )


BETTER: tuple[Better, ...] = (
    Better("temporal-not-in-7.7.4", 7, "temporal-not-in-7.7.4", "as_of is heeded: nothing was there then",
           value({"facts.id": []})),
)  # fmt: skip
GENERAL = (
    Better("*", "*", "outbox-rows", "all tables are told of, and only what really changed, in sequence",
           _all_real_changes),
)  # fmt: skip
