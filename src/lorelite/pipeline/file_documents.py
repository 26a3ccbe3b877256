"""Documents and chunks of a namespace, and what its pipeline remembers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lorelite import options
from lorelite.engine import Engine
from lorelite.graph_records import DeleteReport, GraphDocument, TextChunk
from lorelite.ids import content_id, text_hash
from lorelite.ingest.ownership import remove_document
from lorelite.ingest.source import Source
from lorelite.ingest.versions import Begun, add_versions, finish_version, new_version
from lorelite.records import Node
from lorelite.retrieve.ranker import persisted
from lorelite.retrieve.semantic import BATCH, embed_nodes
from lorelite.store.documents import Chunk, Document
from lorelite.text.chunking import ChunkSpan

CAUSE = "insert"
"""What the log calls what a pipeline writes."""


class FileDocuments:
    """The part of `FileKnowledge` that keeps documents."""

    def __init__(self, engine: Engine, namespace: str) -> None:
        self._engine = engine
        self._store = engine.store
        self._namespace = options.namespace(namespace)
        self._pending: list[Node] = []
        """What was stored a moment ago and has no vectors yet: an embedder is asked for many at once."""

    @property
    def namespace(self) -> str:
        return self._namespace

    # -- what the pipeline remembers ----------------------------------------------------------------------------

    async def recall(self, key: str) -> Any | None:
        return self._store.memos.get(self._namespace, key)

    async def remember(self, key: str, value: Any) -> None:
        with self._store.atomic(CAUSE):
            if value is None:
                self._store.memos.delete(self._namespace, key)
            else:
                self._store.namespaces.ensure(self._namespace)
                self._store.memos.put(self._namespace, key, value)

    async def unfinished(self, processor: str) -> list[str]:
        return self._store.chunks.unfinished(self._namespace, processor)

    async def mark_finished(self, processor: str, chunk_ids: Sequence[str]) -> None:
        with self._store.atomic(CAUSE):
            self._store.chunks.mark_finished(self._namespace, processor, chunk_ids)

    # -- documents ----------------------------------------------------------------------------------------------

    async def known(self, documents: Sequence[GraphDocument]) -> list[bool]:
        keys = [(_source_ref(document), text_hash(document.content)) for document in documents]
        found = self._store.chunks.versions(self._namespace, {ref for ref, _ in keys})
        # Where another version was begun, this one is the text again: it has to be completed once more.
        standing = {ref: [(each.source_hash, each.status) for each in versions] for ref, versions in found.items()}
        return [standing.get(ref) == [(hash, "complete")] for ref, hash in keys]

    async def add_document(self, document: GraphDocument, spans: Sequence[ChunkSpan]) -> list[TextChunk]:
        """As the protocol says."""
        return (await self.add_documents([(document, spans)]))[0]

    async def add_documents(
        self, documents: Sequence[tuple[GraphDocument, Sequence[ChunkSpan]]]
    ) -> list[list[TextChunk]]:
        """As the protocol says, in one transaction. Vectors are made for many chunks at once: at the latest before the
        next search, and when documents are completed."""
        store = self._store
        with store.atomic(CAUSE):
            begun = [self._begun(document, spans) for document, spans in documents]
            new = [version for version in begun if version is not None]
            added = iter(add_versions(self._engine, new))
            chunks = [None if version is None else next(added) for version in begun]
        if self._engine.embedder is not None:
            ids = [chunk.node_id for its in chunks for chunk in its or ()]
            self._pending += store.nodes.by_ids(self._namespace, ids).values()
            if len(self._pending) >= BATCH:
                await self._embed_pending()
        return [
            []
            if version is None or its is None
            else [
                _text_chunk(chunk, version.document, span.of(version.source.text), span.heading)
                for chunk, span in zip(its, version.spans, strict=True)
            ]
            for version, its in zip(begun, chunks, strict=True)
        ]

    def _begun(self, document: GraphDocument, spans: Sequence[ChunkSpan]) -> Begun | None:
        """The version to store, when what was begun otherwise is away; None where it is there."""
        source = Source(self._namespace, _source_ref(document), text_hash(document.content), document.content)
        is_there = False
        for version in self._store.documents.versions(self._namespace, source.source_ref):
            if version.source_hash == source.source_hash and self._is_cut_like(version, spans):
                is_there = True
            elif version.status == "partial":
                remove_document(self._engine, version)
        if is_there:
            return None
        return Begun(source, new_version(self._engine, source, "structure"), spans, document.metadata)

    def _is_cut_like(self, version: Document, spans: Sequence[ChunkSpan]) -> bool:
        """Is the version complete, or was it cut into the same chunks?"""
        stored = self._store.documents.chunks(version.id)
        return version.status == "complete" or [(c.start, c.end) for c in stored] == [(s.start, s.end) for s in spans]

    async def _embed_pending(self) -> None:
        nodes = list(self._pending)
        self._pending.clear()
        for begin in range(0, len(nodes), BATCH):
            await embed_nodes(self._engine, nodes[begin : begin + BATCH], "insert")

    async def complete_documents(self, ids: Sequence[str]) -> None:
        with self._store.atomic(CAUSE):
            found = self._store.chunks.versions(self._namespace, set(ids))
            for id in dict.fromkeys(ids):
                versions = found.get(id, ())
                begun = [version for version in versions if version.status == "partial"]
                if begun:
                    finish_version(self._engine, begun[-1])
        await self._embed_pending()

    async def delete_documents(self, ids: Sequence[str]) -> DeleteReport:
        store, namespace = self._store, self._namespace
        wanted = list(dict.fromkeys(ids))
        found = store.chunks.versions(namespace, set(wanted))
        versions = [version for id in wanted for version in found.get(id, ())]
        with store.atomic("forget"):
            pairs = {
                pair
                for version in versions
                for pair in store.entities.pairs_of_source(namespace, version.source_ref, version.source_hash)
            }
            gone: list[str] = []
            for version in versions:
                gone += remove_document(self._engine, version).ids
            if versions:
                store.calls.forget(namespace, {version.source_ref for version in versions})
            kinds = store.chunks.kinds(gone)
            relations = len(pairs - store.entities.related(namespace, pairs))
        await persisted(self._engine, namespace, gone)
        return DeleteReport(
            documents=sum(id in found for id in wanted),
            chunks=kinds.get("chunk", 0),
            entities=kinds.get("entity", 0),
            relations=relations,
            questions=kinds.get("question", 0),
            unknown=tuple(id for id in wanted if id not in found),
        )

    # -- chunks -------------------------------------------------------------------------------------------------

    async def chunks(self, ids: Sequence[str]) -> list[TextChunk]:
        found = self._store.chunks.placed(self._namespace, ids)
        placed = [found[id] for id in ids if id in found]
        return [_text_chunk(each.chunk, each.document, each.node.body, each.node.title) for each in placed]

    async def chunk_ids(self) -> list[str]:
        return self._store.chunks.ids(self._namespace)

    async def chunks_of(self, document_ids: Sequence[str]) -> list[str]:
        return self._store.chunks.of_sources(self._namespace, document_ids)


def _source_ref(document: GraphDocument) -> str:
    """The name of a document; of one without a name a hash of its text."""
    return options.source_ref(document.id) if document.id else content_id("doc", document.content)


def _text_chunk(chunk: Chunk, document: Document, content: str, title: str) -> TextChunk:
    return TextChunk(
        id=chunk.node_id,
        content=content,
        document_ids=(document.source_ref,),
        order=chunk.ordinal,
        start=chunk.start,
        end=chunk.end,
        # A chunk without headings above it is titled by its document.
        heading="" if title == document.source_ref else title,
    )
