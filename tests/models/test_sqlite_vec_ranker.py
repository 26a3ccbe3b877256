"""The ranker on sqlite-vec: the same answers as comparing with every vector, namespaces apart, deletions final."""

from __future__ import annotations

import random
import sqlite3
from threading import Thread

import pytest

from lorelite import CannotOpen, InvalidOption, NotFound, StoreError, Wiki, WikiConfig
from lorelite.models import CallableEmbedder, HashEmbedder, SqliteVecRanker

LOADS_EXTENSIONS = hasattr(sqlite3.connect(":memory:"), "enable_load_extension")


def test_a_python_without_loadable_extensions_is_told_what_to_do():
    pytest.importorskip("sqlite_vec")
    if LOADS_EXTENSIONS:
        pytest.skip("this Python loads extensions")
    with pytest.raises(CannotOpen, match="built without loadable extensions"):
        SqliteVecRanker()


def test_without_the_package_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sqlite_vec", None)
    with pytest.raises(NotFound, match=r"lorelite\[vec\]"):
        SqliteVecRanker()


@pytest.fixture
def make():
    pytest.importorskip("sqlite_vec", reason="the extra `vec` is not installed")
    if not LOADS_EXTENSIONS:
        pytest.skip("this Python's sqlite3 loads no extensions")
    made = []

    def open_one(*arguments) -> SqliteVecRanker:
        made.append(SqliteVecRanker(*arguments))
        return made[-1]

    yield open_one
    for ranker in made:
        ranker.close()


@pytest.fixture
def ranker(make):
    return make()


def test_the_nearest_come_first_with_their_cosines(ranker):
    for id, vector in {"x": [2.0, 0.0], "y": [0.0, 1e30], "xy": [1e-30, 1e-30], "back": [-1.0, 0.0]}.items():
        ranker.on_embedding_persisted("n", id, vector)
    found = ranker.rank("n", [3.0, 0.0], None, 3)
    assert [id for id, _ in found] == ["x", "xy", "y"]
    assert [cosine for _, cosine in found] == pytest.approx([1, 0.5**0.5, 0], abs=1e-6)
    assert ranker.rank("n", [0.0, 0.0], None, 3) == ranker.rank("n", [1.0], None, 3) == []


def test_candidates_alone_are_ranked_where_they_are_given(ranker):
    for number in range(5):
        ranker.on_embedding_persisted("n", str(number), [1.0, float(number)])
    assert [id for id, _ in ranker.rank("n", [1.0, 0.0], ["4", "2", "none"], 5)] == ["2", "4"]
    assert [id for id, _ in ranker.rank("n", [1.0, 0.0], ["4", "2"], 1)] == ["2"]
    assert ranker.rank("n", [1.0, 0.0], [], 5) == []


@pytest.mark.parametrize(
    "hostile", ["n' or 1=1 --", 'n"', "n\0", "n\0b", "", "%", "N", "n ", "ⁿ", "x" * 5000], ids=repr
)
def test_namespaces_are_apart_whatever_they_are_called(ranker, hostile):
    ranker.on_embedding_persisted("n", "ours", [1.0, 0.0])
    ranker.on_embedding_persisted(hostile, "theirs", [1.0, 0.0])
    ranker.on_embedding_persisted(hostile, "ours", [0.0, 1.0])
    assert ranker.rank("n", [1.0, 0.0], None, 9) == [("ours", pytest.approx(1))]
    assert [id for id, _ in ranker.rank(hostile, [1.0, 0.0], None, 9)] == ["theirs", "ours"]
    assert [id for id, _ in ranker.rank("n", [1.0, 0.0], ["theirs"], 9)] == []
    ranker.on_embedding_persisted(hostile, "ours", None)
    assert [id for id, _ in ranker.rank("n", [1.0, 0.0], None, 9)] == ["ours"]


def test_a_vector_that_is_replaced_or_deleted_is_gone(ranker):
    ranker.on_embedding_persisted("n", "a", [1.0, 0.0])
    ranker.on_embedding_persisted("n", "a", [0.0, 1.0, 0.0])
    assert ranker.rank("n", [1.0, 0.0], None, 9) == []
    assert [id for id, _ in ranker.rank("n", [0.0, 1.0, 0.0], None, 9)] == ["a"]
    ranker.on_embedding_persisted("n", "a", None)
    ranker.on_embedding_persisted("n", "never there", None)
    assert ranker.rank("n", [0.0, 1.0, 0.0], None, 9) == []


def test_more_than_the_extension_gives_at_once_is_ranked_too(ranker):
    for number in range(4200):
        ranker.on_embedding_persisted("n", str(number), [1.0, number / 100])
    found = ranker.rank("n", [1.0, 0.0], None, 4200)
    assert [id for id, _ in found] == [str(number) for number in range(4200)]


def test_an_index_in_a_file_is_there_again(make, tmp_path):
    path = tmp_path / "index.db"
    first = make(path)
    first.on_embedding_persisted("n", "a", [1.0, 0.0])
    first.close()
    assert [id for id, _ in make(path).rank("n", [1.0, 0.0], None, 9)] == ["a"]


def test_a_wiki_is_no_index(make, tmp_path):
    path = tmp_path / "wiki.db"
    Wiki.open(path).close()
    with pytest.raises(CannotOpen, match="a file of its own"):
        make(path)
    (tmp_path / "text.db").write_text("no database at all, but long enough to look at" * 10)
    with pytest.raises(CannotOpen):
        make(tmp_path / "text.db")


