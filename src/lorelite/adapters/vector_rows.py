"""The vectors of one index in memory, each compared with the query."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorelite.errors import InvalidOption
from lorelite.search.metadata_filter import compiled
from lorelite.search.metrics import scores
from lorelite.search.vectors import unpacked
from lorelite.store.vectors import packed as as_float32
from lorelite.store_ports import VectorMatch


@dataclass(frozen=True, slots=True)
class VectorRow:
    packed: bytes
    """float32, little endian."""
    metadata: Mapping[str, Any]
    document: str | None

    @classmethod
    def of(cls, vector: Sequence[float], metadata: Mapping[str, Any], document: str | None) -> VectorRow:
        return cls(as_float32(vector), metadata, document)


class VectorRows:
    """Vectors of one length under one metric, by id."""

    def __init__(self, metric: str, rows: Mapping[str, VectorRow] | None = None) -> None:
        self._metric = metric
        self._rows = dict(rows or {})
        self._all: tuple[list[str], bytes] | None = None
        """Ids, sorted, and their vectors one after the other; made anew after a change."""

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, id: str, row: VectorRow) -> None:
        self._rows[id] = row
        self._all = None

    def delete(self, ids: Sequence[str] | None, filter: Mapping[str, Any] | None) -> int:
        """Those named, or those that pass; of both given those to which both apply. Gives how many there were."""
        gone = self.chosen(ids, filter)
        for id in gone:
            del self._rows[id]
        self._all = None
        return len(gone)

    def chosen(self, ids: Sequence[str] | None, filter: Mapping[str, Any] | None) -> list[str]:
        """What `delete` would delete. Raises InvalidOption when neither is given."""
        if ids is None and filter is None:
            raise InvalidOption("ids, filter", "at least one of them", None)
        passes = compiled(filter)
        named = self._rows if ids is None else dict.fromkeys(id for id in ids if id in self._rows)
        return [id for id in named if passes(self._rows[id].metadata)]

    def vectors(self, ids: Sequence[str]) -> list[list[float] | None]:
        return [list(unpacked(self._rows[id].packed)) if id in self._rows else None for id in ids]

    def query(
        self,
        query: Sequence[float],
        top_k: int,
        filter: Mapping[str, Any] | None,
        include_vector: bool,
        min_score: float | None,
    ) -> list[VectorMatch]:
        ids, packed = self._candidates(filter)
        # Rounded as the stored ones are, so that a vector is nearest to itself.
        found = scores(self._metric, unpacked(as_float32(query)), packed) if ids else []
        places = [place for place in range(len(ids)) if min_score is None or found[place] >= min_score]
        best = sorted(places, key=lambda place: -found[place])[:top_k]
        return [self._match(ids[place], found[place], include_vector) for place in best]

    def _candidates(self, filter: Mapping[str, Any] | None) -> tuple[list[str], bytes]:
        if self._all is None:
            ids = sorted(self._rows)
            self._all = ids, b"".join([self._rows[id].packed for id in ids])
        if filter is None:
            return self._all
        passes = compiled(filter)
        ids = [id for id in self._all[0] if passes(self._rows[id].metadata)]
        return ids, b"".join([self._rows[id].packed for id in ids])

    def _match(self, id: str, score: float, include_vector: bool) -> VectorMatch:
        row = self._rows[id]
        match: VectorMatch = {"id": id, "score": score, "metadata": json.loads(json.dumps(row.metadata))}
        if include_vector:
            match["vector"] = list(unpacked(row.packed))
        if row.document is not None:
            match["document"] = row.document
        return match
