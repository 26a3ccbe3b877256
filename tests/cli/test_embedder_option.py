"""--embedder: vectors from the command line, with no endpoint."""

from __future__ import annotations

import sqlite3

import pytest

from lorelite.cli import arguments
from lorelite.cli.main import parser
from lorelite.models import OpenAIEmbedder, StaticEmbedder

QUESTION = "a physician's canoe"


@pytest.fixture
def with_vectors(lorelite, folder):
    (folder / "note.md").write_text("The boat of the doctor leaks.\n")
    assert lorelite("ingest", "docs", "note.md", "--embedder", "static").code == 0
    return lorelite


def vectors(folder) -> int:
    with sqlite3.connect(folder / "lorelite.db") as db:
        [count] = db.execute("select count(*) from vector").fetchone()
    db.close()
    return count


def first(outcome) -> str:
    return next((fact["body"] for fact in outcome.json["facts"]), "")


def test_search_goes_by_meaning_where_the_file_holds_vectors_of_the_built_in_embedder(with_vectors):
    found = with_vectors("search", QUESTION, "--json", "--kind", "chunk")
    assert first(found) == "The boat of the doctor leaks."
    assert "doctor" not in first(with_vectors("search", QUESTION, "--json", "--kind", "chunk", "--embedder", "none"))


def test_a_file_with_vectors_goes_on_with_them_and_one_without_stays_without(with_vectors, folder):
    before = vectors(folder)
    (folder / "new.md").write_text("# Lantern\n\nThe lantern is in the shed.\n")
    assert with_vectors("ingest", "new.md").code == 0
    assert vectors(folder) > before
    assert with_vectors("ingest", "docs", "--db", "other.db").code == 0
    with sqlite3.connect(folder / "other.db") as db:
        assert db.execute("select count(*) from vector").fetchone() == (0,)
    db.close()


def test_maintain_makes_the_vectors_of_a_file_that_has_none(filled, folder):
    assert vectors(folder) == 0
    assert filled("maintain", "--job", "reembed", "--embedder", "static").code == 0
    assert vectors(folder) > 0


def test_two_embedders_are_refused(lorelite):
    outcome = lorelite("search", "boat", "--embedder", "static", "--embedding-model", "m", "--base-url", "http://x/v1")
    assert outcome.code == 2
    assert "--embedder / --embedding-model" in outcome.err


def test_a_file_that_is_none_is_told_as_before(lorelite, folder):
    (folder / "lorelite.db").write_text("no database at all, " * 99)
    outcome = lorelite("search", "boat")
    assert outcome.code != 0
    assert "lorelite.db" in outcome.err and "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ([], type(None)),
        (["--embedder", "none"], type(None)),
        (["--embedder", "static"], StaticEmbedder),
        (["--embedding-model", "m", "--base-url", "http://localhost/v1"], OpenAIEmbedder),
    ],
)
def test_the_embedder_is_the_one_that_was_named(options, kind):
    given = parser().parse_args(["search", "boat", *options])
    assert type(arguments.embedder(given)) is kind
