"""Names and passages are counted apart."""

from __future__ import annotations

import hashlib

import pytest

from lorelite import Wiki, WikiConfig
from lorelite.store.keyword_parts import PARTS, part_of

NS = "class"
INDEXES = ("auto", "memory")


def open_wiki(index: str) -> Wiki:
    return Wiki.open(":memory:", config=WikiConfig(keyword_index=index))


def scores(wiki: Wiki, query: str, **options: object) -> dict[str, float]:
    bundle = wiki.read(NS, query, hybrid_weight=0, **options)
    return {node.title: bundle.fact_scores[node.id] for node in bundle.facts}


def graph(wiki: Wiki, ref: str, nodes: list[dict[str, object]]) -> None:
    wiki.upsert_graph(NS, source_ref=ref, source_hash=hashlib.sha256(repr(nodes).encode()).hexdigest(), nodes=nodes)


def test_what_states_something_is_counted_apart_from_names_questions_and_reports():
    assert PARTS == ("passages", "names", "questions", "reports")
    assert {kind: part_of(kind) for kind in ("fact", "chunk", "question", "report", "entity")} == {
        "fact": "passages", "chunk": "passages", "question": "questions", "report": "reports", "entity": "names",
    }  # fmt: skip


@pytest.mark.parametrize("index", INDEXES)
def test_many_entities_do_not_change_how_passages_score(index):
    text = "# Herons\n\nThe grey heron fishes at the lock. It stands still for a long time before it strikes.\n"
    other = "# Boats\n\nThe rowing boat lies below the weir, and nobody has rowed it since the flood came down.\n"
    with open_wiki(index) as wiki, open_wiki(index) as crowded:
        for each in (wiki, crowded):
            each.ingest_document(NS, source_ref="herons.md", text=text)
            each.ingest_document(NS, source_ref="boats.md", text=other)
        alone = scores(wiki, "heron lock", kinds=["chunk"])
        for number in range(30):
            entity = {"id": f"e{number}", "kind": "entity", "title": f"Heron {number}", "body": "lock"}
            graph(crowded, f"names {number}", [entity])
        assert scores(crowded, "heron lock", kinds=["chunk"]) == alone


@pytest.mark.parametrize("kind", ["question", "report"])
@pytest.mark.parametrize("index", INDEXES)
def test_questions_and_reports_do_not_change_how_passages_score(index, kind):
    with open_wiki(index) as wiki:
        wiki.write(NS, title="Lock keeper", body="Ada opens the gates of the lock at six")
        wiki.write(NS, title="Heron", body="It fishes at dusk")
        before = scores(wiki, "lock gates")
        made = [{"id": f"m{n}", "kind": kind, "title": f"The lock {n}", "body": "Gates."} for n in range(20)]
        graph(wiki, "made", made)
        assert scores(wiki, "lock gates") == before
        assert len(scores(wiki, "lock gates", kinds=[kind], max_results=30)) == 20
        assert wiki.sync_search_index(NS) == 22
        assert scores(wiki, "lock gates") == before
        graph(wiki, "made", [{"id": "last", "kind": kind, "title": "The weir"}])
        assert list(scores(wiki, "weir", kinds=[kind])) == ["The weir"]
        assert scores(wiki, "lock", kinds=[kind]) == {}
        assert scores(wiki, "lock gates") == before


@pytest.mark.parametrize("index", INDEXES)
def test_a_search_of_all_kinds_finds_in_both_parts(index):
    with open_wiki(index) as wiki:
        wiki.write(NS, title="Lock keeper", body="Ada opens the gates at six")
        graph(wiki, "a", [{"id": "e", "kind": "entity", "title": "Marsh Lock"}])
        assert set(scores(wiki, "lock")) == {"Lock keeper", "Marsh Lock"}
        assert set(scores(wiki, "lock", kinds=["entity"])) == {"Marsh Lock"}
        assert set(scores(wiki, "lock", kinds=["fact", "chunk"])) == {"Lock keeper"}
        assert set(scores(wiki, "loock")) == {"Lock keeper", "Marsh Lock"}


@pytest.mark.parametrize("index", INDEXES)
def test_a_node_that_changes_its_kind_changes_its_part(index):
    with open_wiki(index) as wiki:
        graph(wiki, "a", [{"id": "n", "kind": "entity", "title": "Marsh Lock"}])
        assert scores(wiki, "marsh", kinds=["entity"])
        graph(wiki, "a", [{"id": "n", "kind": "fact", "title": "Marsh Lock"}])
        assert not scores(wiki, "marsh", kinds=["entity"])
        assert set(scores(wiki, "marsh", kinds=["fact"])) == {"Marsh Lock"}
        wiki.forget(NS, source_ref="a")
        assert not scores(wiki, "marsh")
