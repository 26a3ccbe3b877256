"""A vector ranker in place of the file's own comparison: what it is asked, what is believed, and when it fails."""

from __future__ import annotations

import asyncio

import pytest

from lorelite import AsyncOnlyModel, AsyncWiki, Hooks, InvalidOption, RankerFailed, TransactionError, Wiki, WikiConfig
from lorelite.models import CallableEmbedder

NS = "class"
SECRET = "key=12345"


class Ranker:
    """Gives what a test puts into `answers`, or raises it; remembers what it was asked and told."""

    def __init__(self, answers=()) -> None:
        self.answers = answers
        self.asked: list[tuple] = []
        self.told: list[tuple] = []

    def rank(self, namespace, query_vector, candidate_ids, limit):
        self.asked.append((namespace, list(query_vector), candidate_ids, limit))
        query_vector.clear()
        if isinstance(self.answers, Exception):
            raise self.answers
        return self.answers

    def on_embedding_persisted(self, namespace, node_id, vector):
        self.told.append((namespace, node_id, vector))


@pytest.fixture
def world(open_wiki):
    """(wiki, ranker, hook calls); nodes a, b, c whose titles share a word, and a draft."""

    def make(answers=(), **settings):
        ranker, calls = Ranker(answers), {"ranker": [], "retrieval": []}
        wiki = open_wiki(
            embedder=CallableEmbedder(lambda texts: [[1.0, len(text)] for text in texts], "table"),
            vector_ranker=ranker,
            config=WikiConfig(**settings),
            hooks=Hooks(
                on_vector_ranker_fallback=calls["ranker"].append, on_retrieval_fallback=calls["retrieval"].append
            ),
        )
        for id in "abc":
            wiki.write(NS, title=f"heron {id * (ord(id) - 96)}", node_id=id)
        return wiki, ranker, calls

    return make


def ids(wiki: Wiki, **options) -> list[str]:
    return [fact.id for fact in wiki.read(NS, "heron", **options).facts]


def test_the_ranker_is_asked_for_a_namespace_and_given_a_copy_of_the_vector(world):
    wiki, ranker, _ = world([("a", 0.9)])
    wiki.read(NS, "heron", hybrid_weight="cosine", max_results=3)
    assert ranker.asked == [(NS, [1.0, 5], None, 56)]


def test_its_order_counts_and_what_it_leaves_out_comes_last_without_a_score(world):
    wiki, _, _ = world([("c", 0.9), ("a", -0.5)])
    bundle = wiki.read(NS, "heron", hybrid_weight="cosine")
    assert [fact.id for fact in bundle.facts] == ["c", "a", "b"]
    assert bundle.fact_scores == {"c": 0.9, "a": -0.5}


def test_only_live_nodes_of_the_namespace_count_each_once_and_finite(world):
    wiki, _, _ = world(
        [("elsewhere", 1.0), ("b", float("nan")), ("c", 0.9), ("c", 0.1), ("gone", 1.0), ("foreign", 1.0), ("a", 0.2)]
    )
    wiki.write("other", title="heron", node_id="foreign")
    wiki.write(NS, title="heron", node_id="gone")
    wiki.forget(NS, node_id="gone")
    assert wiki.read(NS, "heron", hybrid_weight="cosine").fact_scores == {"c": 0.9, "a": 0.2}


def test_filters_hold_for_what_the_ranker_names(world, clock):
    wiki, _, _ = world([("a", 0.9), ("b", 0.8), ("c", 0.7)])
    db = wiki._wiki._engine.store.db
    db.run("update node set lifecycle = 'draft' where id = 'a'")
    db.run("update node set valid_to = ? where id = 'b'", (clock.now,))
    options = {"hybrid_weight": "cosine", "exclude_drafts": True}
    assert ids(wiki, **options) == ["c"]
    assert ids(wiki, **options, kinds=["entity"]) == []
    assert set(ids(wiki, **options, as_of=clock.now - 1)) == set()


def test_a_weight_blends_its_similarities_with_words(world):
    wiki, _, _ = world([("c", 0.5)])
    words = wiki.read(NS, "heron", hybrid_weight=0).fact_scores
    blended = wiki.read(NS, "heron", hybrid_weight=0.5).fact_scores
    top = max(words.values())
    assert blended == pytest.approx({id: 0.5 * score / top + (0.25 if id == "c" else 0) for id, score in words.items()})


