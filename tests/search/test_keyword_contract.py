"""One contract for the keyword index, kept by FTS5 and by the index in memory alike."""

from __future__ import annotations

import pytest

from lorelite import Wiki, WikiConfig

NS = "class"
INDEXES = ("fts5", "memory")


@pytest.fixture(params=INDEXES)
def indexed(request, open_wiki) -> Wiki:
    return open_wiki(config=WikiConfig(keyword_index=request.param))


def titles(wiki: Wiki, query: str, namespace: str = NS, **options) -> list[str]:
    return [node.title for node in wiki.read(namespace, query, **options).facts]


def scores(wiki: Wiki, query: str, namespace: str = NS) -> dict[str, float]:
    return dict(wiki.read(namespace, query).fact_scores)


def fill(wiki: Wiki, *titled: str, namespace: str = NS) -> None:
    for title in titled:
        wiki.write(namespace, title=title)


def test_the_index_in_use_is_the_one_that_was_asked_for(indexed, request):
    indexed.write(NS, title="x")
    assert indexed.get_status(NS).keyword_index == request.node.callspec.params["indexed"]


def test_what_was_written_is_found_at_once(indexed):
    fill(indexed, "Red kite", "Blue whale")
    assert titles(indexed, "kite") == ["Red kite"]


def test_title_body_and_tags_are_searched_and_a_title_counts_double(indexed):
    indexed.write(NS, title="heron", body="bird of the river bank")
    indexed.write(NS, title="bird", body="heron of the river bank")
    indexed.write(NS, title="other", body="words of the same length", tags=["heron"])
    fill(indexed, *(f"filler number {n}" for n in range(10)))
    assert titles(indexed, "heron")[0] == "heron"
    assert set(titles(indexed, "heron")) == {"heron", "bird", "other"}


def test_a_rewritten_node_is_found_by_its_new_words_alone(indexed):
    indexed.write(NS, title="kestrel", body="hovers", tags=["raptor"], node_id="n")
    indexed.write(NS, title="dunnock", body="hides", node_id="n")
    assert titles(indexed, "kestrel") == titles(indexed, "hovers") == titles(indexed, "raptor") == []
    assert titles(indexed, "dunnock") == titles(indexed, "hides") == ["dunnock"]


def test_a_forgotten_node_is_not_found_and_changes_no_score_any_more(indexed):
    fill(indexed, "wild goose", "grey goose", "owl", "wren", "robin", "tit")
    before = scores(indexed, "goose")
    indexed.write(NS, title="goose goose goose", node_id="gone")
    assert scores(indexed, "goose") != before
    indexed.forget(NS, node_id="gone")
    assert scores(indexed, "goose") == pytest.approx(before, rel=1e-12)


def test_a_phrase_wants_its_words_in_a_row_and_in_one_field(indexed):
    indexed.write(NS, title="A", body="the old clock tower fell")
    indexed.write(NS, title="B", body="the tower has an old clock")
    indexed.write(NS, title="clock", body="tower")
    assert titles(indexed, '"clock tower"') == ["A"]
    assert set(titles(indexed, "clock tower")) == {"A", "B", "clock"}


def test_a_phrase_that_stands_nowhere_falls_back_to_its_words(indexed):
    fill(indexed, "tower", "clock")
    assert set(titles(indexed, '"clock tower"')) == {"tower", "clock"}


def test_a_word_without_a_hit_is_taken_as_a_beginning(indexed):
    fill(indexed, "lighthouse keeper", "lightning", "harbour")
    assert set(titles(indexed, "light")) == {"lighthouse keeper", "lightning"}


def test_an_exact_word_is_preferred_to_longer_ones(indexed):
    fill(indexed, "light", "lighthouse")
    assert titles(indexed, "light") == ["light"]


def test_a_misspelt_word_finds_what_is_spelt_like_it(indexed):
    fill(indexed, "Marley", "Scrooge", "Cratchit")
    assert titles(indexed, "Marly") == ["Marley"]
    assert titles(indexed, "Scroogge") == ["Scrooge"]
    assert titles(indexed, "Cratchti") == ["Cratchit"]


