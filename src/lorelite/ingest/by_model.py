"""Reading a document with a model, chunk by chunk: one transaction each, so an interrupted call goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from lorelite.asking import Answered, in_halves, is_too_much, read_replies
from lorelite.engine import Engine
from lorelite.errors import BadReply, ContextOverflow, IngestFailed, ModelError
from lorelite.hooks import Diagnostic
from lorelite.ingest.ownership import Removed, remove_document
from lorelite.ingest.same_title import sifted
from lorelite.ingest.source import Manner, Source
from lorelite.ingest.versions import add_version, finish_version, new_version, report_of, would_empty
from lorelite.ingest.write import Written, write_extraction, write_waiting
from lorelite.memory.ontology import drop_diagnostics, effective
from lorelite.ontology.guidance import guidance
from lorelite.ports import ModelReply, ModelRequest
from lorelite.prompts import extract
from lorelite.prompts.extract import ExtractReply
from lorelite.records import ChunkFailure, IngestReport, Progress, Usage
from lorelite.store.documents import Chunk, Document
from lorelite.text.extraction import ExtractedFact, Extraction
from lorelite.text.grounding import grounded
from lorelite.text.title_key import title_key

_ABOUT_THE_TEXT = (BadReply, ContextOverflow)
"""Errors that say nothing of other texts."""
_MESSAGES: Mapping[str, str] = {
    "fact_rejected": "a fact of the model's says nothing and was left out",
    "fact_deduplicated": "the document states a fact of that title already; this one was left out",
    "grounding_missing": "a fact quotes nothing that could prove it; it is kept as a draft",
    "grounding_failed": "a fact quotes words that are not in the text; it is kept as a draft",
    "ingest_chunk_failed": "chunks could not be read; the next call tries them again",
    "ingest_empty": "the model found nothing in the new version; the earlier one stands",
}


async def ingest_by_model(engine: Engine, source: Source, manner: Manner, document: Document | None) -> IngestReport:
    """Take *source* in, going on with *document* when it was begun before. Raises IngestFailed, ModelError."""
    reading = _Reading(engine, source, manner)
    try:
        return await reading.run(document)
    finally:
        engine.tell(*reading.diagnostics, *reading.told_of_edges())


def passage_request(engine: Engine, source: Source, manner: Manner, start: int, end: int, heading: str) -> ModelRequest:
    """The request about one passage of a document."""
    request = extract.build(
        source.text[start:end],
        heading=heading,
        source_ref=source.source_ref,
        template=manner.prompt,
        guidance=guidance(effective(engine, source.namespace)),
    )
    return replace(request, namespace=source.namespace, source_ref=source.source_ref)


class _Reading:
    """One run: the counts as they grow, chunk by chunk."""

    def __init__(self, engine: Engine, source: Source, manner: Manner) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._engine = engine
        self._source = source
        self._manner = manner
        self._is_checked = engine.checks_quotes_of("ingest")
        self._written = Written()
        self._usage = Usage()
        self._failures: list[ChunkFailure] = []
        self._said_nothing: list[ModelReply] = []
        self._cut = 0
        self._drafts = 0
        self._left_out = 0

    async def run(self, document: Document | None) -> IngestReport:
        engine, store = self._engine, self._engine.store
        if document is None:
            document = new_version(engine, self._source, "model")
            spans = self._manner.spans(self._source.text)
            with store.atomic(cause="ingest"):
                add_version(engine, self._source, document, spans)
        chunks = store.documents.chunks(document.id)
        nodes = store.nodes.by_ids(document.namespace, [chunk.node_id for chunk in chunks])
        waiting = [chunk for chunk in chunks if chunk.state != "done"]
        resumed = len(chunks) - len(waiting)
        self._manner.tell(Progress("extract", resumed, len(chunks)))
        for begin in range(0, len(waiting), engine.config.model_batch):
            batch = waiting[begin : begin + engine.config.model_batch]
            headings = [nodes[chunk.node_id].title if chunk.node_id in nodes else "" for chunk in batch]
            answers = await self._ask(
                [(*_ends(chunk), heading) for chunk, heading in zip(batch, headings, strict=True)]
            )
            self._check_that_somebody_is_there(answers)
            for chunk, heading, answered in zip(batch, headings, answers, strict=True):
                if is_too_much(answered.error):
                    answered = await self._in_halves(chunk, heading, answered)
                self._take(document, chunks, chunk, answered)
            self._manner.tell(Progress("extract", resumed + begin + len(batch), len(chunks)))
        return self._finish(document, chunks, resumed)

    async def _ask(self, passages: Sequence[tuple[int, int, str]]) -> list[Answered[ExtractReply]]:
        """What the model finds in passages, each (start, end, heading)."""
        requests = [passage_request(self._engine, self._source, self._manner, *passage) for passage in passages]

        def read(at: int, reply: str) -> ExtractReply:
            start, end, _ = passages[at]
            try:
                return extract.read_reply(reply, chunk_start=start, chunk_end=end, document_text=self._source.text)
            except BadReply as error:
                if error.data["empty"] and self._manner.allow_empty:
                    return ExtractReply(Extraction(), True)
                raise

        ask = partial(self._engine.complete, self._source.namespace)
        return await read_replies(ask, requests, read, ask_again=self._engine.config.ask_again)

    async def _in_halves(self, chunk: Chunk, heading: str, whole: Answered[ExtractReply]) -> Answered[ExtractReply]:
        """What is found in the parts of a chunk that was too much for one reply: all of them, or the first error."""

        async def ask_about(spans: Sequence[tuple[int, int]]) -> list[Answered[ExtractReply]]:
            return await self._ask([(start, end, heading) for start, end in spans])

        parts = await in_halves(self._source.text, *_ends(chunk), ask_about)
        if not parts:
            return whole
        usage = sum((part.reply.usage for part in parts), whole.reply.usage)
        return Answered(
            replace(parts[-1].reply, usage=usage),
            value=extract.joined([part.value for part in parts if part.value is not None]),
            error=next((part.error for part in parts if part.error is not None), None),
            unread=tuple(reply for part in parts for reply in part.unread),
        )

    def _check_that_somebody_is_there(self, answers: Sequence[Answered[ExtractReply]]) -> None:
        """When no call of a batch was answered the model is not there: that error is raised, and the chunks wait."""
        unanswered = [each.error for each in answers if each.error and not isinstance(each.error, _ABOUT_THE_TEXT)]
        if answers and len(unanswered) == len(answers):
            error = unanswered[0]
            raise error if isinstance(error, ModelError) else ModelError(f"the model failed: {error}") from error

    def _take(
        self, document: Document, chunks: Sequence[Chunk], chunk: Chunk, answered: Answered[ExtractReply]
    ) -> None:
        """Store what was found in a chunk, or why nothing was, in one transaction."""
        store = self._engine.store
        self._usage += answered.reply.usage
        read = answered.value
        if answered.error is not None or read is None:
            failure = _failure(chunk, answered.error or ModelError("no reply"))
            with store.atomic(cause="ingest"):
                store.documents.mark_chunk(document.id, chunk.ordinal, "failed", failure.reason)
                self._judge(answered)
            self._failures.append(failure)
            return
        self._cut += not read.complete
        if read.extraction == Extraction():
            self._said_nothing.append(answered.reply)
        with store.atomic(cause="ingest"):
            # Another task may have taken the chunk, or the document away, while the model worked.
            if store.documents.mark_chunk(document.id, chunk.ordinal, "done"):
                self._write(document, chunks, chunk, read)
            self._judge(answered)
            if not read.complete:
                self._engine.judge(answered.reply, "partial")

    def _judge(self, answered: Answered[ExtractReply]) -> None:
        for reply in answered.unread:
            self._engine.judge(reply, "none")

    def _write(self, document: Document, chunks: Sequence[Chunk], chunk: Chunk, read: ExtractReply) -> None:
        store, source = self._engine.store, self._source
        facts = [self._checked(chunk, fact) for fact in read.extraction.facts]
        keys = {title_key(fact.title) for fact in facts}
        stored = store.sources.facts_titled(source.namespace, source.source_ref, source.source_hash, keys)
        chosen = sifted(facts, stored)
        store.nodes.delete(source.namespace, chosen.outdone)
        extraction = replace(read.extraction, facts=chosen.kept)
        self._written += write_extraction(self._engine, document, chunks, extraction, chunk.ordinal, "model")

        self._left_out += len(read.rejected) + len(chosen.left_out)
        for place, reason in read.rejected:
            self._tell("fact_rejected", chunk=chunk.ordinal, item=place, reason=reason)
        for place in chosen.left_out:
            self._tell("fact_deduplicated", "info", chunk=chunk.ordinal, item=place, reason="exact_title")
        for place, fact in enumerate(facts):
            if fact.grounding is not None and not fact.grounding.ok and place not in chosen.left_out:
                self._drafts += 1
                self._tell(fact.grounding.code, chunk=chunk.ordinal, item=place, reason=fact.grounding.reason)

    def _checked(self, chunk: Chunk, fact: ExtractedFact) -> ExtractedFact:
        if not self._is_checked:
            return fact
        return replace(fact, grounding=grounded(fact.quotes, [self._source.text[chunk.start : chunk.end]]))

    def _finish(self, document: Document, chunks: Sequence[Chunk], resumed: int) -> IngestReport:
        """Let the new version stand, unless chunks failed or it would leave nothing of the earlier one."""
        engine, store = self._engine, self._engine.store
        failures = tuple(self._failures)
        says_nothing = not self._manner.allow_empty and all(failure.cause == "empty" for failure in failures)
        removed = Removed()
        with store.atomic(cause="ingest"):
            is_empty = says_nothing and would_empty(engine, document)
            if is_empty:
                remove_document(engine, document)
                # The next call is to ask anew.
                for reply in self._said_nothing:
                    engine.judge(reply, "none")
            elif not failures:
                removed = finish_version(engine, document)
            self._written += write_waiting(engine, document, is_complete=not failures)
        if is_empty:
            self._tell("ingest_empty", chunks=[failure.index for failure in failures])
        elif failures:
            if len(failures) == len(chunks):
                raise IngestFailed(document.source_ref, failures)
            reasons = [failure.reason for failure in failures]
            self._tell("ingest_chunk_failed", chunks=[failure.index for failure in failures], reasons=reasons)
        return report_of(
            document,
            "empty" if is_empty else "partial" if failures else "ingested",
            self._written,
            self._usage,
            chunks=len(chunks),
            resumed=resumed,
            removed=removed,
            failures=failures,
            cut=self._cut,
            drafts=self._drafts,
            left_out=self._left_out,
        )

    def told_of_edges(self) -> list[Diagnostic]:
        """One edge_dropped for each edge that was left out."""
        source = self._source
        return drop_diagnostics(
            self._engine,
            source.namespace,
            self._written.dropped,
            operation="ingest_document",
            source_ref=source.source_ref,
        )

    def _tell(self, code: str, severity: Any = "warning", **detail: Any) -> None:
        self.diagnostics.append(
            Diagnostic(
                code=code,
                severity=severity,
                operation="ingest_document",
                namespace=self._source.namespace,
                message=_MESSAGES[code],
                detail={"source_ref": self._source.source_ref, **detail},
                at=self._engine.clock(),
            )
        )


def _failure(chunk: Chunk, error: Exception) -> ChunkFailure:
    cause: Literal["call", "reply", "empty"] = "call"
    if isinstance(error, BadReply):
        cause = "empty" if error.data["empty"] else "reply"
    return ChunkFailure(index=chunk.ordinal, start=chunk.start, end=chunk.end, reason=str(error), cause=cause)


def _ends(chunk: Chunk) -> tuple[int, int]:
    return chunk.start, chunk.end
