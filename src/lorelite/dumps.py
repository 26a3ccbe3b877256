"""A dump in memory: what namespaces hold, as rows that are plain JSON, and as records.

A row has the names of its table's columns. What equals the column's default is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from lorelite.records import Edge, Event, Node, Task, Verification

Row = Mapping[str, Any]

_NODE_FIELDS = tuple(item.name for item in fields(Node) if item.name not in ("namespace", "citations"))
_EDGE_FIELDS = tuple(item.name for item in fields(Edge) if item.name not in ("namespace", "citations"))
_TASK_FIELDS = tuple(item.name for item in fields(Task) if item.name != "namespace")
_EVENT_FIELDS = tuple(item.name for item in fields(Event) if item.name != "namespace")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceDump:
    """What one namespace holds."""

    name: str
    created_at: int = 0
    summary: str = ""
    """A few words about the namespace, where an import brought them."""
    rows: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    """Table ("node", "edge", "document" …) to its rows, in the order in which they were made."""

    @classmethod
    def of(
        cls,
        name: str,
        *,
        nodes: Iterable[Node] = (),
        edges: Iterable[Edge] = (),
        tasks: Iterable[Task] = (),
        events: Iterable[Event] = (),
        rest: Iterable[tuple[str, Row]] = (),
        summary: str = "",
        created_at: int = 0,
    ) -> NamespaceDump:
        """The dump of these records; *rest* holds (table, row) of what has no record: documents, the ontology …"""
        rows: dict[str, list[Row]] = {}
        for table, row in rest:
            rows.setdefault(table, []).append(row)
        for table, made in (
            ("node", [_row(node, _NODE_FIELDS) for node in nodes]),
            ("edge", [_row(edge, _EDGE_FIELDS) for edge in edges]),
            ("task", [_row(task, _TASK_FIELDS) for task in tasks]),
            ("event", [_row(event, _EVENT_FIELDS) for event in events]),
        ):
            if made:
                rows[table] = [*rows.get(table, ()), *made]
        return cls(
            name=name,
            created_at=created_at,
            summary=summary,
            rows={table: tuple(found) for table, found in rows.items()},
        )

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Every node: facts, entities, chunks, questions, reports."""
        return tuple(Node(namespace=self.name, **_fields(row, _NODE_FIELDS)) for row in self.rows.get("node", ()))

    @property
    def facts(self) -> tuple[Node, ...]:
        """The facts, newest first, ties by id."""
        return self._of_kind("fact")

    @property
    def entities(self) -> tuple[Node, ...]:
        """The entities, newest first, ties by id."""
        return self._of_kind("entity")

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(Edge(namespace=self.name, **_fields(row, _EDGE_FIELDS)) for row in self.rows.get("edge", ()))

    @property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(Task(namespace=self.name, **_fields(row, _TASK_FIELDS)) for row in self.rows.get("task", ()))

    @property
    def events(self) -> tuple[Event, ...]:
        """The events, oldest first."""
        return tuple(Event(namespace=self.name, **_fields(row, _EVENT_FIELDS)) for row in self.rows.get("event", ()))

    @property
    def ontology(self) -> Row | None:
        """Its mode and manifest; None when nobody set one."""
        return next(iter(self.rows.get("ontology", ())), None)

    @property
    def rest(self) -> tuple[tuple[str, Row], ...]:
        """(table, row) of everything that is no node, edge, task or event."""
        return tuple(
            (table, row)
            for table, rows in self.rows.items()
            if table not in ("node", "edge", "task", "event")
            for row in rows
        )

    def _of_kind(self, kind: str) -> tuple[Node, ...]:
        found = [
            Node(namespace=self.name, **_fields(row, _NODE_FIELDS))
            for row in self.rows.get("node", ())
            if row["kind"] == kind
        ]
        return tuple(sorted(found, key=lambda node: (-node.updated_at, node.id)))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDump:
    """What `export_dump` gives and `import_dump` takes."""

    generated_at: int = 0
    namespaces: Mapping[str, NamespaceDump] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """What a reader of another format read otherwise than it stands."""


def _row(record: Node | Edge | Task | Event, names: tuple[str, ...]) -> dict[str, Any]:
    row = {name: getattr(record, name) for name in names}
    for name, value in row.items():
        if name == "verified":
            row[name] = [{"by": item.by, "at": item.at} for item in value]
        elif isinstance(value, tuple):
            row[name] = list(value)
        elif isinstance(value, Mapping):
            row[name] = dict(value)
    return row


def _fields(row: Row, names: tuple[str, ...]) -> dict[str, Any]:
    found = {name: row[name] for name in names if name in row}
    for name in ("tags", "sources", "usage_window"):
        if found.get(name) is not None:
            found[name] = tuple(found[name])
    if "verified" in found:
        found["verified"] = tuple(Verification(**item) for item in found["verified"])
    return found
