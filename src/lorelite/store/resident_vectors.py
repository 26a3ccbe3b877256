"""The vectors that searches compare with, kept in memory and up to date.

Temporary triggers tell, by node key, what this connection changed: those rows are read again before the next search. A
key that is told needlessly, for example by what is undone later, costs its reading and nothing else. When another
connection changed the file, everything is read again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice

from lorelite.search.matrix import Matrix, Nearby
from lorelite.store.connection import IN_BROWSER, Database

_MOST_BYTES = (64 if IN_BROWSER else 512) << 20
"""What all matrices may take together; the one in use may take more."""
_BATCH = 1024
_FEW = 1000
"""So many changes are read one by one whatever the number of vectors."""
_MOST_CHANGES = 50_000
"""With more, all is read again."""

_CHANGED = "lorelite_vector_changed(namespace, key)"
_TRIGGERS = (
    f"vector_put after insert on main.vector begin select {_CHANGED} from node where id = new.node_id; end",
    f"vector_set after update on main.vector begin select {_CHANGED} from node where id = new.node_id; end",
    f"vector_gone after delete on main.vector begin select {_CHANGED} from node where id = old.node_id; end",
    "vector_node_gone after delete on main.node begin select lorelite_vector_changed(old.namespace, old.key); end",
    """vector_node_set after update on main.node
        when old.content_hash <> new.content_hash or (old.deleted_at is null) <> (new.deleted_at is null)
          or old.kind <> new.kind or old.namespace <> new.namespace or old.key <> new.key
       begin
         select lorelite_vector_changed(old.namespace, old.key);
         select lorelite_vector_changed(new.namespace, new.key);
       end""",
)


@dataclass(frozen=True, slots=True)
class Space:
    """What can be compared: vectors of one namespace, model and length."""

    namespace: str
    model_id: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class _Resident:
    matrix: Matrix
    changed: set[int] = field(default_factory=set)
    """Keys whose rows are to be read again."""
    unsure: set[int] = field(default_factory=set)
    """Keys whose rows were read within a transaction that may still be undone."""


class ResidentVectors:
    """The matrices of the namespaces that were searched last, as many as there is room for."""

    def __init__(self, db: Database, most_bytes: int = _MOST_BYTES) -> None:
        self._db = db
        self._most_bytes = most_bytes
        self._kept: dict[Space, _Resident] = {}
        """The one that was used last comes last."""
        self._known: dict[str, dict[Hashable, bool]] = {}
        """Namespace → question about its vectors → answer."""
        self._version: int | None = None
        self._is_listening = False
        db.after_commit.append(self._on_commit)
        db.after_rollback.append(self._on_rollback)

    @property
    def nbytes(self) -> int:
        """What the matrices take."""
        return sum(resident.matrix.nbytes for resident in self._kept.values())

    def of_kinds(self, space: Space, kinds: Iterable[str]) -> Nearby:
        """The vectors that fit the present text of live nodes of these kinds."""
        self._drop_what_others_changed()
        resident = self._kept.pop(space, None)
        if resident is None or not self._caught_up(space, resident):
            resident = _Resident(self._loaded(space))
        if self._listens():
            self._kept[space] = resident
            self._make_room()
        return resident.matrix.of_kinds(kinds, lambda keys: self._stored(space, keys))

    def answer(self, namespace: str, question: Hashable, find: Callable[[], bool]) -> bool:
        """What *find* says of the namespace's vectors, asked again only when they changed."""
        self._drop_what_others_changed()
        known = self._known.get(namespace, {})
        if question not in known:
            found = find()
            if not self._listens():
                return found
            known = self._known.setdefault(namespace, {})
            known[question] = found
        return known[question]

    # -- what is known to have changed ----------------------------------------------------------------------------

    def _drop_what_others_changed(self) -> None:
        version = self._db.value("pragma data_version")
        if version != self._version:
            self._kept.clear()
            self._known.clear()
            self._version = version

    def _listens(self) -> bool:
        """Whether changes are told from now on. Inside a transaction that is not begun: its failure would end it."""
        if not self._is_listening and not self._db.read_only and not self._db.in_transaction:
            self._db.connection.create_function("lorelite_vector_changed", 2, self._on_change)
            for trigger in _TRIGGERS:
                self._db.run(f"create temp trigger {trigger}")
            self._is_listening = True
        return self._is_listening or self._db.read_only

    def _on_change(self, namespace: str, key: int) -> None:
        self._known.pop(namespace, None)
        for space, resident in list(self._kept.items()):
            if space.namespace == namespace:
                resident.changed.add(key)
                if len(resident.changed) > _MOST_CHANGES:
                    del self._kept[space]

    def _on_commit(self) -> None:
        for resident in self._kept.values():
            resident.unsure.clear()

    def _on_rollback(self) -> None:
        self._known.clear()
        for resident in self._kept.values():
            resident.changed.update(resident.unsure)
            resident.unsure.clear()

    def _caught_up(self, space: Space, resident: _Resident) -> bool:
        """Read again what changed. False when that is so much that all can be read as well."""
        matrix, changed = resident.matrix, resident.changed
        if len(changed) + matrix.gone > max(_FEW, len(matrix) // 2):
            return False
        if changed:
            matrix.remove(changed)
            _append(matrix, self._rows(space, changed))
            if self._db.in_transaction:
                resident.unsure.update(changed)
            changed.clear()
        return True

    def _make_room(self) -> None:
        while len(self._kept) > 1 and self.nbytes > self._most_bytes:
            del self._kept[next(iter(self._kept))]

    # -- reading ----------------------------------------------------------------------------------------------------

    def _loaded(self, space: Space) -> Matrix:
        matrix = Matrix(space.dimensions)
        _append(matrix, self._rows(space))
        return matrix

    def _rows(self, space: Space, keys: Set[int] | None = None) -> Iterator[tuple[int, str, bytes]]:
        """(key, kind, vector) of all that fit, or of these keys."""
        source = "node n" if keys is None else "json_each(:keys) k cross join node n on n.key = k.value"
        found = self._db.each(
            f"""
            select n.key, n.kind, v.data from {source}
              cross join vector v on v.node_id = n.id and v.model_id = :model
             where n.namespace = :namespace and n.deleted_at is null
               and v.content_hash = n.content_hash and v.dimensions = :dimensions""",
            {
                "model": space.model_id,
                "namespace": space.namespace,
                "dimensions": space.dimensions,
                "keys": None if keys is None else json.dumps(list(keys)),
            },
        )
        return ((row["key"], row["kind"], row["data"]) for row in found)

    def _stored(self, space: Space, keys: Sequence[int]) -> Mapping[int, bytes]:
        rows = self._db.rows(
            """
            select n.key, v.data from json_each(?) k
              cross join node n on n.key = k.value
              cross join vector v on v.node_id = n.id and v.model_id = ? and v.dimensions = ?""",
            (json.dumps(keys), space.model_id, space.dimensions),
        )
        return {row["key"]: row["data"] for row in rows}


def _append(matrix: Matrix, rows: Iterator[tuple[int, str, bytes]]) -> None:
    while batch := list(islice(rows, _BATCH)):
        matrix.append(batch)
