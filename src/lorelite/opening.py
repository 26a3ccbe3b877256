"""Opening and replacing the file behind a wiki: on disk, in memory, or in a browser's storage."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import InvalidOption, StoreError
from lorelite.given import as_embedder, as_model, as_ranker
from lorelite.hooks import Diagnostic, Hooks
from lorelite.instructions import check_prompts
from lorelite.models.ledger import CallLedger
from lorelite.ports import Embedder
from lorelite.settings import WikiConfig
from lorelite.store.store import Store, check_bytes, replace_file


class Storage(Protocol):
    """What keeps a file beyond SQLite's own writes: a browser's storage."""

    @property
    def unflushed(self) -> bool: ...

    async def flush(self) -> None: ...

    async def close(self) -> None: ...


async def open_engine(
    path: str | Path,
    *,
    model: object,
    embedder: object,
    config: WikiConfig | None,
    store: Store | None,
    read_only: bool,
    hooks: Hooks | None,
    vector_ranker: object = None,
) -> tuple[Engine, Storage | None]:
    """The engine over an opened file, and the browser's storage when it keeps the file."""
    config = checked_config(config)
    if store is not None and not isinstance(store, Store):
        raise InvalidOption("store", "a Store, or None", store)
    if hooks is not None and not isinstance(hooks, Hooks):
        raise InvalidOption("hooks", "a Hooks, or None", hooks)
    chat, vectors, ranker = as_model(model), as_embedder(embedder), as_ranker(vector_ranker)
    path = options.file_path(path)
    storage = None
    if store is None and kept_by_browser(path):
        from lorelite.browser.storage import open_storage

        storage = await open_storage(path)
    opened = None
    try:
        store = store or (opened := open_store(storage.path if storage else path, config, read_only))
        ledger = ledger_of(store, config, hooks or Hooks())
        engine = Engine(
            store,
            model=ledger.of(chat) if chat is not None or config.replay == "only" else None,
            embedder=_embedder(ledger, vectors),
            config=config,
            clock=store.clock,
            hooks=hooks or Hooks(),
            ranker=ranker,
            ledger=ledger,
        )
        check_prompts(engine)  # raises where the caller turns warnings into errors
    except BaseException:
        if opened is not None:
            opened.close()
        if storage is not None:
            await storage.close()
        raise
    if storage is not None:
        store.db.after_commit.append(storage.touch)
    return engine, storage


def ledger_of(store: Store, config: WikiConfig, hooks: Hooks) -> CallLedger:
    """The recorded calls of a file, used as the settings say. A file that is open for reading alone records none."""

    def tell_of_lost(namespace: str, error: StoreError) -> None:
        if hooks.on_diagnostic is not None:
            with suppress(Exception):
                hooks.on_diagnostic(
                    Diagnostic(
                        code="call_not_recorded",
                        severity="warning",
                        operation="record_call",
                        namespace=namespace,
                        message="a model was asked, and there was no room to record the call; its reply is used",
                        detail={"error": type(error).__name__},
                        at=store.clock(),
                    )
                )

    return CallLedger(
        calls=store.calls,
        clock=store.clock,
        replay=config.replay,
        records=config.record_calls and not store.read_only,
        prices=config.prices,
        on_lost=tell_of_lost,
    )


def _embedder(ledger: CallLedger, embedder: Embedder | None) -> Embedder | None:
    if embedder is None and (ledger.replay != "only" or ledger.calls.newest("vector") is None):
        return None
    return ledger.embedding(embedder)


def checked_config(config: WikiConfig | None) -> WikiConfig:
    if config is not None and not isinstance(config, WikiConfig):
        raise InvalidOption("config", "a WikiConfig, or None", config)
    return config or WikiConfig()


def open_store(path: str | Path, config: WikiConfig, read_only: bool) -> Store:
    options.switch("read_only", read_only)
    return Store(
        options.file_path(path),
        read_only=read_only,
        keyword_index=config.keyword_index,
        durability=config.durability,
        record_changes=config.record_changes,
    )


async def import_file(path: str | Path, data: bytes) -> None:
    """Put *data* at *path* after checking that it can be opened; what is there is replaced whole or not at all."""
    path = options.file_path(path)
    check_bytes(options.data("data", data))
    if not kept_by_browser(path):
        replace_file(path, data)
        return
    from lorelite.browser.storage import open_storage

    storage = await open_storage(path)
    try:
        Path(storage.path).write_bytes(data)
        storage.touch()
    finally:
        await storage.close()


def kept_by_browser(path: str | Path) -> bool:
    """In a tab, a plain name belongs to the browser's storage; a path with a folder to the memory file system."""
    if sys.platform != "emscripten" or str(path) == ":memory:" or "/" in str(path):
        return False
    from lorelite.browser.storage import available

    return available()
