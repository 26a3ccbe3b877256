"""A process that takes a book in is killed again and again: what is recorded is never paid again, the end is the same.

The law, for each kill: at most as many calls as were under way at once have no row in the file, since their replies
had not been taken in; each of these may be asked once more in a later life. No other call is.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from tests.models import lives
from tests.models.toll_server import Toll, call_name, drawn_plan, toll_server

from lorelite import Wiki

synthetic = pytest.importorskip("bench.synthetic", reason="the runners live beside the package, not in it")
pytestmark = pytest.mark.cpython_only
KILLS = 20
Life = Callable[[Path, str, Path], None]


def invented_book(characters: int) -> str:
    """Prose about people whose names come up again and again."""
    people = [word.capitalize() for word in synthetic.vocabulary(400) if len(word) > 5][:60]
    paragraphs: list[str] = []
    for number, fact in enumerate(synthetic.facts(characters // 200)):
        # Each tenth of the book is about six people of its own, whom a few others meet.
        chapter = number * 200 * 10 // characters * 6
        one, other, far = (people[at % 60] for at in (chapter + number % 6, chapter + number // 6 % 6, number * number))
        paragraphs.append(f"{one} told {other}: {fact.title}. {fact.body}. Then {other} left the house of {far}.")
    return "\n\n".join(paragraphs)[:characters]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Christmas Carol, or an invented book of its size."""
    path = tmp_path_factory.mktemp("book") / "book.txt"
    shared = os.environ.get("LORELITE_SHARED")
    carol = Path(shared or ".") / "data" / "christmas_carol" / "book.txt"
    path.write_text(carol.read_text("utf-8") if shared and carol.exists() else invented_book(180_000), "utf-8")
    return path


@pytest.fixture(scope="module")
def processes() -> multiprocessing.context.BaseContext:
    """Starts processes that have everything imported."""
    context = multiprocessing.get_context("forkserver")
    imported = ["tests.models.lives", "lorelite.models.ledger_model", "httpx", "httpcore", "anyio", "trio"]
    context.set_forkserver_preload(imported)  # passes over what is not installed
    return context


@pytest.mark.parametrize(
    ("life", "at_once"),
    [(lives.ingest, lives.PARALLEL), (lives.ingest_awaited, 2 * lives.PARALLEL), (lives.insert, lives.PARALLEL)],
)
def test_a_book_is_taken_in_by_a_process_that_is_killed_twenty_times(processes, book, tmp_path, life, at_once):
    undisturbed, killed = tmp_path / "whole.db", tmp_path / "killed.db"
    with toll_server() as toll:
        assert lived(processes, life, undisturbed, toll, book) == 0
        needed = list(toll.paid)
        assert len(needed) == len(set(needed)) == len(recorded(undisturbed)) > 4 * KILLS

    with toll_server() as toll:
        toll.plan = drawn_plan(len(needed), KILLS, seed=6)
        deaths = lost = 0
        known: set[str] = set()
        while True:
            before = len(toll.paid)
            ended = lived(processes, life, killed, toll, book)
            asked, now = toll.paid[before:], recorded(killed)
            assert known <= now, "a reply that was recorded is gone"
            assert not known & set(asked), "a call that was recorded was paid again"
            assert len(asked) == len(set(asked)), "one life asked twice"
            assert now - known <= set(asked)
            assert len(set(asked) - now) <= at_once
            known = now
            if ended == 0:
                break
            assert ended == -signal.SIGKILL
            deaths, lost = deaths + 1, lost + len(set(asked) - now)
        assert deaths == KILLS and not toll.plan
        assert known == set(toll.paid) == set(needed)
        assert len(toll.paid) == len(needed) + lost
        assert toll.most_under_way <= at_once

    found, expected = held(killed), held(undisturbed)
    if life is lives.ingest_awaited:  # which of two tasks writes first is chance
        found, expected = ({table: sorted(rows) for table, rows in each.items()} for each in (found, expected))
    assert found == expected


def lived(processes, life: Life, path: Path, toll: Toll, book: Path) -> int:
    """One life of a process; gives its exit code."""
    process = processes.Process(target=life, args=(path, toll.address, book))
    process.start()
    toll.victim = process.pid
    process.join(60)
    if process.is_alive():
        process.kill()
    process.join()
    toll.victim = None
    toll.settled()
    return process.exitcode


def recorded(path: Path) -> set[str]:
    """The calls that the file holds an answer to."""
    if not path.exists():
        return set()
    with Wiki.open(path) as wiki:
        calls = wiki.list_calls(limit=10_000)
    assert all(call.status == "ok" for call in calls)
    names = [call_name(call.system, call.user) for call in calls if not call.is_copy]
    assert len(names) == len(set(names))
    return set(names)


def held(path: Path) -> dict[str, list[str]]:
    """Table → its rows in their order: all that a file holds, but moments, which no two runs share."""
    with Wiki.open(path) as wiki:
        [dump] = wiki.export_dump().namespaces.values()
    return {table: [json.dumps(timeless(row), sort_keys=True) for row in rows] for table, rows in dump.rows.items()}


def timeless(value: object) -> object:
    """A row without its moments, those of the records that it holds as text included."""
    if isinstance(value, Mapping):
        return {key: timeless(each) for key, each in value.items() if not str(key).endswith("_at")}
    if isinstance(value, str) and value.startswith("{"):
        with suppress(ValueError):
            return timeless(json.loads(value))
    return value
