"""A vector ranker on the sqlite-vec extension: an index in an SQLite file of its own, beside the wiki.

Needs the extra `vec`: `pip install 'lorelite[vec]'`.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from lorelite.errors import CannotOpen, InvalidOption, NotFound, StoreError
from lorelite.store.connection import Database
from lorelite.store.vectors import packed

_MOST_NEIGHBOURS = 4096
"""What sqlite-vec's own search gives at most; beyond, all are compared."""
_MOST_DIMENSIONS = 8192
"""What sqlite-vec can hold."""
_MOST = 2**31
_SCHEMA = """
    create table if not exists space (number integer primary key, namespace text not null unique);
    create table if not exists item (
        key integer primary key,
        space integer not null references space (number),
        node_id text not null,
        dimensions integer not null,
        unique (space, node_id));
"""
_VECTORS = """
    create virtual table if not exists vectors_{0} using vec0 (
        space integer partition key, embedding float[{0}] distance_metric=cosine)
"""


class SqliteVecRanker:
    """Ranks by cosine with the extension sqlite-vec, for `Wiki.open(vector_ranker=…)`.

    path: the index's own file, ":memory:" unless given; never the wiki's. It learns of vectors as they are stored;
    `fill` takes over those of a wiki that is there already. Several wikis and threads may share it. Raises NotFound
    without the package sqlite-vec, CannotOpen where Python's sqlite3 cannot load extensions or the file is no index.
    Its methods raise InvalidOption for a vector that is none or has more than 8,192 numbers, StoreError when the file
    is damaged or closed.
    """

    def __init__(self, path: str | Path = ":memory:") -> None:
        if not isinstance(path, str | os.PathLike) or not str(path) or "\0" in str(path):
            raise CannotOpen(repr(path), "expected a file path or ':memory:'")
        self.path = str(path)
        self._turn = RLock()
        self._db = _connected(self.path)

    def close(self) -> None:
        """Close the index. Closing twice is fine."""
        self._db.close()

    def rank(
        self, namespace: str, query_vector: list[float], candidate_ids: list[str] | None, limit: int
    ) -> list[tuple[str, float]]:
        """(node id, cosine) of the nearest; vectors without a direction are not among them."""
        size = _checked("query_vector", query_vector)
        with self._in_turn():
            space = self._space(namespace)
            if space is None or size not in self._sizes() or not any(query_vector) or limit <= 0:
                return []
            return self._nearest(space, query_vector, candidate_ids, min(limit, _MOST))

    def _nearest(
        self, space: int, query_vector: Sequence[float], candidate_ids: Sequence[str] | None, limit: int
    ) -> list[tuple[str, float]]:
        size = len(query_vector)
        asked = {"query": _unit(query_vector), "space": space, "limit": limit, "ids": json.dumps(candidate_ids or [])}
        if candidate_ids is not None:
            found = f"""
                select i.node_id, vec_distance_cosine(v.embedding, :query) as distance from json_each(:ids) k
                  cross join item i on i.space = :space and i.node_id = k.value and i.dimensions = {size}
                  cross join vectors_{size} v on v.rowid = i.key order by distance, i.key limit :limit"""
        elif limit > _MOST_NEIGHBOURS:
            found = f"""
                select i.node_id, vec_distance_cosine(v.embedding, :query) as distance from vectors_{size} v
                  cross join item i on i.key = v.rowid where v.space = :space order by distance, i.key limit :limit"""
        else:
            found = f"""
                select i.node_id, v.distance from vectors_{size} v cross join item i on i.key = v.rowid
                 where v.embedding match :query and v.k = :limit and v.space = :space order by v.distance, i.key"""
        return [(id, 1.0 - distance) for id, distance in self._db.execute(found, asked)]

    def on_embedding_persisted(self, namespace: str, node_id: str, vector: list[float] | None) -> None:
        """Take in a vector in the place of an older one, or with None forget it."""
        if vector is not None:
            _checked("vector", vector)
        with self._in_turn(), self._db:
            self._put(namespace, node_id, vector)

    def fill(self, wiki: str | Path, model_id: str) -> int:
        """Hold exactly the vectors that a wiki's file has of this model (`embedder.model_id`); gives how many.

        The file is only read, and may be open elsewhere. Stale vectors, and those of deleted nodes, are left out.
        """
        file = Database(str(wiki), read_only=True)
        try:
            with self._in_turn(), self._db:
                for size in self._sizes():
                    self._db.execute(f"delete from vectors_{size}")
                self._db.execute("delete from item")
                for row in file.each(_FITTING, (model_id,)):
                    self._put(row["namespace"], row["node_id"], memoryview(row["data"]).cast("f"))
                return int(self._db.execute("select count(*) from item").fetchone()[0])
        finally:
            file.close()

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        with self._turn:
            try:
                yield
            except (sqlite3.Error, UnicodeEncodeError) as error:
                raise StoreError(f"the index of SqliteVecRanker {self.path!r} cannot be used: {error}") from error

    def _sizes(self) -> set[int]:
        """The lengths of vectors that there are tables for; another that shares the file may have made them."""
        found = self._db.execute("select name from sqlite_schema where sql like 'create virtual table%'")
        return {int(name.removeprefix("vectors_")) for (name,) in found}

    def _space(self, namespace: str) -> int | None:
        row = self._db.execute("select number from space where namespace = ?", (namespace,)).fetchone()
        return None if row is None else int(row[0])

    def _put(self, namespace: str, node_id: str, vector: Sequence[float] | None) -> None:
        self._db.execute("insert or ignore into space (namespace) values (?)", (namespace,))
        space = self._space(namespace)
        for key, size in self._db.execute(
            "select key, dimensions from item where space = ? and node_id = ?", (space, node_id)
        ).fetchall():
            self._db.execute(f"delete from vectors_{size} where rowid = ?", (key,))
            self._db.execute("delete from item where key = ?", (key,))
        if vector is None or not any(vector):
            return
        size = len(vector)
        self._db.execute(_VECTORS.format(size))
        key = self._db.execute(
            "insert into item (space, node_id, dimensions) values (?, ?, ?)", (space, node_id, size)
        ).lastrowid
        self._db.execute(
            f"insert into vectors_{size} (rowid, space, embedding) values (?, ?, ?)", (key, space, _unit(vector))
        )


