"""G1, G2: what each strategy shows, to the letter, and within budgets."""

from dataclasses import replace

import pytest

from lorelite import InvalidOption
from lorelite._drive import drive
from lorelite.graph_records import ChunkQuestion
from lorelite.strategies.factories import (
    STRATEGIES,
    drift_search,
    dual_level_search,
    entity_enhanced_search,
    hypothetical_question_search,
    local_community_search,
    localCommunitySearch,
    naive_search,
    pagerank_search,
    similar_chunk_traversal_search,
)
from lorelite.text.budget import token_cost

QUESTION = "Who keeps Heron Lock?"


def found(run, search):
    return drive(search.retrieve(run, QUESTION))


def ids(context):
    return [chunk.id for chunk in context.chunks]


def test_g1_naive_search_shows_the_chunks_in_order_of_their_scores(graph, run):
    graph.hits["chunks"] = [("a", 0.9), ("c", 0.4), ("b", 0.1)]
    context = found(run, naive_search())
    assert context.text == (
        "Ada Marsh keeps Heron Lock. The lock stands on the Wharfe.--New Chunk--\nThe Wharfe floods in March."
    )
    assert ids(context) == ["a", "c"]  # 0.1 is below the least cosine
    assert context.tables["Sources"][1] == {"id": 2, "content": "The Wharfe floods in March.", "chunk_id": "c"}
    assert (context.strategy, graph.asked) == ("naiveSearch", [("chunks", QUESTION)])


def test_g1_entity_enhanced_search_shows_what_the_chunks_tell_of_and_how_it_is_related(graph, run):
    graph.hits["chunks"] = [("a", 0.8), ("b", 0.4)]
    context = found(run, entity_enhanced_search(max_entities=2))
    # Ada: 0.8 * 2/4 + 0.4 * 1/2; Heron Lock, Tom, Wharfe: 0.2 each, the first two by degree and name.
    assert context.text == (
        "-----Entities-----\n"
        "id,entity,type,description,rank\n"
        "1,Ada Marsh,person,Keeper of Heron Lock,2\n"
        '2,Heron Lock,place,"A lock, old and deep",2\n'
        "3,Wharfe,river,,2\n"
        "4,Tom Weir,person,Sells eels,1\n"
        "\n"
        "-----Relationships-----\n"
        "id,source,target,description,weight,rank\n"
        "1,Ada Marsh,Heron Lock,keeps,5,4\n"
        "2,Heron Lock,Wharfe,stands on,3,4\n"
        "3,Ada Marsh,Tom Weir,is the sister of,2,3\n"
        "\n"
        "-----Sources-----\n"
        "id,content\n"
        "1,Ada Marsh keeps Heron Lock. The lock stands on the Wharfe.\n"
        '2,"Tom Weir sells eels at the ferry, and calls Ada Marsh ""my sister""."\n'
    )
    assert ids(context) == ["a", "b"]


@pytest.mark.parametrize(
    ("hops", "names"),
    [
        (0, ["Tom Weir"]),
        (1, ["Tom Weir", "Ada Marsh"]),
        (2, ["Tom Weir", "Ada Marsh", "Heron Lock"]),
        (4, ["Tom Weir", "Ada Marsh", "Heron Lock", "Wharfe", "Otter"]),
    ],
)
def test_entity_enhanced_search_follows_relations_as_far_as_it_is_told(graph, run, hops, names):
    graph.hits["chunks"] = [("b", 1.0)]
    graph.mentions["b"] = [("e3", 1.0)]
    context = found(run, entity_enhanced_search(hops=hops))
    assert [row["entity"] for row in context.tables["Entities"]] == names
    assert len(context.tables.get("Relationships", ())) == len(names) - 1


def test_entity_enhanced_search_takes_the_best_relations_before_going_on(graph, run):
    graph.hits["chunks"] = [("a", 1.0)]
    context = found(run, entity_enhanced_search(max_entities=1, max_relations=1, hops=3))
    assert [row["description"] for row in context.tables["Relationships"]] == ["keeps"]
    assert [row["entity"] for row in context.tables["Entities"]] == ["Ada Marsh", "Heron Lock"]


LOCAL = (
    "-----Reports-----\n"
    "id,content\n"
    '1,"# Lock keepers\n\nAda Marsh and her brother.\n\n## Ada keeps the lock\n\nSince 1931."\n'
    '2,"# The valley\n\nPeople, a lock, a river."\n'
    "\n"
    "-----Entities-----\n"
    "id,entity,type,description,rank\n"
    "1,Tom Weir,person,Sells eels,1\n"
    "2,Ada Marsh,person,Keeper of Heron Lock,2\n"
    "\n"
    "-----Relationships-----\n"
    "id,source,target,description,weight,rank\n"
    "1,Ada Marsh,Heron Lock,keeps,5,4\n"
    "2,Ada Marsh,Tom Weir,is the sister of,2,3\n"
    "\n"
    "-----Sources-----\n"
    "id,content\n"
    '1,"Tom Weir sells eels at the ferry, and calls Ada Marsh ""my sister""."\n'
    "2,Ada Marsh keeps Heron Lock. The lock stands on the Wharfe.\n"
)


