"""`read`: order, filters, several namespaces, and meaning beside words."""

from __future__ import annotations

import pytest

from lorelite import Hooks, ModelUnreachable, TransactionError, Wiki, WikiConfig
from lorelite.models import HashEmbedder

NS = "class"
A = "a" * 64


def titles(wiki: Wiki, query: str, namespace=NS, **options) -> list[str]:
    return [node.title for node in wiki.read(namespace, query, **options).facts]


def test_an_empty_query_gives_what_changed_last_unscored(wiki, clock):
    for title in ("first", "second", "third"):
        wiki.write(NS, title=title, node_id=title)
        clock.tick()
    wiki.write(NS, title="first again", node_id="first")
    bundle = wiki.read(NS, "  \n", max_results=2)
    assert [node.title for node in bundle.facts] == ["first again", "third"]
    assert bundle.fact_scores == {}
    assert wiki.read(NS, "", max_results=0).facts == ()


def test_equal_scores_are_ordered_newest_first_then_by_id(wiki, clock):
    for id in ("b", "a"):
        wiki.write(NS, title="twin", node_id=id)
    clock.tick()
    wiki.write(NS, title="twin", node_id="z")
    bundle = wiki.read(NS, "twin")
    assert [node.id for node in bundle.facts] == ["z", "a", "b"]
    assert len(set(bundle.fact_scores.values())) == 1


def test_a_bundle_holds_scores_edges_among_its_facts_tasks_and_events(small_world):
    small_world.write(NS, event={"event_type": "decision", "summary": "go", "related_node_id": "a"})
    bundle = small_world.read(NS, "Node", max_results=3)
    shown = {node.id for node in bundle.facts}
    assert set(bundle.fact_scores) == shown and len(shown) == 3
    assert all(edge.source_id in shown and edge.target_id in shown for edge in bundle.edges)
    assert [(event.summary, event.related_node_id) for event in bundle.events] == [("go", "a")]
    assert bundle.metadata["query"] == "Node"


def test_several_namespaces_are_read_together_best_first_and_each_once(wiki):
    wiki.write("a", title="heron and otter")
    wiki.write("b", title="heron")
    assert set(titles(wiki, "heron", ["a", "b", "a"])) == {"heron and otter", "heron"}
    assert wiki.read(["a", "b"], "heron").metadata["namespaces"] == ["a", "b"]
    assert len(titles(wiki, "heron", ["a", "b"], max_results=1)) == 1
    assert titles(wiki, "heron", []) == []


def test_what_was_not_yet_or_no_longer_true_is_left_out(wiki, clock):
    wiki.write(NS, title="heron old", node_id="old")
    wiki.write(NS, title="heron new", node_id="new")
    begin, end = clock.now + 1_000, clock.now + 2_000
    db = wiki._wiki._engine.store.db
    db.run("update node set valid_to = ? where id = 'old'", (end,))
    db.run("update node set valid_from = ? where id = 'new'", (begin,))
    assert titles(wiki, "heron") == ["heron old"]
    assert set(titles(wiki, "heron", as_of=begin)) == {"heron old", "heron new"}
    assert titles(wiki, "heron", as_of=end) == ["heron new"]
    assert titles(wiki, "heron", as_of=clock.now - 1) == []
    clock.tick(5_000)
    assert titles(wiki, "heron") == titles(wiki, "") == ["heron new"]
    assert [node.title for node in wiki.get_memory_bundle(NS).facts] == ["heron new"]


def test_max_results_of_the_settings_holds_where_none_is_given(open_wiki):
    wiki = open_wiki(config=WikiConfig(max_results=2))
    for number in range(4):
        wiki.write(NS, title=f"heron {number}")
    assert len(titles(wiki, "heron")) == 2
    assert len(titles(wiki, "heron", max_results=4)) == 4


# -- meaning ------------------------------------------------------------------------------------------------------


@pytest.fixture
def semantic(open_wiki) -> Wiki:
    wiki = open_wiki(embedder=HashEmbedder(256))
    wiki.write(NS, title="A grey heron stands", node_id="heron")
    wiki.write(NS, title="Herons standing greyly", node_id="alike")
    wiki.write(NS, title="Tax returns of 1931", node_id="tax")
    return wiki


def test_weight_nought_is_words_alone_and_weight_one_meaning_alone(semantic, open_wiki):
    words = open_wiki()
    for node in semantic.get_memory_bundle(NS).facts:
        words.write(NS, title=node.title, node_id=node.id)
    by_word = semantic.read(NS, "grey heron", hybrid_weight=0)
    assert by_word.fact_scores == words.read(NS, "grey heron").fact_scores
    by_meaning = semantic.read(NS, "grey heron", hybrid_weight=1)
    assert by_meaning.facts[0].id == "heron"
    assert all(-1.000001 <= score <= 1.000001 for score in by_meaning.fact_scores.values())


