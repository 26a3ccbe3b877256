"""`read`: several namespaces, budgets, types, and what the searches hand on."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, NotFound, Wiki
from lorelite.models import CallableEmbedder

NS = "class"


@pytest.fixture
def tiers(wiki) -> Wiki:
    wiki.write("wise", title="Heron", body="lives by the weir", node_id="w1")
    wiki.write("wise", title="Otter", body="fears the heron", node_id="w2")
    wiki.write("work", title="Heron heron", body="heron", node_id="k1")
    return wiki


def ids(wiki: Wiki, names: str | list[str], query: str = "heron", **options) -> list[str]:
    return [fact.id for fact in wiki.read(names, query, **options).facts]


# -- several namespaces -------------------------------------------------------------------------------------------


def test_a_name_of_a_list_that_is_not_there_yet_gives_nothing_and_is_told(tiers):
    bundle = tiers.read(["wise", "later"], "heron")
    assert {fact.id for fact in bundle.facts} == {"w1", "w2"}
    assert bundle.metadata["unknown_namespaces"] == ["later"]
    assert "unknown_namespaces" not in tiers.read(["wise"], "heron").metadata
    with pytest.raises(NotFound, match="later"):
        tiers.read("later", "heron")


def test_a_list_may_be_empty_or_hold_a_hundred_names_and_no_more(tiers):
    empty = tiers.read([], "heron")
    assert (empty.facts, empty.tasks, empty.events, empty.metadata["namespaces"]) == ((), (), (), [])
    assert ids(tiers, ["wise", *(f"n{number}" for number in range(99))]) == ["w1", "w2"]
    with pytest.raises(InvalidOption, match="at most 100"):
        tiers.read([f"n{number}" for number in range(101)], "heron")


def test_a_small_namespace_is_not_drowned_by_a_large_one(wiki):
    for number in range(60):
        wiki.write("large", title=f"Bird {number}", body="other birds" if number % 12 else "a heron among birds")
    wiki.write("small", title="Heron", body="stands at the weir", node_id="own")
    assert ids(wiki, ["large", "small"])[0] == "own"


def test_weights_multiply_the_scores_and_are_told(tiers):
    plain = tiers.read(["wise", "work"], "heron").fact_scores
    weighted = tiers.read(["wise", "work"], "heron", tier_weights={"wise": 100, "work": 0.25})
    assert weighted.fact_scores == pytest.approx(
        {"w1": 100 * plain["w1"], "w2": 100 * plain["w2"], "k1": plain["k1"] / 4}
    )
    assert [fact.id for fact in weighted.facts] == ["w1", "w2", "k1"]
    assert weighted.metadata["tier_weights"] == {"wise": 100, "work": 0.25}


def test_weight_nought_leaves_a_namespace_out_or_puts_it_last(tiers):
    names = ["wise", "work"]
    assert ids(tiers, names, tier_weights={"work": 0}) == ["w1", "w2"]
    bundle = tiers.read(names, "heron", tier_weights={"work": 0}, include_zero_weight=True)
    assert [fact.id for fact in bundle.facts] == ["w1", "w2", "k1"] and bundle.fact_scores["k1"] == 0


def test_a_missing_or_endless_weight_is_one_and_a_negative_one_nought(tiers):
    bundle = tiers.read(["wise", "work"], "heron", tier_weights={"wise": float("nan"), "work": -3, "other": 5})
    assert bundle.metadata["tier_weights"] == {"wise": 1, "work": 0}
    assert [fact.id for fact in bundle.facts] == ["w1", "w2"]


def test_weights_and_floors_mean_nothing_for_one_name(tiers):
    assert ids(tiers, "wise", tier_weights={"wise": 0}) == ["w1", "w2"]


def test_a_floor_keeps_places_for_a_namespace(tiers):
    names, one = ["wise", "work"], {"max_results": 1}
    assert ids(tiers, names, **one) == ["k1"]
    assert ids(tiers, names, **one, tier_floors={"wise": 1}) == ["w1"]
    assert tiers.read(names, "heron", tier_floors={"wise": 1.9}).metadata["tier_floors"] == {"wise": 1}


@pytest.mark.parametrize(
    "options",
    [
        {"tier_floors": {"elsewhere": 1}},
        {"tier_floors": {"wise": 1}, "tier_weights": {"wise": 0}},
        {"tier_floors": {"wise": 2, "work": 2}, "max_results": 3},
        {"tier_floors": {"wise": "many"}},
        {"tier_weights": {"wise": "much"}},
        {"tier_weights": {"wise": 10**400}},
        {"tier_weights": [1]},
        {"tier_weights": {3: 1}},
    ],
    ids=str,
)
def test_weights_and_floors_that_cannot_be_kept_are_refused(tiers, options):
    with pytest.raises(InvalidOption, match="tier_"):
        tiers.read(["wise", "work"], "heron", **options)


def test_of_one_namespace_all_tasks_are_shown_and_of_several_twenty_each(wiki):
    for name in ("a", "b"):
        for number in range(30):
            wiki.add_task(name, description=f"{name} {number}", priority=9 if name == "a" else 1)
            wiki.write(name, event={"summary": f"{name} {number}"})
    alone, both = wiki.read("a", ""), wiki.read(["a", "b"], "")
    assert (len(alone.tasks), len(alone.events)) == (30, 10)
    assert (len(both.tasks), len(both.events)) == (40, 20)
    assert [task.namespace for task in both.tasks] == ["a"] * 30 + ["b"] * 10
    assert [event.summary for event in alone.events] == [f"a {number}" for number in range(20, 30)]


# -- budget, types, drafts ----------------------------------------------------------------------------------------


def test_a_token_budget_keeps_what_is_worth_most_for_its_length(wiki):
    wiki.write(NS, title="heron", body="heron heron", node_id="best")
    wiki.write(NS, title="heron", body="heron " + "word " * 200, node_id="long")
    wiki.write(NS, title="a heron", body="", node_id="short")
    assert ids(wiki, NS) == ["best", "short", "long"]
    bundle = wiki.read(NS, "heron", token_budget=20)
    assert [fact.id for fact in bundle.facts] == ["best", "short"] == list(bundle.fact_scores)
    assert bundle.metadata["tokens"] == {"used": 6, "candidates": 3, "packed": 2}


def test_the_best_fact_is_kept_within_the_smallest_budget_with_its_body_cut(wiki):
    wiki.write(NS, title="heron", body="x" * 400, node_id="a")
    [fact] = wiki.read(NS, "heron", token_budget=12).facts
    assert fact.body == "x" * 40
    assert wiki.get_memory_bundle(NS).facts[0].body == "x" * 400


def test_types_are_found_without_regard_to_case_and_for_an_empty_query_too(wiki):
    for number in range(40):
        wiki.write(NS, title=f"heron {number}", node_type="note")
    wiki.write(NS, title="heron of the weir", node_type="Bird", node_id="bird")
    for query in ("heron", ""):
        assert ids(wiki, NS, query, node_types=["bird"], max_results=5) == ["bird"]
    assert ids(wiki, NS, node_types=[]) == [] == ids(wiki, NS, node_types=["fish"])


def test_a_parent_type_finds_its_children(wiki):
    wiki.set_ontology(
        NS,
        {"node_types": [{"type": "work"}, {"type": "book", "parent_type": "work"}], "edge_types": []},
        mode="emergent",
    )
    wiki.write(NS, title="heron book", node_type="book", node_id="book")
    wiki.write(NS, title="heron tale", node_type="tale", node_id="tale")
    assert ids(wiki, NS, node_types=["work"]) == ["book"]


# -- meaning ------------------------------------------------------------------------------------------------------

TABLE = {"north": [1, 0], "east": [0, 1], "south": [-1, 0], "long": [1, 0, 0]}


@pytest.fixture
def compass(open_wiki) -> Wiki:
    """Nodes whose vectors point where their first word says, and one without a vector."""
    wiki = open_wiki(embedder=CallableEmbedder(lambda texts: [TABLE[text.split()[0]] for text in texts], "table"))
    for word in ("north", "east", "south"):
        wiki.write(NS, title=word, body="star" if word == "south" else "", node_id=word)
    with wiki.transaction():
        wiki.write(NS, title="north unembedded", node_id="none")
    return wiki


def test_the_bare_cosine_may_be_negative_and_a_node_without_a_vector_has_no_score(compass):
    bundle = compass.read(NS, "north", hybrid_weight="cosine")
    assert [fact.id for fact in bundle.facts] == ["north", "east", "south", "none"]
    assert bundle.fact_scores == pytest.approx({"north": 1, "east": 0, "south": -1})


def test_weight_one_does_not_go_below_nought(compass):
    scores = compass.read(NS, "north", hybrid_weight=1).fact_scores
    assert scores == pytest.approx({"north": 1, "east": 0, "south": 0})


def test_a_pre_filter_joins_the_best_by_words_and_the_best_by_meaning_each_with_its_true_cosine(compass):
    def scores(weight, width):
        return compass.read(NS, "north star", hybrid_weight=weight, pre_filter_limit=width).fact_scores

    assert scores("cosine", 1) == pytest.approx({"north": 1, "south": -1})
    assert scores(0.5, 1) == pytest.approx({"north": 0.5, "south": 0.5})
    assert scores(0.5, 0) == {}
    assert ids(compass, NS, "north", hybrid_weight=0, pre_filter_limit=1) == ["north", "none"]


def test_no_word_in_common_is_no_reason_to_find_nothing(compass):
    assert ids(compass, NS, "north", hybrid_weight="cosine", pre_filter_limit=2, max_results=1) == ["north"]


def test_vectors_of_another_length_cost_the_meaning_and_are_told(open_wiki):
    from lorelite import Hooks

    told: list[Exception] = []
    embedder = CallableEmbedder(lambda texts: [TABLE[text.split()[0]] for text in texts], "table")
    wiki = open_wiki(embedder=embedder, hooks=Hooks(on_retrieval_fallback=told.append))
    wiki.write(NS, title="north long", node_id="north")
    assert ids(wiki, NS, "long north", hybrid_weight="cosine") == ["north"]
    [error] = told
    assert "run_reembed" in str(error)


@pytest.mark.parametrize("answer", [[], [[]], [[float("nan"), 0]], [[1e300, 0]], "no", [["x"]], [[1], [2]]], ids=str)
def test_a_bad_vector_of_the_query_costs_the_meaning_and_is_told(open_wiki, answer):
    from lorelite import Hooks, ModelError

    told: list[Exception] = []
    answers = [[[1, 0]]]
    embedder = CallableEmbedder(lambda texts: answers[-1], "table")
    wiki = open_wiki(embedder=embedder, hooks=Hooks(on_retrieval_fallback=told.append))
    wiki.write(NS, title="north", node_id="north")
    answers.append(answer)
    assert ids(wiki, NS, "north") == ["north"]
    assert [isinstance(error, ModelError) for error in told] == [True]


def test_a_hook_that_fails_costs_nothing(open_wiki):
    from lorelite import Hooks

    def fail(error: Exception) -> None:
        raise RuntimeError("the hook")

    answers = [[[1, 0]]]
    wiki = open_wiki(
        embedder=CallableEmbedder(lambda texts: answers[-1], "table"), hooks=Hooks(on_retrieval_fallback=fail)
    )
    wiki.write(NS, title="north", node_id="north")
    answers.append([])
    assert ids(wiki, NS, "north") == ["north"]
