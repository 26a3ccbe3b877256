"""What changed in a namespace since a moment, and how each of these rows was then: laid over the present, the past."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from lorelite.records import Edge, Event, Node, Task
from lorelite.store.changes import Change, Row
from lorelite.store.edges import edge_of
from lorelite.store.journal import event_of, task_of
from lorelite.store.nodes import node_fields_of
from lorelite.store.store import Store
from lorelite.timeline.forgotten import Forgotten, is_gone, left_of

_TABLES = ("node", "edge", "task", "event", "citation", "document", "support")


@dataclass(frozen=True)
class Overlay:
    """Rows that were changed or removed after a moment, as they were then; None: not there then, or forgotten since."""

    namespace: str
    nodes: Mapping[str, Node | None]
    edges: Mapping[str, Edge | None]
    tasks: Mapping[str, Task | None]
    events: Mapping[str, Event | None]
    citations: Mapping[str, Sequence[tuple[str, int, int]]]
    """Node or edge id → (document id, start, end) of citations that are gone."""
    documents: Mapping[str, Row]
    """Documents that are gone, with their text."""
    keys: Mapping[int, str]
    """Key in the present keyword index → node, for nodes that were changed."""
    same_text: frozenset[str]
    """Nodes that say now what they said then, so that the present index and their vectors stand for them."""

    @cached_property
    def edges_from(self) -> Mapping[str, Sequence[Edge]]:
        return _by_end(self.edges.values(), "source_id")

    @cached_property
    def edges_to(self) -> Mapping[str, Sequence[Edge]]:
        return _by_end(self.edges.values(), "target_id")


def overlay_of(store: Store, namespace: str, as_of: int) -> Overlay:
    """The rows of the namespace that are not now as they were then."""
    rows, present = _rows_then(store, namespace, as_of)
    citations: dict[str, list[tuple[str, int, int]]] = {}
    for row in filter(None, rows["citation"].values()):
        citations.setdefault(row["owner_id"], []).append((row["document_id"], row["start"], row["end"]))
    nodes, now = rows["node"], present["node"]
    return Overlay(
        namespace=namespace,
        nodes={id: _node(row) for id, row in nodes.items()},
        edges={id: None if row is None else edge_of(row) for id, row in rows["edge"].items()},
        tasks={id: None if is_gone(row) else task_of(row or {}) for id, row in rows["task"].items()},
        events={id: None if row is None else event_of(row) for id, row in rows["event"].items()},
        citations=citations,
        documents={id: row for id, row in rows["document"].items() if row and id not in present["document"]},
        keys={row["key"]: id for id, row in now.items()},
        same_text=frozenset(id for id, row in nodes.items() if row is not None and _says_the_same(row, now.get(id))),
    )


def _rows_then(
    store: Store, namespace: str, as_of: int
) -> tuple[dict[str, dict[str, Row | None]], dict[str, dict[str, Row]]]:
    """(table → record → the row then, table → record → the row now) of what was changed or removed since."""
    found: dict[str, dict[str, list[Change]]] = {table: {} for table in _TABLES}
    for change in store.changes.with_images(namespace, as_of):
        if change.table_name in found:
            found[change.table_name].setdefault(change.record_id, []).append(change)
    present = {table: store.rows.get(table, records) for table, records in found.items()}
    forgotten = Forgotten.of(store, namespace, found, present)
    then: dict[str, dict[str, Row | None]] = {}
    for table, records in found.items():
        pictures = {id: _picture(present[table].get(id), each, as_of, forgotten) for id, each in records.items()}
        is_any_gone = any(picture.removed_by is not None for picture in pictures.values())
        begun = store.changes.inserted(namespace, table, as_of) if is_any_gone else {}
        then[table] = {
            id: None if picture.is_given_up(begun.get(id)) else picture.row for id, picture in pictures.items()
        }
        if table == "node":
            then[table] = {
                id: left_of(forgotten, id, row, is_there=pictures[id].removed_by is None)
                for id, row in then[table].items()
            }
    return then, present


def _picture(current: Row | None, changes: Sequence[Change], as_of: int, forgotten: Forgotten) -> _Picture:
    told = forgotten.told(current, changes)
    picture = _Picture.of(current, told, as_of)
    # What was forgotten, returned, and is gone again: of the time before there is nothing to show.
    return picture if len(told) == len(changes) or picture.removed_by is None else _Picture(None)


@dataclass(frozen=True, slots=True)
class _Picture:
    row: Row | None
    removed_by: str | None = None
    """Why the record is not there any more; None while it is."""
    changed_at: int = 0
    """Sequence of the first change since."""

    @classmethod
    def of(cls, current: Row | None, changes: Sequence[Change], as_of: int) -> _Picture:
        """A record as it was before these changes, newest first: as it was then or, if it came later, at first."""
        row, removal = current, None
        for change in changes:
            assert change.before is not None
            before = {**(row or {}), **change.before}
            if removal is None and is_gone(row) and not is_gone(before):
                removal = change
            if row is not None and _was_superseded(before, row) and row["valid_to"] <= as_of:
                # Said of the past by whoever superseded it: from that moment on it was not true.
                before["valid_to"] = row["valid_to"]
            row = before
        if removal is None or not is_gone(current):
            return cls(row)
        return cls(row, removal.cause, changes[-1].sequence)

    def is_given_up(self, written_at: int | None) -> bool:
        """Whether the record was written since, and is gone again: later knowledge counts while it is held."""
        return self.removed_by is not None and written_at is not None and written_at < self.changed_at


def _was_superseded(before: Row, after: Row) -> bool:
    successor, end = after.get("superseded_by"), after.get("valid_to")
    return successor is not None and end is not None and before.get("superseded_by") != successor


def _node(row: Row | None) -> Node | None:
    return None if row is None or is_gone(row) else Node(**node_fields_of(row))


def _says_the_same(then: Row, now: Row | None) -> bool:
    if now is None or is_gone(now):
        return False
    return all(then[name] == now[name] for name in ("title", "body", "tags"))


def _by_end(edges: Iterable[Edge | None], end: str) -> dict[str, list[Edge]]:
    there = sorted((edge for edge in edges if edge is not None), key=lambda edge: str(getattr(edge, end)))
    return {id: list(group) for id, group in groupby(there, key=lambda edge: str(getattr(edge, end)))}