def test_with_a_pre_filter_it_is_asked_for_what_was_found_by_words_too(world):
    wiki, ranker, _ = world([("c", 0.5), ("a", 0.4)])
    wiki.read(NS, "heron", hybrid_weight=0.5, pre_filter_limit=2)
    assert [(candidates and sorted(candidates), limit) for _, _, candidates, limit in ranker.asked] == [
        (None, 2),
        (["a", "b"], 2),
    ]


@pytest.mark.parametrize("broken", [RuntimeError(SECRET), 5, "no", [("a",)], [("a", "x")], None], ids=repr)
@pytest.mark.parametrize("policy", ["exact", "js-cosine", "keyword", "empty", "throw"])
def test_a_ranker_that_fails_is_replaced_as_the_settings_say(world, broken, policy):
    wiki, _, calls = world(broken, vector_ranker_fallback=policy, propagate_ranker_failure=True)
    if policy == "throw":
        with pytest.raises(RankerFailed):
            wiki.read(NS, "heron")
    else:
        alone = wiki.read(NS, "heron", hybrid_weight=0)
        found = wiki.read(NS, "heron", hybrid_weight="cosine")
        assert found.fact_scores.keys() == ({} if policy == "empty" else alone.fact_scores).keys()
        assert (found.fact_scores == alone.fact_scores) == (policy == "keyword")
    [fallback] = calls["ranker"]
    assert fallback.policy == ("exact" if policy == "js-cosine" else policy) and fallback.namespaces == (NS,)
    assert len(calls["retrieval"]) == (policy != "throw")


def test_what_the_ranker_says_of_its_failure_is_withheld_everywhere(world):
    wiki, _, calls = world(RuntimeError(SECRET), vector_ranker_fallback="throw", propagate_ranker_failure=True)
    with pytest.raises(RankerFailed) as caught:
        wiki.read(NS, "heron")
    error: BaseException | None = caught.value
    told = [*calls["ranker"], *calls["retrieval"], caught.value.data]
    assert "RuntimeError" in str(error) and SECRET not in repr(told)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_it_is_told_when_the_settings_ask_for_it(world):
    wiki, _, _ = world(RuntimeError(SECRET), vector_ranker_fallback="throw", sanitize_ranker_errors=False)
    with pytest.raises(RankerFailed, match=SECRET) as caught:
        wiki.read(NS, "heron")
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_inside_a_transaction_it_is_not_asked(world):
    wiki, _, _ = world([("a", 1.0)])
    with wiki.transaction(), pytest.raises(TransactionError):
        wiki.read(NS, "heron")


# -- being told ---------------------------------------------------------------------------------------------------


def test_it_is_told_of_every_vector_that_is_stored(world):
    _, ranker, _ = world()
    assert ranker.told == [(NS, id, [1.0, 6 + ord(id) - 96]) for id in "abc"]


def test_a_failing_hook_does_not_cost_the_write(open_wiki):
    class Deaf(Ranker):
        def on_embedding_persisted(self, *_):
            raise RuntimeError(SECRET)

    told = []
    wiki = open_wiki(
        embedder=CallableEmbedder(lambda texts: [[1.0] for _ in texts], "table"),
        vector_ranker=Deaf(),
        hooks=Hooks(on_diagnostic=told.append),
    )
    wiki.write(NS, title="heron", node_id="a")
    assert wiki.get_status(NS).vectors == 1
    assert [(each.code, each.detail["node_id"]) for each in told] == [("hook_failed", "a")]
    assert SECRET not in repr(told)


def test_a_ranker_needs_no_hook(open_wiki):
    class Plain:
        def rank(self, *_):
            return []

    wiki = open_wiki(embedder=CallableEmbedder(lambda texts: [[1.0] for _ in texts], "t"), vector_ranker=Plain())
    wiki.write(NS, title="heron", node_id="a")
    assert ids(wiki) == ["a"]


def test_anything_that_cannot_rank_is_refused(open_wiki):
    with pytest.raises(InvalidOption, match="vector_ranker"):
        open_wiki(vector_ranker=object())


