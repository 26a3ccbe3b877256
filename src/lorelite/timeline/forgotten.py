"""What must not show in the past any more: the states of a record from before it, or its source, was forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lorelite.store.changes import Change, Row, unwound
from lorelite.store.logged import BY_NAME
from lorelite.store.store import Store

Records = Mapping[str, Mapping[str, Sequence[Change]]]
"""Table → record → its changes, newest first."""
Steps = Sequence[tuple[Change, Row | None, Row | None]]
_BROUGHT_BACK = ("undo", "restore")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, and was not brought back by taking that back."""

    returns: Mapping[tuple[str, str], Sequence[int]] = field(default_factory=dict)
    """(table, record) → sequences of the inserts by which undo or restore brought it back."""
    sources: Mapping[str, int] = field(default_factory=dict)
    """Source → the revision that forgot it: what its earlier versions said is gone with it."""
    lines: Mapping[str, set[str]] = field(default_factory=dict)
    """Shared entity → what forgotten documents said of it."""
    others: frozenset[str] = frozenset()
    """Shared entities of which a replaced document spoke that was not forgotten."""

    @classmethod
    def of(cls, store: Store, namespace: str, changes: Records, present: Mapping[str, Mapping[str, Row]]) -> Forgotten:
        removals = [
            change
            for records in changes.values()
            for each in records.values()
            for change in each
            if change.cause == "forget" and change.operation == "delete"
        ]
        oldest = min((change.sequence for change in removals), default=None)
        returns = {} if oldest is None else store.changes.inserted_by(namespace, _BROUGHT_BACK, oldest)
        so_far = cls(returns)
        sources: dict[str, int] = {}
        source_of: dict[str, str] = {}
        for id, each in changes.get("document", {}).items():
            for change in so_far.forgettings(present["document"].get(id), each):
                if change.before is not None:
                    ref = change.before["source_ref"]
                    sources[ref] = max(change.revision, sources.get(ref, 0))
            source_of.update((id, change.before["source_ref"]) for change in each if change.before)
        lines: dict[str, set[str]] = {}
        others = set[str]()
        for id, each in changes.get("support", {}).items():
            forgotten = {change.sequence for change in so_far.forgettings(present["support"].get(id), each)}
            for change in each:
                said = change.before or {}
                until = sources.get(source_of.get(said["document_id"], ""), 0)
                if change.sequence in forgotten or change.revision <= until:
                    lines.setdefault(said["node_id"], set()).update(said["body"].split("\n"))
                else:
                    others.add(said["node_id"])
        return cls(returns, sources, lines, frozenset(others))

    def forgettings(self, current: Row | None, changes: Sequence[Change]) -> Iterator[Change]:
        """Those of a record's changes that forgot it, newest first; *current* is the record as it is now."""
        steps = list(unwound(current, changes))
        return (change for place, (change, _, _) in enumerate(steps) if self._is_forgetting(steps, place))

    def told(self, current: Row | None, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes that may be told of a record: those since it came back after it was last forgotten."""
        if not self.sources and all(change.cause != "forget" for change in changes):
            return changes
        steps = list(unwound(current, changes))
        for place in range(len(steps)):
            if self._is_forgetting(steps, place) or self._is_of_forgotten_source(steps, place):
                while place and is_gone(steps[place - 1][1]):
                    place -= 1
                return changes[:place]
        return changes

    def _is_of_forgotten_source(self, steps: Steps, place: int) -> bool:
        """Whether what the change ended was said by a source that was forgotten then or later."""
        change, before, _ = steps[place]
        source = None if before is None or is_gone(before) else before.get("source_ref")
        return source is not None and change.revision <= self.sources.get(source, 0)

    def _is_forgetting(self, steps: Steps, place: int) -> bool:
        change, _, after = steps[place]
        is_removed = change.operation == "delete" or is_gone(after)
        return change.cause == "forget" and is_removed and not self._is_taken_back(steps, place)

    def _is_taken_back(self, steps: Steps, place: int) -> bool:
        """Whether undo or restore made the record again what it was before this change, or still earlier."""
        change, _, _ = steps[place]
        made = [row for newer, _, row in steps[:place] if newer.cause in _BROUGHT_BACK and newer.operation == "update"]
        for sequence in self.returns.get((change.table_name, change.record_id), ()):
            if sequence > change.sequence:
                later = [before for newer, before, _ in steps if newer.sequence > sequence]
                made.append(later[-1] if later else steps[0][2])
        return any(_is_same(change.table_name, row, before) for _, before, _ in steps[place:] for row in made)


def _is_same(table: str, row: Row | None, other: Row | None) -> bool:
    if row is None or other is None:
        return False
    passed = {*BY_NAME[table].unwatched, *BY_NAME[table].file_bound}
    return all(row.get(name) == other[name] for name in other.keys() - passed)


def is_gone(row: Row | None) -> bool:
    return row is None or row.get("deleted_at") is not None


def left_of(forgotten: Forgotten, id: str, row: Row | None, *, is_there: bool) -> Row | None:
    """What of a node's row may be shown: without the lines that forgotten documents gave it."""
    if row is None or id not in forgotten.lines:
        return row
    if not is_there and row.get("source_ref") is None and id not in forgotten.others:
        return None
    lines = forgotten.lines[id]
    return {**row, "body": "\n".join(line for line in row["body"].split("\n") if line not in lines)}
