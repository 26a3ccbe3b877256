"""A whole book through the engine: without a model, and with the recorded replies of another system.

    python -m bench.book DIR [--min-entities N --min-relations M]

DIR holds book.txt and recorded_llm_replies.json. The text is taken as it is, licence included.
First it is ingested into a wiki; relations are then the edges among entities and facts, edges also counts those from
chunks. Then it becomes a knowledge graph, in a file and in stores in memory, with the recording and without: all four
processors, six strategies on three questions, everything twice. The limits judge every graph made from the recording.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import book_graph
from bench.recorded_book import RecordedBookModel, parse_recording
from bench.report import json_line, table
from lorelite import Wiki, WikiConfig
from lorelite.records import Citation, Node
from lorelite.text.chunking import chunk_spans

NAMESPACE, SOURCE = "book", "book.txt"
QUESTION, ANSWER = "Who was Scrooge's partner?", "Marley"
HERO = "Scrooge"
QUESTIONS = (QUESTION, "What does the Ghost of Christmas Past show to Scrooge?", "How do the Cratchits keep Christmas?")
EVERYTHING = 10_000

RECORDED_CHUNKS = WikiConfig(chunk_chars=4_800, chunk_overlap=400)
"""About the 1,200 tokens of the recording's chunks."""


def without_model(text: str) -> dict[str, Any]:
    """Ingest and ask with no model: seconds, counts, the answer, and whether every citation equals its span."""
    with Wiki.open(":memory:") as wiki:
        cpu, wall = time.process_time(), time.perf_counter()
        report = wiki.ingest_document(NAMESPACE, source_ref=SOURCE, text=text)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        answer = wiki.ask(NAMESPACE, QUESTION)
        stored = wiki.get_document(NAMESPACE, SOURCE)
        nodes = wiki.read(NAMESPACE, "", max_results=EVERYTHING, kinds=("chunk", "entity", "fact")).facts
        relations = len(wiki.get_memory_bundle(NAMESPACE).edges)
        citations = [citation for node in nodes for citation in node.citations]
        citations += [citation for sentence in answer.sentences for citation in sentence.citations]
    return {
        "characters": len(text),
        "stored_as_given": stored == text,
        "wall_s": round(wall, 2),
        "cpu_s": round(cpu, 2),
        "chunks": report.chunks,
        "facts": report.facts,
        "entities": report.entities,
        "relations": relations,
        "edges": report.edges,
        "citations": len(citations),
        "wrong_citations": sum(not is_exact(citation, stored) for citation in citations),
        "answer": answer.text,
        "answer_names_partner": ANSWER in answer.text,
    }


def with_recording(text: str, recording: str) -> dict[str, Any]:
    """Ingest with the recorded replies as the model: counts, what could not be used, and the hero's relations."""
    config = RECORDED_CHUNKS
    chunks = [span.of(text) for span in chunk_spans(text, config.chunk_chars, config.chunk_overlap)]
    model = RecordedBookModel(parse_recording(recording), chunks)
    with Wiki.open(":memory:", model=model, config=config) as wiki:
        wall = time.perf_counter()
        report = wiki.ingest_document(NAMESPACE, source_ref=SOURCE, text=text)
        wall = time.perf_counter() - wall
        every_relation = len(wiki.get_memory_bundle(NAMESPACE).edges)
        hero = find_entity(wiki, HERO)
        around = wiki.traverse_graph(NAMESPACE, source_id=hero.id, max_nodes=1_000) if hero else None
        titles = {node.id: node.title for node in around.nodes if node.kind == "entity"} if around else {}
        own = [edge for edge in around.edges if hero and hero.id in (edge.source_id, edge.target_id)] if around else []
        relations = [edge for edge in own if edge.source_id in titles and edge.target_id in titles]
    return {
        "wall_s": round(wall, 2),
        "chunks": report.chunks,
        "failed_chunks": len(report.failures),
        "facts": report.facts,
        "entities": report.entities,
        "relations": every_relation,
        "edges": report.edges,
        **model.account(),
        "hero_relations": len(relations),
        "hero_neighbours": sorted(titles[id] for id in titles if hero and id != hero.id),
    }


def is_exact(citation: Citation, text: str) -> bool:
    return bool(citation.quote) and citation.quote == text[citation.start : citation.end]


def find_entity(wiki: Wiki, title: str) -> Node | None:
    """The entity of that title."""
    found = wiki.read(NAMESPACE, title, kinds=("entity",), max_results=50).facts
    return next((node for node in found if node.title == title), None)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="bench.book", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--min-entities", type=int, default=0)
    parser.add_argument("--min-relations", type=int, default=0)
    options = parser.parse_args(arguments)

    text = (options.folder / "book.txt").read_text("utf-8")
    recording = (options.folder / "recorded_llm_replies.json").read_text("utf-8")
    plain = without_model(text)
    recorded = with_recording(text, recording)
    neighbours = recorded.pop("hero_neighbours")
    graphs = {
        place + ("" if replies else ", no model"): book_graph.measured(text, replies, place, QUESTIONS)
        for replies in (recording, None)
        for place in book_graph.PLACES
    }
    for title, figures in (("without a model", plain), ("recorded replies", recorded)):
        print(table((title, ""), figures.items()))
        print()
    print(f"joined to {HERO}: {', '.join(neighbours)}\n")
    names = [name for name in next(iter(graphs.values())) if name not in ("contexts", "bad_contexts")]
    print(
        table(("graph", *graphs), [(name, *(figures.get(name, "") for figures in graphs.values())) for name in names])
    )
    print()
    for name in book_graph.BUDGETS:
        print(table((f"tokens of {name}", *graphs), [("", *(each["contexts"][name] for each in graphs.values()))]))
    print()

    problems = []
    if not plain["answer_names_partner"]:
        problems.append(f"the answer to {QUESTION!r} does not name {ANSWER}")
    if plain["wrong_citations"]:
        problems.append(f"{plain['wrong_citations']} citations differ from their span")
    if not recorded["hero_relations"]:
        problems.append(f"{HERO} has no relations")
    for name, least in (("entities", options.min_entities), ("relations", options.min_relations)):
        if recorded[name] < least:
            problems.append(f"{recorded[name]} {name}, fewer than {least}")
    least = {"entities": options.min_entities, "relations": options.min_relations}
    for place, figures in graphs.items():
        problems += book_graph.problems(place, figures, least if "recorded" in figures else {})
    for problem in problems:
        print(f"problem: {problem}")
    print(
        json_line({"bench": "book", "without_model": plain, "recorded": recorded, "graphs": graphs, "ok": not problems})
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
