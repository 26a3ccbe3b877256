"""What is told of changes: events of the outbox, differences between two moments, what was brought back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from lorelite.records import Edge, Node, Task

T = TypeVar("T", Node, Edge, Task)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxEvent:
    """One change of one row, for whoever keeps something in step with a wiki."""

    sequence: int
    """Place in the log: rises, never used twice."""
    revision: int
    """The same for all changes of one transaction: the sequence of its first."""
    namespace: str
    table_name: str
    record_id: str
    """Primary key; of several columns, a JSON array."""
    operation: Literal["insert", "update", "delete"]
    """delete: the row is gone, or marked as deleted; `payload["tombstone"]` tells which."""
    payload: Mapping[str, Any]
    """The row after the change. Of a delete its key, `namespace`, `deleted_at` and `tombstone`."""
    cause: str
    """Which call or job made it: "write", "ingest", "forget" …"""
    created_at: int


@dataclass(frozen=True, slots=True)
class Changed(Generic[T]):
    """Something held true at both moments, but not the same."""

    before: T
    after: T


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffPart(Generic[T]):
    """How one kind of row differs between two moments; each list is ordered by id."""

    added: tuple[T, ...] = ()
    """Held true at the second moment alone: written, or their window opened."""
    removed: tuple[T, ...] = ()
    """Held true at the first moment alone: deleted, or their window closed. As they were then."""
    changed: tuple[Changed[T], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What changed in a namespace from `t1` to `t2`. False when nothing did."""

    namespace: str
    t1: int
    t2: int
    nodes: DiffPart[Node] = field(default_factory=DiffPart)
    edges: DiffPart[Edge] = field(default_factory=DiffPart)
    tasks: DiffPart[Task] = field(default_factory=DiffPart)

    @property
    def added(self) -> tuple[Node | Edge | Task, ...]:
        """Nodes, edges and tasks that were added."""
        return (*self.nodes.added, *self.edges.added, *self.tasks.added)

    @property
    def removed(self) -> tuple[Node | Edge | Task, ...]:
        return (*self.nodes.removed, *self.edges.removed, *self.tasks.removed)

    @property
    def changed(self) -> tuple[Changed[Any], ...]:
        return (*self.nodes.changed, *self.edges.changed, *self.tasks.changed)

    def __bool__(self) -> bool:
        return bool(self.nodes or self.edges or self.tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """How many rows of each kind a call touched."""

    nodes: int = 0
    edges: int = 0
    tasks: int = 0
    events: int = 0
    documents: int = 0
    other: int = 0
    """Citations, chunks' places, names, types: what hangs on the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreReport:
    """What `restore` put back, changed and took out, or would when `dry_run`."""

    namespace: str
    as_of: int
    written: RowCounts = field(default_factory=RowCounts)
    """Rows that came back or got back what they said then."""
    removed: RowCounts = field(default_factory=RowCounts)
    """Rows that came later and are gone."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoReport:
    """What `undo` took back, or would when `dry_run`."""

    namespace: str
    revision: int
    cause: str
    """Which call or job was undone: "write", "forget" …, "undo" when an undo was."""
    made_at: int
    """When what was undone had been done."""
    written: RowCounts = field(default_factory=RowCounts)
    removed: RowCounts = field(default_factory=RowCounts)
    dry_run: bool = False
