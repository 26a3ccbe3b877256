"""Meaning from a table of words: what is near, what stays apart, and that every runtime agrees."""

from __future__ import annotations

import json
import math
import struct
import zlib
from operator import mul
from pathlib import Path

import pytest

from lorelite import InvalidOption, ModelError, Wiki
from lorelite.models import StaticEmbedder, static_embedder, static_table
from lorelite.models.hash_embedder import weighted_words
from lorelite.models.static_embedder import LONGEST_TEXT, rows_of
from lorelite.models.static_table import own_table, read_table
from lorelite.ports import Embedder

PARAPHRASES = json.loads(Path(__file__).with_name("paraphrases.json").read_text("utf-8"))
TEXTS = [
    "The physician told Anna to stay in bed for a week.",
    "A telescope, two telescopes; the refrigerators of Brzeziński hummed.",
    "Wo wurde der Physiker geboren, der 1905 die Relativitätstheorie veröffentlichte?",
    "東京都の天気は晴れです",
    "कौन सा शहर भारत की राजधानी है",
    "to be or not to be",
    "🚀 x86_64 ÅÄÖ",
]


def cosine(run, first: str, second: str) -> float:
    a, b = run(StaticEmbedder().embed([first, second]))
    return math.fsum(map(mul, a, b))


def test_it_is_an_embedder_that_never_suspends(run) -> None:
    embedder = StaticEmbedder()
    assert isinstance(embedder, Embedder)
    assert embedder.blocking and embedder.as_blocking() is embedder
    assert embedder.model_id == "lorelite-static-384-1"
    assert repr(embedder) == "StaticEmbedder()"


@pytest.mark.parametrize("text", TEXTS)
def test_vectors_have_length_one_and_384_dimensions(run, text: str) -> None:
    [vector] = run(StaticEmbedder().embed([text]))
    assert len(vector) == StaticEmbedder.dimensions == 384
    assert math.fsum(x * x for x in vector) == pytest.approx(1)
    assert {type(x) for x in vector} == {float}


def test_a_text_without_words_has_the_zero_vector(run) -> None:
    assert run(StaticEmbedder().embed(["", " ?! "])) == [[0.0] * 384] * 2


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("automobile", "car", "cat"),
        ("the doctor", "a physician", "a musician"),
        (
            "Which pills help with the pain?",
            "He takes tablets against his headaches.",
            "The store is closed on Sunday.",
        ),
        ("refrigerators", "refrigerator", "violin"),
        ("purchased", "buying", "sleeping"),
    ],
)
def test_texts_that_mean_the_same_in_other_words_are_near(run, text: str, near: str, far: str) -> None:
    assert cosine(run, text, near) > cosine(run, text, far) + 0.2


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("Brzeziński", "Brzezinska", "Kowalczyk"),
        ("Penhaligan", "Penhaligon", "Trevithick"),
        ("Observatorien", "Observatorium", "Frühstück"),
        ("東京都の天気", "東京の天気予報", "大阪城公園"),
        ("ยินดีต้อนรับสู่ประเทศไทย", "ประเทศไทย", "ข้าวผัด"),
        ("библиотека", "библиотеке", "молоко"),
        ("विश्वविद्यालय", "विश्वविद्यालयों", "रोटी"),
    ],
)
def test_words_that_the_table_lacks_are_near_by_their_spelling(run, text: str, near: str, far: str) -> None:
    assert cosine(run, text, near) > cosine(run, text, far) + 0.1


@pytest.mark.parametrize(("one", "other"), [("1984", "1985"), ("Paris", "Berlin"), ("monday", "tuesday")])
def test_known_words_of_one_kind_are_not_taken_for_each_other(run, one: str, other: str) -> None:
    assert cosine(run, one, other) < 0.85
    flood = f"the flood of {one}"
    assert cosine(run, flood, f"a flood in {one}") > cosine(run, flood, f"a flood in {other}") + 0.1


def test_function_words_count_only_where_there_is_nothing_else(run) -> None:
    assert cosine(run, "the partner of Scrooge", "Scrooge partner") == pytest.approx(1)
    assert cosine(run, "to be or not to be", "or to be") > 0.9


def test_vectors_are_the_same_in_every_runtime(run) -> None:
    (vector,) = run(StaticEmbedder().embed(["Scrooge was his partner 東京"]))
    assert vector[:6] == pytest.approx([-0.01814, -0.03024, 0, -0.03024, -0.00605, -0.01814], abs=1e-5)
    assert math.fsum(map(mul, vector, range(384))) == pytest.approx(-137.749, abs=1e-3)


