"""Lists of several retrievers, fused; formulas against numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

from lorelite import InvalidOption
from lorelite._drive import drive
from lorelite.toolkit import FusionRetriever, SearchResult


class Fixed:
    def __init__(self, **scores: float) -> None:
        self._scores = scores

    async def retrieve(self, query: str) -> list[SearchResult]:
        return [
            SearchResult(id=f"{id}!", content=id, score=score, metadata={"chunk_id": id})
            for id, score in self._scores.items()
        ]


class Broken:
    async def retrieve(self, query: str) -> list[SearchResult]:
        raise RuntimeError("no index")


WORDS, GRAPH = Fixed(a=10.0, b=4.0, c=2.0), Fixed(c=0.9, d=0.5)


def fused(mode: str, **options: object) -> dict[str, float]:
    found = drive(FusionRetriever([WORDS, GRAPH], mode=mode, **options).retrieve("q"))  # type: ignore[arg-type]
    return {result.content: result.score for result in found}


def test_h7_rrf_sums_reciprocal_ranks():
    assert fused("rrf") == pytest.approx({"c": 1 / 62 + 1 / 60, "a": 1 / 60, "b": 1 / 61, "d": 1 / 61})
    assert list(fused("rrf")) == ["c", "a", "b", "d"]
    assert fused("rrf", weights=[2, 0.5], k=1)["c"] == pytest.approx(2 / 3 + 0.5 / 1)


def test_h7_relative_stretches_each_list():
    assert fused("relative") == pytest.approx({"a": 1.0, "c": 0.0 + 1.0, "b": 0.25, "d": 0.0})
    assert fused("ensemble", weights=[3, 1])["c"] == pytest.approx(0.25)


def test_h7_dist_stretches_between_three_deviations():
    mean = 16 / 3
    deviation = math.sqrt(((10 - mean) ** 2 + (4 - mean) ** 2 + (2 - mean) ** 2) / 3)
    assert fused("dist")["a"] == pytest.approx((10 - (mean - 3 * deviation)) / (6 * deviation))


def test_h7_simple_keeps_the_best_score():
    assert fused("simple") == {"a": 10.0, "b": 4.0, "c": 2.0, "d": 0.5}


def test_h7_equal_scores_count_one_or_nothing():
    flat, zero = Fixed(a=2.0, b=2.0), Fixed(c=0.0)
    found = drive(FusionRetriever([flat, zero], mode="relative").retrieve("q"))
    assert [(result.content, result.score) for result in found] == [("a", 1.0), ("b", 1.0), ("c", 0.0)]


def test_h7_results_tell_who_found_them_at_which_rank():
    found = drive(FusionRetriever({"words": WORDS, "graph": GRAPH}).retrieve("q"))
    assert found[0].metadata["retrievers"] == {"words": 2, "graph": 0}


def test_h7_the_same_content_is_one_result_and_a_key_of_ones_own_decides_otherwise():
    class Plain:
        async def retrieve(self, query: str) -> list[SearchResult]:
            return [SearchResult(id=str(at), content="same", score=1.0 - at / 10) for at in range(2)]

    assert len(drive(FusionRetriever([Plain(), Plain()]).retrieve("q"))) == 1
    assert len(drive(FusionRetriever([Plain()], key=lambda result: result.id).retrieve("q"))) == 2


def test_h7_a_failing_retriever_fails_the_call_or_is_passed_over():
    with pytest.raises(RuntimeError, match="no index"):
        drive(FusionRetriever([WORDS, Broken()]).retrieve("q"))
    assert len(drive(FusionRetriever([WORDS, Broken()], on_error="continue").retrieve("q"))) == 3


def test_h7_options_that_make_no_sense_are_refused():
    for options in ({"weights": [1]}, {"weights": [0, 0]}, {"weights": [1, -1]}, {"mode": "best"}):
        with pytest.raises(InvalidOption):
            FusionRetriever([WORDS, GRAPH], **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidOption):
        FusionRetriever([])
