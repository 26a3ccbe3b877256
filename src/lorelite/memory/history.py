"""`history`: all that was held in a fact's place, oldest first."""

from __future__ import annotations

from collections.abc import Iterator

from lorelite.engine import Engine
from lorelite.errors import NotFound
from lorelite.records import FactVersion, Node
from lorelite.store.changes import Change, Row, unwound
from lorelite.store.nodes import node_fields_of


def history(engine: Engine, namespace: str, node_id: str) -> list[FactVersion]:
    """Every wording of the fact, of what it superseded and of what superseded it, oldest first. Raises NotFound."""
    store = engine.store
    if store.nodes.get(namespace, node_id) is None:
        raise NotFound("node", node_id, "it was never there, or was forgotten")
    ids = [node.id for node in store.succession.chain(namespace, node_id)]
    rows = store.rows.get("node", ids)
    changes = store.changes.of_records("node", ids, 0)
    found = [version for id in ids for version in _versions(rows[id], changes.get(id, []))]
    return sorted(found, key=lambda version: (version.held_from, version.created_at, version.id))


def _versions(row: Row, changes: list[Change]) -> Iterator[FactVersion]:
    """The wordings of one node, newest first: as it is, and as it was before each change of its words.

    What a wording was when it was replaced tells all else of it. What was forgotten stays so.
    """
    wording, replaced_at = row, None
    for change, before, after in unwound(row, changes):
        if change.cause == "forget" or before is None or after is None:
            break
        if before["deleted_at"] is not None or _words(before) == _words(after):
            continue
        yield _version(wording, since=change.created_at, until=replaced_at)
        wording, replaced_at = before, change.created_at
    yield _version(wording, since=None, until=replaced_at)


def _words(row: Row) -> tuple[str, str]:
    return row["title"], row["body"]


def _version(row: Row, *, since: int | None, until: int | None) -> FactVersion:
    fields = node_fields_of(row)
    node = Node(**fields)
    begin = node.created_at if node.valid_from is None else node.valid_from
    ends = [moment for moment in (node.valid_to, until) if moment is not None]
    return FactVersion(
        **fields,
        held_from=begin if since is None else max(begin, since),
        held_to=min(ends, default=None),
    )
