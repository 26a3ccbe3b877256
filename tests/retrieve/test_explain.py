"""`read(explain=True)`: why each node is there."""

from __future__ import annotations

import pytest

from lorelite import Wiki, WikiConfig
from lorelite.models import HashEmbedder

NS = "class"


@pytest.fixture
def birds(open_wiki) -> Wiki:
    wiki = open_wiki(embedder=HashEmbedder())
    wiki.write(NS, title="Grey heron", body="Fishes at Marsh Lock at dawn", node_id="heron")
    wiki.write(NS, title="Kingfisher", body="Nests below the lock", node_id="kingfisher")
    wiki.write(NS, title="Barn owl", body="Hunts over the meadow", node_id="owl")
    return wiki


def test_nothing_is_explained_unless_asked(birds):
    assert birds.read(NS, "heron lock").explanations == {}
    assert birds.read(NS, "", explain=True).explanations == {}


def test_places_and_scores_of_the_search_by_words_are_told(birds):
    bundle = birds.read(NS, "heron lock", hybrid_weight=0, explain=True)
    assert set(bundle.explanations) == {node.id for node in bundle.facts} == {"heron", "kingfisher"}
    why = bundle.explanations["heron"]
    assert why.keyword_rank == 1 and why.keyword_score == bundle.fact_scores["heron"]
    assert why.semantic_rank is why.semantic_score is why.graph_rank is why.graph_score is None
    assert bundle.explanations["kingfisher"].keyword_rank == 2


def test_a_hit_of_both_searches_is_told_of_both(birds):
    bundle = birds.read(NS, "heron lock", explain=True)
    owl, heron = bundle.explanations["owl"], bundle.explanations["heron"]
    assert owl.keyword_rank is owl.keyword_score is None
    assert owl.semantic_rank == 3
    assert (heron.keyword_rank, heron.semantic_rank) == (1, 1)
    cosines = birds.read(NS, "heron lock", hybrid_weight="cosine").fact_scores
    assert heron.semantic_score == pytest.approx(cosines["heron"])


def test_matched_terms_are_those_the_node_holds_as_the_query_wrote_them(birds):
    bundle = birds.read(NS, "Which HERON is at the Lock, or an eagle?", explain=True)
    terms = {id: why.matched_terms for id, why in bundle.explanations.items()}
    assert terms == {"heron": ("HERON", "Lock"), "kingfisher": ("Lock",), "owl": ()}


def test_a_beginning_and_a_misspelling_count_as_what_they_stood_for(birds):
    bundle = birds.read(NS, "kingfi herom", hybrid_weight=0, explain=True)
    terms = {id: why.matched_terms for id, why in bundle.explanations.items()}
    assert terms == {"kingfisher": ("kingfi",), "heron": ("herom",)}


@pytest.mark.parametrize("search", ["read", "pagerank_search"])
def test_what_a_term_stood_for_is_told_among_the_kinds_that_were_searched(open_wiki, search):
    wiki = open_wiki()
    nodes = [{"id": "e", "title": "Lantren", "kind": "entity"}, {"id": "f", "title": "The lantern", "kind": "fact"}]
    wiki.upsert_graph("n", source_ref="s", source_hash="a" * 64, nodes=nodes)
    found = getattr(wiki, search)("n", "lantren", kinds=["fact"], explain=True)
    assert {id: why.matched_terms for id, why in found.explanations.items()} == {"f": ("lantren",)}


def test_a_phrase_counts_where_its_words_stand_in_a_row(birds):
    birds.write(NS, title="Lock at Marsh", node_id="turned")
    terms = {id: why.matched_terms for id, why in birds.read(NS, '"marsh lock"', explain=True).explanations.items()}
    assert terms["heron"] == ("marsh lock",)
    assert terms["turned"] == ()


def test_what_the_query_asks_for_is_marked_in_title_and_body(birds):
    bundle = birds.read(NS, "herons at the lock", hybrid_weight=0, explain=True)
    node = next(node for node in bundle.facts if node.id == "heron")
    marked = [(mark.field, getattr(node, mark.field)[mark.start : mark.end]) for mark in
              bundle.explanations["heron"].highlights]  # fmt: skip
    assert marked == [("title", "heron"), ("body", "Lock")]
    assert bundle.explanations["heron"].matched_terms == ("herons", "lock")


def test_explanations_are_of_what_is_shown_in_every_namespace(birds):
    birds.write("rules", title="Lock times", node_id="times")
    bundle = birds.read([NS, "rules"], "lock", max_results=2, hybrid_weight=0, explain=True)
    assert set(bundle.explanations) == {node.id for node in bundle.facts} == {"times", "kingfisher"}
    assert {why.keyword_rank for why in bundle.explanations.values()} == {1}


@pytest.mark.parametrize("index", ["fts5", "memory"])
def test_both_indexes_explain_alike(open_wiki, index):
    wiki = open_wiki(config=WikiConfig(keyword_index=index))
    wiki.write(NS, title="multi-agent planning", node_id="n")
    assert wiki.read(NS, "Multi-Agent plans", explain=True).explanations["n"].matched_terms[0] == "Multi-Agent"
