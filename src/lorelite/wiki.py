"""`AsyncWiki`: the public face, every method a coroutine. `blocking.py` holds its twin `Wiki`.

A method here checks what the caller passed, and hands over to one workflow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, get_args

from lorelite import options
from lorelite.engine import Engine
from lorelite.errors import ClosedError, InvalidOption, NotFound
from lorelite.ingest import forget as forgetting
from lorelite.ingest.pipeline import OnDuplicate, checked_source, ingest_document
from lorelite.ingest.remember import new_event, new_fact
from lorelite.ingest.upsert import upsert_graph
from lorelite.opening import Storage, import_file, open_engine
from lorelite.ports import OnProgress
from lorelite.records import (
    CONFIDENCE_RANK,
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
from lorelite.retrieve.hits import Filters
from lorelite.retrieve.read import bundle, read
from lorelite.retrieve.semantic import embed_missing, embed_nodes
from lorelite.retrieve.status import status
from lorelite.retrieve.traverse import EdgeChoice, traverse
from lorelite.settings import WikiConfig
from lorelite.store.edges import WalkFilter
from lorelite.store.store import Store
from lorelite.strategies.ask import ask
from lorelite.transaction import Transaction, check_owner

_ALL_KINDS = get_args(Kind)


class AsyncWiki:
    """A wiki in one SQLite file, to be awaited: `async with await AsyncWiki.open("brain.db") as wiki`.

    In a browser tab a plain file name is kept in the browser's storage and survives a reload. Calls may come from
    one event loop; SQLite itself is never awaited, so a call with no model finishes without yielding.
    """

    def __init__(self, engine: Engine, storage: Storage | None = None) -> None:
        self._engine = engine
        self._storage = storage
        self._closed = False

    # -- opening and closing ------------------------------------------------------------------------------------

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
    ) -> Self:
        """Open a file, or make it. ":memory:" keeps everything in memory.

        model: a ChatModel or a function (system, user) → text; None works without one.
        embedder: an Embedder or a function texts → vectors; None searches by keyword only.
        store: an opened Store in place of *path*.
        Raises a StoreError when the file cannot be used: CannotOpen, NotADatabase, NewerSchema, WriterLocked.
        """
        engine, storage = await open_engine(
            path, model=model, embedder=embedder, config=config, store=store, read_only=read_only
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
        self._open_engine()
        if self._storage is not None:
            await self._storage.flush()

    def transaction(self) -> Transaction:
        """Several calls, all or nothing: `async with wiki.transaction(): …`. No model may be asked inside."""
        return Transaction(self._open_engine().store)

    # -- writing ------------------------------------------------------------------------------------------------

    async def write(
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
        """Remember a fact (`title`, `body` …) or an event (`event={"event_type": …, "summary": …}`).

        node_id replaces that fact's content; otherwise a fresh id is made. An event may name a `related_node_id`.
        """
        engine = self._open_engine()
        namespace = options.namespace(namespace)
        if options.exactly_one(("title", "event"), (title is not None, event is not None)) == "event":
            assert event is not None
            return new_event(engine, namespace, event)
        fact = new_fact(
            engine,
            namespace,
            title=title,
            body=body,
            tags=tags,
            node_type=node_type,
            confidence=confidence,
            source_type=source_type,
            node_id=node_id,
        )
        if not engine.store.db.in_transaction:
            await embed_nodes(engine, [fact])
        return fact

    async def ingest_document(
        self,
        namespace: str,
        *,
        source_ref: str,
        text: str,
        source_hash: str | None = None,
        on_duplicate: OnDuplicate = "skip",
        on_progress: OnProgress | None = None,
    ) -> IngestReport:
        """Take a document in: chunks, facts, entities and edges, each with citations.

        source_ref: the document's name, any script, any path; source_hash: SHA-256 of the text by default.
        The same pair again is a free no-op; another hash under the same source_ref replaces the old share exactly.
        on_duplicate: what to do when another source_ref holds the same hash: skip, throw (SourceHashCollision), ingest.
        An interrupted call resumes when called again. Raises DocumentError or ModelError; nothing is lost.
        """
        engine = self._open_engine()
        source = checked_source(engine, namespace, source_ref, text, source_hash)
        tell = options.callback("on_progress", on_progress)
        choice = options.one_of("on_duplicate", on_duplicate, get_args(OnDuplicate))
        return await ingest_document(engine, source, on_duplicate=choice, on_progress=tell)

    async def upsert_graph(
        self,
        namespace: str,
        *,
        source_ref: str,
        source_hash: str,
        nodes: Sequence[Mapping[str, Any]] = (),
        edges: Sequence[Mapping[str, Any]] = (),
    ) -> UpsertReport:
        """Write a graph that you have already: no model is asked; searchable at once.

        nodes: mappings with id, title and optionally type, body, tags, kind, confidence.
        edges: mappings with type, source_id, target_id and optionally id, weight, description, confidence.
        The same (source_ref, source_hash) again writes nothing; a new hash replaces the source's earlier share.
        """
        return upsert_graph(
            self._open_engine(), namespace, source_ref=source_ref, source_hash=source_hash, nodes=nodes, edges=edges
        )

    async def sync_search_index(self, namespace: str) -> int:
        """Rebuild the keyword index and make missing vectors; gives the number of nodes indexed.

        Writes keep the index in step by themselves; call this after `upsert_graph` with an embedder, or on doubt.
        """
        engine = self._known(namespace)
        count = engine.store.keyword.rebuild(namespace)
        await embed_missing(engine, namespace)
        return count

    async def forget(
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
        """Delete one node, one task, the share of a source (ref, hash or both), or everything; counts what went.

        What other sources support stays with their share. A forgotten source may be taken in again.
        """
        engine = self._known(namespace)
        source_ref = None if source_ref is None else options.source_ref(source_ref)
        source_hash = None if source_hash is None else options.source_hash(source_hash)
        by_source = source_ref is not None or source_hash is not None
        what = options.exactly_one(
            ("node_id", "task_id", "source_ref and/or source_hash", "clear_all"),
            (node_id is not None, task_id is not None, by_source, options.switch("clear_all", clear_all)),
        )

        def act() -> ForgetReport:
            if what == "node_id":
                return forgetting.forget_node(engine, namespace, options.node_id("node_id", node_id))
            if what == "task_id":
                return forgetting.forget_task(engine, namespace, options.node_id("task_id", task_id))
            if what == "clear_all":
                return forgetting.forget_all(engine, namespace)
            return forgetting.forget_source(engine, namespace, source_ref, source_hash)

        return forgetting.rehearsed(engine, act) if options.switch("dry_run", dry_run) else act()

    # -- reading ------------------------------------------------------------------------------------------------

    async def read(
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
        """The nodes that fit a query best, with citations, the edges among them, open tasks and recent events.

        query: any text; text in double quotes is a phrase; an empty query gives what changed last.
        hybrid_weight: share of the semantic score (0 … 1); None takes the default. kinds: facts, entities
        and chunks by default. as_of: milliseconds; what was held true then.
        """
        engine = self._open_engine()
        names = options.namespaces(namespace)
        for name in names:
            self._known(name)
        config = engine.config
        limit = config.max_results if max_results is None else max_results
        weight = config.hybrid_weight if hybrid_weight is None else options.share("hybrid_weight", hybrid_weight)
        return await read(
            engine,
            names,
            options.text("query", query),
            filters=Filters(
                kinds=config.read_kinds if kinds is None else options.many_of("kinds", kinds, _ALL_KINDS),
                exclude_drafts=options.switch("exclude_drafts", exclude_drafts, config.exclude_drafts),
                as_of=options.moment("as_of", as_of),
            ),
            max_results=options.whole_number("max_results", limit, 0, 10_000),
            hybrid_weight=weight,
        )

    async def get_memory_bundle(self, namespace: str) -> MemoryBundle:
        """Everything a namespace holds true now: all facts, newest first, open tasks, recent events, edges."""
        engine = self._known(namespace)
        nodes = engine.store.nodes.recent(namespace, kinds=("fact", "entity"), limit=1 << 31)
        return bundle(engine, [namespace], nodes, {}, "")

    async def traverse_graph(
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
        """The neighbourhood of a node: the anchor first, then by depth, newest (or strongest) first, then id.

        max_depth: clamped to 1 … WikiConfig.max_traversal_depth (3). edge_types: None all, [] none.
        max_nodes: 20 by default, the anchor included; `truncated` tells whether more were there.
        kinds, min_confidence, exclude_source_types, exclude_drafts: nodes that fail are dead ends; not the anchor.
        token_budget: keep nodes in order while they fit (four characters a token).
        edges: "induced" all edges among the nodes, "walked" only those over which they were reached.
        """
        engine = self._known(namespace)
        config = engine.config
        limit = config.max_traversal_nodes if max_nodes is None else max_nodes
        floor = min_confidence or config.min_traversal_confidence
        lowest = CONFIDENCE_RANK[options.one_of("min_confidence", floor, CONFIDENCE_RANK)]
        excluded = config.exclude_source_types if exclude_source_types is None else exclude_source_types
        return traverse(
            engine,
            namespace,
            options.node_id("source_id", source_id),
            where=WalkFilter(
                edge_types=None if edge_types is None else options.texts("edge_types", edge_types),
                kinds=None if kinds is None else options.many_of("kinds", kinds, _ALL_KINDS),
                confidences=tuple(name for name, rank in CONFIDENCE_RANK.items() if rank >= lowest),
                exclude_source_types=options.many_of("exclude_source_types", excluded, get_args(SourceType)),
                exclude_drafts=options.switch("exclude_drafts", exclude_drafts, config.exclude_drafts),
                as_of=options.moment("as_of", as_of),
            ),
            direction=options.one_of("direction", direction or config.traversal_direction, get_args(Direction)),
            max_depth=options.depth("max_depth", max_depth, config.max_traversal_depth),
            max_nodes=options.whole_number("max_nodes", limit, 1),
            order=options.one_of("order", order, ("recent", "weight")),
            token_budget=None if token_budget is None else options.whole_number("token_budget", token_budget, 0),
            edges=options.one_of("edges", edges, get_args(EdgeChoice)),
        )

    async def ask(self, namespace: str, question: str, *, on_progress: OnProgress | None = None) -> Answer:
        """Answer from the documents, with checked citations; says so plainly when the documents do not say.

        With a model the answer is written and every citation verified; without, it is the best sentences found.
        """
        engine = self._known(namespace)
        if not options.text("question", question).strip():
            raise InvalidOption("question", "some text", question)
        return await ask(engine, namespace, question, on_progress=options.callback("on_progress", on_progress))

    async def get_status(self, namespace: str) -> Status:
        """What the namespace holds, its documents, and the file it lives in."""
        engine = self._known(namespace)
        return status(engine, namespace, unflushed=bool(self._storage is not None and self._storage.unflushed))

    async def list_namespaces(self) -> list[str]:
        """The namespaces of the file, by name."""
        return self._open_engine().store.namespaces.names()

    async def list_source_refs(self, namespace: str) -> list[DocumentInfo]:
        """The documents of a namespace, by source_ref."""
        return self._known(namespace).store.documents.infos(namespace)

    async def get_document(self, namespace: str, source_ref: str) -> str:
        """The stored text of a document: what citations' offsets count in. Raises NotFound."""
        documents = self._known(namespace).store.documents
        document = documents.current(namespace, options.source_ref(source_ref))
        if document is None:
            raise NotFound("document", source_ref, "list_source_refs names those that are there")
        return documents.text(document.id)

    # -- the file -----------------------------------------------------------------------------------------------

    async def export_file(self) -> bytes:
        """The whole file, as bytes that any SQLite and any Lorelite opens."""
        return self._open_engine().store.to_bytes()

    @classmethod
    async def import_file(cls, path: str | Path, data: bytes) -> None:
        """Put an exported file at *path*, in place of what is there, after checking that it can be opened.

        Raises NotADatabase or NewerSchema, and leaves what is there as it is, when the bytes are no Lorelite file.
        """
        await import_file(path, data)

    # -- inside -------------------------------------------------------------------------------------------------

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
