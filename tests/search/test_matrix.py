"""Vectors kept in memory, as float32, as bytes and without numpy: whatever is rounded, what is found is exact."""

from __future__ import annotations

import math
import random
import sys
from array import array
from collections.abc import Callable, Sequence

import pytest

from lorelite.search import matrix, vectors
from lorelite.search.matrix import Matrix

LAYOUTS = ("float", "byte", "plain")
Vectors = list[list[float]]


@pytest.fixture(params=LAYOUTS)
def layout(request, monkeypatch) -> str:
    use(request.param, monkeypatch)
    return request.param


def use(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if layout == "plain":
        monkeypatch.setattr(vectors, "installed_numpy", lambda: None)
    else:
        pytest.importorskip("numpy")
        monkeypatch.setattr(matrix, "MANY", 0 if layout == "byte" else 1 << 60)


def filled(rows: Sequence[Sequence[float]], kinds: Sequence[str] = ("fact",), batch: int = 7) -> Matrix:
    """Keys are places, kinds come in turn."""
    made = Matrix(len(rows[0]))
    given = [(key, kinds[key % len(kinds)], array("f", row).tobytes()) for key, row in enumerate(rows)]
    for start in range(0, len(given), batch):
        made.append(given[start : start + batch])
    return made


def stored(rows: Sequence[Sequence[float]]) -> Callable[[Sequence[int]], dict[int, bytes]]:
    return lambda keys: {key: array("f", rows[key]).tobytes() for key in keys}


def cosine(query: Sequence[float], row: Sequence[float]) -> float:
    """By sums that are rounded once."""
    numbers = array("f", row)
    sizes = math.sqrt(math.fsum(v * v for v in query)) * math.sqrt(math.fsum(v * v for v in numbers))
    return math.fsum(a * b for a, b in zip(query, numbers, strict=True)) / sizes if sizes else 0.0


def best(query: Sequence[float], rows: Sequence[Sequence[float]], limit: int) -> list[tuple[int, float]]:
    scores = [(key, round(cosine(query, row), 12)) for key, row in enumerate(rows)]
    return sorted(scores, key=lambda item: (-item[1], item[0]))[:limit]


def samples() -> dict[str, Vectors]:
    chance = random.Random(5)

    def some(count: int, size: int = 48) -> Vectors:
        return [[chance.gauss(0, 1) for _ in range(size)] for _ in range(count)]

    centres, dozen = some(4), some(12)
    return {
        "random": some(300),
        "clustered": [[value + chance.gauss(0, 0.02) for value in centres[k % 4]] for k in range(300)],
        "duplicates": [dozen[k % 12] for k in range(300)],
        "multiples": [[value * (1 + k // 12) for value in dozen[k % 12]] for k in range(120)],
        "zeros": [row if k % 3 else [0.0] * 48 for k, row in enumerate(some(150))],
        "negative": [[-abs(value) for value in row] for row in some(150)],
        "tiny": [[value * 1e-42 for value in row] for row in some(150)],
        "huge": [[value * 1e37 for value in row] for row in some(150)],
        "every size": [[value * 10.0 ** (k % 70 - 35) for value in row] for k, row in enumerate(some(210))],
        "one number counts": [[1e4 if place == k % 48 else value for place, value in enumerate(row)]
                              for k, row in enumerate(some(150))],
        "sparse": [[value if chance.random() < 0.05 else 0.0 for value in row] for row in some(300)],
        "one dimension": [[value] for value in (3.0, -2.0, 0.0, 1e-45, 5.0)],
        "nearly the same": [[1.0 + (k * 1e-6 if place == 3 else 0.0) for place in range(48)] for k in range(150)],
    }  # fmt: skip


@pytest.mark.parametrize("sample", samples())
def test_what_is_found_is_what_comparing_with_every_vector_finds(layout, sample):
    rows = samples()[sample]
    size = len(rows[0])
    found = filled(rows).of_kinds(["fact"], stored(rows))
    chance = random.Random(9)
    queries = [rows[1], [-value for value in rows[1]], [chance.gauss(0, 1) for _ in range(size)],
               [1.0] + [0.0] * (size - 1), [1e300] * size]  # fmt: skip
    for query in queries[: 5 if max(map(abs, rows[1])) else 4]:
        unit = vectors.normalised([value / 1e300 for value in query] if query[0] == 1e300 else query)
        for limit in (1, 10, 70, len(rows) + 1):
            wanted = best(unit, rows, limit)
            got = found.nearest(unit, limit)
            assert [key for key, _ in got] == [key for key, _ in wanted]
            assert [score for _, score in got] == pytest.approx([score for _, score in wanted], abs=1e-11)


def test_all_layouts_give_the_same_order(monkeypatch):
    pytest.importorskip("numpy")
    chance = random.Random(3)
    rows = [[chance.gauss(0, 1) for _ in range(384)] for _ in range(400)]
    queries = [[chance.gauss(0, 1) for _ in range(384)] for _ in range(5)]
    found = {}
    for layout in LAYOUTS:
        with monkeypatch.context() as patch:
            use(layout, patch)
            block = filled(rows, batch=64).of_kinds(["fact"], stored(rows))
            found[layout] = [block.nearest(query, 50) for query in queries]
    assert found["float"] == found["byte"] == found["plain"]


def test_ties_come_in_the_order_of_keys_in_whichever_order_they_were_added(layout):
    made = Matrix(2)
    rows = {key: [1.0, 0.0] for key in (9, 2, 7, 4)}
    for key, row in rows.items():
        made.append([(key, "fact", array("f", row).tobytes())])
    block = made.of_kinds(["fact"], lambda keys: {key: array("f", rows[key]).tobytes() for key in keys})
    assert [key for key, _ in block.nearest([5.0, 0.0], 3)] == [2, 4, 7]
    assert block.nearest([0.0, 0.0], 2) == [(2, 0.0), (4, 0.0)]
    assert block.keys == [2, 4, 7, 9]


def test_kinds_that_are_not_wanted_and_what_was_removed_are_not_found(layout):
    rows = samples()["random"]
    made = filled(rows, ("fact", "entity", "chunk"))
    made.remove({0, 3, 7, 1000})
    left = [key for key in range(len(rows)) if key not in (0, 3, 7)]
    for kinds in (["fact"], ["chunk", "entity"], ["fact", "entity", "chunk"], ["question"], []):
        wanted = [key for key in left if ("fact", "entity", "chunk")[key % 3] in kinds]
        block = made.of_kinds(kinds, stored(rows))
        ranked = [key for key, _ in best(rows[0], rows, len(rows)) if key in set(wanted)]
        assert [key for key, _ in block.nearest(rows[0], 20)] == ranked[:20]
        assert (block.keys, len(block)) == (wanted, len(wanted))


def test_a_key_may_come_back_with_another_vector(layout):
    rows = samples()["random"]
    made = filled(rows)
    made.remove({5})
    changed = {**dict(enumerate(rows)), 5: rows[200]}
    made.append([(5, "fact", array("f", changed[5]).tobytes())])
    block = made.of_kinds(["fact"], lambda keys: {key: array("f", changed[key]).tobytes() for key in keys})
    assert [key for key, _ in block.nearest(rows[200], 2)] == [5, 200]
    assert len(made) == 300 and made.gone == 1


def test_a_vector_that_is_no_number_is_like_nothing(layout):
    rows = [[1.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [0.0, 1.0]]
    found = filled(rows).of_kinds(["fact"], stored(rows)).nearest([1.0, 0.0], 4)
    assert found == [(0, 1.0), (1, 0.0), (2, 0.0), (3, 0.0)]


def test_a_vector_that_is_not_stored_any_more_is_like_nothing(layout):
    rows = [[1.0, 0.0], [0.9, 0.1]]
    block = filled(rows).of_kinds(["fact"], lambda keys: {})
    assert len(block.nearest([1.0, 0.0], 2)) == 2


def test_a_question_that_is_asked_for_more_is_not_scored_again(layout, monkeypatch):
    rows = samples()["random"]
    made = filled(rows)
    scans = []
    scan = made._rows.scan
    monkeypatch.setattr(made._rows, "scan", lambda *given: scans.append(1) or scan(*given))
    block = made.of_kinds(["fact"], stored(rows))
    few, more = block.nearest(rows[0], 10), block.nearest(rows[0], 40)
    assert more[:10] == few and len(scans) == 1
    assert block.nearest(rows[1], 1)[0][0] == 1 and len(scans) == 2


def test_vectors_longer_than_the_fields_allow_are_still_exact(monkeypatch):
    use("plain", monkeypatch)
    chance = random.Random(1)
    rows = [chance.choices((-1.0, 1.0), k=525_000) for _ in range(2)]
    block = filled(rows, batch=1).of_kinds(["fact"], stored(rows))
    assert block.nearest(rows[1], 1) == [(1, pytest.approx(1))]


IN_TAB = sys.platform == "emscripten"


@pytest.mark.parametrize(
    ("layout", "most"), [("float", 1.3 * 4 * 384), ("byte", 1.3 * 384), ("plain", 4.1 * 384 if IN_TAB else 990)]
)
def test_rows_take_few_bytes(layout, most, monkeypatch):
    use(layout, monkeypatch)
    chance = random.Random(2)
    rows = [array("f", [chance.gauss(0, 1) for _ in range(384)]).tobytes() for _ in range(60)]
    made = Matrix(384)
    for start in range(0, 1020, 60):
        made.append([(start + place, "fact", row) for place, row in enumerate(rows)])
    assert made.nbytes < most * 1020


def test_from_so_many_rows_on_numpy_keeps_bytes(monkeypatch):
    pytest.importorskip("numpy")
    monkeypatch.setattr(matrix, "MANY", 100)
    rows = samples()["random"]
    few, many = filled(rows[:100]), filled(rows)
    assert (type(few._rows).__name__, type(many._rows).__name__) == ("FloatRows", "ByteRows")
    found = many.of_kinds(["fact"], stored(rows)).nearest(rows[3], 70)
    assert [key for key, _ in found] == [key for key, _ in best(rows[3], rows, 70)]
