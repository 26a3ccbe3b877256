"""A vector store in a Lorelite file: what is searched stays in memory too, and every vector is compared."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lorelite.adapters import checks
from lorelite.adapters.base import VectorBase
from lorelite.adapters.vector_rows import VectorRow, VectorRows
from lorelite.store.port_values import StoreFile
from lorelite.store.store import Store
from lorelite.store_ports import IndexDescription, Metric, VectorMatch


class SqliteVector(VectorBase):
    def __init__(self, path: str | Path | Store = ":memory:", namespace: str = "default") -> None:
        self.namespace = checks.namespace(namespace)
        self._file = StoreFile(path)
        self._resident: dict[str, tuple[int, VectorRows]] = {}
        """Index → the version that is in memory."""
        # A version that was undone may come back for other vectors.
        self._file.on_rollback(self._resident.clear)

    async def create_index(self, index_name: str, dimension: int, metric: Metric = "cosine") -> None:
        name, dimension, metric = checks.index_options(index_name, dimension, metric)
        with self._file.store.db.atomic(is_change=False):
            self._file.store.db.run(
                """
                insert into vector_index (namespace, name, dimension, metric) values (?, ?, ?, ?)
                on conflict do nothing""",
                (self.namespace, name, dimension, metric),
            )
        checks.same_index(name, self._index(name), (dimension, metric))

    async def list_indexes(self) -> list[str]:
        return self._names()

    async def upsert(
        self,
        index_name: str,
        vectors: Sequence[Sequence[float]],
        metadata: Sequence[Mapping[str, Any]] | None = None,
        ids: Sequence[str] | None = None,
        documents: Sequence[str] | None = None,
    ) -> list[str]:
        dimension, metric = self._index(index_name)
        rows = checks.rows(index_name, metric, dimension, vectors, metadata, ids, documents)
        made = {
            id: (VectorRow.of(vector, json.loads(described), document), described)
            for vector, (id, described, document) in zip(vectors, rows, strict=True)
        }
        with self._changed(index_name, metric) as resident:
            self._file.store.db.insert(
                "indexed_vector",
                ("namespace", "index_name", "id", "data", "metadata", "document"),
                [
                    (self.namespace, index_name, id, row.packed, described, row.document)
                    for id, (row, described) in made.items()
                ],
                """
                on conflict (namespace, index_name, id) do update set
                    data = excluded.data, metadata = excluded.metadata, document = excluded.document""",
            )
            for id, (row, _) in made.items():
                resident.put(id, row)
        return [id for id, _, _ in rows]

    async def query(
        self,
        index_name: str,
        query_vector: Sequence[float],
        top_k: int = 10,
        filter: Mapping[str, Any] | None = None,
        include_vector: bool = False,
        min_score: float | None = None,
    ) -> list[VectorMatch]:
        dimension, metric = self._index(index_name)
        checks.vector(index_name, metric, dimension, query_vector)
        rows = self._rows(index_name, metric)
        return rows.query(query_vector, checks.top_k(top_k), filter, include_vector, min_score)

    async def get_vectors(self, index_name: str, ids: Sequence[str]) -> list[list[float] | None]:
        return self._rows(index_name, self._index(index_name)[1]).vectors(ids)

    async def delete(
        self, index_name: str, ids: Sequence[str] | None = None, filter: Mapping[str, Any] | None = None
    ) -> int:
        found = self._find(index_name)
        if found is None:
            return 0
        with self._changed(index_name, found[1]) as resident:
            gone = resident.chosen(ids, filter)
            self._file.store.db.run(
                """
                delete from indexed_vector
                 where namespace = ? and index_name = ? and id in (select value from json_each(?))""",
                (self.namespace, index_name, json.dumps(gone)),
            )
            return resident.delete(gone, None)

    async def describe_index(self, index_name: str) -> IndexDescription:
        dimension, metric = self._index(index_name)
        sql = "select count(*) from indexed_vector where namespace = ? and index_name = ?"
        count = int(self._file.store.db.value(sql, (self.namespace, index_name)))
        return {"dimension": dimension, "count": count, "metric": metric}

    async def delete_index(self, index_name: str) -> None:
        with self._file.store.db.atomic(is_change=False):
            self._file.store.db.run(
                "delete from vector_index where namespace = ? and name = ?", (self.namespace, index_name)
            )
        self._resident.pop(index_name, None)

    async def close(self) -> None:
        self._file.close()
        self._resident.clear()

    def _names(self) -> list[str]:
        sql = "select name from vector_index where namespace = ? order by name"
        return [row["name"] for row in self._file.store.db.rows(sql, (self.namespace,))]

    def _find(self, index_name: str) -> tuple[int, Metric] | None:
        row = self._file.store.db.row(
            "select dimension, metric from vector_index where namespace = ? and name = ?", (self.namespace, index_name)
        )
        return None if row is None else (row["dimension"], row["metric"])

    def _index(self, index_name: str) -> tuple[int, Metric]:
        """(dimension, metric)."""
        found = self._find(index_name)
        if found is None:
            raise checks.no_index(index_name, self._names())
        return found

    @contextmanager
    def _changed(self, index_name: str, metric: Metric) -> Iterator[VectorRows]:
        """A transaction that changes an index, and the vectors in memory along with it."""
        db = self._file.store.db
        rows = self._rows(index_name, metric)
        try:
            with db.atomic(is_change=False):
                yield rows
                db.run(
                    "update vector_index set version = version + 1 where namespace = ? and name = ?",
                    (self.namespace, index_name),
                )
        except BaseException:
            self._resident.pop(index_name, None)
            raise
        self._resident[index_name] = self._version(index_name), rows

    def _rows(self, index_name: str, metric: Metric) -> VectorRows:
        """The vectors of an index in memory, read anew when somebody else has changed them."""
        version = self._version(index_name)
        known, rows = self._resident.get(index_name, (None, VectorRows(metric)))
        if known != version:
            stored = self._file.store.db.rows(
                "select id, data, metadata, document from indexed_vector where namespace = ? and index_name = ?",
                (self.namespace, index_name),
            )
            rows = VectorRows(
                metric,
                {row["id"]: VectorRow(row["data"], json.loads(row["metadata"]), row["document"]) for row in stored},
            )
            self._resident[index_name] = version, rows
        return rows

    def _version(self, index_name: str) -> int:
        sql = "select version from vector_index where namespace = ? and name = ?"
        return int(self._file.store.db.value(sql, (self.namespace, index_name)))
