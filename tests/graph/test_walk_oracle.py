"""The walk by levels against the recursive statement that docs/file_format.md shows: one checks the other."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from lorelite import Edge, Node, Wiki
from lorelite.store.store import Store

PAGE = Path(__file__).resolve().parents[2] / "docs" / "file_format.md"
NOW = 1_000
IDS = [f"n{number}" for number in range(9)]


@cache
def statement() -> str:
    [sql] = re.findall(r"<!-- walk -->\n```sql\n(.*?);\n```", PAGE.read_text("utf-8"), re.DOTALL)
    return sql


@st.composite
def nodes(draw):
    return [
        Node(
            id=id,
            namespace=draw(st.sampled_from(["main"] * 9 + ["other"])),
            kind="fact",
            title=id,
            updated_at=draw(st.integers(0, 3)),
            valid_from=draw(st.sampled_from([None] * 6 + [500, NOW, 1_001])),
            valid_to=draw(st.sampled_from([None] * 6 + [500, NOW, 1_001])),
        )
        for id in IDS
    ]


@st.composite
def edges(draw):
    count = draw(st.integers(0, 20))
    return [
        Edge(
            id=f"e{number}",
            namespace=draw(st.sampled_from(["main"] * 9 + ["other"])),
            source_id=draw(st.sampled_from([*IDS, "absent"])),
            target_id=draw(st.sampled_from([*IDS, "absent"])),
            edge_type=draw(st.sampled_from(["knows", "near"])),
            valid_from=draw(st.sampled_from([None] * 6 + [500, NOW, 1_001])),
            valid_to=draw(st.sampled_from([None] * 6 + [500, NOW, 1_001])),
        )
        for number in range(count)
    ]


@settings(deadline=None)
@given(nodes(), edges(), st.sets(st.sampled_from(IDS), max_size=2), st.integers(1, 3), st.integers(1, 12))
def test_the_recursive_statement_gives_the_same_nodes_depths_and_order(nodes, edges, gone, max_depth, max_nodes):
    store = Store(":memory:", clock=lambda: NOW)
    with Wiki.open(":memory:", store=store) as wiki:
        for name in ("main", "other"):
            wiki.write(name, title="makes the namespace", node_id=f"seed of {name}")
            store.nodes.put([node for node in nodes if node.namespace == name])
        store.edges.add(edges)
        store.nodes.delete("main", sorted(gone))
        for anchor in IDS:
            graph = wiki.traverse_graph("main", source_id=anchor, max_depth=max_depth, max_nodes=max_nodes)
            rows = store.db.rows(
                statement(),
                {"namespace": "main", "anchor": anchor, "now": NOW, "max_depth": max_depth, "max_nodes": max_nodes},
            )
            assert [(node.id, node.depth) for node in graph.nodes] == [(row["id"], row["depth"]) for row in rows]
