"""What the pipeline of a namespace remembers from one run to the next: JSON values by name."""

from __future__ import annotations

import json
from typing import Any

from lorelite.store.connection import Database


class MemoTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, namespace: str, name: str) -> Any | None:
        value = self._db.value("select value from memo where namespace = ? and name = ?", (namespace, name))
        return None if value is None else json.loads(value)

    def put(self, namespace: str, name: str, value: Any) -> None:
        self._db.run(
            """
            insert into memo (namespace, name, value) values (?, ?, ?)
            on conflict (namespace, name) do update set value = excluded.value where value <> excluded.value""",
            (namespace, name, json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)),
        )

    def delete(self, namespace: str, name: str) -> None:
        self._db.run("delete from memo where namespace = ? and name = ?", (namespace, name))

    def delete_all(self, namespace: str) -> None:
        self._db.run("delete from memo where namespace = ?", (namespace,))
