"""What a read asks of the file: a fixed number of statements, each by an index."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lorelite import Wiki
from lorelite.models import HashEmbedder
from lorelite.search.vectors import installed_numpy

NS = "class"
BY_WORDS = 14
# Without numpy the vectors in memory are rounded, and those that may be the nearest are looked up as they are stored.
BOTH = 18 if installed_numpy() else 19


@pytest.fixture
def full(open_wiki) -> Wiki:
    wiki = open_wiki(embedder=HashEmbedder())
    nodes = [
        {"id": f"n{number}", "title": f"Heron {number}", "body": " ".join(["lock"] * (number % 7) + ["reed"] * number)}
        for number in range(60)
    ]
    edges = [{"type": "next", "source_id": f"n{number}", "target_id": f"n{number + 1}"} for number in range(59)]
    wiki.upsert_graph(NS, source_ref="g", source_hash="a" * 64, nodes=nodes, edges=edges)
    wiki.run_reembed(NS)
    return wiki


def statements(wiki: Wiki, call: Callable[[], object]) -> list[str]:
    seen: list[str] = []
    connection = wiki._wiki._engine.store.db.connection
    connection.set_trace_callback(seen.append)
    try:
        call()
    finally:
        connection.set_trace_callback(None)
    # What a virtual table asks for itself begins like a comment.
    return [sql for sql in seen if not sql.startswith("--")]


def plans(wiki: Wiki, call: Callable[[], object], about: str) -> str:
    connection = wiki._wiki._engine.store.db.connection
    asked = [sql for sql in statements(wiki, call) if about in sql]
    assert asked
    return "\n".join(row["detail"] for sql in asked for row in connection.execute(f"explain query plan {sql}"))


@pytest.mark.parametrize(("weight", "most"), [(0, BY_WORDS), (None, BOTH)])
def test_a_read_asks_no_more_however_many_words_and_results_there_are(full, weight, most):
    full.read(NS, "heron", hybrid_weight=weight)
    for query, limit in (("heron", 1), ("heron", 50), ("heron lock reed herons locks", 10)):
        asked = statements(full, lambda query=query, limit=limit: full.read(
            NS, query, hybrid_weight=weight, max_results=limit
        ))  # fmt: skip
        assert len(asked) <= most, "\n".join(asked)


def test_explaining_costs_nothing_where_nobody_asked(full):
    plain = statements(full, lambda: full.read(NS, "heron lock", hybrid_weight=0))
    explained = statements(full, lambda: full.read(NS, "heron lock", hybrid_weight=0, explain=True))
    assert len(plain) == BY_WORDS < len(explained)


def test_nodes_are_taken_whole_only_where_they_are_shown(full):
    asked = statements(full, lambda: full.read(NS, "heron", hybrid_weight=0, max_results=3))
    whole = [sql for sql in asked if "n.body" in sql]
    assert len(whole) == 1 and whole[0].count('"n') == 3


def test_what_is_found_is_looked_up_by_its_key_and_its_id(full):
    plan = plans(full, lambda: full.read(NS, "heron", hybrid_weight=0), "node n on")
    assert "SEARCH n USING INTEGER PRIMARY KEY (rowid=?)" in plan
    assert "SEARCH n USING INDEX sqlite_autoindex_node_1 (id=?)" in plan
    assert "SCAN n" not in plan


def test_several_namespaces_are_read_without_counting_their_nodes(full):
    full.write("other", title="Heron")
    asked = statements(full, lambda: full.read([NS, "other"], "heron", hybrid_weight=0))
    assert not [sql for sql in asked if "count(*)" in sql]
