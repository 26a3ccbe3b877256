"""Opening, closing and transactions: what every other part of the face rests on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import ClosedError, NotFound
from lorelite.hooks import Hooks
from lorelite.opening import Storage, open_engine
from lorelite.settings import WikiConfig
from lorelite.store.store import Store
from lorelite.transaction import Transaction, check_owner


class Core:
    def __init__(self, engine: Engine, storage: Storage | None = None) -> None:
        self._engine = engine
        self._storage = storage
        self._closed = False

    @classmethod
    async def open(
        cls,
        path: str | Path,
        *,
        model: Any = None,
        embedder: Any = None,
        config: WikiConfig | None = None,
        store: Store | None = None,
        read_only: bool = False,
        hooks: Hooks | None = None,
        vector_ranker: Any = None,
    ) -> Self:
        """Open a file, or make it. ":memory:" keeps everything in memory.

        model: a ChatModel or a function (system, user) → text; None works without one.
        embedder: an Embedder or a function texts → vectors; None searches by keyword only.
        store: an opened Store in place of *path*. hooks: functions to be told what went otherwise than asked.
        vector_ranker: a VectorRanker that ranks vectors in place of comparing with all of them.
        Raises a StoreError when the file cannot be used: CannotOpen, NotADatabase, NewerSchema, WriterLocked.
        """
        engine, storage = await open_engine(
            path,
            model=model,
            embedder=embedder,
            config=config,
            store=store,
            read_only=read_only,
            hooks=hooks,
            vector_ranker=vector_ranker,
        )
        return cls(engine, storage)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Write everything out and release the file. Closing twice is fine; any other call then raises ClosedError.

        When a browser's storage has no room it raises StorageFull and stays open, to be exported."""
        if self._closed:
            return
        await self.flush()
        self._engine.store.close()
        self._closed = True
        if self._storage is not None:
            await self._storage.close()

    async def flush(self) -> None:
        """Return when all committed data is safe: on disk it is already; in a browser tab this waits for storage."""
        store = self._open_engine().store
        store.access.write()
        store.calls.write_uses()
        if self._storage is not None:
            await self._storage.flush()

    def transaction(self) -> Transaction:
        """Several calls, all or nothing: `async with wiki.transaction(): …`. No model may be asked inside."""
        return Transaction(self._open_engine().store)

    def _open_engine(self) -> Engine:
        if self._closed:
            raise ClosedError(self._engine.store.path)
        check_owner(self._engine.store)
        return self._engine

    def _known(self, namespace: str) -> Engine:
        """The engine, for a namespace that is there. Raises NotFound naming those that are."""
        engine = self._open_engine()
        if engine.store.namespaces.get(options.namespace(namespace)) is None:
            names = engine.store.namespaces.names()
            known = ", ".join(map(repr, names[:10])) if names else "the file is empty so far"
            raise NotFound("namespace", namespace, f"known: {known}")
        return engine
