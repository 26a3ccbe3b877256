"""A wiki's file in the browser's own storage: mounted at /lorelite/NAME, kept in IndexedDB.

The work is done by web/src/block_fs.js and block_store.js, which the wheel carries; the same code serves a page's
worker and a JupyterLite kernel. `js` and `pyodide` are imported late, so that `available` can be asked anywhere.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from lorelite.browser.scripts import script
from lorelite.errors import (
    InvalidOption,
    LoreliteError,
    NotADatabase,
    StorageFull,
    StorageUnavailable,
    StoreError,
    WriterLocked,
)

_FOLDER = "/lorelite"
_opened: dict[str, Storage] = {}


def available() -> bool:
    """Whether this is a browser that offers IndexedDB."""
    if sys.platform != "emscripten":
        return False
    import js

    try:
        return bool(getattr(js, "indexedDB", None))
    except _js_error():  # a browser that blocks storage may refuse even to name it
        return False


async def open_storage(name: str, *, take_over: bool = False) -> Storage:
    """Mount what the browser keeps under `name` and hold its lock; the same name again gives the same Storage, which
    then is to be closed as often as it was opened.

    take_over: when another tab or notebook has it open, ask that one to store its changes and to stop writing; after
    two seconds without an answer take its place all the same. It keeps in memory what it could not store any more.

    Raises InvalidOption for a name that cannot be a file's, StorageUnavailable where there is no IndexedDB,
    WriterLocked while another tab or notebook has it open, and NotADatabase when parts of it are missing.
    """
    _check(name)
    if name not in _opened:
        _opened[name] = await Storage._open(name, take_over)
    _opened[name]._users += 1
    return _opened[name]


async def delete_storage(name: str) -> None:
    """Delete what the browser keeps under `name`. Raises WriterLocked while it is open, here or elsewhere."""
    _check(name)
    store = await script("block_store")
    try:
        await store.BlockStore.delete(name)
    except _js_error() as error:
        raise _translated(name, error) from error


class Storage:
    """The mounted storage of one name. The engine calls `touch` after each commit; `flush` gives certainty."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = f"{_FOLDER}/{name}/{name}"
        """Where SQLite finds the file."""
        self.failure: LoreliteError | None = None
        """Why the last flush that `touch` asked for failed; it is tried again, and None once it succeeds."""
        self._users = 0
        self._store: Any = None
        self._volume: Any = None
        self._on_state: Any = None

    @classmethod
    async def _open(cls, name: str, take_over: bool) -> Storage:
        import pyodide_js
        from pyodide.ffi import create_proxy, to_js

        files, store = await script("block_fs"), await script("block_store")
        storage = cls(name)
        volume = files.Volume.new()
        storage._on_state = create_proxy(storage._note_state)
        options = to_js({"onState": storage._on_state, "takeOver": take_over}, dict_converter=_js_object())
        try:
            storage._store = await store.BlockStore.open(name, volume, options)
        except _js_error() as error:
            storage._on_state.destroy()
            raise _translated(name, error) from error
        storage._volume = volume
        files.mount(pyodide_js.FS, f"{_FOLDER}/{name}", volume)
        return storage

    @property
    def unflushed(self) -> bool:
        """Whether something in memory is not stored yet."""
        return bool(self._volume.isDirty)

    def touch(self) -> None:
        """A commit was made: store it soon, together with those that follow within 50 ms (500 ms at most)."""
        self._store.touch()

    async def flush(self) -> None:
        """Return when all that was committed is stored. Raises StorageFull or StoreError; memory keeps it all."""
        try:
            await self._store.flush()
        except _js_error() as error:
            raise _translated(self.name, error) from error
        self.failure = None

    async def close(self) -> None:
        """Flush, unmount and give back the lock. When the flush fails it raises and the storage stays open."""
        import pyodide_js

        if _opened.get(self.name) is not self:
            return
        if self._users > 1:
            self._users -= 1
            return
        try:
            await self._store.close()
        except _js_error() as error:
            raise _translated(self.name, error) from error
        del _opened[self.name]
        pyodide_js.FS.unmount(f"{_FOLDER}/{self.name}")
        self._on_state.destroy()

    def export(self) -> bytes:
        """The SQLite file as it stands in memory; call it between transactions."""
        path = Path(self.path)
        return path.read_bytes() if path.exists() else b""

    def _note_state(self, error: Any) -> None:
        self.failure = _translated(self.name, error) if error else None


def _check(name: str) -> None:
    if not name or name in (".", "..") or "/" in name or "\0" in name or len(name) > 100:
        raise InvalidOption("name", "1 to 100 characters without '/'", name)


def _js_object() -> Any:
    import js

    return js.Object.fromEntries


def _js_error() -> type[Exception]:
    from pyodide.ffi import JsException

    kind: type[Exception] = JsException
    return kind


def _translated(name: str, error: Any) -> LoreliteError:
    reason, message = getattr(error, "reason", "failed"), str(error.message)
    if reason == "locked":
        return WriterLocked(name, "in another tab or notebook")
    if reason == "full":
        return StorageFull(name, f"{message}; what is not stored yet is in memory, export the file to keep it")
    if reason == "unavailable":
        return StorageUnavailable(name, message)
    if reason == "damaged":
        return NotADatabase(name, message)
    if reason == "closed":
        return StoreError(f"browser storage {name!r} could not be opened: {message}; try again")
    return StoreError(f"browser storage {name!r}: {message}; the changes are still in memory, export them to keep them")
