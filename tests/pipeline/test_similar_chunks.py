"""E1: which chunks are joined because they are alike."""

from __future__ import annotations

import math
import os
from itertools import combinations
from pathlib import Path

import pytest
from tests.pipeline.graphs import NOW, PLACES, Place, documents, insert_into

from lorelite._drive import drive
from lorelite.engine import Engine
from lorelite.errors import InvalidOption
from lorelite.graph_records import GraphDocument, InsertReport
from lorelite.models.hash_embedder import HashEmbedder
from lorelite.pipeline.chunking import Chunking
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.pipeline.processor import SIMILAR_CHUNKS, Processor
from lorelite.pipeline.similar_chunks import similar_chunk_connection, similarChunkConnection
from lorelite.settings import WikiConfig
from lorelite.store.store import Store

TEXTS = [
    "Scrooge sat in his cold office and counted money.",
    "Scrooge sat in his cold office and counted his money again.",
    "The ferry of Lindau leaves at noon.",
    "The ferry of Lindau leaves at nine.",
    "Bread is baked with flour and water.",
]


Embedded = dict[str, list[float]]


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> Embedded:
    """Text → vector of all that is embedded."""
    seen: Embedded = {}
    embed = HashEmbedder.embed

    async def watched(self: HashEmbedder, texts: list[str]) -> list[list[float]]:
        vectors = await embed(self, texts)
        seen.update(zip(texts, vectors, strict=True))
        return vectors

    monkeypatch.setattr(HashEmbedder, "embed", watched)
    return seen


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    return PLACES[request.param]()


def test_e1_pairs_are_those_of_brute_force(place: Place, embedded: Embedded) -> None:
    report = _insert(place, similar_chunk_connection(threshold=0.6, top_k=10), a="\n".join(TEXTS))

    wanted = {pair: cosine for pair, cosine in _cosines(TEXTS, embedded).items() if cosine >= 0.6}
    assert 2 <= len(wanted) < 10
    assert _pairs(place) == pytest.approx(wanted, abs=1e-4)
    assert report.counters[SIMILAR_CHUNKS]["similar_edges"] == len(wanted)


def test_e1_a_second_insert_joins_old_and_new_chunks_as_one_insert_would(place: Place, embedded: Embedded) -> None:
    processor = similar_chunk_connection(threshold=0.6)
    _insert(place, processor, a=TEXTS[0], b=TEXTS[2])
    assert _pairs(place) == {}
    report = _insert(place, processor, c=TEXTS[1], d=TEXTS[3], e=TEXTS[4])

    wanted = {pair: cosine for pair, cosine in _cosines(TEXTS, embedded).items() if cosine >= 0.6}
    assert _pairs(place) == pytest.approx(wanted, abs=1e-4)
    assert report.counters[SIMILAR_CHUNKS]["similar_edges"] == len(wanted)


def test_inserting_again_adds_nothing(place: Place) -> None:
    processor = similar_chunk_connection(threshold=0.6)
    _insert(place, processor, a="\n".join(TEXTS))
    before = place.dump()

    _insert(place, processor, a="\n".join(TEXTS))

    assert place.dump() == before


def test_a_chunk_is_compared_with_the_nearest_alone_and_joined_to_no_more_than_wanted(place: Place) -> None:
    texts = [
        f"Scrooge sat in his cold office and counted money {word}." for word in ("once", "twice", "thrice", "daily")
    ]
    _insert(place, similar_chunk_connection(threshold=0.1, top_k=1), a="\n".join(texts))
    nearest = len(_pairs(place))

    other = PLACES["stores"]()
    _insert(other, similar_chunk_connection(threshold=0.1, max_edges_per_chunk=1), a="\n".join(texts))

    assert 2 <= nearest < 6
    assert _pairs(other).keys() == _pairs(place).keys()


def test_without_vectors_chunks_are_alike_by_their_telling_words() -> None:
    store = Store(":memory:", clock=lambda: NOW)
    place = Place(FileKnowledge(Engine(store, None, None, WikiConfig(), store.clock), "class"), str)

    _insert(place, similar_chunk_connection(), a="\n".join(TEXTS))

    assert set(_pairs(place)) == {frozenset(TEXTS[:2]), frozenset(TEXTS[2:4])}


def test_options_are_those_that_the_result_depends_on() -> None:
    assert similarChunkConnection(threshold=0.5, topK=3, maxEdgesPerChunk=2).options() == {
        "threshold": 0.5,
        "top_k": 3,
        "max_edges_per_chunk": 2,
    }
    for options in ({"threshold": 1.5}, {"top_k": 0}, {"max_edges_per_chunk": 0}, {"threshold": "0.7"}):
        with pytest.raises(InvalidOption):
            similar_chunk_connection(**options)  # type: ignore[arg-type]


@pytest.mark.skipif("LORELITE_SHARED" not in os.environ, reason="needs the text of a book: set LORELITE_SHARED")
def test_e1_pairs_are_those_of_brute_force_on_300_chunks_of_a_book(embedded: Embedded) -> None:
    book = (Path(os.environ["LORELITE_SHARED"]) / "data" / "christmas_carol" / "book.txt").read_text("utf-8")
    place = PLACES["file"]()
    chunking = Chunking(size=150, overlap=15)
    texts = [span.of(book) for span in chunking.spans(book)][:300]
    end = chunking.spans(book)[299].end

    insert_into(
        place,
        [GraphDocument(id="carol", content=book[:end])],
        [similar_chunk_connection(threshold=0.45, top_k=299)],
        model=None,
        chunking=chunking,
    )

    cosines = _cosines(texts, embedded)
    # Stored vectors are of single precision: what lies at the threshold itself may fall on either side.
    assert {pair for pair, cosine in cosines.items() if cosine > 0.45001} <= _pairs(place).keys()
    assert _pairs(place).keys() <= {pair for pair, cosine in cosines.items() if cosine > 0.44999}
    assert len(_pairs(place)) > 100


def _insert(place: Place, processor: Processor, **texts: str) -> InsertReport:
    return insert_into(place, documents(**texts), [processor], model=None)


def _pairs(place: Place) -> dict[frozenset[str], float]:
    """Texts of chunks that are joined → weight. Both ends must know of it."""
    ids = drive(place.knowledge.chunk_ids())
    content = {chunk.id: chunk.content for chunk in drive(place.knowledge.chunks(ids))}
    joined = drive(place.knowledge.similar_to(ids))
    for chunk_id, others in joined.items():
        for other, weight in others:
            assert (chunk_id, weight) in joined[other]
    return {frozenset((content[a], content[b])): weight for a, others in joined.items() for b, weight in others}


def _cosines(texts: list[str], embedded: Embedded) -> dict[frozenset[str], float]:
    """Of all pairs, by the vectors that were made of the chunks; a file embeds them below their titles."""
    vectors = [next(vector for text, vector in embedded.items() if text.endswith(each)) for each in texts]
    return {
        frozenset((first, second)): _cosine(a, b)
        for (first, a), (second, b) in combinations(zip(texts, vectors, strict=True), 2)
    }


def _cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)
