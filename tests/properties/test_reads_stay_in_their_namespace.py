"""What a read costs is a matter of its own namespace: the others may double, and it does not take one step more."""

from __future__ import annotations

import pytest
from tests.properties.reads import CALLS, NS, fill

from lorelite import Wiki, WikiConfig
from lorelite.models import HashEmbedder


def steps(wiki: Wiki, name: str) -> int:
    """How often SQLite's virtual machine is at a place where it may be interrupted: once at least for every row."""
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += 1
        return 0

    connection = wiki._wiki._engine.store.db.connection
    connection.set_progress_handler(count, 1)
    try:
        CALLS[name](wiki)
    finally:
        connection.set_progress_handler(None, 1)
    return counted


@pytest.fixture(scope="module")
def sizes(tmp_path_factory):
    """The same namespace beside others, and beside twice as much of them."""
    folder = tmp_path_factory.mktemp("namespaces")
    paths = [folder / "once.db", folder / "twice.db"]
    with Wiki.open(paths[0], embedder=HashEmbedder(32)) as wiki:
        fill(wiki, NS, 0, 4)
        fill(wiki, "a", 0, 8)
        fill(wiki, "z", 0, 8)
    paths[1].write_bytes(paths[0].read_bytes())
    with Wiki.open(paths[1], embedder=HashEmbedder(32)) as wiki:
        fill(wiki, "a", 8, 16)
        fill(wiki, "b", 0, 4)
        fill(wiki, "z", 8, 12)
    return paths


@pytest.mark.parametrize("index", ["fts5", "memory"])
@pytest.mark.parametrize("name", CALLS)
def test_no_read_costs_more_when_other_namespaces_grow(sizes, name, index):
    found = []
    for path in sizes:
        config = WikiConfig(keyword_index=index)
        with Wiki.open(path, embedder=HashEmbedder(32), config=config, read_only=True) as wiki:
            first, warm = steps(wiki, name), steps(wiki, name)
            found.append((first, warm))
    assert found[0] == found[1]
    assert found[0][0] > 0


def test_a_statement_that_reads_every_namespace_is_noticed(sizes, monkeypatch):
    monkeypatch.setitem(CALLS, "scan", lambda wiki: wiki._wiki._engine.store.db.rows("select title from node"))
    found = []
    for path in sizes:
        with Wiki.open(path, read_only=True) as wiki:
            found.append(steps(wiki, "scan"))
    assert found[0] < found[1]
