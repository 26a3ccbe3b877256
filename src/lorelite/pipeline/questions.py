"""`hypothetical_question_generation`: for each chunk, questions that it answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import Any, Literal

from lorelite import options as given
from lorelite.given import as_model
from lorelite.graph_records import ChunkQuestion, TextChunk
from lorelite.ids import content_id, text_hash
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.processor import HYPOTHETICAL_QUESTIONS
from lorelite.pipeline.rule_extraction import by_document, extract_by_rules
from lorelite.pipeline.run import GraphEngine
from lorelite.ports import ChatModel
from lorelite.prompts import questions as prompt_of
from lorelite.text.rule_questions import Known, rule_questions

QUESTIONS_PER_CHUNK = 3
BATCH_SIZE = 32
_MAX_NAMES = 40


class HypotheticalQuestionGeneration:
    """Asks the model for questions that each chunk answers: one that is worded unlike the chunk finds it by them.

    Without a model they are made of sentences that begin with a name, and of headings.
    """

    name = HYPOTHETICAL_QUESTIONS
    version = 1
    requires: tuple[str, ...] = ()
    works_on: Literal["chunks"] = "chunks"

    def __init__(self, questions_per_chunk: int, model: ChatModel | None, prompt: str | None, batch_size: int) -> None:
        self.questions_per_chunk = questions_per_chunk
        self.model = model
        self.batch_size = batch_size
        self._prompt = prompt

    def options(self) -> Mapping[str, Any]:
        return {
            "questions_per_chunk": self.questions_per_chunk,
            "model": None if self.model is None else self.model.name,
            "prompt": None if self._prompt is None else text_hash(self._prompt),
        }

    async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
        run = run.using(model=self.model)
        counts: Counter[str] = Counter(questions=0)
        if run.has_model:
            await self._by_model(run, chunk_ids, counts)
        else:
            await self._by_rules(run, chunk_ids, counts)
        return counts

    async def remove(self, run: GraphEngine, chunk_ids: Sequence[str]) -> None:
        """Nothing is kept beside the knowledge, where the questions of a chunk go with it."""

    async def _by_model(self, run: GraphEngine, chunk_ids: Sequence[str], counts: Counter[str]) -> None:
        for start in range(0, len(chunk_ids), self.batch_size):
            chunks = await run.knowledge.chunks(chunk_ids[start : start + self.batch_size])
            replies = await run.complete(
                [
                    prompt_of.build(
                        chunk.content, self.questions_per_chunk, heading=chunk.heading, instructions=self._prompt
                    )
                    for chunk in chunks
                ]
            )
            answered = [pair for pair in zip(chunks, replies, strict=True) if pair[1].error is None]
            asked = [(chunk, prompt_of.parse(reply.text, self.questions_per_chunk)) for chunk, reply in answered]
            await self._store(run, asked, counts)
            run.tell(self.name, start + len(chunks), len(chunk_ids))
            for chunk, reply in zip(chunks, replies, strict=True):
                if reply.error is not None:
                    run.failed(chunk.id, self.name, reply.error)

    async def _by_rules(self, run: GraphEngine, chunk_ids: Sequence[str], counts: Counter[str]) -> None:
        done = 0
        async for chunks in by_document(run.knowledge, chunk_ids):
            names = await _names(run.knowledge, chunks)
            asked = [
                (
                    chunk,
                    rule_questions(
                        chunk.content,
                        names.get(chunk.id, []),
                        heading=chunk.heading,
                        limit=self.questions_per_chunk,
                    ),
                )
                for chunk in chunks
            ]
            await self._store(run, asked, counts)
            done += len(chunks)
            run.tell(self.name, done, len(chunk_ids))

    async def _store(
        self, run: GraphEngine, asked: Sequence[tuple[TextChunk, list[str]]], counts: Counter[str]
    ) -> None:
        namespace = run.knowledge.namespace
        counts["questions"] += await run.knowledge.add_questions(
            [
                ChunkQuestion(
                    id=content_id("question", namespace, chunk.id, question), question=question, chunk_id=chunk.id
                )
                for chunk, questions in asked
                for question in questions
            ]
        )
        counts["chunks_without_questions"] += sum(not questions for _, questions in asked)
        await run.knowledge.mark_finished(self.name, [chunk.id for chunk, _ in asked])


async def _names(knowledge: Knowledge, chunks: Sequence[TextChunk]) -> dict[str, list[Known]]:
    """Chunk id → the things that it names, the most telling first: as the graph knows them, else as rules find them."""
    told = await knowledge.entities_of([chunk.id for chunk in chunks])
    ids = list(dict.fromkeys(entity_id for found in told.values() for entity_id, _ in found))
    if ids:
        known = {each.id: Known(each.name, each.aliases, each.type or None) for each in await knowledge.entities(ids)}
        counted = {
            chunk_id: [(known[entity_id], weight) for entity_id, weight in found if entity_id in known]
            for chunk_id, found in told.items()
        }
    else:
        counted = {
            chunk.id: [
                (Known(each.name, each.aliases, each.type), float(len(each.mentions))) for each in extraction.entities
            ]
            for chunk, extraction in extract_by_rules(chunks)
        }
    held = Counter(known.name for found in counted.values() for known, _ in found)
    return {
        chunk_id: [
            known for known, _ in sorted(found, key=lambda each: -each[1] * log(1 + len(chunks) / held[each[0].name]))
        ][:_MAX_NAMES]
        for chunk_id, found in counted.items()
    }


@given.seed_names
def hypothetical_question_generation(
    questions_per_chunk: int = QUESTIONS_PER_CHUNK,
    model: Any = None,
    prompt: str | None = None,
    batch_size: int = BATCH_SIZE,
) -> HypotheticalQuestionGeneration:
    """A processor that writes questions which each chunk answers.

    questions_per_chunk: at most so many. model: in place of the graph's; without any, rules make questions in English
    and German, and of headings and names in every language. prompt: instructions in place of ours; the form of the
    reply follows. batch_size: chunks that are asked about together. Raises InvalidOption.
    """
    return HypotheticalQuestionGeneration(
        given.whole_number("questions_per_chunk", questions_per_chunk, 1, 50),
        as_model(model),
        None if prompt is None else given.text("prompt", prompt),
        given.whole_number("batch_size", batch_size, 1),
    )


hypotheticalQuestionGeneration = hypothetical_question_generation