def test_g1_local_community_search_shows_reports_entities_relations_and_sources(graph, run):
    graph.hits["entities"] = [("e3", 0.9), ("gone", 0.8), ("e1", 0.7)]
    context = found(run, local_community_search())
    assert context.text == LOCAL
    assert ids(context) == ["b", "a"]
    assert [row["community_id"] for row in context.tables["Reports"]] == ["1", "0"]


def test_g2_reports_of_most_of_the_entities_come_first_then_those_of_the_higher_rating(graph, run):
    graph.hits["entities"] = [("e4", 0.9), ("e5", 0.8), ("e1", 0.7)]
    context = found(run, local_community_search())
    # The whole has all three, the river two, the keepers one.
    assert [row["community_id"] for row in context.tables["Reports"]] == ["0", "2", "1"]
    graph.hits["entities"] = [("e4", 0.9), ("e1", 0.7)]
    context = found(run, local_community_search())
    assert [row["community_id"] for row in context.tables["Reports"]] == ["0", "1", "2"]
    assert len(found(run, local_community_search(single_report=True)).tables["Reports"]) == 1


def test_g2_levels_below_the_one_asked_for_are_left_out(graph, run):
    graph.hits["entities"] = [("e1", 0.9)]
    context = found(run, local_community_search(level=0))
    assert [row["community_id"] for row in context.tables["Reports"]] == ["0"]


def test_g2_text_units_come_by_entity_and_of_each_first_those_that_tell_of_most_of_its_neighbours(graph, run):
    graph.hits["entities"] = [("e4", 0.9), ("e1", 0.5)]
    context = found(run, local_community_search())
    # Of the Wharfe: a tells of the lock and d of the otter, c of nobody beside; then b of Ada.
    assert ids(context) == ["a", "d", "c", "b"]
    graph.entity_map["e2"] = replace(graph.entity_map["e2"], chunk_ids=("a", "c"))
    graph.entity_map["e5"] = replace(graph.entity_map["e5"], chunk_ids=("d", "c"))
    assert ids(found(run, local_community_search())) == ["c", "a", "d", "b"]


def test_of_a_thing_that_many_chunks_tell_of_only_as_many_are_read_as_fit(graph, run):
    graph.hits["entities"] = [("e5", 0.9)]
    ids = tuple(f"x{number:03}" for number in range(500))
    graph.chunk_map |= {id: replace(graph.chunk_map["d"], id=id, content="Otters. " * 10) for id in ids}
    graph.entity_map["e5"] = replace(graph.entity_map["e5"], chunk_ids=ids)
    read = []
    whole = graph.chunks

    async def chunks(wanted):
        read.extend(wanted)
        return await whole(wanted)

    graph.chunks = chunks
    context = found(run, local_community_search(text_unit_tokens=400))
    assert ids[: len(context.chunks)] == tuple(chunk.id for chunk in context.chunks) != ()
    assert len(read) < 100


def test_a_missing_report_is_skipped(graph, run):
    graph.hits["entities"] = [("e1", 0.9)]
    graph.report_list = graph.report_list[:1]
    assert [row["community_id"] for row in found(run, local_community_search()).tables["Reports"]] == ["0"]


def test_the_layout_of_microsoft_shares_one_budget_and_takes_relations_between_the_entities_first(graph, run):
    graph.hits["entities"] = [("e2", 0.9), ("e4", 0.8)]
    context = found(run, local_community_search(layout="microsoft"))
    assert context.text.startswith("-----Reports-----\nid|content\n")
    assert [row["description"] for row in context.tables["Relationships"]] == ["stands on", "keeps", "lives on"]
    assert "1|Heron Lock|Wharfe|stands on|3|4\n" in context.text
    small = local_community_search(
        layout="microsoft", text_unit_tokens=60, entity_tokens=60, relation_tokens=60, report_tokens=60
    )
    assert found(run, small).tokens <= 240


def test_nothing_found_is_an_empty_context(run):
    for name, make in STRATEGIES.items():
        context = found(run, make())
        if name == "global_community":
            assert not context.is_empty  # its reports are about the whole, whatever is asked
        elif name not in ("auto", "drift"):
            assert context.is_empty and context.tables == {} and context.chunks == (), name


