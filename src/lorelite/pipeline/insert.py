"""Inserting documents into a knowledge graph, deleting them, and running processors on what is there.

Every step can be interrupted: what was stored is kept, and the same call again goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lorelite.errors import DocumentError, InsertAborted, UnreadableDocument
from lorelite.graph_records import DeleteReport, GraphDocument, InsertReport
from lorelite.pipeline import metadata
from lorelite.pipeline.chunking import SpansOf
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.metadata import VectorSpace
from lorelite.pipeline.processor import ENTITY_COMMUNITIES, Processor, works_on_graph
from lorelite.pipeline.run import GraphEngine
from lorelite.text.chunking import ChunkSpan
from lorelite.text.clean import looks_binary

DOCUMENTS = "documents"
"""The stage of `Progress` in which documents are stored; the other stages are named by their processors."""

_OUT_OF_DATE = "out of date"
_BATCH_DOCUMENTS = 100
_BATCH_CHARS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a graph is built."""

    pipeline: tuple[Processor, ...] = ()
    spans_of: SpansOf
    embedding: VectorSpace | None = None


async def insert(run: GraphEngine, plan: Plan, documents: Iterable[GraphDocument], total: int = 0) -> InsertReport:
    """Store what is new, and run the pipeline on every chunk that it has not finished.

    documents: read in batches, each with an id; total: how many, as far as known. Raises PipelineConfigMismatchError
    before anything is written, and InsertAborted with the report so far when too much failed.
    """
    return await _reported(_Insert(run, plan), documents, total, rebuild=False)


async def build(run: GraphEngine, plan: Plan) -> InsertReport:
    """Run the pipeline on every chunk that it has not finished, and what works on the graph in any case."""
    return await _reported(_Insert(run, plan), (), 0, rebuild=True)


async def delete_documents(run: GraphEngine, plan: Plan, ids: Sequence[str]) -> DeleteReport:
    """Take away exactly what only these documents support, and bring communities and reports up to date.

    Raises PipelineConfigMismatchError before anything is deleted, and InsertAborted with the report when a model failed
    afterwards: the deletion stands, and the next insert brings the rest up to date.
    """
    ids = list(dict.fromkeys(ids))
    await metadata.settle(run.knowledge, plan.pipeline, plan.embedding, run.clock())
    was_out_of_date = await run.knowledge.recall(_OUT_OF_DATE)
    await run.knowledge.remember(_OUT_OF_DATE, True)
    chunk_ids = await run.knowledge.chunks_of(ids)
    for processor in reversed(plan.pipeline):
        await processor.remove(run, chunk_ids)
    if not any(processor.name == ENTITY_COMMUNITIES for processor in plan.pipeline):
        await _drop_reports(run.knowledge, chunk_ids)
    report = await run.knowledge.delete_documents(ids)
    if report.documents or was_out_of_date:
        try:
            await _Insert(run, plan).bring_up_to_date()
        except InsertAborted as error:
            error.data["report"] = report
            raise
    else:
        await run.knowledge.remember(_OUT_OF_DATE, None)
    return report


async def _drop_reports(knowledge: Knowledge, chunk_ids: Sequence[str]) -> None:
    """Take away reports on what these chunks tell of: they may repeat them, and nobody here writes new ones."""
    told = await knowledge.entities_of(chunk_ids)
    entity_ids = dict.fromkeys(id for mentions in told.values() for id, _ in mentions)
    member_of = await knowledge.communities_of(list(entity_ids))
    await knowledge.drop_reports(list(dict.fromkeys(id for ids in member_of.values() for id in ids)))


async def _reported(work: _Insert, documents: Iterable[GraphDocument], total: int, *, rebuild: bool) -> InsertReport:
    try:
        await work.do(documents, total, rebuild)
    except InsertAborted as error:
        error.data["report"] = work.report()
        raise
    return work.report()


