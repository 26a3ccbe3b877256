"""How near vectors are, with numpy and without."""

from __future__ import annotations

import math
import random
from array import array

import pytest

from lorelite.search import metrics, vectors
from lorelite.search.metrics import fault, scores
from lorelite.store.vectors import packed


@pytest.mark.parametrize("metric", ["cosine", "dotproduct", "euclidean"])
def test_numpy_and_its_absence_give_the_same_scores(metric, monkeypatch):
    random.seed(7)
    query = array("f", [random.gauss(0, 1) for _ in range(33)])
    rows = [[random.gauss(0, 1) for _ in range(33)] for _ in range(20)] + [list(query), [0.0] * 33]
    data = b"".join(map(packed, rows))
    with_numpy = scores(metric, query, data)
    monkeypatch.setattr(metrics, "installed_numpy", lambda: None)
    monkeypatch.setattr(vectors, "installed_numpy", lambda: None)
    without = scores(metric, query, data)
    assert with_numpy == pytest.approx(without, abs=1e-11)
    exact = [array("f", row) for row in rows]
    expected = {
        "cosine": [_cosine(query, row) for row in exact],
        "dotproduct": [math.fsum(map(float.__mul__, query, row)) for row in exact],
        "euclidean": [1 / (1 + math.dist(query, row)) for row in exact],
    }[metric]
    assert without == pytest.approx(expected, abs=1e-11)


def _cosine(one, other):
    lengths = math.hypot(*one) * math.hypot(*other)
    return math.fsum(map(float.__mul__, one, other)) / lengths if lengths else 0.0


def test_a_vector_is_nearest_to_itself():
    vector = array("f", [0.1, 0.2, 0.3])
    assert scores("euclidean", vector, packed(vector)) == scores("cosine", vector, packed(vector)) == [1.0]


def test_faults_say_what_was_expected_and_found():
    assert fault("cosine", [1.0, 2.0], 2) is None
    assert fault("cosine", [1, 2], 2) is None
    assert fault("cosine", [10**400, 1], 2)[0] == fault("cosine", ["1", 1.0], 2)[0]
    assert fault("cosine", [1.0], 2) == ("2 numbers", "1 numbers")
    assert fault("euclidean", [0.0, 0.0], 2) is None
    expected, found = fault("dotproduct", [math.nan, 1.0], 2)
    assert "finite" in expected and math.isnan(found)
