"""bm25s alone as a subject of the comparison: an index in memory, whole words, the ten best of a query."""

from __future__ import annotations

import itertools

import bm25s  # type: ignore[import-untyped]

from bench.reference import generator


class Bm25:
    def build(self, count: int) -> None:
        facts = list(itertools.islice(generator.facts(), count))
        self._ids = [fact.id for fact in facts]
        self._index = bm25s.BM25()
        texts = [f"{fact.title} {fact.body}" for fact in facts]
        self._index.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)

    def bm25s(self, query: str) -> list[str]:
        tokens = bm25s.tokenize([query], stopwords=None, show_progress=False)
        found, _ = self._index.retrieve(tokens, k=min(10, len(self._ids)), show_progress=False, n_threads=1)
        return [self._ids[place] for place in found[0]]
