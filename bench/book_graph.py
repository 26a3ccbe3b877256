"""A book as a knowledge graph: all four processors, six strategies, three questions, and the same again."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from bench.recorded_graph import RecordedGraphModel
from lorelite import (
    BlockingKnowledgeGraph,
    Chunking,
    Wiki,
    chunk_entity_generation,
    create_graph,
    entity_community_generation,
    in_memory_graph,
    in_memory_kv,
    in_memory_vector,
    lexical_graph,
    similar_chunk_connection,
)
from lorelite._drive import drive
from lorelite.graph_records import SearchContext, TextChunk
from lorelite.models import StaticEmbedder
from lorelite.pipeline.processor import Processor
from lorelite.pipeline.questions import hypothetical_question_generation
from lorelite.ports import ChatModel

NAMESPACE, SOURCE = "book", "book.txt"
CHUNKING = Chunking()
GLEANINGS = 10
"""As many rounds as the recording may hold for one chunk."""

BUDGETS: Mapping[str, int] = {
    "naive": 12_000,
    "entity_enhanced": 12_000,
    "local_community": 16_000,
    "global_community": 16_384,
    "similar_chunk_traversal": 12_000,
    "hypothetical_question": 12_000,
}
"""Strategy → the tokens that its context may cost."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a graph is kept, and how all that is there is read."""

    graph: BlockingKnowledgeGraph
    dump: Callable[[], object]
    close: Callable[[], None]


def in_a_file(pipeline: Sequence[Processor], model: ChatModel | None) -> Place:
    wiki = Wiki.open(":memory:", model=model, embedder=StaticEmbedder())
    graph = wiki.graph(NAMESPACE, pipeline=pipeline, chunking=CHUNKING)
    return Place(graph, lambda: wiki.export_dump(NAMESPACE), wiki.close)


def in_stores(pipeline: Sequence[Processor], model: ChatModel | None) -> Place:
    nodes, vectors, values = in_memory_graph(NAMESPACE), in_memory_vector(NAMESPACE), in_memory_kv(NAMESPACE)
    provider = lexical_graph(lambda _: nodes, lambda _: vectors, lambda _: values, pipeline=pipeline)
    graph = create_graph(
        graph=provider, model=model, embedding=StaticEmbedder(), namespace=NAMESPACE, chunking=CHUNKING
    ).blocking()

    async def everything() -> object:
        keys = sorted(await values.all_keys())
        indexes = {name: list(await vectors.describe_index(name)) for name in sorted(await vectors.list_indexes())}
        return [
            await nodes.all_nodes(),
            [list(edge) for edge in await nodes.all_edges()],
            list(zip(keys, await values.get_by_ids(keys), strict=True)),
            indexes,
        ]

    return Place(graph, lambda: drive(everything()), graph.close)


PLACES = {"file": in_a_file, "stores in memory": in_stores}


def measured(text: str, recording: str | None, place: str, questions: Sequence[str]) -> dict[str, Any]:
    """Build the graph twice and ask it everything: counts, what the contexts are like, whether both runs are equal.

    recording: the replies of the model; None: no model.
    """
    figures, first = _run(text, recording, place, questions)
    _, second = _run(text, recording, place, questions)
    return {**figures, "digest": first[:16], "repeated_equal": first == second}


def problems(place: str, figures: Mapping[str, Any], least: Mapping[str, int]) -> list[str]:
    """What a run lacks, in words. least: count → how many are wanted."""
    found = [
        f"{place}: {figures[name]} {name}, fewer than {count}" for name, count in least.items() if figures[name] < count
    ]
    found += [f"{place}: {what}" for what in figures["bad_contexts"]]
    if not figures["communities"] or figures["reports"] != figures["communities"]:
        found.append(f"{place}: {figures['communities']} communities and {figures['reports']} reports")
    if figures["failures"]:
        found.append(f"{place}: {figures['failures']} failures")
    if figures["model_calls_again"]:
        found.append(f"{place}: inserting the same again asked the model {figures['model_calls_again']} times")
    if not figures["repeated_equal"]:
        found.append(f"{place}: the second run gave something else")
    return found


def _run(text: str, recording: str | None, place: str, questions: Sequence[str]) -> tuple[dict[str, Any], str]:
    chunks = [span.of(text) for span in CHUNKING.spans(text)]
    model = None if recording is None else RecordedGraphModel(recording, chunks)
    pipeline = (
        chunk_entity_generation(max_gleanings=GLEANINGS),
        entity_community_generation(),
        similar_chunk_connection(),
        hypothetical_question_generation(),
    )
    home = PLACES[place](pipeline, model)
    graph = home.graph
    cpu, wall = time.process_time(), time.perf_counter()
    report = graph.insert({"id": SOURCE, "content": text})
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    again = graph.insert({"id": SOURCE, "content": text})
    stats = graph.stats()
    contexts = {
        (name, question): graph.query(question, search=name, only_context=True).context
        for name in BUDGETS
        for question in questions
    }
    known = {chunk.id: chunk for chunk in graph.chunks()}
    titles = [report.title for report in graph.reports()]
    bad = [
        f"{name} on {question!r}: {fault}"
        for (name, question), context in contexts.items()
        for fault in _faults(name, context, text, known, titles)
    ]
    figures: dict[str, Any] = {
        "wall_s": round(wall, 2),
        "cpu_s": round(cpu, 2),
        **{name: value for name, value in asdict(stats).items() if name != "documents"},
        "failures": len(report.failures) + len(again.failures),
        "model_calls": report.usage.calls,
        "model_calls_again": again.usage.calls,
        "contexts": {name: [contexts[name, question].tokens for question in questions] for name in BUDGETS},
        "bad_contexts": bad,
    }
    if model is not None:
        figures |= {
            "answered": dict(sorted(model.answered.items())),
            "recorded": model.recorded,
            "used": len(model.used),
        }
    digest = _digest([home.dump(), [asdict(context) for context in contexts.values()]])
    home.close()
    return figures, digest


def _faults(
    name: str, context: SearchContext, text: str, known: Mapping[str, TextChunk], titles: Sequence[str]
) -> list[str]:
    """Non-empty, within its budget, and citing: passages of the book as they stand in it, or reports of the graph."""
    found = []
    if context.is_empty:
        found.append("an empty context")
    if context.tokens > BUDGETS[name] or context.tokens * 4 < len(context.text):
        found.append(f"{context.tokens} tokens for {len(context.text)} characters, of {BUDGETS[name]} tokens")
    of_reports = any(title in context.text for title in titles)
    cites = of_reports if name == "global_community" else bool(context.chunks)
    if not cites:
        found.append("it cites nothing")
    for chunk in context.chunks:
        if known.get(chunk.id) != chunk or chunk.content != text[chunk.start : chunk.end]:
            found.append(f"chunk {chunk.id} is not what stands in the book")
    return found


def _digest(value: object) -> str:
    """SHA-256 of all of it, but for times."""
    return hashlib.sha256(json.dumps(_timeless(value), sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _timeless(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(key): _timeless(each) for key, each in value.items() if not str(key).endswith("_at")}
    if isinstance(value, list | tuple):
        return [_timeless(each) for each in value]
    if isinstance(value, str) and value.startswith("{"):
        with suppress(ValueError):
            return _timeless(json.loads(value))
    return value if value is None or isinstance(value, str | int | float | bool) else repr(value)
