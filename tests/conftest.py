"""What most suites start from: a clock that is set by hand, a wiki in memory or in a file, a small graph."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lorelite import Wiki, WikiConfig
from lorelite.store.store import Store

try:
    from hypothesis import settings
except ImportError:  # Pyodide, where the property tests are skipped
    pass
else:
    settings.register_profile("steady", derandomize=True, deadline=None, database=None, print_blob=False)
    settings.load_profile("steady")

NS = "class"
HASH_A, HASH_B, HASH_C = "a" * 64, "b" * 64, "c" * 64


class SetClock:
    """Milliseconds that stand still until a test moves them."""

    def __init__(self, now: int = 1_700_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def tick(self, milliseconds: int = 1_000) -> int:
        self.now += milliseconds
        return self.now


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if sys.platform != "emscripten":
        return
    skip = pytest.mark.skip(reason="needs processes, threads, a real file system or sockets")
    for item in items:
        if item.get_closest_marker("cpython_only"):
            item.add_marker(skip)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def open_wiki(clock: SetClock) -> Iterator[Callable[..., Wiki]]:
    """Opens wikis on the settable clock (in memory unless a path is given) and closes them after the test."""
    opened: list[Wiki] = []

    def open_one(path: str | Path = ":memory:", *, config: WikiConfig | None = None, **options: Any) -> Wiki:
        chosen = config or WikiConfig()
        read_only = options.pop("read_only", False)
        store = Store(str(path), read_only=read_only, keyword_index=chosen.keyword_index, clock=clock)
        opened.append(Wiki.open(path, config=chosen, store=store, **options))
        return opened[-1]

    yield open_one
    for wiki in reversed(opened):
        wiki.close()


@pytest.fixture
def wiki(open_wiki: Callable[..., Wiki]) -> Wiki:
    """An empty wiki in memory."""
    return open_wiki()


@pytest.fixture
def disk_wiki(open_wiki: Callable[..., Wiki], tmp_path: Path) -> Wiki:
    """An empty wiki in `tmp_path / "brain.db"`."""
    return open_wiki(tmp_path / "brain.db")


@pytest.fixture
def small_world(wiki: Wiki, clock: SetClock) -> Wiki:
    """a → b → c → d and a → e, e → c; one type for each letter pair; later letters are newer."""
    nodes = []
    for letter in "abcde":
        nodes.append({"id": letter, "title": f"Node {letter}", "body": f"about {letter}"})
    pairs = [("a", "b", "next"), ("b", "c", "next"), ("c", "d", "next"), ("a", "e", "aside"), ("e", "c", "back")]
    wiki.upsert_graph(
        NS,
        source_ref="graph",
        source_hash=HASH_A,
        nodes=nodes,
        edges=[
            {"id": f"{source}{target}", "type": kind, "source_id": source, "target_id": target}
            for source, target, kind in pairs
        ],
    )
    clock.tick()
    return wiki
