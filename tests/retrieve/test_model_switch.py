"""Another embedder than the one that made the vectors: reads go on, say so once, and both sets stay side by side."""

from __future__ import annotations

import pytest

from lorelite import Hooks
from lorelite.models import CallableEmbedder

NS = "class"


def by_length(texts):
    return [[1.0, float(len(text))] for text in texts]


def by_vowels(texts):
    return [[float(sum(text.count(vowel) for vowel in "aeiou")), 1.0, 2.0] for text in texts]


A, B = CallableEmbedder(by_length, "a"), CallableEmbedder(by_vowels, "b")


@pytest.fixture
def switched(open_wiki, tmp_path):
    """A file whose vectors are A's, opened with an embedder; and what the hook was told."""
    path = tmp_path / "wiki.db"
    wiki = open_wiki(path, embedder=A)
    for id, title in {"x": "heron", "y": "a heron at the lock", "z": "otter"}.items():
        wiki.write(NS, title=title, node_id=id)
    wiki.close()

    def reopened(embedder):
        told = []
        return open_wiki(path, embedder=embedder, hooks=Hooks(on_retrieval_fallback=told.append)), told

    return reopened


def scores(wiki, **options):
    return dict(wiki.read(NS, "heron", **options).fact_scores)


def test_reads_go_by_words_and_say_so_once(switched):
    wiki, told = switched(B)
    by_words = scores(wiki, hybrid_weight=0)
    assert scores(wiki) == scores(wiki, hybrid_weight="cosine") == by_words != {}
    [error] = told
    assert "'class' has vectors of a and none of b" in str(error) and "run_reembed" in str(error)


def test_searching_by_words_alone_says_nothing(switched):
    wiki, told = switched(B)
    assert scores(wiki, hybrid_weight=0) and told == []


def test_a_wiki_without_any_vectors_says_nothing(open_wiki):
    told = []
    wiki = open_wiki()
    wiki.write(NS, title="heron")
    wiki = open_wiki(embedder=B, hooks=Hooks(on_retrieval_fallback=told.append))
    with wiki.transaction():
        wiki.write(NS, title="heron")
    assert scores(wiki, hybrid_weight="cosine") and told == []


def test_run_reembed_makes_the_new_ones_and_the_old_ones_stay(switched):
    wiki, told = switched(A)
    with_a = scores(wiki, hybrid_weight="cosine")
    wiki.close()
    wiki, told = switched(B)
    assert wiki.run_reembed(NS).embedded == 3
    with_b = scores(wiki, hybrid_weight="cosine")
    assert with_b != with_a and len(with_b) == 3 and told == []
    assert wiki.run_reembed(NS).embedded == 0
    wiki.close()
    wiki, told = switched(A)
    assert scores(wiki, hybrid_weight="cosine") == with_a and told == []
    assert wiki.run_reembed(NS).embedded == 0


def test_a_text_that_changed_under_the_other_embedder_is_not_found_by_its_old_vector(switched):
    wiki, _ = switched(B)
    wiki.write(NS, title="something else", node_id="x")
    assert scores(wiki, hybrid_weight="cosine").keys() == {"x"}
    wiki.close()
    wiki, _ = switched(A)
    assert scores(wiki, hybrid_weight="cosine").keys() == {"y", "z"}


def test_the_first_vector_of_the_new_embedder_is_found_at_once(switched):
    wiki, told = switched(B)
    scores(wiki)
    wiki.write(NS, title="heron too", node_id="new")
    assert scores(wiki, hybrid_weight="cosine").keys() == {"new"}
    wiki.forget(NS, node_id="new")
    assert scores(wiki, hybrid_weight="cosine") == scores(wiki, hybrid_weight=0)
    assert len(told) == 1


def test_whether_there_are_vectors_is_looked_up_once(switched):
    wiki, _ = switched(B)
    db = wiki._wiki._engine.store.db
    scores(wiki)
    asked = []
    db.connection.set_trace_callback(asked.append)
    scores(wiki)
    db.connection.set_trace_callback(None)
    assert asked and not [statement for statement in asked if "vector v" in statement]
