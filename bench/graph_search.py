"""What a search along the graph costs: the N-hop retriever in a file and in memory, and the PageRank strategy.

    python -m bench.graph_search [--nodes 10000] [--questions 20]

Graphs have three relations for each node: uniform ones between random ends; with hubs the ends follow a power law, and
some 1,700 of 10,000 nodes are tied to the first. Milliseconds are of the processor, median and 95th percentile; another
question is asked before, so that what a store remembers is there.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

from bench.report import json_line, table
from bench.synthetic import vocabulary
from lorelite import GraphRetriever, Wiki, in_memory_graph, sqlite_graph
from lorelite.store_ports import ENTITY, RELATES_TO
from lorelite.toolkit import GraphBackedEntities

_RELATIONS = 3
_BATCH = 1_000
_HUB_EXPONENT = 0.85


def names(count: int, seed: int = 7) -> list[str]:
    """Different names of two words and a number."""
    words, chance = [word.capitalize() for word in vocabulary(400)], random.Random(seed)
    return [f"{chance.choice(words)} {chance.choice(words)} {number}" for number in range(count)]


def uniform_ends(nodes: int, seed: int = 3) -> list[tuple[int, int]]:
    """Different pairs of random nodes."""
    chance = random.Random(seed)
    pairs: dict[tuple[int, int], None] = {}
    while len(pairs) < _RELATIONS * nodes:
        a, b = chance.randrange(nodes), chance.randrange(nodes)
        if a != b:
            pairs[min(a, b), max(a, b)] = None
    return list(pairs)


def hub_ends(nodes: int, seed: int = 3) -> list[tuple[int, int]]:
    """Different pairs of nodes, the n-th of which is an end as often as n ** -0.85."""
    chance = random.Random(seed)
    upto = list(accumulate((number + 1) ** -_HUB_EXPONENT for number in range(nodes)))
    pairs: dict[tuple[int, int], None] = {}
    while len(pairs) < _RELATIONS * nodes:
        a, b = chance.choices(range(nodes), cum_weights=upto, k=2)
        if a != b:
            pairs[min(a, b), max(a, b)] = None
    return list(pairs)


GRAPHS: dict[str, Callable[[int], list[tuple[int, int]]]] = {"uniform": uniform_ends, "hubs": hub_ends}


def times_of(call: Callable[[str], Any], questions: Sequence[str]) -> tuple[float, float]:
    """Median and 95th percentile of milliseconds of the processor; the first question is asked once before."""
    call(questions[0])
    found = []
    for question in questions:
        start = time.process_time()
        call(question)
        found.append(1000 * (time.process_time() - start))
    return median(found), sorted(found)[math.ceil(0.95 * len(found)) - 1]


def hops(store: Any, ends: Sequence[tuple[int, int]], nodes: int, questions: int) -> tuple[float, float]:
    """Two hops from the two entities that each question names."""
    called = names(nodes)

    async def fill() -> None:
        for start in range(0, nodes, _BATCH):
            await store.upsert_nodes_batch(
                {
                    f"E{at}": {"label": ENTITY, "name": called[at], "description": f"{called[at]} lives in the town"}
                    for at in range(start, min(start + _BATCH, nodes))
                }
            )
        for start in range(0, len(ends), _BATCH):
            await store.upsert_edges_batch(
                [
                    (
                        f"E{a}",
                        f"E{b}",
                        {"type": RELATES_TO, "weight": 1.0, "description": f"{called[a]} knows {called[b]}"},
                    )
                    for a, b in ends[start : start + _BATCH]
                ]
            )

    asyncio.run(fill())
    retriever = GraphRetriever(GraphBackedEntities(store))
    chance = random.Random(5)
    asked = [f"How is {chance.choice(called)} connected with {chance.choice(called)}?" for _ in range(questions)]
    return times_of(lambda question: asyncio.run(retriever.retrieve(question, hops=2)), asked)


def pagerank(path: Path, nodes: int, questions: int) -> tuple[int, tuple[float, float]]:
    """Nodes of the file, and the cost of `pagerankSearch` over texts of which a third of the nodes are made."""
    called, chance = names(nodes // 3), random.Random(9)
    words = vocabulary()

    def text() -> str:
        one, two, three = (chance.choice(called) for _ in range(3))
        told = " ".join(chance.choice(words) for _ in range(60))
        return f"# {one}\n\n{one} met {two} and {three} near the {told}."

    with Wiki.open(str(path)) as wiki:
        for number in range(nodes // 3):
            wiki.ingest_document("main", source_ref=f"{number}.md", text=text())
        status = wiki.get_status("main")
        graph = wiki.graph("main")
        asked = [f"Whom did {chance.choice(called)} meet near the {chance.choice(words)}?" for _ in range(questions)]
        context = {"search": "pagerank", "only_context": True}
        cost = times_of(lambda question: graph.query(question, **context), asked)
        return status.chunks + status.facts + status.entities, cost


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.graph_search", description=str(__doc__).splitlines()[0])
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=20)
    chosen = parser.parse_args(arguments)
    rows: list[tuple[str, str, int, float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for shape, ends in GRAPHS.items():
            for place, store in (
                ("memory", in_memory_graph(namespace="main")),
                ("file", sqlite_graph(str(Path(folder) / f"{shape}.db"), namespace="main")),
            ):
                rows.append(
                    (
                        f"hops, {shape}",
                        place,
                        chosen.nodes,
                        *hops(store, ends(chosen.nodes), chosen.nodes, chosen.questions),
                    )
                )
        nodes, cost = pagerank(Path(folder) / "texts.db", chosen.nodes, chosen.questions)
        rows.append(("pagerankSearch", "file", nodes, *cost))
    print(
        table(["search", "place", "nodes", "median ms", "p95 ms"], [[*row[:3], *map(_short, row[3:])] for row in rows])
    )
    told = {f"{search}, {place}": _short(middle) for search, place, _, middle, _ in rows}
    print(json_line({"bench": "graph_search", "nodes": chosen.nodes, **told}))
    return 0


def _short(milliseconds: float) -> float:
    return round(milliseconds, 1)


if __name__ == "__main__":
    sys.exit(main())
