"""Where Lorelite gives another value than the engine it is compared with, because that one is better: walks and reads.

Each test names the cases it stands for; bench.conformance runs the cases themselves.
"""

from __future__ import annotations

import pytest
from tests.conftest import HASH_A, NS

from lorelite import InvalidOption, WikiConfig
from lorelite.models import CallableEmbedder

COMPASS = {"north": [0.0, 1.0], "east": [1.0, 0.0], "west": [-1.0, 0.0]}


def star(wiki, hub, *leaves, kind="rel"):
    """A hub with an edge to each leaf."""
    nodes = [{"id": id, "title": id} for id in (hub, *leaves)]
    edges = [{"id": f"{hub}>{leaf}", "type": kind, "source_id": hub, "target_id": leaf} for leaf in leaves]
    wiki.upsert_graph(NS, source_ref="star", source_hash=HASH_A, nodes=nodes, edges=edges)


def walk(wiki, source, **options):
    found = wiki.traverse_graph(NS, source_id=source, **options)
    return [node.id for node in found.nodes], sorted(edge.id for edge in found.edges)


def ids(wiki, query, namespace=NS, **options):
    return [node.id for node in wiki.read(namespace, query, **options).facts]


def pointing(texts):
    """The vector of the first direction that a text names; east without one."""
    return [next((COMPASS[word] for word in COMPASS if word in text), COMPASS["east"]) for text in texts]


@pytest.fixture
def compass(open_wiki):
    """Nodes whose vectors point where their texts say; "lamp" is in two of them, and a query for it points east."""
    wiki = open_wiki(embedder=CallableEmbedder(pointing, "compass"), config=WikiConfig(track_access=False))
    for id, body in (("far", "west lamp lamp"), ("near", "east"), ("aside", "north lamp")):
        wiki.write(NS, node_id=id, title=id, body=body)
    return wiki


# -- walks ----------------------------------------------------------------------------------------------------------


def test_ties_of_a_walk_are_broken_by_newest_then_id(wiki, clock):
    """trav-ranking-ties"""
    star(wiki, "hub", "z", "m", "b")
    assert walk(wiki, "hub")[0] == ["hub", "b", "m", "z"]
    clock.tick()
    wiki.write(NS, node_id="later", title="later")
    wiki.upsert_graph(
        NS, source_ref="more", source_hash="b" * 64, edges=[{"type": "rel", "source_id": "hub", "target_id": "later"}]
    )
    assert walk(wiki, "hub", max_nodes=3)[0] == ["hub", "later", "b"]


def test_an_id_with_commas_hides_no_neighbour(wiki):
    """trav-comma-id-bug"""
    star(wiki, "a,b", "a", "b", "c")
    assert walk(wiki, "a,b") == (["a,b", "a", "b", "c"], ["a,b>a", "a,b>b", "a,b>c"])


def test_an_unknown_direction_is_refused_with_the_three_that_there_are(small_world):
    """trav-invalid-direction"""
    with pytest.raises(InvalidOption, match=r"direction.*sideways") as caught:
        walk(small_world, "a", direction="sideways")
    assert all(name in str(caught.value) for name in ("outbound", "inbound", "both"))


def test_an_unknown_confidence_is_refused(small_world):
    """trav-invalid-direction, trav-confidence-dead-end-anchor-exempt"""
    with pytest.raises(InvalidOption, match=r"min_confidence.*bogus"):
        walk(small_world, "a", min_confidence="bogus")


@pytest.mark.parametrize("depth", [1.5, float("nan")])
def test_a_depth_that_is_no_whole_number_is_refused(small_world, depth):
    """trav-invalid-direction, trav-depth-clamp"""
    with pytest.raises(InvalidOption, match="max_depth"):
        walk(small_world, "a", max_depth=depth)


@pytest.mark.parametrize("count", [2.9, 0, float("nan")])
def test_a_number_of_nodes_that_makes_no_sense_is_refused(small_world, count):
    """trav-invalid-direction, trav-cap-and-order"""
    with pytest.raises(InvalidOption, match="max_nodes"):
        walk(small_world, "a", max_nodes=count)


def test_a_walk_heeds_the_moment_and_the_token_budget(small_world, clock):
    """trav-unknown-options-asOf-tokenBudget"""
    assert walk(small_world, "a", as_of=5) == (["a"], [])
    assert walk(small_world, "a", as_of=clock.now)[0] == ["a", "b", "e"]
    assert walk(small_world, "a", token_budget=5)[0] == ["a"]


def test_the_edges_of_a_walk_may_be_only_those_that_it_used(wiki):
    """trav-induced-edges-ignore-direction-and-type"""
    star(wiki, "hub", "x", "y", kind="knows")
    back = {"id": "back", "type": "pays", "source_id": "x", "target_id": "hub"}
    across = {"id": "across", "type": "knows", "source_id": "x", "target_id": "y"}
    wiki.upsert_graph(NS, source_ref="more", source_hash="b" * 64, edges=[back, across])
    options = {"direction": "outbound", "edge_types": ["knows"]}
    assert walk(wiki, "hub", **options) == (["hub", "x", "y"], ["across", "back", "hub>x", "hub>y"])
    assert walk(wiki, "hub", edges="walked", **options) == (["hub", "x", "y"], ["hub>x", "hub>y"])


