"""A key-value store in a Lorelite file, and opening a file that several stores share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from lorelite.adapters import checks
from lorelite.adapters.base import KVBase
from lorelite.errors import ClosedError
from lorelite.store.store import Store


class StoreFile:
    """One opening of a file. Stores of the same path share one connection, which the last to close ends."""

    _shared: ClassVar[dict[str, tuple[Store, int]]] = {}
    """Path → the open file, and how many have it open: a file has one writer."""

    def __init__(self, path: str | Path | Store) -> None:
        """path: of a Lorelite file, ":memory:" for one of its own, or an opened Store, which its owner closes."""
        self._path: str | None = None
        self._acts: list[Callable[[], None]] = []
        if isinstance(path, Store):
            self._store: Store | None = path
        elif str(path) == ":memory:":
            self._store = Store(":memory:")
            self._path = ""
        else:
            self._path = str(Path(path).resolve())
            store, count = self._shared.get(self._path) or (Store(str(path)), 0)
            self._shared[self._path] = store, count + 1
            self._store = store
        self.name = path.path if isinstance(path, Store) else str(path)

    @property
    def store(self) -> Store:
        """Raises ClosedError."""
        if self._store is None:
            raise ClosedError(self.name, "store", "the factory that made it")
        return self._store

    def on_rollback(self, act: Callable[[], None]) -> None:
        """Call *act* after every rollback until this is closed."""
        self.store.db.after_rollback.append(act)
        self._acts.append(act)

    def close(self) -> None:
        """Closing twice is fine."""
        store, self._store = self._store, None
        while self._acts and store is not None:
            store.db.after_rollback.remove(self._acts.pop())
        if store is None or self._path is None:
            return
        count = self._shared.pop(self._path)[1] - 1 if self._path else 0
        if count:
            self._shared[self._path] = store, count
        else:
            store.close()


class SqliteKV(KVBase):
    def __init__(self, path: str | Path | Store = ":memory:", namespace: str = "default") -> None:
        self.namespace = checks.namespace(namespace)
        self._file = StoreFile(path)

    async def get_by_ids(self, ids: Sequence[str]) -> list[Any | None]:
        wanted = [checks.key("id", id) for id in ids]
        rows = self._file.store.db.rows(
            """
            select v.key, v.value from json_each(:keys) k
              cross join stored_value v on v.namespace = :namespace and v.key = k.value""",
            {"namespace": self.namespace, "keys": json.dumps(wanted)},
        )
        found = {row["key"]: row["value"] for row in rows}
        return [json.loads(found[id]) if id in found else None for id in wanted]

    async def upsert(self, data: Mapping[str, Any]) -> None:
        rows = [(self.namespace, checks.key("id", id), checks.as_json(id, value)) for id, value in data.items()]
        with self._file.store.db.atomic(is_change=False):
            self._file.store.db.insert(
                "stored_value",
                ("namespace", "key", "value"),
                rows,
                "on conflict (namespace, key) do update set value = excluded.value",
            )

    async def drop(self) -> None:
        with self._file.store.db.atomic(is_change=False):
            self._file.store.db.run("delete from stored_value where namespace = ?", (self.namespace,))

    async def delete(self, ids: Sequence[str]) -> int:
        with self._file.store.db.atomic(is_change=False):
            return self._file.store.db.run(
                "delete from stored_value where namespace = ? and key in (select value from json_each(?))",
                (self.namespace, json.dumps(list(ids))),
            )

    async def all_keys(self, prefix: str = "") -> list[str]:
        rows = self._file.store.db.rows(
            "select key from stored_value where namespace = ? and substr(key, 1, ?) = ? order by key",
            (self.namespace, len(prefix), prefix),
        )
        return [row["key"] for row in rows]

    async def close(self) -> None:
        self._file.close()
