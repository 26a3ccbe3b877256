"""`diff`: what was held true at one moment and not, or not the same, at another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from lorelite.engine import Engine
from lorelite.records import Edge, Node, Task
from lorelite.revisions import Changed, Diff, DiffPart
from lorelite.store.changes import Row
from lorelite.store.edges import edge_of
from lorelite.store.journal import task_of
from lorelite.store.nodes import node_fields_of
from lorelite.store.store import Store
from lorelite.timeline.forgotten import is_gone
from lorelite.timeline.past import holds
from lorelite.timeline.restore import rows_before

T = TypeVar("T", Node, Edge, Task)
Rows = tuple[Row | None, Row | None]
"""A row at the first moment and at the second; None where it is not there."""
_TABLES = ("node", "edge", "task")


def diff(engine: Engine, namespace: str, t1: int, t2: int) -> Diff:
    """Nodes, edges and tasks whose standing differs between two moments, in either order.

    Raises NoHistory when the log begins later.
    """
    store, moments = engine.store, (t1, t2)
    store.changes.require("diff", moment=min(moments))
    rows = _rows_at(store, namespace, moments)
    for table in ("node", "edge"):
        # Untouched, but a window opened or closed between.
        for id, row in store.rows.with_window_between(table, namespace, min(moments), max(moments)).items():
            rows[table].setdefault(id, (row, row))
    nodes = {id: _held(both, moments, _node) for id, both in rows["node"].items()}
    # An edge ends with its nodes and returns with them.
    flipped = [id for id, (before, after) in nodes.items() if (before is None) != (after is None)]
    for id, row in store.rows.edges_of(namespace, flipped).items():
        rows["edge"].setdefault(id, (row, row))
    edges = {id: _held(both, moments, edge_of) for id, both in rows["edge"].items()}
    tasks = {id: _there(both) for id, both in rows["task"].items()}
    return Diff(
        namespace=namespace,
        t1=t1,
        t2=t2,
        nodes=_part(nodes),
        edges=_part(_with_their_ends(store, edges, nodes, moments)),
        tasks=_part(tasks),
    )


def _rows_at(store: Store, namespace: str, moments: tuple[int, int]) -> dict[str, dict[str, Rows]]:
    """Table → record → its row at both moments, for what was changed since the earlier one."""
    changes = [each for each in store.changes.since(namespace, min(moments)) if each.table_name in _TABLES]
    earlier, now = rows_before(store, changes)
    later, _ = rows_before(store, [each for each in changes if each.created_at > max(moments)])
    found: dict[str, dict[str, Rows]] = {table: {} for table in _TABLES}
    for table, records in earlier.items():
        after = {**now[table], **later.get(table, {})}
        found[table] = {id: (row, after[id]) for id, row in records.items()}
    if moments[0] <= moments[1]:
        return found
    return {table: {id: (both[1], both[0]) for id, both in records.items()} for table, records in found.items()}


def _with_their_ends(
    store: Store,
    edges: Mapping[str, tuple[Edge | None, Edge | None]],
    nodes: Mapping[str, tuple[Node | None, Node | None]],
    moments: tuple[int, int],
) -> dict[str, tuple[Edge | None, Edge | None]]:
    """The edges, each only where both its nodes were held true as well."""
    ends = {end for both in edges.values() for edge in both if edge for end in (edge.source_id, edge.target_id)}
    others = store.rows.get("node", sorted(ends - nodes.keys()))
    known = {**nodes, **{id: _held((row, row), moments, _node) for id, row in others.items()}}

    def live(edge: Edge | None, place: int) -> Edge | None:
        if edge is None or any(known.get(end, (None, None))[place] is None for end in (edge.source_id, edge.target_id)):
            return None
        return edge

    return {id: (live(before, 0), live(after, 1)) for id, (before, after) in edges.items()}


def _node(row: Row) -> Node:
    return Node(**node_fields_of(row))


def _held(rows: Rows, moments: tuple[int, int], record: Callable[[Row], T]) -> tuple[T | None, T | None]:
    def at(row: Row | None, moment: int) -> T | None:
        if row is None or is_gone(row):
            return None
        found = record(row)
        return found if isinstance(found, Task) or holds(found, moment) else None

    return at(rows[0], moments[0]), at(rows[1], moments[1])


def _there(rows: Rows) -> tuple[Task | None, Task | None]:
    before, after = (None if row is None or is_gone(row) else task_of(row) for row in rows)
    return before, after


def _part(rows: Mapping[str, tuple[T | None, T | None]]) -> DiffPart[T]:
    ordered: Iterable[tuple[T | None, T | None]] = (rows[id] for id in sorted(rows))
    added: list[T] = []
    removed: list[T] = []
    changed: list[Changed[T]] = []
    for before, after in ordered:
        if before is None and after is not None:
            added.append(after)
        elif before is not None and after is None:
            removed.append(before)
        elif before is not None and after is not None and replace(before, updated_at=after.updated_at) != after:
            changed.append(Changed(before, after))
    return DiffPart(added=tuple(added), removed=tuple(removed), changed=tuple(changed))
