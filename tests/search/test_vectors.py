"""Cosine similarity, with numpy and without."""

from array import array

import pytest

from lorelite.search import vectors
from lorelite.search.vectors import VectorBlock

ROWS = [[1.0, 0.0], [0.0, 2.0], [3.0, 3.0], [0.0, 0.0], [2.0, 0.0]]


@pytest.fixture(params=["numpy", "pure"])
def block(request, monkeypatch):
    if request.param == "pure":
        monkeypatch.setattr(vectors, "installed_numpy", lambda: None)
    else:
        pytest.importorskip("numpy")
    return VectorBlock([10, 20, 30, 40, 50], [array("f", row).tobytes() for row in ROWS])


def test_the_nearest_vectors_come_first_and_equal_ones_in_the_order_of_their_keys(block):
    found = block.nearest([1.0, 0.0], 3)
    assert [key for key, _ in found] == [10, 50, 30]
    assert [round(score, 4) for _, score in found] == [1.0, 1.0, 0.7071]


def test_a_zero_vector_is_like_nothing(block):
    assert dict(block.nearest([0.0, 1.0], 5))[40] == 0.0
    assert [score for _, score in block.nearest([0.0, 0.0], 5)] == [0.0] * 5


def test_a_block_without_vectors_finds_nothing():
    assert VectorBlock([], []).nearest([1.0], 5) == []
