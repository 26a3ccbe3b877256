"""How fast documents go into a knowledge graph when the model answers at once, in a file and in stores in memory.

    python -m bench.graph_insert [--chunks 1000] [--least N]

Chunks of about 700 characters, ten to a document, and in a file on disk also one to a document; the "model" names the
people of a chunk and relates them. Seconds are of the processor. `grown`: MB by which the peak of the process's memory
rose in the second half of the documents, "" where it is not measured. With --least the exit code is 1 when
chunkEntityGeneration alone takes in fewer chunks a second.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from bench.report import json_line, table
from bench.speed import most_memory_mb
from lorelite import (
    chunk_entity_generation,
    create_graph,
    entity_community_generation,
    in_memory_graph,
    in_memory_kv,
    in_memory_vector,
    lexical_graph,
    similar_chunk_connection,
)
from lorelite.graph_records import GraphStats
from lorelite.models import HashEmbedder, ScriptedModel
from lorelite.ports import Listener, ModelReply, ModelRequest

_PERSON = re.compile(r"Ann\d+ Bell\d+")
_PER_DOCUMENT = 10

PLACES: Mapping[str, Mapping[str, Any]] = {
    "file": {},
    "stores": {
        "graph_store_factory": in_memory_graph,
        "vector_store_factory": in_memory_vector,
        "kv_store_factory": in_memory_kv,
    },
}
PIPELINES = {
    "none": list,
    "entities": lambda: [chunk_entity_generation(max_gleanings=0)],
    "all": lambda: [
        chunk_entity_generation(max_gleanings=0),
        entity_community_generation(),
        similar_chunk_connection(),
    ],
}


def documents(chunks: int, seed: int = 5, per_document: int = _PER_DOCUMENT) -> Iterator[str]:
    """Texts of so many paragraphs, each a chunk, about some of four hundred people."""
    chance = random.Random(seed)

    def person() -> str:
        number = chance.randrange(400)
        return f"Ann{number} Bell{number}"

    for start in range(0, chunks, per_document):
        yield "\n\n".join(
            " ".join(
                f"{one} met {other} near the old house number {chance.randrange(1000)} and said that it was cold."
                for _ in range(7)
            )
            for one, other in ((person(), person()) for _ in range(min(per_document, chunks - start)))
        )


class _InstantModel(ScriptedModel):
    """Keeps nothing of what it was asked: a corpus of prompts would be measured as memory of the graph."""

    async def complete_telling(self, requests: Sequence[ModelRequest], listener: Listener) -> list[ModelReply]:
        replies = await super().complete_telling(requests, listener)
        self.requests.clear()
        return replies


def instant_model() -> ScriptedModel:
    """Names the people of a chunk, relates the first to the others, and writes the same report on every community."""

    def extracted(request: ModelRequest) -> str:
        names = list(dict.fromkeys(_PERSON.findall(request.user)))
        records = [f'("entity"<|>{name}<|>person<|>{name} was met near a house.)' for name in names]
        records += [f'("relationship"<|>{names[0]}<|>{name}<|>They met.<|>2)' for name in names[1:]]
        return "##".join(records) + "<|COMPLETE|>"

    report = '{"title": "People", "summary": "They met.", "rating": 5, "rating_explanation": "Few.", "findings": []}'
    return _InstantModel({"extract_graph": extracted, "summarise_entity": "They met.", "community_report": report})


def measured(place: str, pipeline: str, chunks: int) -> dict[str, Any]:
    """One insert into an empty graph: seconds, chunks a second, what was counted."""
    with _graph(**PLACES[place], pipeline=PIPELINES[pipeline]()) as graph:
        start = time.process_time()
        graph.insert(documents(chunks))
        return _row(place, pipeline, graph.stats(), time.process_time() - start)


def measured_on_disk(path: Path, chunks: int) -> dict[str, Any]:
    """As `measured`, of documents of one chunk in a file on disk, and by how much the peak of memory still rose."""
    given = documents(chunks, per_document=1)
    with _graph(path=str(path), pipeline=PIPELINES["entities"]()) as graph:
        start = time.process_time()
        graph.insert(islice(given, chunks // 2))
        before = most_memory_mb()
        graph.insert(given)
        seconds = time.process_time() - start
        grown = round(most_memory_mb() - before, 1)
        return _row("disk, one each", "entities", graph.stats(), seconds) | {"grown": grown}


def _graph(**place: Any) -> Any:
    paragraphs = {"mode": lambda text: text.split("\n\n")}
    return create_graph(
        graph=lexical_graph(**place), model=instant_model(), embedding=HashEmbedder(64), chunking=paragraphs
    ).blocking()


def _row(place: str, pipeline: str, stats: GraphStats, seconds: float) -> dict[str, Any]:
    return {
        "place": place,
        "pipeline": pipeline,
        "chunks": stats.chunks,
        "entities": stats.entities,
        "relations": stats.relations,
        "seconds": round(seconds, 2),
        "chunks/s": round(stats.chunks / max(seconds, 1e-9)),
        "grown": "",
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.graph_insert", description=str(__doc__).splitlines()[0])
    parser.add_argument("--chunks", type=int, default=1_000)
    parser.add_argument("--least", type=int, default=0)
    chosen = parser.parse_args(arguments)
    # First, while the peak of memory is its own.
    with tempfile.TemporaryDirectory() as folder:
        on_disk = measured_on_disk(Path(folder) / "documents.db", chosen.chunks)
    rows = [measured(place, pipeline, chosen.chunks) for place in PLACES for pipeline in PIPELINES]
    rows.append(on_disk)
    print(table(list(rows[0]), [list(row.values()) for row in rows]))
    rates = {f"{row['place']}.{row['pipeline']}": row["chunks/s"] for row in rows}
    print(json_line({"bench": "graph_insert", "chunks": chosen.chunks, **rates}))
    return int(any(row["chunks/s"] < chosen.least for row in rows if row["pipeline"] == "entities"))


if __name__ == "__main__":
    sys.exit(main())
