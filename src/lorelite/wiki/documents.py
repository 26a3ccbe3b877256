"""Documents and graphs taken in, listed and forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lorelite import options
from lorelite.errors import NotFound
from lorelite.ports import OnProgress
from lorelite.records import (
    Estimate,
    ForgetReport,
    IngestReport,
    OnDuplicate,
    UpsertReport,
)
from lorelite.retrieve.semantic import embed_missing
from lorelite.spending import Budget, budgeted
from lorelite.wiki.core import Core


class Documents(Core):
    @budgeted
    async def ingest_document(
        self,
        namespace: str,
        *,
        source_ref: str,
        text: str,
        source_hash: str | None = None,
        chunk_chars: int | None = None,
        chunk_overlap: int | None = None,
        prompt: str | None = None,
        on_duplicate: OnDuplicate = "skip",
        allow_empty: bool = False,
        on_progress: OnProgress | None = None,
        budget: Budget | None = None,
    ) -> IngestReport:
        """Take a document in: chunks, facts, entities and edges, each with citations.

        source_ref: the document's name, any script, any path; source_hash: SHA-256 of the text by default.
        The same pair again is a free no-op; another hash under the same source_ref replaces the old share exactly.
        chunk_chars, chunk_overlap, prompt: in place of the settings', for this call; see docs/prompts.md.
        on_duplicate: what to do when another source_ref holds the same hash: skip, throw (SourceHashCollision), ingest.
        allow_empty: accept a new version in which the model finds nothing, and with it the loss of what it found in
        the earlier one; otherwise the earlier one stands (status "empty").
        An interrupted call resumes when called again. Raises DocumentError (IngestFailed when no chunk could be read)
        or ModelError; nothing is lost.
        budget: what its calls may cost at most, as within `spending`.
        """
        from lorelite.ingest.pipeline import ingest_document
        from lorelite.ingest.source import checked_manner, checked_source

        engine = self._open_engine()
        source = checked_source(engine, namespace, source_ref, text, source_hash)
        manner = checked_manner(
            engine,
            chunk_chars=chunk_chars,
            chunk_overlap=chunk_overlap,
            prompt=prompt,
            on_duplicate=on_duplicate,
            allow_empty=allow_empty,
            on_progress=on_progress,
        )
        with engine.store.board.ingesting(source.namespace):
            return await ingest_document(engine, source, manner)

    async def estimate_ingest(
        self,
        namespace: str,
        *,
        source_ref: str,
        text: str,
        source_hash: str | None = None,
        chunk_chars: int | None = None,
        chunk_overlap: int | None = None,
        prompt: str | None = None,
    ) -> Estimate:
        """What `ingest_document` with the same arguments would cost: no model is asked and nothing is written.

        Calls that the file has recorded cost nothing and are counted apart. Embeddings are not in it, nor the one
        further call about a reply that cannot be read.
        """
        from lorelite.ingest.estimate import estimated_ingest
        from lorelite.ingest.source import checked_manner, checked_source

        engine = self._open_engine()
        source = checked_source(engine, namespace, source_ref, text, source_hash)
        manner = checked_manner(
            engine,
            chunk_chars=chunk_chars,
            chunk_overlap=chunk_overlap,
            prompt=prompt,
            on_duplicate="ingest",
            allow_empty=False,
            on_progress=None,
        )
        return estimated_ingest(engine, [(source, manner)])

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
        from lorelite.ingest.upsert import upsert_graph

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
        """Delete a node and a task by id, the share of a source (ref, hash or both), or everything; counts what went.

        What other sources support stays with their share, and a forgotten source may be taken in again. Ids that are
        not there are nothing to forget. What is forgotten is gone from the past as well (`as_of`); its text stays in
        the file, to be undone, until `run_prune` removes it. clear_all keeps the namespace's ontology.
        Raises RankerFailed when a vector ranker could not be told; call again, the deletion stands.
        """
        from lorelite.ingest.forget import Selector, forget

        engine = self._known(namespace)
        source_ref = None if source_ref is None else options.source_ref(source_ref)
        source_hash = None if source_hash is None else options.source_hash(source_hash)
        by_source = source_ref is not None or source_hash is not None
        by_id = node_id is not None or task_id is not None
        options.exactly_one(
            ("node_id and/or task_id", "source_ref and/or source_hash", "clear_all"),
            (by_id, by_source, options.switch("clear_all", clear_all)),
        )
        what = Selector(
            node_id=None if node_id is None else options.node_id("node_id", node_id),
            task_id=None if task_id is None else options.node_id("task_id", task_id),
            source_ref=source_ref,
            source_hash=source_hash,
            clear_all=clear_all,
        )
        return await forget(engine, namespace, what, dry_run=options.switch("dry_run", dry_run))

    async def get_document(self, namespace: str, source_ref: str) -> str:
        """The stored text of a document: what citations' offsets count in. Raises NotFound."""
        documents = self._known(namespace).store.documents
        document = documents.current(namespace, options.source_ref(source_ref))
        if document is None:
            raise NotFound("document", source_ref, "list_source_refs names those that are there")
        return documents.text(document.id)
