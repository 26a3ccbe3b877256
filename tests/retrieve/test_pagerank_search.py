"""`pagerank_search`: what the hits of a search lead to."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, NotFound, Wiki
from lorelite.models import CallableEmbedder
from lorelite.retrieve.passages import MOST_NAMESAKES

NS = "class"
PAGES = {
    "Ada Lind": "Ada Lind keeps the lighthouse at Skarven with Tom Berg.",
    "Tom Berg": "Tom Berg came from the mainland. He learnt to row on the Black Swan.",
    "Black Swan": "The Black Swan was built in 1931 and belongs to the parish.",
    "Lighthouses": "A lighthouse is kept by its keeper.",
    "Parish council": "The council meets on Tuesdays.",
}


def take_in(wiki: Wiki, pages: dict[str, str], namespace: str = NS) -> None:
    for title, text in pages.items():
        wiki.ingest_document(namespace, text=f"# {title}\n\n{text}", source_ref=title)


@pytest.fixture
def coast(wiki):
    take_in(wiki, PAGES)
    return wiki


def titles(wiki: Wiki, query: str, namespace: str = NS, **options) -> list[str]:
    options = {"kinds": ["chunk"]} | options
    return [node.title for node in wiki.pagerank_search(namespace, query, **options).facts]


def test_what_a_hit_mentions_by_its_title_is_found_with_none_of_the_words(coast):
    assert titles(coast, "Who works together with Ada Lind?")[:3] == ["Ada Lind", "Tom Berg", "Black Swan"]
    by_words = [node.title for node in coast.read(NS, "Who works together with Ada Lind?", kinds=["chunk"]).facts]
    assert "Black Swan" not in by_words


def test_what_the_question_names_comes_first_though_other_passages_fit_its_words(wiki):
    take_in(wiki, PAGES | {f"Report {n}": "The swan, the swan and the black swan of the parish." for n in range(5)})
    assert titles(wiki, "Tell me of the Black Swan")[0] == "Black Swan"


def test_a_name_with_brackets_is_named_without_them(wiki):
    take_in(wiki, {"Mercury (planet)": "Small and hot.", "Mercury (god)": "Swift.", "Venus": "A planet and a god."})
    assert set(titles(wiki, "What is Mercury?")[:2]) == {"Mercury (planet)", "Mercury (god)"}


def test_a_code_in_the_question_leads_to_the_few_passages_that_hold_it(wiki):
    shows = {f"Show {n}": "Anna sings in the show. On the sheet f is for forte and x is a cross." for n in range(12)}
    choir = "For many years now a woman of the village has been with f(x), which meets beside the mill on Mondays."
    take_in(wiki, shows | {"Choirs": choir})
    assert titles(wiki, "Who sings in the show and in f(x)?")[0] == "Choirs"


def test_words_of_the_best_hit_find_what_the_question_has_no_words_for(wiki):
    take_in(wiki, {
        "Skua": "The skua is a bird of the northern moorland that robs gulls of herring.",
        "Herring": "Shoals of herring feed gulls near the moorland in the northern summer.",
        "Clay": "Clay is dug from pits beside the river.",
        "Kilns": "Kilns are fired on Mondays with birch.",
        "Birch": "A birch sheds its bark.",
    })  # fmt: skip
    found = titles(wiki, "What is a skua?")
    assert found[:2] == ["Skua", "Herring"]
    assert "Clay" not in found


def test_links_lead_back_from_what_is_mentioned_to_what_mentions_it(coast):
    assert "Ada Lind" in titles(coast, "Tom Berg", max_results=3)


def test_explanations_give_the_place_and_share_in_the_walk(coast):
    found = coast.pagerank_search(NS, "Who works together with Ada Lind?", kinds=["chunk"], explain=True)
    ranks = [found.explanations[node.id].graph_rank for node in found.facts]
    assert sorted(ranks[:3]) == [1, 2, 3]
    shares = [explained.graph_score or 0.0 for explained in found.explanations.values()]
    assert 0 < sum(shares) <= 1.0001
    assert [found.fact_scores[node.id] for node in found.facts] == sorted(found.fact_scores.values(), reverse=True)
    first = found.explanations[found.facts[0].id]
    assert (first.keyword_rank, first.semantic_rank) == (1, None) and "Ada" in first.matched_terms
    assert found.explanations[found.facts[2].id].keyword_rank is None
    assert not coast.pagerank_search(NS, "Ada Lind").explanations


def test_results_are_cited_and_have_the_edges_among_them(coast):
    found = coast.pagerank_search(NS, "Ada Lind", kinds=["chunk", "fact"])
    for node in found.facts:
        text = coast.get_document(NS, node.citations[0].source_ref)
        assert all(text[cited.start : cited.end] == cited.quote for cited in node.citations)
    ids = {node.id for node in found.facts}
    assert all({edge.source_id, edge.target_id} <= ids for edge in found.edges)


def test_kinds_limit_what_is_found_and_entities_come_as_hits(coast):
    found = coast.pagerank_search(NS, "Ada Lind", kinds=["chunk", "entity"])
    assert {node.kind for node in found.facts} == {"chunk", "entity"}
    assert {node.kind for node in coast.pagerank_search(NS, "Ada Lind").facts} <= {"chunk", "fact"}
    assert {node.kind for node in coast.pagerank_search(NS, "Ada Lind", kinds=["entity"]).facts} == {"entity"}
    assert coast.pagerank_search(NS, "Ada Lind", kinds=[]).facts == ()


def test_a_token_budget_keeps_what_fits(coast):
    everything = coast.pagerank_search(NS, "Who works together with Ada Lind?", kinds=["chunk"], token_budget=10_000)
    some = coast.pagerank_search(NS, "Who works together with Ada Lind?", kinds=["chunk"], token_budget=30)
    assert 1 <= len(some.facts) < len(everything.facts)
    assert some.facts[0].title == "Ada Lind" and some.metadata["tokens"]["used"] <= 30


def test_without_damping_only_what_is_found_or_named_counts(coast):
    found = coast.pagerank_search(NS, "Who works together with Ada Lind?", kinds=["chunk"], damping=0, explain=True)
    reached = {node.title for node in found.facts if found.explanations[node.id].graph_score}
    assert "Ada Lind" in reached and "Black Swan" not in reached


@pytest.mark.parametrize("query", ["", "  ", "\n"])
def test_an_empty_query_gives_what_changed_last_unscored(coast, query):
    found = coast.pagerank_search(NS, query, kinds=["chunk"])
    assert len(found.facts) == 5 and not found.fact_scores
    assert [node.id for node in found.facts] == [node.id for node in coast.read(NS, query, kinds=["chunk"]).facts]


@pytest.mark.parametrize("query", ["zeppelin", "?!", '" OR 1 --', "\0", "(" * 500, "字" * 2_000, "of the", "NEAR(a b)"])
def test_any_text_is_a_question(coast, query):
    assert isinstance(titles(coast, query), list)


def test_facts_are_joined_by_edges_of_their_own(wiki):
    wiki.upsert_graph(
        NS,
        source_ref="code",
        source_hash="a" * 64,
        nodes=[{"id": id, "title": id, "body": body} for id, body in [
            ("parse", "Reads the configuration."), ("open_file", "Opens."), ("close_file", "Closes."), ("other", "x"),
        ]],
        edges=[
            {"type": "calls", "source_id": "parse", "target_id": "open_file"},
            {"type": "calls", "source_id": "open_file", "target_id": "close_file"},
        ],
    )  # fmt: skip
    found = [node.id for node in wiki.pagerank_search(NS, "what reads the configuration").facts]
    assert found == ["parse", "open_file", "close_file"]


def test_drafts_and_deleted_passages_take_no_part(wiki):
    links = [("start", "middle"), ("middle", "end")]
    wiki.upsert_graph(
        NS,
        source_ref="s",
        source_hash="a" * 64,
        nodes=[{"id": id, "title": id, "body": "owls" if id == "start" else ""} for id in ("start", "middle", "end")],
        edges=[{"type": "t", "source_id": source, "target_id": target} for source, target in links],
    )
    db = wiki._wiki._engine.store.db
    found = lambda **options: [node.id for node in wiki.pagerank_search(NS, "owls", **options).facts]  # noqa: E731
    assert found() == ["start", "middle", "end"]
    db.run("update node set lifecycle = 'draft' where id = 'middle'")
    assert found(exclude_drafts=True) == ["start"]
    db.run("update node set lifecycle = 'stable' where id = 'middle'")
    wiki.forget(NS, node_id="middle")
    assert found() == ["start"]


def test_the_past_is_searched_as_it_was_linked_then(wiki, clock):
    take_in(wiki, PAGES)
    then = clock.tick()
    clock.tick()
    take_in(wiki, {"Tom Berg": "Tom Berg lives in a house.", "Ada Lind": "Ada Lind keeps bees."})
    question = "Who works together with Ada Lind?"
    assert "Black Swan" not in titles(wiki, question)
    assert titles(wiki, question, as_of=then)[:3] == ["Ada Lind", "Tom Berg", "Black Swan"]
    assert titles(wiki, question, as_of=0) == []


def test_other_namespaces_never_show(coast):
    take_in(coast, {"Ada Lind": "Ada Lind of another world, with Zed Zane.", "Zed Zane": "Nobody."}, "other")
    before = titles(coast, "Who works together with Ada Lind?")
    assert "Zed Zane" not in before
    assert titles(coast, "Zed Zane, Ada Lind", "other")[:2] in (["Zed Zane", "Ada Lind"], ["Ada Lind", "Zed Zane"])
    with pytest.raises(NotFound):
        coast.pagerank_search("nowhere", "x")


def test_a_title_that_many_bear_and_a_hub_join_nobody(wiki):
    pages = {f"Page {n}": f"Written by Max Muster about thing {n}." for n in range(MOST_NAMESAKES + 4)}
    take_in(wiki, pages)
    found = wiki.pagerank_search(NS, "thing 3", kinds=["chunk"], explain=True, max_results=50)
    walked = [node.title for node in found.facts if (found.explanations[node.id].graph_score or 0) > 0.001]
    assert len(walked) <= 20


def test_meaning_finds_seeds_where_there_is_an_embedder(open_wiki):
    def vectors(texts):
        return [[0.0, 1.0] if "mainland" in text or "continent" in text else [1.0, 0.0] for text in texts]

    wiki = open_wiki(embedder=CallableEmbedder(vectors, "taste"))
    take_in(wiki, PAGES)
    assert titles(wiki, "continent", hybrid_weight=1.0)[0] == "Tom Berg"


@pytest.mark.parametrize(
    "options",
    [{"damping": 1}, {"damping": -0.1}, {"damping": True}, {"explain": 1}, {"max_results": -1}, {"kinds": "chunk"},
     {"hybrid_weight": 2}, {"token_budget": -1}, {"as_of": "now"}, {"exclude_drafts": 1}],
)  # fmt: skip
def test_odd_options_are_refused_by_name(coast, options):
    with pytest.raises(InvalidOption, match=next(iter(options))):
        coast.pagerank_search(NS, "x", **options)


def statements(wiki: Wiki, call) -> list[str]:
    asked: list[str] = []
    wiki._wiki._engine.store.db.connection.set_trace_callback(asked.append)
    try:
        call()
    finally:
        wiki._wiki._engine.store.db.connection.set_trace_callback(None)
    # Those that the full text index makes for itself are not counted.
    return [sql for sql in asked if not sql.startswith("--") and "keyword_" not in sql]


def test_a_search_takes_a_bounded_number_of_statements(coast):
    few = statements(coast, lambda: titles(coast, "Who works together with Ada Lind?"))
    take_in(coast, {f"Page {n}": f"Tom Berg saw Page {(n * 7) % 40} with Ada Lind." for n in range(40)})
    many = statements(coast, lambda: titles(coast, "Who works together with Ada Lind?"))
    assert len(few) < 60 and len(many) < 90


def test_every_statement_finds_its_rows_by_an_index(coast):
    db = coast._wiki._engine.store.db
    asked = statements(coast, lambda: titles(coast, "Who works together with Ada Lind?"))
    asked += statements(coast, lambda: coast.shortest_path(NS, source_id="x", target_id="y"))
    asked += statements(
        coast,
        lambda: coast.traverse_graph(NS, source_id="x", order="relevance", query="y"),
    )
    for sql in {sql for sql in asked if " from edge" in sql or "join edge" in sql or " node n" in sql}:
        plan = [row["detail"] for row in db.rows(f"explain query plan {sql}")]
        assert not [line for line in plan if line.startswith(("SCAN n", "SCAN e", "SCAN x"))], (sql, plan)