@pytest.mark.parametrize("vector", [[float("nan")], [float("inf"), 0.0], ["a"], 5, [1.0] * 8193])
def test_what_is_no_vector_is_refused(ranker, vector):
    ranker.on_embedding_persisted("n", "a", [1.0, 0.0])
    with pytest.raises(InvalidOption, match="query_vector: expected at most 8,192 finite numbers"):
        ranker.rank("n", vector, None, 3)
    with pytest.raises(InvalidOption, match="vector: expected at most 8,192 finite numbers"):
        ranker.on_embedding_persisted("n", "a", vector)
    assert ranker.rank("n", [1.0, 0.0], None, 2**70) == [("a", pytest.approx(1.0))]


def test_what_another_puts_into_the_same_file_is_found(make, tmp_path):
    one, other = make(tmp_path / "index.db"), make(tmp_path / "index.db")
    one.on_embedding_persisted("n", "a", [1.0, 0.0])
    assert [id for id, _ in other.rank("n", [1.0, 0.0], None, 9)] == ["a"]
    other.on_embedding_persisted("n", "b", [0.0, 1.0])
    assert [id for id, _ in one.rank("n", [1.0, 0.0], None, 9)] == ["a", "b"]


@pytest.mark.cpython_only
def test_threads_may_share_it(ranker):
    failed = []

    def work(name: str) -> None:
        try:
            for number in range(100):
                ranker.on_embedding_persisted("n", f"{name}{number}", [1.0, number])
                ranker.rank("n", [1.0, 1.0], None, 5)
        except Exception as error:
            failed.append(error)

    threads = [Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and len(ranker.rank("n", [1.0, 0.0], None, 999)) == 400


def test_a_damaged_and_a_closed_index_and_half_a_character_are_errors_of_the_store(make, tmp_path):
    path = tmp_path / "index.db"
    index = make(path)
    index.on_embedding_persisted("n", "a", [1.0, 0.0])
    with pytest.raises(StoreError, match="cannot be used"):
        index.rank("\ud800", [1.0, 0.0], None, 3)
    index.close()
    with pytest.raises(StoreError, match="cannot be used"):
        index.rank("n", [1.0, 0.0], None, 3)
    content = path.read_bytes()
    path.write_bytes(content[:20_000] + b"\xff" * (len(content) - 20_000))
    with pytest.raises(StoreError):
        make(path).rank("n", [1.0, 0.0], None, 3)


def test_tables_of_the_same_names_are_no_index(make, tmp_path):
    foreign = sqlite3.connect(tmp_path / "foreign.db")
    foreign.executescript("create table space (x); create table item (y)")
    foreign.close()
    with pytest.raises(CannotOpen):
        make(tmp_path / "foreign.db")


@pytest.mark.parametrize("path", [None, 5, b"x", "", "a\0b"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(CannotOpen, match="expected a file path"):
        SqliteVecRanker(path)


# -- with a wiki -----------------------------------------------------------------------------------------------------

WORDS = ["heron", "lock", "river", "barge", "otter", "reed", "bridge", "swan", "weir", "pike"]


def texts(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=4)) for _ in range(count)]


def test_a_wiki_reads_the_same_with_it_and_without(ranker, tmp_path):
    path = tmp_path / "wiki.db"
    with Wiki.open(path, embedder=HashEmbedder(64), vector_ranker=ranker) as wiki:
        for number, text in enumerate(texts(1, 60)):
            wiki.write("n", title=f"{text} {number}", node_id=str(number))
        wiki.forget("n", node_id="7")
        ranked = [wiki.read("n", text, hybrid_weight="cosine").fact_scores for text in texts(2, 5)]
    with Wiki.open(path, embedder=HashEmbedder(64)) as wiki:
        exact = [wiki.read("n", text, hybrid_weight="cosine").fact_scores for text in texts(2, 5)]
    assert all(found == pytest.approx(wanted, abs=1e-6) for found, wanted in zip(ranked, exact, strict=True))


def test_it_takes_over_what_a_wiki_holds(make, tmp_path):
    path, embedder = tmp_path / "wiki.db", HashEmbedder(64)
    other = CallableEmbedder(lambda texts: [[1.0] for _ in texts], "other")
    with Wiki.open(path, embedder=embedder) as wiki:
        for number, text in enumerate(texts(1, 20)):
            wiki.write("ab"[number % 2], title=f"{text} {number}", node_id=str(number))
        wiki.forget("a", node_id="4")
        wanted = wiki.read("a", "heron", hybrid_weight="cosine", max_results=20).fact_scores
        ranker = make()
        ranker.on_embedding_persisted("a", "of before", [1.0] * 64)
        assert ranker.fill(path, embedder.model_id) == 19
        assert ranker.fill(path, embedder.model_id) == 19
    with Wiki.open(path, embedder=embedder, vector_ranker=ranker) as wiki:
        found = wiki.read("a", "heron", hybrid_weight="cosine", max_results=20).fact_scores
    assert found == pytest.approx(wanted, abs=1e-6) and len(found) == 9
    assert make().fill(path, other.model_id) == 0


def test_when_it_is_closed_reads_go_on_without_it(ranker, open_wiki):
    wiki = open_wiki(embedder=HashEmbedder(64), vector_ranker=ranker, config=WikiConfig(vector_ranker_fallback="exact"))
    wiki.write("n", title="heron", node_id="a")
    ranker.close()
    assert [fact.id for fact in wiki.read("n", "heron", hybrid_weight="cosine").facts] == ["a"]
