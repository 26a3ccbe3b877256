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
    forgotten = _Forgotten.of(found)
    then: dict[str, dict[str, Row | None]] = {}
    for table, records in found.items():
        pictures = {id: _Picture.of(present[table].get(id), changes, as_of) for id, changes in records.items()}
        is_any_gone = any(picture.removed_by is not None for picture in pictures.values())
        begun = store.changes.inserted(namespace, table, as_of) if is_any_gone else {}
        then[table] = {
            id: None if picture.is_given_up(begun.get(id)) else forgotten.left_of(table, id, picture)
            for id, picture in pictures.items()
        }
    return then, present


@dataclass(frozen=True, slots=True)
class _Forgotten:
    """What must not show in the past any more."""

    sources: Mapping[str, int]
    """Source → when it was forgotten: what its earlier versions said is gone with it."""
    lines: Mapping[str, set[str]]
    """Shared entity → what forgotten documents said of it."""
    others: set[str]
    """Shared entities of which a replaced document spoke that was not forgotten."""

    @classmethod
    def of(cls, changes: Mapping[str, Mapping[str, Sequence[Change]]]) -> _Forgotten:
        gone = [each for of_one in changes["document"].values() for each in of_one if each.operation == "delete"]
        sources = {each.before["source_ref"]: each.sequence for each in gone if each.before and each.cause == "forget"}
        source_of = {each.record_id: each.before["source_ref"] for each in gone if each.before}
        lines: dict[str, set[str]] = {}
        others = set[str]()
        for change in (each for of_one in changes["support"].values() for each in of_one):
            said = change.before or {}
            if change.cause == "forget" or change.sequence < sources.get(source_of.get(said["document_id"], ""), 0):
                lines.setdefault(said["node_id"], set()).update(said["body"].split("\n"))
            else:
                others.add(said["node_id"])
        return cls(sources, lines, others)

    def left_of(self, table: str, id: str, picture: _Picture) -> Row | None:
        """What of a picture may be shown."""
        row = picture.row
        if row is None or table not in ("node", "edge", "task", "event"):
            return row
        if picture.removed_by is not None:
            source = row.get("source_ref")
            is_of_forgotten_source = source is not None and picture.removed_at < self.sources.get(source, 0)
            is_orphan = source is None and id in self.lines and id not in self.others
            if picture.removed_by == "forget" or is_of_forgotten_source or is_orphan:
                return None
        if id not in self.lines:
            return row
        return {**row, "body": "\n".join(line for line in row["body"].split("\n") if line not in self.lines[id])}


@dataclass(frozen=True, slots=True)
class _Picture:
    row: Row | None
    removed_by: str | None = None
    """Why the record is not there any more; None while it is."""
    removed_at: int = 0
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
        return cls(row, removal.cause, removal.sequence, changes[-1].sequence)

    def is_given_up(self, written_at: int | None) -> bool:
        """Whether the record was written since, and is gone again: later knowledge counts while it is held."""
        return self.removed_by is not None and written_at is not None and written_at < self.changed_at


def _was_superseded(before: Row, after: Row) -> bool:
    successor, end = after.get("superseded_by"), after.get("valid_to")
    return successor is not None and end is not None and before.get("superseded_by") != successor


def is_gone(row: Row | None) -> bool:
    return row is None or row.get("deleted_at") is not None


def _node(row: Row | None) -> Node | None:
    return None if row is None or is_gone(row) else Node(**node_fields_of(row))


def _says_the_same(then: Row, now: Row | None) -> bool:
    if now is None or is_gone(now):
        return False
    return all(then[name] == now[name] for name in ("title", "body", "tags"))


def _by_end(edges: Iterable[Edge | None], end: str) -> dict[str, list[Edge]]:
    there = sorted((edge for edge in edges if edge is not None), key=lambda edge: str(getattr(edge, end)))
    return {id: list(group) for id, group in groupby(there, key=lambda edge: str(getattr(edge, end)))}
