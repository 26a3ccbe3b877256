"""`hypothetical_question_search`: the chunks that answer questions like the one asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lorelite.graph_records import SearchContext
from lorelite.pipeline.processor import HYPOTHETICAL_QUESTIONS
from lorelite.ports import ChatModel, Embedder
from lorelite.strategies.naive import SEPARATOR
from lorelite.strategies.strategy import check_options
from lorelite.strategies.tables import SOURCES, numbered, truncate
from lorelite.text.budget import token_cost

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine


@dataclass(frozen=True, slots=True, kw_only=True)
class HypotheticalQuestionSearch:
    """Compares the question with the questions that the chunks answer, so that the words may differ.

    top_k: questions looked up; a chunk found by several counts by the best. max_tokens: of the context.
    """

    top_k: int = 10
    max_tokens: int = 12_000
    min_score: float | None = None
    model: ChatModel | None = None
    embedding: Embedder | None = None

    name: ClassVar[str] = "hypotheticalQuestionSearch"
    requires: ClassVar[tuple[str, ...]] = (HYPOTHETICAL_QUESTIONS,)

    def __post_init__(self) -> None:
        check_options(self, "top_k", "max_tokens")

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        hits = await run.knowledge.nearest("questions", prompt, self.top_k, self.min_score)
        best: dict[str, str] = {}
        for question in await run.knowledge.questions([hit.id for hit in hits]):
            best.setdefault(question.chunk_id, question.question)
        chunks = await run.knowledge.chunks(list(best))
        texts = [f"Question: {best[chunk.id]}\n{chunk.content}" for chunk in chunks]
        kept = truncate(zip(chunks, texts, strict=True), lambda pair: pair[1] + SEPARATOR, self.max_tokens)
        rows = [{"content": chunk.content, "question": best[chunk.id], "chunk_id": chunk.id} for chunk, _ in kept]
        text = SEPARATOR.join(text for _, text in kept)
        return SearchContext(
            strategy=self.name,
            text=text,
            tables={SOURCES: tuple(numbered(rows))} if rows else {},
            chunks=tuple(chunk for chunk, _ in kept),
            tokens=token_cost(text),
        )
