"""A wiki whose storage beyond SQLite has no room, as a browser's may."""

from __future__ import annotations

import pytest

from lorelite import AsyncWiki, ClosedError, StorageFull
from lorelite._drive import drive


class Cupboard:
    """A storage that is full until there is room."""

    unflushed = True

    def __init__(self) -> None:
        self.has_room = False
        self.is_closed = False

    async def flush(self) -> None:
        if not self.has_room:
            raise StorageFull("class", "the quota is used up")

    async def close(self) -> None:
        await self.flush()
        self.is_closed = True


def test_a_wiki_that_cannot_be_stored_stays_open_and_can_be_exported():
    async def visit() -> None:
        opened = await AsyncWiki.open(":memory:")
        storage = Cupboard()
        wiki = AsyncWiki(opened._engine, storage)
        await wiki.write("class", title="Grey heron")
        with pytest.raises(StorageFull):
            await wiki.close()
        assert (await wiki.export_file()).startswith(b"SQLite format 3")
        storage.has_room = True
        await wiki.close()
        assert storage.is_closed
        with pytest.raises(ClosedError):
            await wiki.list_namespaces()

    drive(visit())
