"""The Python end of the page: one table of operations, `handle(json) -> json`.

Only JSON strings and bytes cross the border. The table is told again, for the page, in `web/src/protocol.js`.
"""

from __future__ import annotations

import asyncio
import json
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Literal

from lorelite.browser.storage import available, open_storage
from lorelite.errors import ClosedError, InvalidOption, LoreliteError, StorageUnavailable, StoreError
from lorelite.models import HashEmbedder, StaticEmbedder
from lorelite.models.named import embedder_of, model_of
from lorelite.ports import ChatModel, Embedder, ModelRequest, OnProgress
from lorelite.records import Answer, Graph, Kind, Progress
from lorelite.reports import Status
from lorelite.wiki import AsyncWiki

PostProgress = Callable[[int, str], object]
"""Gets the id of a call and a Progress record as JSON."""


_STOPPED = {
    "name": "Stopped",
    "message": "stopped, because the models or the file were changed meanwhile; what was finished is kept",
    "data": {},
}


@dataclass(frozen=True, slots=True)
class Call:
    """What an operation gets besides its options."""

    on_progress: OnProgress
    data: bytes


@dataclass(frozen=True, slots=True)
class Operation:
    run: Callable[..., Awaitable[Any]]
    access: Literal["read", "write", "exclusive"]
    """A read may run while a write waits for a model; writes follow one another; nothing runs beside an exclusive."""