# -- reads ----------------------------------------------------------------------------------------------------------


def test_what_was_held_true_at_a_moment_is_read(wiki, clock):
    """temporal-not-in-7.7.4"""
    wiki.write(NS, node_id="old", title="Harbour master", body="Ada")
    before = clock.now
    clock.tick()
    wiki.write(NS, node_id="new", title="Harbour master", body="Ben")
    wiki.supersede(NS, node_id="old", by="new")
    assert ids(wiki, "harbour", as_of=before - 1) == []
    assert ids(wiki, "harbour", as_of=before) == ["old"]
    assert ids(wiki, "harbour") == ["new"]
    assert [each.id for each in wiki.history(NS, node_id="new")] == ["old", "new"]


def test_the_scores_of_a_namespace_are_its_own(wiki):
    """read-scores-depend-on-other-entities"""
    wiki.write(NS, node_id="a", title="lamp one")
    wiki.write(NS, node_id="b", title="other", body="lamp")
    before = wiki.read(NS, "lamp").fact_scores
    for number in range(20):
        wiki.write("neighbour", title="lamp", body="lamp " * number)
    assert wiki.read(NS, "lamp").fact_scores == before


def test_words_are_found_in_the_order_of_clear_cases_and_the_shorter_of_two_first(wiki):
    """read-keyword-order-and-scores, upsert-basic-row-shape"""
    wiki.write(NS, node_id="aside", title="Harbour", body="with a mention of one lamp among many other words")
    wiki.write(NS, node_id="long", title="Lamp", body="of brass")
    wiki.write(NS, node_id="short", title="Lamp")
    found = wiki.read(NS, "LAMP")
    assert [node.id for node in found.facts] == ["short", "long", "aside"]
    scores = [found.fact_scores[node.id] for node in found.facts]
    assert scores == sorted(scores, reverse=True) and scores[-1] > 0


def test_a_misspelling_is_tried_only_where_the_word_itself_is_not_there(wiki):
    """read-keyword-order-and-scores"""
    wiki.write(NS, node_id="exact", title="Lamps of the harbour wall and all the men who lit them", body="lamp")
    wiki.write(NS, node_id="like", title="Lump")
    assert ids(wiki, "lamp") == ["exact"]
    assert ids(wiki, "lmap") == ["exact"], "two letters swapped"


def test_the_shares_of_words_and_meaning_are_those_that_were_asked_for(compass):
    """read-hybrid-weights"""
    found = compass.read(NS, "lamp", hybrid_weight=0.5)
    words = compass.read(NS, "lamp", hybrid_weight=0).fact_scores
    best = max(words.values())
    assert best < 1, "so that dividing by max(1, best) would shrink the words' share"
    assert found.fact_scores == pytest.approx(
        {"far": 0.5 * words["far"] / best, "near": 0.5, "aside": 0.5 * words["aside"] / best}, abs=1e-6
    )


def test_what_shares_no_word_with_the_query_is_found_by_meaning(compass):
    """read-prefilter"""
    assert ids(compass, "eastward", hybrid_weight="cosine", pre_filter_limit=1) == ["near"]
    assert set(ids(compass, "lamp", hybrid_weight=0.5, pre_filter_limit=1)) == {"far", "near"}


def test_reading_changes_no_order_and_writes_nothing_itself(wiki):
    """read-access-tracking, read-embed-fallbacks"""
    for id in ("b", "a"):
        wiki.write(NS, node_id=id, title="lamp")
    before = wiki.read(NS, "lamp")
    for _ in range(3):
        wiki.read(NS, "lamp", max_results=1)
    assert [node.access_count for node in wiki.export_dump().namespaces[NS].facts] == [0, 0], "counted, not yet stored"
    wiki.flush()
    after = wiki.read(NS, "lamp")
    assert sum(node.access_count for node in after.facts) == 5
    assert ([node.id for node in after.facts], after.fact_scores) == (["a", "b"], before.fact_scores)


def test_access_may_be_left_uncounted(open_wiki):
    """read-access-tracking"""
    wiki = open_wiki(config=WikiConfig(track_access=False))
    wiki.write(NS, title="lamp")
    wiki.read(NS, "lamp")
    wiki.flush()
    assert wiki.read(NS, "lamp").facts[0].access_count == 0


def test_what_changed_at_one_moment_is_read_in_the_order_of_ids_whatever_the_namespace(wiki):
    """read-tier-weights, trav-ranking-ties"""
    for namespace, id in (("wise", "w2"), ("work", "k1"), ("wise", "w1")):
        wiki.write(namespace, node_id=id, title=id)
    assert ids(wiki, "", ["wise", "work"]) == ["k1", "w1", "w2"]


def test_events_of_one_moment_are_read_in_the_order_in_which_they_were_told(wiki):
    """write-validation-and-autolibrarian, trav-ranking-ties"""
    for summary in ("one", "two", "three"):
        wiki.write(NS, event={"summary": summary})
    assert [event.summary for event in wiki.read(NS, "").events] == ["one", "two", "three"]