def test_numpy_and_plain_python_agree() -> None:
    pytest.importorskip("numpy")
    table = own_table()
    fast, plain = rows_of(table), rows_of(table, with_numpy=False)
    assert type(fast) is not type(plain)
    for text in [*TEXTS, *(pair["fact"] for pair in PARAPHRASES)]:
        words = weighted_words(text)
        assert fast.total(words) == pytest.approx(plain.total(words), abs=1e-6)


def test_what_was_embedded_before_changes_nothing(run, monkeypatch) -> None:
    fresh = [run(StaticEmbedder().embed([text]))[0] for text in TEXTS]
    monkeypatch.setattr(static_embedder, "_MOST_ROWS", 5)
    crowded = StaticEmbedder()
    for _ in range(3):
        for vector, expected in zip(run(crowded.embed(TEXTS)), fresh, strict=True):
            assert vector == pytest.approx(expected, abs=1e-6)


def test_nothing_is_read_before_the_first_text(run, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(static_embedder, "own_table", lambda: asked.append(1) or own_table())
    embedder = StaticEmbedder()
    assert (embedder.model_id, embedder.dimensions, asked) == ("lorelite-static-384-1", 384, [])
    run(embedder.embed(["one"]))
    run(embedder.embed(["two"]))
    assert asked == [1]


def test_of_a_huge_text_the_beginning_is_read(run) -> None:
    beginning = ("harbour lantern " * LONGEST_TEXT)[:LONGEST_TEXT]
    whole, first = run(StaticEmbedder().embed([beginning + " zebra" * 3_000_000, beginning]))
    assert whole == first


def test_a_table_may_be_given_as_bytes(run) -> None:
    data = Path(static_table.__file__).parent.joinpath("data", static_table.FILE).read_bytes()
    assert run(StaticEmbedder(data).embed(["car"])) == run(StaticEmbedder().embed(["car"]))
    assert read_table(data).places == own_table().places


@pytest.mark.parametrize("data", [b"", b"<html>not found</html>", "cut off"])
def test_bytes_that_are_no_table_are_an_error(run, data: bytes | str) -> None:
    given = zlib.compress(b'{"words": 2, "dimensions": 4}\na\nb\n' + bytes(9)) if isinstance(data, str) else data
    with pytest.raises(ModelError, match="table"):
        run(StaticEmbedder(given).embed(["car"]))


def test_a_package_without_the_table_says_what_to_do(run, monkeypatch) -> None:
    monkeypatch.setattr(static_table, "FILE", "absent.bin")
    own_table.cache_clear()
    with pytest.raises(ModelError, match=r"absent.bin is not in this installation.*StaticEmbedder\(table="):
        run(StaticEmbedder().embed(["car"]))


@pytest.mark.parametrize(
    ("word", "found"),
    [("refrigerators", "refrigerator"), ("meadowed", "meadow"), ("zzyzxes", None), ("bus", "bus"), ("maßes", None)],
)
def test_a_word_that_the_table_lacks_is_looked_up_without_its_ending(word: str, found: str | None) -> None:
    table = own_table()
    assert table.find(word) == (None if found is None else table.places[found])


def _share_found(wiki: Wiki, best: int, **options: float) -> float:
    found = 0
    for pair in PARAPHRASES:
        bundle = wiki.read("main", pair["question"], max_results=best, **options)
        found += pair["fact"] in [fact.title for fact in bundle.facts]
    return found / len(PARAPHRASES)


def test_questions_in_other_words_are_answered_by_meaning_and_hardly_by_words() -> None:
    with Wiki.open(":memory:", embedder=StaticEmbedder()) as wiki:
        for pair in PARAPHRASES:
            wiki.write("main", title=pair["fact"])
        assert _share_found(wiki, 5, hybrid_weight=0) < 0.3
        assert _share_found(wiki, 5) > 0.85
        assert _share_found(wiki, 1, hybrid_weight=1) > 0.6


def _table(head: bytes, words: bytes = b"heron\n", scale: float = 1.0, row: bytes = b"\x12") -> bytes:
    return zlib.compress(head + b"\n" + words + struct.pack("<f", scale) + row)


@pytest.mark.parametrize(
    "data",
    [
        _table(b"[" * 100_000),
        _table(b'{"words": 1, "dimensions": 2}', words=b"\xff\n"),
        _table(b'{"words": 1, "dimensions": 2}', scale=float("nan")),
        _table(b'{"words": 1, "dimensions": 400}', row=b"\x12" * 200),
        _table(b'{"words": 1, "dimensions": 3}'),
        _table(b'{"words": 99999999999999999999, "dimensions": 2}'),
    ],
)
def test_a_table_of_impossible_numbers_is_refused(data):
    with pytest.raises(ModelError, match="table"):
        read_table(data)


def test_a_table_that_is_no_bytes_is_refused():
    with pytest.raises(InvalidOption, match="table"):
        StaticEmbedder("table.bin")  # type: ignore[arg-type]
