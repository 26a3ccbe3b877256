"""`Wiki`: the blocking twin of `AsyncWiki`. Every method hands over to its coroutine and steps it once."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from lorelite._drive import drive
from lorelite.given import as_embedder, as_model
from lorelite.ingest.pipeline import OnDuplicate
from lorelite.opening import checked_config, open_store
from lorelite.ports import OnProgress
from lorelite.records import (
    Answer,
    Confidence,
    Direction,
    DocumentInfo,
    Event,
    ForgetReport,
    Graph,
    IngestReport,
    Kind,
    MemoryBundle,
    Node,
    SourceType,
    Status,
    UpsertReport,
)
from lorelite.retrieve.traverse import EdgeChoice
from lorelite.settings import WikiConfig
from lorelite.store.store import Store
from lorelite.transaction import Transaction
from lorelite.wiki import AsyncWiki

T = TypeVar("T")


class Wiki:
    """A wiki in one SQLite file, for code without an event loop: `with Wiki.open("brain.db") as wiki`.

    Works inside a running loop too. Threads may share it: their calls take turns. A model that must be awaited is
    refused at `open` with AsyncOnlyModel. In a browser tab nothing can block, so there use AsyncWiki: a Wiki works
    on the tab's memory alone.
    """

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
    ) -> Self:
        """See AsyncWiki.open."""
        chat, vectors = as_model(model), as_embedder(embedder)
        chat = chat.as_blocking() if chat else None
        vectors = vectors.as_blocking() if vectors else None
        config = checked_config(config)
        # An opened store keeps AsyncWiki.open from asking the browser's storage, which must be awaited.
        store = store or open_store(path, config, read_only)
        return cls(drive(AsyncWiki.open(path, model=chat, embedder=vectors, config=config, store=store)))

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

    def write(
        self,
        namespace: str,
        *,
        title: str | None = None,
        body: str = "",
        tags: Iterable[str] = (),
        node_type: str | None = None,
        confidence: Confidence = "certain",
        source_type: SourceType = "user_stated",
        node_id: str | None = None,
        event: Mapping[str, Any] | None = None,
    ) -> Node | Event:
        """See AsyncWiki.write."""
        return self._run(
            self._wiki.write(
                namespace,
                title=title,
                body=body,
                tags=tags,
                node_type=node_type,
                confidence=confidence,
                source_type=source_type,
                node_id=node_id,
                event=event,
            )
        )

    def ingest_document(
        self,
        namespace: str,
        *,
        source_ref: str,
        text: str,
        source_hash: str | None = None,
        on_duplicate: OnDuplicate = "skip",
        on_progress: OnProgress | None = None,
    ) -> IngestReport:
        """See AsyncWiki.ingest_document."""
        return self._run(
            self._wiki.ingest_document(
                namespace,
                source_ref=source_ref,
                text=text,
                source_hash=source_hash,
                on_duplicate=on_duplicate,
                on_progress=on_progress,
            )
        )

    def upsert_graph(
        self,
        namespace: str,
        *,
        source_ref: str,
        source_hash: str,
        nodes: Sequence[Mapping[str, Any]] = (),
        edges: Sequence[Mapping[str, Any]] = (),
    ) -> UpsertReport:
        """See AsyncWiki.upsert_graph."""
        return self._run(
            self._wiki.upsert_graph(namespace, source_ref=source_ref, source_hash=source_hash, nodes=nodes, edges=edges)
        )

    def sync_search_index(self, namespace: str) -> int:
        """See AsyncWiki.sync_search_index."""
        return self._run(self._wiki.sync_search_index(namespace))

    def forget(
        self,
        namespace: str,
        *,
        node_id: str | None = None,
        task_id: str | None = None,
        source_ref: str | None = None,
        source_hash: str | None = None,
        clear_all: bool = False,
        dry_run: bool = False,
    ) -> ForgetReport:
        """See AsyncWiki.forget."""
        return self._run(
            self._wiki.forget(
                namespace,
                node_id=node_id,
                task_id=task_id,
                source_ref=source_ref,
                source_hash=source_hash,
                clear_all=clear_all,
                dry_run=dry_run,
            )
        )

    def read(
        self,
        namespace: str | Sequence[str],
        query: str,
        *,
        max_results: int | None = None,
        hybrid_weight: float | None = None,
        kinds: Sequence[Kind] | None = None,
        exclude_drafts: bool | None = None,
        as_of: int | None = None,
    ) -> MemoryBundle:
        """See AsyncWiki.read."""
        return self._run(
            self._wiki.read(
                namespace,
                query,
                max_results=max_results,
                hybrid_weight=hybrid_weight,
                kinds=kinds,
                exclude_drafts=exclude_drafts,
                as_of=as_of,
            )
        )

    def get_memory_bundle(self, namespace: str) -> MemoryBundle:
        """See AsyncWiki.get_memory_bundle."""
        return self._run(self._wiki.get_memory_bundle(namespace))

    def traverse_graph(
        self,
        namespace: str,
        *,
        source_id: str,
        max_depth: int = 1,
        direction: Direction | None = None,
        edge_types: Sequence[str] | None = None,
        max_nodes: int | None = None,
        min_confidence: Confidence | None = None,
        exclude_source_types: Sequence[SourceType] | None = None,
        exclude_drafts: bool | None = None,
        as_of: int | None = None,
        token_budget: int | None = None,
        kinds: Sequence[Kind] | None = None,
        order: Literal["recent", "weight"] = "recent",
        edges: EdgeChoice = "induced",
    ) -> Graph:
        """See AsyncWiki.traverse_graph."""
        return self._run(
            self._wiki.traverse_graph(
                namespace,
                source_id=source_id,
                max_depth=max_depth,
                direction=direction,
                edge_types=edge_types,
                max_nodes=max_nodes,
                min_confidence=min_confidence,
                exclude_source_types=exclude_source_types,
                exclude_drafts=exclude_drafts,
                as_of=as_of,
                token_budget=token_budget,
                kinds=kinds,
                order=order,
                edges=edges,
            )
        )

    def ask(
        self,
        namespace: str,
        question: str,
        *,
        on_progress: OnProgress | None = None,
    ) -> Answer:
        """See AsyncWiki.ask."""
        return self._run(self._wiki.ask(namespace, question, on_progress=on_progress))

    def get_status(self, namespace: str) -> Status:
        """See AsyncWiki.get_status."""
        return self._run(self._wiki.get_status(namespace))

    def list_namespaces(self) -> list[str]:
        """See AsyncWiki.list_namespaces."""
        return self._run(self._wiki.list_namespaces())

    def list_source_refs(self, namespace: str) -> list[DocumentInfo]:
        """See AsyncWiki.list_source_refs."""
        return self._run(self._wiki.list_source_refs(namespace))

    def get_document(self, namespace: str, source_ref: str) -> str:
        """See AsyncWiki.get_document."""
        return self._run(self._wiki.get_document(namespace, source_ref))

    def export_file(self) -> bytes:
        """See AsyncWiki.export_file."""
        return self._run(self._wiki.export_file())

    @classmethod
    def import_file(cls, path: str | Path, data: bytes) -> None:
        """See AsyncWiki.import_file."""
        drive(AsyncWiki.import_file(path, data))
