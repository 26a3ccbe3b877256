"""Kinds of records within one key-value store, and lists of their keys, by the methods that every such store has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lorelite.adapters.base import KVBase

_SEGMENT = 1000
"""Keys in one value of a list, so that adding a key does not write all of them again."""


class KeyList:
    """Keys in the order in which they were added, each once. Kept under `__keys__:<name>` and `__keys__:<name>:<n>`.

    Methods that change it give what is to be stored, so that it can be stored together with what it lists.
    """

    def __init__(self, kv: KVBase, name: str) -> None:
        self._kv = kv
        self._head = f"__keys__:{name}"

    async def all(self) -> list[str]:
        return [key for segment in await self._segments() for key in segment]

    async def with_added(self, keys: Iterable[str]) -> dict[str, Any]:
        """What to store so that *keys*, which must be new, come last; of those added just now, known ones are fine."""
        count = await self._kv.get_by_id(self._head) or 0
        last = max(count - 1, 0)
        tail: list[str] = (await self._kv.get_by_id(self._segment(last)) or []) if count else []
        longer = list(dict.fromkeys((*tail, *keys)))
        if longer == tail:
            return {}
        changed = {
            self._segment(last + number): longer[start : start + _SEGMENT]
            for number, start in enumerate(range(0, len(longer), _SEGMENT))
        }
        return changed | {self._head: last + len(changed)}

    async def without(self, keys: Iterable[str]) -> dict[str, Any]:
        gone = set(keys)
        segments = await self._segments()
        return {
            self._segment(number): [key for key in segment if key not in gone]
            for number, segment in enumerate(segments)
            if not gone.isdisjoint(segment)
        }

    async def _segments(self) -> list[list[str]]:
        count = await self._kv.get_by_id(self._head) or 0
        if not count:
            return []
        return [segment or [] for segment in await self._kv.get_by_ids([self._segment(n) for n in range(count)])]

    def _segment(self, number: int) -> str:
        return f"{self._head}:{number}"


class Scope:
    """Records of one kind, under keys `<name>:<id>`."""

    def __init__(self, kv: KVBase, name: str) -> None:
        self._kv = kv
        self.name = name
        self.keys = KeyList(kv, name)

    def key(self, id: str) -> str:
        return f"{self.name}:{id}"

    async def get(self, id: str) -> Any | None:
        return await self._kv.get_by_id(self.key(id))

    async def many(self, ids: Sequence[str]) -> dict[str, Any]:
        """Id → record, in the order of *ids*, of those that are there."""
        ids = list(dict.fromkeys(ids))
        values = await self._kv.get_by_ids([self.key(id) for id in ids]) if ids else []
        return {id: value for id, value in zip(ids, values, strict=True) if value is not None}

    async def all(self) -> dict[str, Any]:
        """In the order in which they were added."""
        return await self.many(await self.keys.all())

    def stored(self, records: dict[str, Any]) -> dict[str, Any]:
        """The records under their keys."""
        return {self.key(id): record for id, record in records.items()}

    async def put(self, records: dict[str, Any], along: dict[str, Any] | None = None) -> None:
        """Add or replace records, and list the new ones; and what is stored *along* with them."""
        known = await self.many(list(records))
        new = [id for id in records if id not in known]
        await self._kv.upsert(self.stored(records) | await self.keys.with_added(new) | (along or {}))

    async def delete(self, ids: Iterable[str]) -> None:
        """Take records away, and from the list."""
        gone = list(ids)
        if gone:
            await self._kv.upsert(await self.keys.without(gone))
            await self._kv.delete([self.key(id) for id in gone])