_FITTING = """
    select n.namespace, v.node_id, v.data from node n cross join vector v on v.node_id = n.id and v.model_id = ?
     where n.deleted_at is null and v.content_hash = n.content_hash order by n.key
"""


def _checked(name: str, vector: Sequence[float]) -> int:
    """The vector's length."""
    try:
        is_one = all(map(math.isfinite, vector)) and len(vector) <= _MOST_DIMENSIONS
    except TypeError:
        is_one = False
    if not is_one:
        raise InvalidOption(name, f"at most {_MOST_DIMENSIONS:,} finite numbers", vector)
    return len(vector)


def _unit(vector: Iterable[float]) -> bytes:
    """At length 1, since sqlite-vec computes in float32, where large numbers overflow and small ones vanish."""
    numbers = list(vector)
    size = math.hypot(*numbers)
    return packed([number / size for number in numbers])


def _connected(path: str) -> sqlite3.Connection:
    try:
        import sqlite_vec
    except ImportError as error:
        raise NotFound("package", "sqlite-vec", "install it with: pip install 'lorelite[vec]'") from error
    try:
        connection = sqlite3.connect(path, check_same_thread=False)
        if not hasattr(connection, "enable_load_extension"):
            connection.close()
            raise CannotOpen(
                path,
                "this Python's sqlite3 was built without loadable extensions, which sqlite-vec needs; use one that has "
                "them (Debian's, conda's, python.org's for Windows; pyenv: set "
                "PYTHON_CONFIGURE_OPTS=--enable-loadable-sqlite-extensions), or no vector ranker",
            )
        connection.enable_load_extension(True)
        sqlite_vec.load(connection)
        connection.enable_load_extension(False)
        tables = {name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")}
        if tables and not {"space", "item"} <= tables:
            connection.close()
            raise CannotOpen(path, "it holds no index of SqliteVecRanker; give it a file of its own")
        connection.executescript(_SCHEMA)
        connection.execute("select s.number, s.namespace, i.key, i.node_id, i.dimensions from space s, item i limit 0")
    except sqlite3.Error as error:
        raise CannotOpen(path, f"no index of sqlite-vec can be kept there: {error}") from error
    return connection