class _Insert:
    """The state of one insert."""

    def __init__(self, run: GraphEngine, plan: Plan) -> None:
        self._run = run
        self._knowledge = run.knowledge
        self._plan = plan
        self._record: metadata.PipelineRecord | None = None
        self._has_begun = False
        self._added: list[str] = []
        self._skipped = 0
        self._chunks = 0
        self._counters: dict[str, Mapping[str, int]] = {}

    def report(self) -> InsertReport:
        tally = self._run.tally
        return InsertReport(
            documents=len(self._added),
            skipped=self._skipped,
            chunks=self._chunks,
            counters=dict(self._counters),
            failures=tuple(tally.failures),
            warnings=tuple(tally.warnings),
            usage=tally.usage,
        )

    async def do(self, documents: Iterable[GraphDocument], total: int, rebuild: bool) -> None:
        run, plan = self._run, self._plan
        self._record = await metadata.settle(self._knowledge, plan.pipeline, plan.embedding, run.clock())
        seen = 0
        for batch, taken in _batches(documents):
            run.tell(DOCUMENTS, seen, max(total, seen))
            self._skipped += taken - len(batch)
            await self._add(batch)
            seen += taken
        if seen:
            run.tell(DOCUMENTS, seen, max(total, seen))
        if rebuild and plan.pipeline:
            await self._begin()
        await self.bring_up_to_date()

    async def bring_up_to_date(self) -> None:
        """Run the processors that have something to do, complete the documents, make vectors."""
        pipeline = self._plan.pipeline
        on_graph = [works_on_graph(processor) for processor in pipeline]
        split = on_graph.index(True) if True in on_graph else len(pipeline)
        if pipeline and await self._knowledge.recall(_OUT_OF_DATE):
            # Chunks of a run that was cut off may have no vectors yet, by which processors compare them.
            await self._knowledge.embed_new()
        for processor in pipeline[:split]:
            if chunk_ids := await self._knowledge.unfinished(processor.name):
                await self._process(processor, chunk_ids)
        # A new version takes the place of the earlier one here, so that what follows works on the new one alone.
        for place in range(0, len(self._added), _BATCH_DOCUMENTS):
            await self._knowledge.complete_documents(self._added[place : place + _BATCH_DOCUMENTS])
        is_due = self._has_begun or bool(await self._knowledge.recall(_OUT_OF_DATE))
        for number, processor in enumerate(pipeline):
            chunk_ids = await self._knowledge.unfinished(processor.name) if number >= split else []
            if chunk_ids or is_due:
                await self._process(processor, chunk_ids)
        await self._knowledge.embed_new()
        # What failed for a chunk leaves the chunk unfinished; what failed for a community leaves nothing but this.
        graph_failed = {failure.processor for failure in self._run.tally.failures} & {
            processor.name for processor in pipeline[split:]
        }
        if pipeline and not graph_failed and await self._knowledge.recall(_OUT_OF_DATE):
            await self._knowledge.remember(_OUT_OF_DATE, None)

    async def _begin(self) -> None:
        """Before the first write: say who builds, and that the graph is not what its documents say until the end."""
        if self._has_begun:
            return
        self._has_begun = True
        if self._record is not None:
            await metadata.store(self._knowledge, self._record)
        if not await self._knowledge.recall(_OUT_OF_DATE):
            await self._knowledge.remember(_OUT_OF_DATE, True)

    async def _add(self, batch: Sequence[GraphDocument]) -> None:
        cut: list[tuple[GraphDocument, list[ChunkSpan]]] = []
        failure: DocumentError | InsertAborted | None = None  # raised when what stands before it is stored
        for document, is_known in zip(batch, await self._knowledge.known(batch), strict=True):
            try:
                spans = [] if is_known else self._spans(document)
            except DocumentError as error:
                failure = self._failed(document, error)
                if failure is not None:
                    break
                continue
            if spans:
                cut.append((document, spans))
            else:
                self._skipped += 1
        if cut:
            await self._begin()
            self._chunks += sum(map(len, await self._knowledge.add_documents(cut)))
            self._added += [document.id for document, _ in cut]
        if failure is not None:
            raise failure

    def _failed(self, document: GraphDocument, error: DocumentError) -> DocumentError | InsertAborted | None:
        """Note a document that cannot be taken in; what ends the insert for it, if that does."""
        if self._run.on_error == "raise":
            return error
        try:
            self._run.failed(document.id, DOCUMENTS, error)
        except InsertAborted as aborted:
            return aborted
        return None

    def _spans(self, document: GraphDocument) -> list[ChunkSpan]:
        if looks_binary(document.content):
            raise UnreadableDocument(document.id, "it looks like binary data, not text; convert it to text first")
        return self._plan.spans_of(document.content)

    async def _process(self, processor: Processor, chunk_ids: Sequence[str]) -> None:
        run, name = self._run, processor.name
        await self._begin()
        if chunk_ids:
            run.tell(name, 0, len(chunk_ids))
        before = run.model_calls
        counters = await processor.process(run, chunk_ids)
        told = self._counters.get(name, {})
        now = {**counters, "model_calls": run.model_calls - before}
        self._counters[name] = {key: told.get(key, 0) + now.get(key, 0) for key in (*told, *now)}
        if works_on_graph(processor):
            await self._knowledge.mark_finished(name, chunk_ids)
        if chunk_ids:
            run.tell(name, len(chunk_ids), len(chunk_ids))


def _batches(documents: Iterable[GraphDocument]) -> Iterator[tuple[list[GraphDocument], int]]:
    """The documents in order, a hundred or a million characters at a time, and how many were taken for it.

    Of several with one id in a batch the last counts.
    """
    batch: dict[str, GraphDocument] = {}
    taken = size = 0
    for document in documents:
        batch[document.id] = document
        taken += 1
        size += len(document.content)
        if taken >= _BATCH_DOCUMENTS or size >= _BATCH_CHARS:
            yield list(batch.values()), taken
            batch, taken, size = {}, 0, 0
    if batch:
        yield list(batch.values()), taken
