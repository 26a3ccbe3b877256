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

# The runners in bench/ live beside the package; in Pyodide there are none, and their tests are skipped.
ROOT = str(Path(__file__).resolve().parents[1])
if ROOT not in sys.path:
    sys.path.append(ROOT)

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
        store = Store(
            str(path),
            read_only=read_only,
            keyword_index=chosen.keyword_index,
            clock=clock,
            record_changes=chosen.record_changes,
        )
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
def picture() -> Callable[..., dict[str, list[tuple[Any, ...]]]]:
    return graph_picture


def graph_picture(wiki: Wiki, namespace: str = NS, *, ids: bool = True) -> dict[str, list[tuple[Any, ...]]]:
    """Everything a namespace holds but times, sorted. Without *ids* nodes are named by kind and title."""
    db = wiki._wiki._engine.store.db
    name = "n.id" if ids else "n.kind || ' ' || n.title"
    named = f"select n.id, {name} as name from node n where n.namespace = :namespace and n.deleted_at is null"
    ends = f"join ({named}) s on s.id = e.source_id join ({named}) t on t.id = e.target_id"
    statements = {
        "nodes": f"""
            select {name}, kind, title, body, node_type, tags, confidence, source_type, origin, lifecycle, source_ref
              from node n where namespace = :namespace and deleted_at is null""",
        "edges": f"""
            select s.name, e.edge_type, t.name, round(e.weight, 6), e.description, e.confidence, e.origin, e.source_ref
              from edge e {ends} where e.namespace = :namespace""",
        "edges without ends": f"""
            select e.source_id, e.edge_type, e.target_id from edge e where e.namespace = :namespace
               and not (e.source_id in (select id from ({named})) and e.target_id in (select id from ({named})))""",
        "citations of nodes": f"""
            select x.name, d.source_ref, c.start, c."end" from citation c join document d on d.id = c.document_id
              join ({named}) x on x.id = c.owner_id""",
        "citations of edges": f"""
            select s.name, e.edge_type, t.name, d.source_ref, c.start, c."end"
              from citation c join document d on d.id = c.document_id join edge e on e.id = c.owner_id {ends}
             where e.namespace = :namespace""",
        "aliases": f"""
            select a.alias_key, x.name, d.source_ref from alias a join ({named}) x on x.id = a.node_id
              join document d on d.id = a.document_id""",
        "documents": """
            select d.source_ref, d.source_hash, d.status, d.origin, d.text, k.ordinal, k.start, k."end", k.state
              from document d left join chunk k on k.document_id = d.id where d.namespace = :namespace""",
    }
    return {
        part: sorted((tuple(row) for row in db.rows(sql, {"namespace": namespace})), key=repr)
        for part, sql in statements.items()
    }


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
