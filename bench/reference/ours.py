"""Lorelite as a subject of the comparison: what js/theirs.mjs does, in CPython and in Pyodide."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from bench.reference import generator
from lorelite import Wiki

BATCH = 1_000
_SOURCE_OF_ADDED = 1_000_000


class IntegerEmbedder:
    """The generator's vectors; those of the queries are made before anything is measured."""

    blocking = True
    model_id = "reference-integers-384"

    def __init__(self) -> None:
        self.known: dict[str, list[float]] = {}

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.known.get(text) or list(map(float, generator.vector(text))) for text in texts]

    def as_blocking(self) -> IntegerEmbedder:
        return self


class Ours:
    def __init__(self) -> None:
        self._embedder = IntegerEmbedder()
        self._wiki: Wiki | None = None

    @property
    def wiki(self) -> Wiki:
        if self._wiki is None:
            raise ValueError("no file is open")
        return self._wiki

    def build(self, path: str, count: int, analyze: bool = False) -> None:
        """*analyze* is for the other side: our statements need no statistics."""
        self.open(path)
        self._load("facts", count)
        self.wiki.run_reembed("facts")
        self.close()

    def build_graph(self, path: str, count: int, degree: int, hub: int) -> None:
        self.open(path)
        self._load("graph", count)
        links = generator.edges(count, degree) + generator.spokes(hub)
        self._upsert("graph", count, [], links)
        self.close()

    def prepare(self, queries: Sequence[str]) -> None:
        self._embedder.known = {query: list(map(float, generator.vector(query))) for query in queries}

    def close(self) -> None:
        if self._wiki is not None:
            self._wiki.close()
            self._wiki = None

    def open(self, path: str) -> None:
        self._wiki = Wiki.open(path, embedder=self._embedder)

    def keyword(self, query: str) -> list[str]:
        return self._read(query, 0.0)

    def semantic(self, query: str) -> list[str]:
        return self._read(query, 1.0)

    def hybrid(self, query: str) -> list[str]:
        return self._read(query, 0.7)

    def add(self, number: int, fact: dict[str, str]) -> None:
        self._upsert("facts", _SOURCE_OF_ADDED + number, [generator.Fact(**fact)], [])

    def walk(self, anchor: int) -> list[str]:
        graph = self.wiki.traverse_graph("graph", source_id=_id(anchor), max_depth=3, direction="both")
        return [node.id for node in graph.nodes]

    def _read(self, query: str, weight: float) -> list[str]:
        return [fact.id for fact in self.wiki.read("facts", query, hybrid_weight=weight).facts]

    def _load(self, namespace: str, count: int) -> None:
        facts = itertools.islice(generator.facts(), count)
        for number, batch in enumerate(_batches(facts)):
            self._upsert(namespace, number, batch, [])

    def _upsert(
        self, namespace: str, number: int, facts: Sequence[generator.Fact], links: Sequence[generator.Edge]
    ) -> None:
        self.wiki.upsert_graph(
            namespace,
            source_ref=f"src_{number}.txt",
            source_hash=generator.source_hash(number),
            nodes=[{"id": fact.id, "type": "thing", "title": fact.title, "body": fact.body} for fact in facts],
            edges=[
                {"id": link.id, "type": link.edge_type, "source_id": _id(link.source), "target_id": _id(link.target)}
                for link in links
            ],
        )


def _id(number: int) -> str:
    return f"f{number:07d}"


def _batches(facts: Iterable[generator.Fact]) -> Iterator[list[generator.Fact]]:
    rest = iter(facts)
    while batch := list(itertools.islice(rest, BATCH)):
        yield batch