def test_g1_similar_chunks_are_found_breadth_first(graph, run):
    graph.hits["chunks"] = [("a", 0.9), ("b", 0.3)]
    graph.similar = {("a", "b"): 0.8, ("b", "c"): 0.5, ("a", "d"): 0.2, ("d", "c"): 0.9}
    context = found(run, similar_chunk_traversal_search())
    # b: 0.9 * 0.8 although it is a start itself. Depth 1: c by b (0.72 * 0.5), d by a (0.18).
    assert ids(context) == ["a", "b", "c", "d"]
    assert context.text == "--New Chunk--\n".join(graph.chunk_map[id].content for id in "abcd")
    assert ids(found(run, similar_chunk_traversal_search(max_chunks=3))) == ["a", "b", "c"]
    assert ids(found(run, similar_chunk_traversal_search(min_weight=0.6))) == ["a", "b"]


def test_e2_depth_0_is_naive_search(graph, run):
    graph.hits["chunks"] = [("a", 0.9), ("b", 0.3)]
    graph.similar = {("a", "c"): 0.8}
    here, naive = found(run, similar_chunk_traversal_search(max_depth=0)), found(run, naive_search(top_k=5))
    assert (here.text, here.chunks) == (naive.text, naive.chunks)


def test_g1_hypothetical_questions_lead_to_their_chunks_and_are_shown_above_them(graph, run):
    graph.question_map = {
        "q1": ChunkQuestion(id="q1", question="Who sells eels?", chunk_id="b"),
        "q2": ChunkQuestion(id="q2", question="Who is the keeper of Heron Lock?", chunk_id="a"),
        "q3": ChunkQuestion(id="q3", question="Where is Heron Lock?", chunk_id="a"),
    }
    graph.hits["questions"] = [("q2", 0.9), ("q1", 0.5), ("q3", 0.4)]
    context = found(run, hypothetical_question_search())
    assert context.text == (
        "Question: Who is the keeper of Heron Lock?\n"
        "Ada Marsh keeps Heron Lock. The lock stands on the Wharfe.--New Chunk--\n"
        'Question: Who sells eels?\nTom Weir sells eels at the ferry, and calls Ada Marsh "my sister".'
    )
    assert ids(context) == ["a", "b"]


def test_g1_pagerank_reaches_chunks_and_entities_that_no_hit_names(graph, run):
    graph.hits["entities"] = [("e3", 0.9)]
    context = found(run, pagerank_search())
    assert ids(context)[:2] == ["b", "a"] and set(ids(context)) == set("abcd")
    names = [row["entity"] for row in context.tables["Entities"]]
    assert names[:2] == ["Tom Weir", "Ada Marsh"] and set(names) >= {"Heron Lock", "Wharfe"}
    assert context.tables["Relationships"][0]["description"] == "is the sister of"
    assert ids(found(run, pagerank_search(damping=0))) == []  # nobody goes anywhere


@pytest.mark.parametrize("budget", [5, 40, 80, 160, 320])
def test_g1_budgets_are_respected(graph, run, budget):
    graph.hits = {
        "chunks": [(id, 0.9) for id in "abcd"],
        "entities": [(id, 0.9) for id in graph.entity_map],
        "questions": [("q", 0.9)],
        "communities": [("1", 0.9), ("2", 0.5)],
    }
    graph.question_map = {"q": ChunkQuestion(id="q", question="Who?", chunk_id="a")}
    shown = []
    for name, make in STRATEGIES.items():
        if name == "local_community":
            quarter = budget // 4
            search = local_community_search(
                text_unit_tokens=quarter, entity_tokens=quarter, relation_tokens=quarter, report_tokens=quarter
            ) if quarter else None  # fmt: skip
        else:
            search = replace(make(), max_tokens=budget)
        if search is None:
            continue
        context = found(run, search)
        assert context.tokens == token_cost(context.text) <= budget, name
        assert len(context.chunks) == len(context.tables.get("Sources", ()))
        shown.append(context.tokens)
    assert budget < 40 or max(shown) > budget / 3


def test_options_take_the_names_of_the_sdk_and_are_checked():
    assert localCommunitySearch(topK=7, singleReport=True) == local_community_search(top_k=7, single_report=True)
    for make, wrong in (
        (naive_search, {"top_k": 0}),
        (naive_search, {"max_tokens": "many"}),
        (local_community_search, {"layout": "other"}),
        (local_community_search, {"level": -1}),
        (pagerank_search, {"damping": 1}),
        (dual_level_search, {"mode": "all"}),
        (drift_search, {"depth": 1.5}),
    ):
        with pytest.raises(InvalidOption, match=rf"Search\.{next(iter(wrong))}"):
            make(**wrong)
    with pytest.raises(TypeError):
        naive_search(topP=1)