def test_a_number_is_never_taken_for_another_one(indexed):
    fill(indexed, "invoice 10234")
    assert titles(indexed, "10235") == []


def test_kinds_are_chosen(indexed):
    indexed.upsert_graph(
        NS,
        source_ref="s",
        source_hash="a" * 64,
        nodes=[
            {"id": kind, "title": f"pond {kind}", "kind": kind}
            for kind in ("fact", "entity", "chunk", "question", "report")
        ],
    )
    assert set(titles(indexed, "pond")) == {"pond fact", "pond entity", "pond chunk"}
    assert titles(indexed, "pond", kinds=["report"]) == ["pond report"]
    assert titles(indexed, "pond", kinds=[]) == []


def test_rare_kinds_are_found_behind_many_better_hits_of_other_kinds(indexed):
    nodes = [{"id": f"c{n}", "title": "marsh marsh", "kind": "chunk"} for n in range(400)]
    nodes.append({"id": "q", "title": "a question that only names the marsh once", "kind": "question"})
    indexed.upsert_graph(NS, source_ref="s", source_hash="a" * 64, nodes=nodes)
    assert titles(indexed, "marsh", kinds=["question"], max_results=1) == [nodes[-1]["title"]]


def test_drafts_are_left_out_when_asked(indexed):
    indexed.write(NS, title="heath draft", node_id="draft")
    indexed.write(NS, title="heath stable")
    indexed._wiki._engine.store.db.run("update node set lifecycle = 'draft' where id = 'draft'")
    assert set(titles(indexed, "heath")) == {"heath draft", "heath stable"}
    assert titles(indexed, "heath", exclude_drafts=True) == ["heath stable"]


def test_writing_to_another_namespace_changes_no_score(indexed):
    fill(indexed, "moor grass", "moor", "fen", "bog", "carr", "meadow")
    before = scores(indexed, "moor")
    fill(indexed, *["moor moor"] * 30, namespace="other")
    assert scores(indexed, "moor") == before
    assert len(titles(indexed, "moor", "other", max_results=100)) == 30


def test_namespaces_do_not_see_each_other(indexed):
    fill(indexed, "secret garden", namespace="a")
    fill(indexed, "open field", namespace="b")
    assert titles(indexed, "secret", "b") == []
    assert titles(indexed, "secret", "a") == ["secret garden"]


def test_rebuilding_changes_nothing_and_counts_the_nodes(indexed):
    fill(indexed, "alder carr", "alder", "birch", "beech", "ash")
    before = scores(indexed, "alder")
    assert indexed.sync_search_index(NS) == 5
    assert scores(indexed, "alder") == before


@pytest.mark.parametrize(
    "query",
    [
        *('"', '""', "'", "AND", "OR NOT NEAR", "a*", "^a", "(", "a:b", "title:alder", "{title}", "-a", "+", "\\", "%"),
        *("_", "NEAR(a b)", 'a"b', "'; drop table node; --", "\0", "a\0b", "\ud800", "a\udfffb", "\U0010ffff", "🦉"),
        *("🏳️‍🌈", "\u200b", "字", "ก", "x" * 100_000, "word " * 5_000),
    ],
)
def test_any_text_is_a_valid_query(indexed, query):
    fill(indexed, "alder carr", "a b", "owl 🦉")
    indexed.read(NS, query)
    indexed.read(NS, f'"{query}"')
    indexed.read(NS, f"{query}*")


def test_two_thousand_different_words_are_a_valid_query(indexed):
    fill(indexed, "w7 w11", "w3")
    assert titles(indexed, " ".join(f"w{n}" for n in range(2_000))) != []


def test_a_memory_index_follows_a_rollback(indexed):
    fill(indexed, "kept")
    indexed.read(NS, "kept")
    with pytest.raises(ZeroDivisionError), indexed.transaction():
        indexed.write(NS, title="undone")
        assert titles(indexed, "undone") == ["undone"]
        raise ZeroDivisionError
    assert titles(indexed, "undone") == []
    assert titles(indexed, "kept") == ["kept"]