def test_both_together_find_the_union(semantic):
    query = "greyly taxes heron"
    by_word = set(semantic.read(NS, query, hybrid_weight=0).fact_scores)
    by_meaning = set(semantic.read(NS, query, hybrid_weight=1).fact_scores)
    for weight in (None, 0.5):
        assert set(semantic.read(NS, query, hybrid_weight=weight).fact_scores) == by_word | by_meaning


def test_the_hybrid_score_is_the_weighted_sum_of_cosine_and_share_of_the_best_word_score(semantic):
    query, weight = "grey heron", 0.25
    by_word = semantic.read(NS, query, hybrid_weight=0).fact_scores
    by_meaning = semantic.read(NS, query, hybrid_weight=1).fact_scores
    top = max(by_word.values())
    for id, score in semantic.read(NS, query, hybrid_weight=weight).fact_scores.items():
        expected = weight * max(0.0, by_meaning.get(id, 0.0)) + (1 - weight) * by_word.get(id, 0.0) / top
        assert score == pytest.approx(expected, rel=1e-6)


def test_a_vector_follows_its_text(semantic):
    assert semantic.read(NS, "tax return", hybrid_weight=1).facts[0].id == "tax"
    semantic.write(NS, title="An otter swims at night", node_id="tax")
    assert semantic.get_status(NS).vectors == 3
    found = semantic.read(NS, "otters swimming", hybrid_weight=1)
    assert found.facts[0].id == "tax"
    tax = semantic.read(NS, "tax returns 1931", hybrid_weight=1).fact_scores["tax"]
    assert tax < found.fact_scores["tax"]


def test_a_stale_vector_is_not_used_until_it_is_made_anew(semantic):
    with semantic.transaction():
        semantic.write(NS, title="An otter swims at night", node_id="tax")
    assert "tax" not in semantic.read(NS, "tax returns", hybrid_weight=1).fact_scores
    semantic.sync_search_index(NS)
    assert "tax" in semantic.read(NS, "otter", hybrid_weight=1).fact_scores


def test_a_forgotten_node_is_found_by_meaning_no_more(semantic):
    semantic.forget(NS, node_id="heron")
    assert "heron" not in semantic.read(NS, "grey heron", hybrid_weight=1).fact_scores


def test_kinds_and_namespaces_hold_for_meaning_too(semantic):
    semantic.write("other", title="A grey heron elsewhere", node_id="elsewhere")
    found = semantic.read(NS, "grey heron", hybrid_weight=1)
    assert "elsewhere" not in found.fact_scores
    assert semantic.read(NS, "grey heron", hybrid_weight=1, kinds=["entity"]).facts == ()


def test_vectors_of_another_embedder_are_not_compared(tmp_path, open_wiki):
    wiki = open_wiki(tmp_path / "brain.db", embedder=HashEmbedder(64))
    wiki.write(NS, title="A grey heron")
    wiki.close()
    wiki = open_wiki(tmp_path / "brain.db", embedder=HashEmbedder(128))
    assert wiki.get_status(NS).vectors == 0
    assert titles(wiki, "grey heron") == ["A grey heron"]
    assert wiki.sync_search_index(NS) == 1 and wiki.get_status(NS).vectors == 1
    assert titles(wiki, "grey heron", hybrid_weight=1) == ["A grey heron"]


def test_vectors_of_another_length_are_left_out(open_wiki):
    class Changing(HashEmbedder):
        model_id = "changing"

    embedder = Changing(16)
    wiki = open_wiki(embedder=embedder)
    wiki.write(NS, title="A grey heron", node_id="short")
    embedder.dimensions = 64
    wiki.write(NS, title="Another grey heron", node_id="long")
    assert set(wiki.read(NS, "grey heron", hybrid_weight=1).fact_scores) == {"long"}
    assert set(wiki.read(NS, "grey heron").fact_scores) == {"short", "long"}


def test_reading_and_writing_go_on_while_the_embedder_is_down(open_wiki):
    class Down(HashEmbedder):
        down = False

        async def embed(self, texts):
            if self.down:
                raise ModelUnreachable("http://x", "gone")
            return await super().embed(texts)

    told, fallbacks = [], []
    embedder = Down(64)
    wiki = open_wiki(embedder=embedder, hooks=Hooks(on_diagnostic=told.append, on_retrieval_fallback=fallbacks.append))
    wiki.write(NS, title="A grey heron")
    embedder.down = True
    otter = wiki.write(NS, title="An otter")
    assert [(each.code, dict(each.detail)) for each in told] == [("embedding_failed", {otter.id: "provider_error"})]
    assert titles(wiki, "otter", hybrid_weight=0) == ["An otter"] and fallbacks == []
    assert titles(wiki, "heron") == ["A grey heron"]
    assert [type(error) for error in fallbacks] == [ModelUnreachable]


def test_inside_a_transaction_reading_is_by_words_when_asked_to_and_refused_otherwise(semantic):
    with semantic.transaction():
        semantic.write(NS, title="An otter swims at night", node_id="tax")
        assert titles(semantic, "otter", hybrid_weight=0) == ["An otter swims at night"]
        with pytest.raises(TransactionError, match="inside transaction"):
            semantic.read(NS, "otter")
