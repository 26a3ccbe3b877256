"""Opening, closing and transactions: what every other part of the face rests on."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Self, TypeVar

from lorelite._drive import drive
from lorelite.given import as_embedder, as_model, as_ranker
from lorelite.hooks import Hooks
from lorelite.opening import checked_config, open_store
from lorelite.settings import WikiConfig
from lorelite.store.store import Store
from lorelite.transaction import Transaction
from lorelite.wiki import AsyncWiki

T = TypeVar("T")


class Core:
    def __init__(self, wiki: AsyncWiki) -> None:
        self._wiki = wiki
        self._turn = RLock()

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        with self._turn:
            return drive(call)

    @classmethod
    def open(
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
        """See AsyncWiki.open."""
        chat, vectors, ranker = as_model(model), as_embedder(embedder), as_ranker(vector_ranker)
        chat = chat.as_blocking() if chat else None
        vectors = vectors.as_blocking() if vectors else None
        ranker = ranker.as_blocking() if ranker else None
        config = checked_config(config)
        # An opened store keeps AsyncWiki.open from asking the browser's storage, which must be awaited.
        opened = None if store is not None else open_store(path, config, read_only)
        opening = AsyncWiki.open(
            path, model=chat, embedder=vectors, config=config, store=store or opened, hooks=hooks, vector_ranker=ranker
        )
        try:
            return cls(drive(opening))
        except BaseException:
            if opened is not None:
                opened.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """See AsyncWiki.close."""
        self._run(self._wiki.close())

    def flush(self) -> None:
        """See AsyncWiki.flush."""
        self._run(self._wiki.flush())

    def transaction(self) -> Transaction:
        """Several calls, all or nothing: `with wiki.transaction(): …`. Other threads wait until it has ended."""
        return Transaction(self._wiki._engine.store, guard=self._turn)
