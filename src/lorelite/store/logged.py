"""Which tables are logged, and the triggers that do it: one row of `change` for every change of a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoggedTable:
    """A table whose rows have a past."""

    name: str
    key: tuple[str, ...]
    """The columns that name a row; of an event its id, since the sequence is of one file only."""
    unwatched: tuple[str, ...] = ()
    """Columns whose change is no news: how often a row was read, when a job looked at it."""
    bulky: str | None = None
    """A long column, left out of the image of an update that does not touch it."""
    of_document: bool = False
    """Belongs to the namespace of its document."""
    file_bound: tuple[str, ...] = ()
    """Columns that mean something in this file only."""

    def record_id(self, alias: str) -> str:
        """SQL for what names the row: its key; of several columns, a JSON array."""
        columns = [f'{alias}."{name}"' for name in self.key]
        return columns[0] if len(columns) == 1 else f"json_array({', '.join(columns)})"

    def namespace(self, alias: str) -> str:
        """SQL for the row's namespace."""
        if self.of_document:
            return f"(select namespace from document where id = {alias}.document_id)"
        return f"{alias}.namespace"


_READING = ("access_count", "last_accessed_at", "healed_at", "typed_at")

# In the order in which rows can be put: parents before what refers to them.
LOGGED = (
    LoggedTable("document", ("id",), bulky="text"),
    LoggedTable("node", ("id",), unwatched=_READING, bulky="body", file_bound=("key",)),
    LoggedTable("edge", ("id",)),
    LoggedTable("chunk", ("document_id", "ordinal"), of_document=True),
    LoggedTable("support", ("node_id", "document_id", "ordinal"), of_document=True),
    LoggedTable("statement", ("edge_id", "document_id", "ordinal"), of_document=True),
    LoggedTable("alias", ("namespace", "alias_key", "node_id", "document_id")),
    LoggedTable("citation", ("owner_id", "document_id", "start", "end"), of_document=True),
    LoggedTable("waiting_edge", ("document_id", "source_id", "edge_type", "target_title"), of_document=True),
    LoggedTable("task", ("id",)),
    LoggedTable("event", ("id",), file_bound=("sequence",)),
    LoggedTable("ontology", ("namespace",)),
    LoggedTable("merge", ("namespace", "from_id")),
    LoggedTable("community", ("namespace", "id")),
    LoggedTable("member", ("namespace", "community_id", "node_id")),
    LoggedTable("memo", ("namespace", "name")),
)
BY_NAME = {table.name: table for table in LOGGED}

Columns = Sequence[tuple[str, str]]
"""(name, declared type) of each column."""


def triggers(table: LoggedTable, columns: Columns) -> Iterator[str]:
    """The statements that make the table's triggers; temporary, so that they are no part of the file."""
    yield _trigger(table, "insert", "insert", [_change(table, "new", "insert", "null")])
    yield _trigger(table, "delete", "delete", [_change(table, "old", "delete", _image(table, columns))])
    watched = [name for name, _ in columns if name not in (*table.unwatched, *table.file_bound)]
    rest = [name for name in watched if name not in table.key]
    renamed = " or ".join(f'old."{name}" is not new."{name}"' for name in table.key)
    steps = []
    if rest:
        image = _update_image(table, [(name, kind) for name, kind in columns if name in watched])
        steps.append(_change(table, "new", "update", image, f"where not ({renamed})"))
    if len(table.key) > 1:
        # A row with another key is another row.
        steps.append(_change(table, "old", "delete", _image(table, columns), f"where {renamed}"))
        steps.append(_change(table, "new", "insert", "null", f"where {renamed}"))
    names = ", ".join(f'"{name}"' for name in watched)
    differs = " or ".join(f'old."{name}" is not new."{name}"' for name in watched)
    yield _trigger(table, "update", f"update of {names}", steps, f"when {differs} ")


def _trigger(table: LoggedTable, name: str, event: str, steps: Sequence[str], condition: str = "") -> str:
    body = " ".join(f"{step};" for step in steps)
    return (
        f"create temp trigger if not exists log_{table.name}_{name} after {event} on main.{table.name} "
        f"{condition}begin {body} end"
    )


def _change(table: LoggedTable, alias: str, operation: str, image: str, condition: str = "") -> str:
    return (
        "insert into change (revision, namespace, table_name, record_id, operation, before, cause, created_at) "
        f"select lorelite_revision(), {table.namespace(alias)}, '{table.name}', {table.record_id(alias)}, "
        f"'{operation}', {image}, lorelite_cause(), lorelite_time() {condition}"
    )


def _update_image(table: LoggedTable, columns: Columns) -> str:
    if table.bulky is None:
        return _image(table, columns)
    slim = [(name, kind) for name, kind in columns if name != table.bulky]
    same = f'old."{table.bulky}" is new."{table.bulky}"'
    return f"case when {same} then {_image(table, slim)} else {_image(table, columns)} end"


def _image(table: LoggedTable, columns: Columns) -> str:
    """SQL for the old row as JSON; empty where the row is nothing but its key."""
    if {name for name, _ in columns} == set(table.key):
        return "'{}'"
    pairs = (f"'{name}', {_exact(name, kind)}" for name, kind in columns if name != "key")
    return f"json_object({', '.join(pairs)})"


def _exact(name: str, kind: str) -> str:
    # Older SQLite writes 15 digits of a number into JSON; 17 bring every one back as it was.
    return f"json(printf('%!.17g', old.\"{name}\"))" if kind.upper() == "REAL" else f'old."{name}"'
