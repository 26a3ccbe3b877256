"""What the pipeline of a namespace remembers from one run to the next: JSON values by key."""

from __future__ import annotations

import json
from typing import Any

from lorelite.store.connection import Database


class MemoTable:
    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, namespace: str, key: str) -> Any | None:
        value = self._db.value("select value from memo where namespace = ? and key = ?", (namespace, key))
        return None if value is None else json.loads(value)

    def put(self, namespace: str, key: str, value: Any) -> None:
        self._db.run(
            """
            insert into memo (namespace, key, value) values (?, ?, ?)
            on conflict (namespace, key) do update set value = excluded.value where value <> excluded.value""",
            (namespace, key, json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)),
        )

    def delete(self, namespace: str, key: str) -> None:
        self._db.run("delete from memo where namespace = ? and key = ?", (namespace, key))

    def delete_all(self, namespace: str) -> None:
        self._db.run("delete from memo where namespace = ?", (namespace,))
