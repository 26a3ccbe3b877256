"""`lorelite maintain`, and what the jobs do without a model."""

from __future__ import annotations

import pytest

from lorelite import ModelError, Wiki
from lorelite.cli.maintain import JOBS


@pytest.fixture
def eventful(lorelite):
    """A file with two namespaces; three things happened in one of them."""
    with Wiki.open("lorelite.db") as wiki:
        for number in range(3):
            wiki.write("main", event={"summary": f"The gauge was read for the {number}th time"})
        wiki.write("other", title="Otters")
    return lorelite


def facts(namespace: str = "main") -> int:
    with Wiki.open("lorelite.db", read_only=True) as wiki:
        return wiki.get_status(namespace).facts


def test_all_jobs_run_in_every_namespace_in_their_order(eventful):
    outcome = eventful("maintain", "--json")
    assert outcome.code == 0
    ran = [(report["namespace"], report["job"]) for report in outcome.json["reports"]]
    assert ran == [(namespace, job) for namespace in ("main", "other") for job in JOBS]
    assert outcome.json["failures"] == []
    assert facts() == 3


def test_a_dry_run_tells_what_would_be_done_and_writes_nothing(eventful):
    outcome = eventful("maintain", "--dry-run", "--namespace", "main", "--job", "librarian")
    assert outcome.out == "main: librarian: 3 events read, 3 added (nothing was written)\n"
    assert facts() == 0
    assert eventful("maintain", "--job", "librarian").out.startswith("main: librarian: 3 events read, 3 added\n")


def test_only_the_jobs_that_are_named_run(eventful):
    outcome = eventful("maintain", "lorelite.db", "--job", "prune", "--job", "heal", "--namespace", "main")
    assert [line.split(": ")[1] for line in outcome.out.splitlines()] == ["heal", "prune"]


def test_a_file_or_a_namespace_that_is_not_there_is_told_once_and_not_made(eventful, folder):
    told = eventful("maintain", "brian.db")
    assert (told.code, told.err) == (1, "lorelite: cannot open 'brian.db': the file does not exist\n")
    assert not (folder / "brian.db").exists()
    told = eventful("maintain", "--namespace", "mian")
    assert (told.code, told.out) == (1, "")
    assert told.err == "lorelite: namespace 'mian' was not found; known: 'main', 'other'\n"


def test_an_empty_file_is_said_to_be_empty(lorelite):
    Wiki.open("lorelite.db").close()
    told = lorelite("maintain")
    assert (told.code, told.err) == (0, "lorelite: lorelite.db is empty so far\n")


def test_a_job_that_fails_is_told_and_the_others_run(eventful, monkeypatch):
    def failing(self, namespace, **options):
        raise ModelError("the model is away")

    monkeypatch.setattr(Wiki, "run_heal", failing)
    outcome = eventful("maintain", "--namespace", "main", "--json")
    assert outcome.code == 1
    assert outcome.err == "lorelite: main: heal: the model is away\n"
    assert [failure["job"] for failure in outcome.json["failures"]] == ["heal"]
    assert [report["job"] for report in outcome.json["reports"]] == [job for job in JOBS if job != "heal"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--job", "tidy"], "invalid choice"),
        (["--embedding-model", "x"], "--embedding-model: expected a name, with --base-url"),
        (["--model", "x"], "--model / --base-url"),
    ],
)
def test_a_wrong_option_is_wrong_usage(eventful, options, message):
    outcome = eventful("maintain", *options)
    assert outcome.code == 2 and message in outcome.err


def test_a_namespace_that_is_not_there_is_named(eventful):
    outcome = eventful("maintain", "--namespace", "nowhere", "--job", "heal")
    assert outcome.code == 1 and "namespace 'nowhere' was not found" in outcome.err
