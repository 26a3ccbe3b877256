"""auto_search, dual_level_search, drift_search and the walks of pagerank_search."""

import json
from dataclasses import replace

import pytest

from lorelite import Wiki, chunk_entity_generation, entity_community_generation
from lorelite._drive import drive
from lorelite.graph_records import GraphHit
from lorelite.strategies.auto import best_strategy
from lorelite.strategies.broad import is_broad
from lorelite.strategies.factories import (
    STRATEGIES,
    auto_search,
    drift_search,
    dual_level_search,
    local_community_search,
    pagerank_search,
)
from lorelite.strategies.query import query
from lorelite.strategies.strategy import STRATEGY_NAMES

QUESTION = "Who keeps the lock on the Wharfe?"


def found(run, search, question=QUESTION):
    return drive(search.retrieve(run, question))


def test_every_strategy_has_its_name():
    assert tuple(STRATEGIES) == STRATEGY_NAMES
    assert all(make().name.lower() == f"{name}search".replace("_", "") for name, make in STRATEGIES.items())


# -- auto ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "chosen"),
    [
        ("What are the main themes of these documents?", "globalCommunitySearch"),
        ("Give me a summary.", "globalCommunitySearch"),
        ("Was sind die Hauptthemen?", "globalCommunitySearch"),
        ("这些文件的主题是什么？", "globalCommunitySearch"),
        ("Who is Ada Marsh?", "localCommunitySearch"),
        ("Tell me about Heron Lock.", "localCommunitySearch"),
        ("Who keeps Heron Lock?", "pagerankSearch"),
        ("when does the river flood?", "pagerankSearch"),
    ],
)
def test_auto_search_chooses_by_the_question_and_tells_its_choice(graph, run, question, chosen):
    graph.hits = {"entities": [("e1", 0.9)], "chunks": [("a", 0.9)]}
    result = drive(query(run, auto_search(), question))
    assert (result.strategy, result.context.strategy) == ("autoSearch", chosen)


def test_auto_search_chooses_by_what_the_graph_holds(graph, run):
    graph.hits = {"entities": [("e1", 0.9)], "chunks": [("a", 0.9)]}
    graph.report_list = []
    assert found(run, auto_search(), "What are the main themes?").strategy == "pagerankSearch"
    assert found(run, auto_search(), "Who is Ada Marsh?").strategy == "pagerankSearch"
    graph.hits["entities"] = []
    assert found(run, auto_search()).strategy == "naiveSearch"


def test_auto_search_falls_back_on_chunks_when_its_choice_finds_nothing(graph, run):
    graph.hits = {"entities": [("gone", 0.9)]}
    graph.report_list = []
    context = found(run, auto_search())
    assert (context.strategy, context.is_empty) == ("naiveSearch", True)


@pytest.mark.parametrize(
    "question",
    ["Who summed it up?", "Who owns the theme park?", "When did the talks resume?", "Who was the overall winner?"],
)
def test_particular_questions_are_not_broad(question):
    assert not is_broad(question)


def test_the_choice_keeps_to_the_budget(graph):
    graph.hits["entities"] = [("e1", 0.9)]
    chosen = drive(best_strategy(graph, "Who is Ada Marsh?", 1_001))
    assert chosen == local_community_search(
        text_unit_tokens=251, entity_tokens=250, relation_tokens=250, report_tokens=250
    )


# -- dual level ---------------------------------------------------------------------------------------------------


def test_dual_level_search_asks_for_things_and_themes_and_looks_for_each(graph, with_model):
    graph.hits = {"entities": [("e1", 0.9)], "chunks": [("c", 0.5)]}
    run = with_model({"keywords": '{"high_level": ["kinship", "trade"], "low_level": ["Ada Marsh"]}'})
    context = found(run, dual_level_search())
    assert graph.asked == [("entities", "Ada Marsh"), ("entities", "kinship, trade"), ("chunks", QUESTION)]
    assert [chunk.id for chunk in context.chunks] == ["a", "c", "b"]  # in turn
    assert context.usage.calls == 1


@pytest.mark.parametrize(
    ("mode", "asked"),
    [
        ("local", [("entities", "Heron Lock")]),
        ("global", [("entities", "keeps")]),
        ("hybrid", [("entities", "Heron Lock"), ("entities", "keeps")]),
        ("mix", [("entities", "Heron Lock"), ("entities", "keeps"), ("chunks", "Who keeps Heron Lock?")]),
    ],
)
def test_without_a_model_names_are_the_things_and_the_other_words_the_themes(graph, run, mode, asked):
    found(run, dual_level_search(mode=mode), "Who keeps Heron Lock?")
    assert graph.asked == asked


def test_themes_put_relations_first_that_share_words_with_them(graph, run):
    graph.hits = {"entities": [("e1", 0.9)]}
    context = found(run, dual_level_search(mode="global"), "Which sister does she have?")
    assert [row["description"] for row in context.tables["Relationships"]] == ["is the sister of", "keeps"]
    assert [row["entity"] for row in context.tables["Entities"]] == ["Ada Marsh", "Tom Weir", "Heron Lock"]
    assert [chunk.id for chunk in context.chunks] == ["b", "a"]