@pytest.mark.cpython_only  # asyncio.run
def test_a_ranker_to_be_awaited_serves_the_awaited_wiki_alone():
    class Awaited(Ranker):
        async def rank(self, *arguments):
            await asyncio.sleep(0)
            return super().rank(*arguments)

        async def on_embedding_persisted(self, *arguments):
            super().on_embedding_persisted(*arguments)

    with pytest.raises(AsyncOnlyModel, match="Awaited"):
        Wiki.open(":memory:", vector_ranker=Awaited())

    async def use():
        ranker = Awaited([("a", 0.5)])
        embedder = CallableEmbedder(lambda texts: [[1.0] for _ in texts], "table")
        async with await AsyncWiki.open(":memory:", embedder=embedder, vector_ranker=ranker) as wiki:
            await wiki.write(NS, title="heron", node_id="a")
            found = await wiki.read(NS, "heron", hybrid_weight="cosine")
            return dict(found.fact_scores), ranker.told

    assert asyncio.run(use()) == ({"a": 0.5}, [(NS, "a", [1.0])])


def test_what_is_forgotten_must_go_there_too_or_the_call_fails(world):
    wiki, ranker, _ = world()
    wiki.forget(NS, node_id="a")
    assert ranker.told[-1] == (NS, "a", None)

    def deaf(*_):
        raise RuntimeError(SECRET)

    wiki._wiki._engine.ranker._hook = deaf
    with pytest.raises(RankerFailed) as caught:
        wiki.forget(NS, node_id="b")
    assert SECRET not in repr(caught.value)


def test_deleting_can_go_on_without_it(open_wiki):
    class Deaf(Ranker):
        def on_embedding_persisted(self, namespace, node_id, vector):
            if vector is None:
                raise RuntimeError(SECRET)

    told = []
    wiki = open_wiki(
        embedder=CallableEmbedder(lambda texts: [[1.0] for _ in texts], "table"),
        vector_ranker=Deaf(),
        config=WikiConfig(force_delete_ignores_ranker=True),
        hooks=Hooks(on_diagnostic=told.append),
    )
    wiki.write(NS, title="heron", node_id="a")
    assert wiki.forget(NS, node_id="a").nodes == 1
    assert [each.code for each in told] == ["hook_failed"] and SECRET not in repr(told)


@pytest.mark.cpython_only  # asyncio.run
def test_a_hook_that_takes_too_long_counts_as_failed():
    class Slow(Ranker):
        async def on_embedding_persisted(self, namespace, node_id, vector):
            if vector is None:
                await asyncio.Event().wait()

    async def use():
        embedder = CallableEmbedder(lambda texts: [[1.0] for _ in texts], "table")
        config = WikiConfig(deletion_hook_timeout_ms=1)
        async with await AsyncWiki.open(":memory:", embedder=embedder, vector_ranker=Slow(), config=config) as wiki:
            await wiki.write(NS, title="heron", node_id="a")
            with pytest.raises(RankerFailed, match="TimeoutError"):
                await wiki.forget(NS, node_id="a")

    asyncio.run(use())


def test_what_comes_back_without_being_embedded_is_told_too(world):
    wiki, ranker, _ = world()
    wiki.forget(NS, node_id="a")
    ranker.told.clear()
    wiki.undo(NS)
    assert ranker.told == [(NS, "a", [1.0, 7])]
    wiki.undo(NS)
    assert ranker.told[1:] == [(NS, "a", None)]


def test_vectors_that_are_imported_are_told(world, open_wiki):
    wiki, _, _ = world()
    dump = wiki.export_dump(NS)
    other = Ranker()
    embedder = CallableEmbedder(lambda texts: [[0.0, 0.0] for _ in texts], "table")
    open_wiki(embedder=embedder, vector_ranker=other).import_dump(dump)
    assert sorted(other.told) == [(NS, id, [1.0, 6 + ord(id) - 96]) for id in "abc"]


def test_events_of_another_wiki_tell_what_was_deleted_and_what_is_new(world, open_wiki):
    wiki, _, _ = world()
    other = Ranker()
    follower = open_wiki(embedder=CallableEmbedder(lambda texts: [[1.0] for _ in texts], "t"), vector_ranker=other)
    events = wiki.get_outbox_events()
    follower.apply_outbox_events(NS, events)
    wiki.mark_outbox_events_processed(events)
    assert other.told[-3:] == [(NS, id, [1.0]) for id in "abc"]
    other.told.clear()
    wiki.forget(NS, node_id="a")
    follower.apply_outbox_events(NS, wiki.get_outbox_events())
    assert other.told == [(NS, "a", None)]
