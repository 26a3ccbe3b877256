import math

import pytest

from lorelite.errors import AsyncOnlyModel, InvalidOption, ModelError
from lorelite.models import CallableEmbedder, HashEmbedder
from lorelite.ports import Embedder


def cosine(run, first: str, second: str) -> float:
    a, b = run(HashEmbedder().embed([first, second]))
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("embedder", [HashEmbedder(), CallableEmbedder(lambda texts: [], "mine")], ids=["hash", "own"])
def test_every_embedder_is_an_embedder(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.as_blocking().blocking


def test_vectors_have_length_one_and_the_wanted_dimensions(run) -> None:
    for vector in run(HashEmbedder(64).embed(["Scrooge", "猫は庭で寝ていた", "مرحبا بالعالم", "🚀", "สวัสดี"])):
        assert len(vector) == 64
        assert math.fsum(x * x for x in vector) == pytest.approx(1)


def test_a_text_without_words_has_the_zero_vector(run) -> None:
    assert run(HashEmbedder(16).embed(["", " ?! "])) == [[0.0] * 16] * 2


def test_vectors_are_the_same_in_every_runtime(run) -> None:
    (vector,) = run(HashEmbedder(16).embed(["Scrooge was his partner"]))
    assert [round(x, 4) for x in vector] == [
        0.0,
        0.1358,
        -0.1358,
        0.4527,
        -0.679,
        0.0453,
        0.2716,
        0.1358,
        0.0,
        -0.2716,
        0.0,
        -0.2716,
        -0.1358,
        0.1358,
        0.0,
        0.1358,
    ]


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("the telescopes of the observatory", "a telescope in an observatory", "bread and butter for lunch"),
        ("Observatorien", "Observatorium", "Frühstück"),
        ("café", "CAFE\u0301", "thé"),
        ("東京都の天気", "東京の天気予報", "京都"),
        ("ยินดีต้อนรับสู่ประเทศไทย", "ประเทศไทย", "ข้าวผัด"),
        ("библиотека", "библиотеке", "молоко"),
    ],
)
def test_texts_that_share_words_or_parts_of_them_are_near(run, text: str, near: str, far: str) -> None:
    assert cosine(run, text, near) > cosine(run, text, far) + 0.1


def test_function_words_count_only_where_there_is_nothing_else(run) -> None:
    assert cosine(run, "the partner of Scrooge", "Scrooge partner") == pytest.approx(1)
    assert cosine(run, "to be or not to be", "to be or not to be") == pytest.approx(1)


def test_the_model_id_names_the_parameters() -> None:
    assert HashEmbedder().model_id == "hash-words-chars3-5-d256-1"
    assert HashEmbedder(64).model_id != HashEmbedder(128).model_id


@pytest.mark.parametrize("dimensions", [0, 7, 100_000])
def test_dimensions_out_of_range_are_refused(dimensions: int) -> None:
    with pytest.raises(InvalidOption, match=r"HashEmbedder\.dimensions"):
        HashEmbedder(dimensions)


async def awaited(texts: list[str]) -> list[tuple[int, int]]:
    return [(len(text), 1) for text in texts]


def test_a_function_is_an_embedder_and_its_numbers_become_floats(run) -> None:
    embedder = CallableEmbedder(lambda texts: ((len(text), 1) for text in texts), "lengths")
    vectors = run(embedder.embed(["a", "bcd"]))
    assert vectors == [[1.0, 1.0], [3.0, 1.0]]
    assert isinstance(vectors[0][0], float)
    assert run(embedder.embed([])) == []


def test_an_async_function_is_awaited_and_refused_by_the_blocking_face(run) -> None:
    embedder = CallableEmbedder(awaited, "mine")
    assert run(embedder.embed(["ab"])) == [[2.0, 1.0]]
    with pytest.raises(AsyncOnlyModel):
        embedder.as_blocking()


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ([[1.0]], "expected 2 vectors of floats, found 1"),
        ([[1.0], [1.0, 2.0]], r"one length, found lengths \[1, 2\]"),
        ([[], []], "one length"),
        ([[1.0], [math.nan]], "finite"),
        (None, "found NoneType"),
        (["a", "b"], "found list"),
    ],
)
def test_anything_but_a_vector_per_text_is_an_error(run, result: object, problem: str) -> None:
    with pytest.raises(ModelError, match=problem):
        run(CallableEmbedder(lambda texts: result, "mine").embed(["a", "b"]))