@pytest.mark.parametrize("reply", ["no idea", "{}", '{"high_level": [], "low_level": "" }'])
def test_keywords_that_cannot_be_read_are_found_by_rules(graph, with_model, reply):
    run = with_model({"keywords": reply})
    found(run, dual_level_search(mode="local"), "Who keeps Heron Lock?")
    assert graph.asked == [("entities", "Heron Lock")]


# -- drift --------------------------------------------------------------------------------------------------------


def step(answer, score, *follow_ups):
    return json.dumps({"answer": answer, "score": score, "follow_up_questions": follow_ups})


def test_drift_search_asks_reports_first_then_what_follows_as_deep_as_it_may(graph, with_model):
    graph.hits = {"entities": [("e3", 0.9)], "communities": [("1", 0.8)]}
    run = with_model(
        {
            "drift_primer": step("A keeper.", 30, "Who is Ada?", "Who is Tom?", "Where?", "Why?"),
            "drift_follow_up": [
                step("Ada is.", 90, "who is ada?", "What of her brother?"),
                step("Tom sells eels.", 20, "What of eels?"),
                step("He is Tom.", 50, "never asked"),
                step("Eels are fish.", 10),
            ],
        }
    )
    context = found(run, drift_search(depth=2, follow_ups=2))
    asked = [request.user for request in run.model.requests]
    assert [request.purpose for request in run.model.requests] == ["drift_primer"] + ["drift_follow_up"] * 4
    assert "# Lock keepers" in asked[0] and "The valley" not in asked[0]
    # A follow-up is not asked twice, and those of the better answer come first.
    assert [text.split("========\n")[1].strip() for text in asked[1:]] == [
        "Who is Ada?", "Who is Tom?", "What of her brother?", "What of eels?",
    ]  # fmt: skip
    assert [(row["answer"], row["score"]) for row in context.tables["Answers"]] == [
        ("Ada is.", 90), ("He is Tom.", 50), ("A keeper.", 30), ("Tom sells eels.", 20), ("Eels are fish.", 10),
    ]  # fmt: skip
    assert context.text.startswith("-----Answers-----\nid,question,answer,score\n1,Who is Ada?,Ada is.,90\n")
    assert [chunk.id for chunk in context.chunks] == ["b"]
    assert context.usage.calls == 5


def test_drift_search_stops_when_nothing_follows_or_nothing_is_found(graph, with_model):
    graph.hits = {"entities": [], "communities": [("1", 0.8)]}
    run = with_model({"drift_primer": step("A keeper.", 30, "Who is Ada?")})
    context = found(run, drift_search())
    assert [row["answer"] for row in context.tables["Answers"]] == ["A keeper."]
    assert len(run.model.requests) == 1


def test_drift_search_goes_on_without_a_primer_that_cannot_be_read(graph, with_model):
    graph.hits = {"entities": [("e3", 0.9)]}
    context = found(with_model({"drift_primer": "?!"}), drift_search())
    assert "Answers" not in context.tables and [chunk.id for chunk in context.chunks] == ["b"]


def test_without_a_model_findings_are_followed_and_reports_shown(graph, run):
    graph.hits = {"entities": [("e3", 0.9)], "communities": [("1", 0.8), ("2", 0.4)]}
    context = found(run, drift_search())
    assert [text for index, text in graph.asked if index == "entities"] == [
        QUESTION, "Lock keepers", "The river", "Ada keeps the lock",
    ]  # fmt: skip
    assert list(context.tables) == ["Reports", "Sources"] and context.usage.calls == 0


# -- pagerank -----------------------------------------------------------------------------------------------------


def test_walks_prefer_the_entity_that_few_chunks_tell_of(graph, run):
    graph.hits = {"entities": [("e4", 0.9), ("e3", 0.9)]}
    graph.entity_map["e4"] = replace(graph.entity_map["e4"], chunk_ids=("a", "c", "d", "x", "y", "z"))
    context = found(run, pagerank_search())
    assert context.chunks[0].id == "b" and context.tables["Entities"][0]["entity"] == "Tom Weir"


def test_a_graph_that_walks_over_passages_itself_is_asked_to(graph, run):
    class Walking(type(graph)):
        async def walked(self, text, top_k, damping):
            self.asked.append(("walk", text))
            return [GraphHit("d", 0.6), GraphHit("a", 0.4)][:top_k]

    walking = Walking()
    context = found(replace(run, knowledge=walking), pagerank_search())
    assert [chunk.id for chunk in context.chunks] == ["d", "a"] and walking.asked == [("walk", QUESTION)]
    # Wharfe: 0.6 / 2 + 0.4 / 4; Otter: 0.6 / 2; Ada: 0.4 / 2.
    assert [row["entity"] for row in context.tables["Entities"]] == ["Wharfe", "Otter", "Ada Marsh", "Heron Lock"]


def test_an_overview_cites_what_stands_in_the_last_of_many_chunks():
    filler = [{"id": f"{number:02}.txt", "content": f"Heron Lock was oiled {number} times."} for number in range(30)]
    last = {"id": "zz.txt", "content": "Ada Marsh and Tom Weir keep Heron Lock together with Olga Brandt."}
    with Wiki.open(":memory:") as wiki:
        graph = wiki.graph("main", pipeline=[chunk_entity_generation(), entity_community_generation()])
        graph.insert([*filler, last])
        sentences = graph.query("What are the main themes?", search="global").sentences
    assert all(sentence.citations for sentence in sentences)
    assert "zz.txt" in {sentence.citations[0].source_ref for sentence in sentences}
