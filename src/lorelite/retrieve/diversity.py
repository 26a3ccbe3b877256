"""Choosing what is shown so that it repeats itself less."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.engine import Engine
from lorelite.records import Node
from lorelite.retrieve.candidates import whole
from lorelite.retrieve.hits import Listed
from lorelite.retrieve.tiers import Place
from lorelite.search.diversity import diversified, overlap
from lorelite.search.vectors import cosines, normalised, unpacked
from lorelite.text.tokens import index_tokens


def varied(
    engine: Engine, places: Sequence[Place[Listed]], diversity: float, count: int, most: int
) -> list[Place[Listed]]:
    """The places, the first *count* of them chosen among the first *most* that are scored.

    Two nodes are as alike as their vectors, or, where one has none, as the words they share.
    """
    scored = [place for place in places[:most] if place.row == 0]
    nodes = whole(engine, [place.node for place in scored])
    scores = [place.score or 0.0 for place in scored]
    alike = _Likeness(engine, nodes)
    order = diversified(scores, alike.of, diversity, count)
    return [Place(nodes[place], scores[place]) for place in order] + list(places[len(scored) :])


class _Likeness:
    def __init__(self, engine: Engine, nodes: Sequence[Node]) -> None:
        ids = [node.id for node in nodes]
        model_id = None if engine.embedder is None else engine.embedder.model_id
        found = {} if model_id is None else engine.store.vectors.packed(ids, model_id)
        self._packed = [found.get(id) for id in ids]
        self._words = [frozenset(index_tokens(f"{node.title} {node.body}")) for node in nodes]

    def of(self, place: int) -> list[float]:
        """How alike the node at a place is to each."""
        own = self._words[place]
        alike = [overlap(own, words) for words in self._words]
        vector = self._packed[place]
        if vector is not None:
            comparable = [other for other, data in enumerate(self._packed) if data and len(data) == len(vector)]
            joined = b"".join(self._packed[other] or b"" for other in comparable)
            for other, cosine in zip(comparable, cosines(normalised(unpacked(vector)), joined), strict=True):
                alike[other] = cosine
        return alike