class Bridge:
    """Answers the page's calls on one wiki, kept in the browser's storage under the name given to `open`.

    Where the browser offers no storage the wiki lives as long as the tab; `open` then says so. A namespace in which
    nothing was written yet is simply empty here. What reads or forgets documents is answered once that is stored.
    """

    def __init__(self, post_progress: PostProgress | None = None, table_url: str = "") -> None:
        """table_url: where the StaticEmbedder's table lies; nothing when the wheel holds it."""
        self._post_progress = post_progress
        self._table_url = table_url
        self._wiki: AsyncWiki | None = None
        self._path = ""
        self._model: ChatModel | None = None
        self._embedder: Embedder | None = None
        self._running: set[asyncio.Task[Any]] = set()
        self.operations: dict[str, Operation] = {
            "open": Operation(self._open, "exclusive"),
            "status": Operation(self._status, "read"),
            "namespaces": Operation(self._namespaces, "read"),
            "ingest": Operation(self._ingest, "write"),
            "document": Operation(self._document, "read"),
            "forget": Operation(self._forget, "write"),
            "search": Operation(self._search, "read"),
            "walk": Operation(self._walk, "read"),
            "starting_points": Operation(self._starting_points, "read"),
            "ask": Operation(self._ask, "read"),
            "test_model": Operation(self._test_model, "read"),
            "use_models": Operation(self._use_models, "exclusive"),
            "sync": Operation(self._sync, "write"),
            "flush": Operation(self._flush, "write"),
            "export_file": Operation(self._export_file, "write"),
            "import_file": Operation(self._import_file, "exclusive"),
            "start_over": Operation(self._start_over, "exclusive"),
        }

    async def handle(self, request: str, data: Any = None) -> tuple[str, bytes | None]:
        """Run the operation that `request`, the JSON of {"id", "operation", "options"}, names.

        Gives a JSON string and, from an operation that makes a file, its bytes. The string holds {"result": …} or
        {"error": {"name", "message", "data"}}; for an exception that nobody raised on purpose also "traceback".
        """
        try:
            asked = json.loads(request)
            operation = self.operations.get(asked["operation"])
            if operation is None:
                raise InvalidOption("operation", f"one of {', '.join(self.operations)}", asked["operation"])
            call = Call(self._progress_of(asked["id"]), _as_bytes(data))
            result = await self._stoppable(operation.run(call, **asked["options"]))
        except asyncio.CancelledError:
            return _dumps({"error": _STOPPED}), None
        except Exception as error:
            return _dumps(_failure(error)), None
        if isinstance(result, bytes):
            return _dumps({"result": None}), result
        return _dumps({"result": result}), None

    def stop_waiting(self) -> None:
        """End the calls that may be waiting for a model's endpoint, which may never answer."""
        if self._model is not None or not isinstance(self._embedder, HashEmbedder | StaticEmbedder | None):
            for task in self._running:
                task.cancel()

    async def _stoppable(self, work: Awaitable[Any]) -> Any:
        task = _task_of_this_call()
        if task is None:
            return await work
        self._running.add(task)
        try:
            return await work
        finally:
            self._running.discard(task)

    @property
    def _open_wiki(self) -> AsyncWiki:
        if self._wiki is None:
            raise ClosedError(self._path)
        return self._wiki

    def _progress_of(self, call_id: int) -> OnProgress:
        def on_progress(progress: Progress) -> None:
            if self._post_progress:
                self._post_progress(call_id, _dumps(progress))

        return on_progress

    async def _open(self, call: Call, *, name: str, take_over: bool = False) -> dict[str, Any]:
        await self._close()
        self._path, reason = name, ""
        try:
            if take_over:
                held = await open_storage(name, take_over=True)
                try:
                    self._wiki = await AsyncWiki.open(name, model=self._model, embedder=self._embedder)
                finally:
                    await held.close()  # the wiki has opened it once more
                return {"stored": True, "reason": ""}
            self._wiki = await AsyncWiki.open(name, model=self._model, embedder=self._embedder)
        except StorageUnavailable as error:
            self._path, reason = f"/tmp/{name}", str(error)
            self._wiki = await AsyncWiki.open(self._path, model=self._model, embedder=self._embedder)
        return {"stored": available() and not reason, "reason": reason}

    async def _reopen(self) -> dict[str, Any]:
        """Open the same file anew: a wiki keeps the models it was opened with."""
        await self._close()
        self._wiki = await AsyncWiki.open(self._path, model=self._model, embedder=self._embedder)
        return {"stored": available() and "/" not in self._path, "reason": ""}

    async def _close(self) -> None:
        """Store everything, then close; when it cannot be stored the wiki stays open, for nothing else holds it."""
        if self._wiki is not None:
            await self._wiki.close()
            self._wiki = None

    async def _drop(self) -> None:
        """Close a wiki whose file is to be replaced: what cannot be stored any more is not needed."""
        if self._wiki is not None:
            wiki, self._wiki = self._wiki, None
            try:
                await wiki.close()
            except StoreError:
                wiki._engine.store.close()

    async def _is_empty(self, namespace: str) -> bool:
        return namespace not in await self._open_wiki.list_namespaces()

    async def _status(self, call: Call, *, namespace: str) -> Status:
        if await self._is_empty(namespace):
            return Status(namespace=namespace, path=self._path, read_only=False, keyword_index="fts5", embedder=None)
        return await self._open_wiki.get_status(namespace)

    async def _namespaces(self, call: Call) -> list[str]:
        return await self._open_wiki.list_namespaces()

    async def _ingest(self, call: Call, *, namespace: str, source_ref: str, text: str) -> Any:
        report = await self._open_wiki.ingest_document(
            namespace, source_ref=source_ref, text=text, on_progress=call.on_progress
        )
        await self._open_wiki.flush()
        return report

    async def _document(
        self, call: Call, *, namespace: str, source_ref: str, start: int = 0, end: int = 0, around: int = 20_000
    ) -> dict[str, Any]:
        """The text around a span, cut here because JavaScript counts characters differently."""
        text = await self._open_wiki.get_document(namespace, source_ref)
        first, last = max(0, start - around), min(len(text), end + around)
        return {
            "source_ref": source_ref,
            "characters": len(text),
            "from": first,
            "to": last,
            "before": text[first:start],
            "quote": text[start:end],
            "after": text[end:last],
        }

    async def _forget(self, call: Call, *, namespace: str, source_ref: str) -> Any:
        report = await self._open_wiki.forget(namespace, source_ref=source_ref)
        await self._open_wiki.flush()
        return report

    async def _search(
        self, call: Call, *, namespace: str, query: str, max_results: int = 20, kinds: list[Kind] | None = None
    ) -> list[dict[str, Any]]:
        if await self._is_empty(namespace):
            return []
        bundle = await self._open_wiki.read(namespace, query, max_results=max_results, kinds=kinds)
        return [{"node": fact, "score": bundle.fact_scores.get(fact.id, 0.0)} for fact in bundle.facts]

    async def _walk(
        self,
        call: Call,
        *,
        namespace: str,
        source_id: str,
        max_depth: int = 1,
        max_nodes: int = 40,
        kinds: list[Kind] | None = None,
    ) -> Graph:
        """The neighbourhood of a node, strongest ties first."""
        return await self._open_wiki.traverse_graph(
            namespace, source_id=source_id, max_depth=max_depth, max_nodes=max_nodes, kinds=kinds, order="weight"
        )

    async def _starting_points(self, call: Call, *, namespace: str, limit: int = 12) -> list[dict[str, Any]]:
        """The entities with the most edges, best first: where a walk of an unknown graph may begin."""
        if await self._is_empty(namespace):
            return []
        bundle = await self._open_wiki.get_memory_bundle(namespace)
        degree = Counter(end for edge in bundle.edges for end in (edge.source_id, edge.target_id))
        entities = [fact for fact in bundle.facts if fact.kind == "entity"]
        entities.sort(key=lambda node: (-degree[node.id], node.title))
        return [{"node": node, "score": degree[node.id]} for node in entities[:limit]]

    async def _ask(self, call: Call, *, namespace: str, question: str) -> Answer:
        if await self._is_empty(namespace):
            return Answer(question=question, text="", answered=False, origin="heuristic")
        return await self._open_wiki.ask(namespace, question, on_progress=call.on_progress)

    async def _test_model(
        self, call: Call, *, base_url: str, model: str, api_key: str, provider: str = "openai"
    ) -> dict[str, Any]:
        """One short call; what came back and how long it took, or the error of the call."""
        options = {"base_url": base_url, "api_key": api_key or None, "timeout": 60, "max_retries": 0}
        endpoint = model_of(provider, model, **options)
        began = time.monotonic()
        [reply] = await endpoint.complete(
            [ModelRequest(system="You answer in one word.", user="Say: ready", purpose="test")]
        )
        if reply.error is not None:
            raise reply.error
        return {"reply": reply.text[:200], "milliseconds": round((time.monotonic() - began) * 1000)}

    async def _use_models(
        self,
        call: Call,
        *,
        base_url: str = "",
        model: str = "",
        api_key: str = "",
        embedder: Literal["none", "meaning", "spelling", "endpoint"] = "none",
        embedding_model: str = "",
        channel: str = "",
        provider: str = "openai",
    ) -> dict[str, Any]:
        """Answer and extract with `model` from now on, with none when it is empty; and search with `embedder`.

        provider: whose API the address speaks, as in `models.named`. channel: where the page serves a model of its own,
        in place of an endpoint's.
        """
        key = api_key or None
        chat: ChatModel | None = None
        if channel:
            from lorelite.browser import in_page

            chat = await in_page.through(channel)
        elif model:
            chat = model_of(provider, model, base_url=base_url, api_key=key)
        vectors: Embedder | None = None
        if embedder == "meaning":
            vectors = self._by_meaning()
        elif embedder == "spelling":
            vectors = HashEmbedder()
        elif embedder == "endpoint":
            vectors = embedder_of(provider, embedding_model, base_url=base_url, api_key=key)
        await self._close()
        self._model, self._embedder = chat, vectors
        return await self._reopen()

    def _by_meaning(self) -> Embedder:
        if not self._table_url:
            return StaticEmbedder()
        from lorelite.browser.static_table import FetchedEmbedder

        return FetchedEmbedder(self._table_url)

    async def _sync(self, call: Call, *, namespace: str) -> int:
        """Make the vectors that the present embedder lacks; gives the number of nodes indexed."""
        return 0 if await self._is_empty(namespace) else await self._open_wiki.sync_search_index(namespace)

    async def _flush(self, call: Call) -> None:
        await self._open_wiki.flush()

    async def _export_file(self, call: Call) -> bytes:
        return await self._open_wiki.export_file()

    async def _import_file(self, call: Call) -> dict[str, Any]:
        """Put the file that came with the call in the place of the present one, if it is a Lorelite file."""
        await self._drop()
        try:
            await AsyncWiki.import_file(self._path, call.data)
        finally:
            opened = await self._reopen()
        await self._open_wiki.flush()
        return opened

    async def _start_over(self, call: Call) -> dict[str, Any]:
        empty = await AsyncWiki.open(":memory:")
        data = await empty.export_file()
        await empty.close()
        return await self._import_file(Call(call.on_progress, data))


def _task_of_this_call() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # driven by hand, without an event loop
        return None


def _as_bytes(data: Any) -> bytes:
    """The bytes of a call; a JavaScript Uint8Array arrives as a proxy that knows `to_bytes`."""
    if data is None:
        return b""
    return bytes(data.to_bytes()) if hasattr(data, "to_bytes") else bytes(data)


def _failure(error: Exception) -> dict[str, Any]:
    known = isinstance(error, LoreliteError)
    told = {
        "name": type(error).__name__,
        "message": str(error),
        "data": error.data if isinstance(error, LoreliteError) else {},
    }
    return {"error": told} if known else {"error": told, "traceback": "".join(traceback.format_exception(error))}


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    """Records as objects; anything else that JSON lacks (in an error's data) as its text."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)
