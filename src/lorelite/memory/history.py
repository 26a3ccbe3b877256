"""`history`: all that was held in a fact's place, oldest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from lorelite.engine import Engine
from lorelite.errors import NotFound
from lorelite.records import FactVersion
from lorelite.store.changes import Change, Row, unwound
from lorelite.store.nodes import node_fields_of
from lorelite.timeline.forgotten import Forgotten


def history(engine: Engine, namespace: str, node_id: str) -> list[FactVersion]:
    """Every wording of the fact, of what it superseded and of what superseded it, oldest first. Raises NotFound."""
    store = engine.store
    if store.nodes.get(namespace, node_id) is None:
        raise NotFound("node", node_id, "it was never there, or was forgotten")
    ids = [node.id for node in store.succession.chain(namespace, node_id)]
    rows = store.rows.get("node", ids)
    changes = store.changes.of_records("node", ids, 0)
    forgotten = Forgotten.of(store, namespace, {"node": changes}, {})
    found = [version for id in ids for version in _versions(rows[id], changes.get(id, []), forgotten)]
    return sorted(found, key=lambda version: (version.held_from, version.created_at, version.id))


@dataclass(frozen=True, slots=True)
class _State:
    """A row as it was stored for a time. since None: from its beginning, until None: to this day."""

    row: Row
    since: int | None
    until: int | None


def _versions(row: Row, changes: list[Change], forgotten: Forgotten) -> Iterator[FactVersion]:
    """The wordings of one node. What a wording was in the end tells all else of it."""
    stored = _states(row, changes, forgotten)
    for _, states in groupby(stored, key=lambda state: (state.row["title"], state.row["body"])):
        wording = list(states)
        is_present, was_first = wording[-1].until is None, wording[0].since is None
        by_window = _span(replace(wording[-1], since=None))
        # Never reworded: that it began earlier than was thought adds to the past.
        spans = [*map(_span, wording), *([by_window] if is_present and was_first else [])]
        held = [(start, end) for start, end in spans if end is None or start < end]
        if is_present and not held:
            held = [_span(wording[-1])]  # what never held is part of the chain all the same
        if held:
            yield FactVersion(
                **node_fields_of(wording[-1].row),
                held_from=min(start for start, _ in held),
                held_to=None if any(end is None for _, end in held) else max(end or 0 for _, end in held),
            )


def _states(row: Row | None, changes: list[Change], forgotten: Forgotten) -> list[_State]:
    """All that a row was, oldest first, back to where the log begins or to where it was forgotten."""
    found: list[_State] = []
    told = forgotten.told(row, changes)
    until = None
    for change, before, after in unwound(row, told):
        if after is not None:
            found.append(_State(after, change.created_at, until))
        row, until = before, change.created_at
        if row is None:
            break
    if row is not None:
        # After it was forgotten it begins with its return, which is its `created_at`.
        found.append(_State(row, None, until))
    return [state for state in reversed(found) if state.row["deleted_at"] is None]


def _span(state: _State) -> tuple[int, int | None]:
    """From when until when a row was stored and, by its window, held true; ends before it begins for never."""
    begin = state.row["created_at"] if state.row["valid_from"] is None else state.row["valid_from"]
    ends = [moment for moment in (state.row["valid_to"], state.until) if moment is not None]
    return begin if state.since is None else max(begin, state.since), min(ends, default=None)
