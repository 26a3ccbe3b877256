"""G3: map, reduce, and which reports are asked."""

import json
from dataclasses import replace

import pytest

from lorelite import ModelUnreachable
from lorelite._drive import drive
from lorelite.strategies.factories import global_community_search
from lorelite.strategies.query import query
from lorelite.text.budget import token_cost

THEMES = "What are the main themes?"


def points(*pairs):
    return json.dumps({"points": [{"description": text, "score": score} for text, score in pairs]})


def found(run, prompt=THEMES, **options):
    return drive(global_community_search(**options).retrieve(run, prompt))


def test_g3_every_group_is_asked_and_the_best_points_come_first(with_model):
    run = with_model({"global_map": points(("The lock.", 40), ("Nothing.", 0), ("The people.", 90), ("Eels.", 40))})
    context = found(run)
    assert context.text == (
        "----Analyst 1----\nImportance Score: 90\nThe people.\n\n"
        "----Analyst 1----\nImportance Score: 40\nThe lock.\n\n"
        "----Analyst 1----\nImportance Score: 40\nEels.\n"
    )
    assert [row["score"] for row in context.tables["Points"]] == [90, 40, 40]
    (request,) = run.model.requests
    # By occurrence, then rating: the whole, the river, the keepers.
    assert 'id,content,rating,importance\n1,"# The valley' in request.user
    assert request.user.index("The valley") < request.user.index("The river") < request.user.index("Lock keepers")
    assert context.usage.calls == 1


def test_g3_as_many_calls_as_groups_each_within_the_budget_and_points_keep_the_number_of_their_group(with_model):
    replies = [points(("one", 10)), points(("two", 30)), points(("three", 20))]
    run = with_model({"global_map": replies})
    context = found(run, max_tokens=28)
    assert len(run.model.requests) == 3
    for request in run.model.requests:
        table = request.user.split("========\n")[1]
        assert token_cost(table) <= 28
    # The budget of the context is the same, and holds two of the three.
    assert [(row["analyst"], row["description"]) for row in context.tables["Points"]] == [(2, "two"), (3, "three")]


def test_g3_a_report_longer_than_the_budget_is_cut_and_does_not_hang(graph, with_model):
    graph.report_list = [replace(graph.report_list[0], summary='"quoted", ' * 5000), *graph.report_list[1:]]
    run = with_model({"global_map": points(("a point", 50))})
    found(run, max_tokens=60)
    assert len(run.model.requests) == 2
    assert 55 <= token_cost(run.model.requests[0].user.split("========\n")[1]) <= 60
    found(run, max_tokens=1)  # no budget at all: one character each, and no endless loop
    assert len(run.model.requests) == 5


@pytest.mark.parametrize("reply", ["I cannot say.", '{"points": "none"}', "{}", '{"points": [{"score": 50}, 7, "x"]}'])
def test_g3_a_bad_map_reply_counts_as_no_points(with_model, reply):
    run = with_model({"global_map": [reply, points(("two", 30)), reply]})
    assert [row["description"] for row in found(run, max_tokens=28).tables["Points"]] == ["two"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('```json\n{"points": [{"description": "A", "score": "85/100"}]}\n```', 85),
        ('<think>hm</think>{"Key Points": [{"point": "A", "importance score": 140}]}', 100),
        ('[{"description": "A", "score": 12.6}]', 13),
    ],
)
def test_other_shapes_of_a_map_reply_are_read(with_model, reply, expected):
    (row,) = found(with_model({"global_map": reply})).tables["Points"]
    assert (row["description"], row["score"]) == ("A", expected)


def test_g3_when_all_points_score_nothing_the_apology_is_given_without_another_call(with_model):
    run = with_model({"global_map": points(("irrelevant", 0))})
    result = drive(query(run, global_community_search(), THEMES))
    assert (result.text, result.answered, result.context.text) == ("The documents do not say.", False, "")
    assert [request.purpose for request in run.model.requests] == ["global_map"]
    assert result.usage.calls == 1


def test_a_model_that_fails_for_one_group_costs_that_group_and_for_all_is_an_error(with_model):
    down = ModelUnreachable("scripted", "no route")
    run = with_model({"global_map": [down, points(("two", 30)), down]})
    assert len(found(run, max_tokens=28).tables["Points"]) == 1
    with pytest.raises(ModelUnreachable):
        found(with_model({"global_map": down}), max_tokens=28)


def test_g3_points_beyond_the_budget_are_left_out_from_the_end(with_model):
    run = with_model({"global_map": points(*((f"point {n} " + "x" * 60, 90 - n) for n in range(20)))})
    context = found(run, max_tokens=200)
    rows = context.tables["Points"]
    assert context.tokens <= 200 and 0 < len(rows) < 20
    assert [row["score"] for row in rows] == [90 - n for n in range(len(rows))]


def asked_reports(run):
    text = "".join(request.user for request in run.model.requests if request.purpose == "global_map")
    return [title for title in ("The valley", "Lock keepers", "The river") if title in text]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"level": 0}, ["The valley"]),
        ({"min_rating": 5}, ["Lock keepers", "The river"]),
        ({"max_communities": 2}, ["The valley", "The river"]),
        ({"deepest_only": True}, ["Lock keepers", "The river"]),
        ({"deepest_only": True, "level": 0}, ["The valley"]),
    ],
)
def test_which_reports_are_asked(with_model, options, expected):
    run = with_model({"global_map": points(("a", 1))})
    found(run, **options)
    assert asked_reports(run) == expected


def test_deepest_only_keeps_a_community_with_members_that_no_deeper_one_has(graph, with_model):
    graph.community_list[1] = replace(graph.community_list[1], entity_ids=("e1", "e2"))
    run = with_model({"global_map": points(("a", 1))})
    found(run, deepest_only=True)
    assert asked_reports(run) == ["The valley", "Lock keepers", "The river"]


def rated(ratings):
    return lambda request: json.dumps(
        {"rating": next(rating for title, rating in ratings.items() if f"# {title}" in request.user)}
    )


@pytest.mark.parametrize(
    ("ratings", "expected", "calls"),
    [
        ({"The valley": 4, "Lock keepers": 0, "The river": 3}, ["The river"], 3),  # the parent gives way to a child
        ({"The valley": 2, "Lock keepers": 0, "The river": 0}, ["The valley"], 3),
        ({"The valley": 0, "Lock keepers": 5, "The river": 0}, ["Lock keepers"], 3),  # nothing on top: one level down
        ({"The valley": 0, "Lock keepers": 0, "The river": 0}, [], 3),
    ],
)
def test_dynamic_selection_goes_down_only_where_it_leads(with_model, ratings, expected, calls):
    run = with_model({"rate_report": rated(ratings), "global_map": points(("a", 1))})
    context = found(run, dynamic=True)
    assert asked_reports(run) == expected
    assert sum(request.purpose == "rate_report" for request in run.model.requests) == calls
    assert context.usage.calls == len(run.model.requests) and context.is_empty == (not expected)


def test_dynamic_selection_does_not_read_below_a_report_that_is_left_out(graph, with_model):
    extra = replace(graph.community_list[0], id="9", entity_ids=("e6",), children=("10",), occurrence=0.1)
    child = replace(extra, id="10", level=1, parent="9", children=())
    graph.community_list += [extra, child]
    graph.report_list += [
        replace(graph.report_list[0], community_id="9", title="Elsewhere"),
        replace(graph.report_list[0], community_id="10", level=1, title="Deeper"),
    ]
    ratings = {"The valley": 3, "Lock keepers": 1, "The river": 0, "Elsewhere": 0}
    run = with_model({"rate_report": rated(ratings), "global_map": points(("a", 1))})
    found(run, dynamic=True)
    assert not any("Deeper" in request.user for request in run.model.requests)


def test_without_a_model_the_points_are_the_summaries_of_the_largest_communities(run):
    context = found(run)
    assert [(row["description"], row["score"]) for row in context.tables["Points"]] == [
        ("The valley: People, a lock, a river.", 100),
        ("The river: Otters and floods.", 75),
        ("Lock keepers: Ada Marsh and her brother.", 50),
    ]


def test_without_a_model_reports_that_share_words_with_the_question_are_the_points(graph, run):
    graph.hits["communities"] = [("2", 1.0), ("1", 0.31)]
    rows = found(run, "Who keeps the lock?").tables["Points"]
    assert [(row["community_id"], row["score"]) for row in rows] == [("2", 100), ("1", 31)]
    chosen = found(run, "Who keeps the lock?", dynamic=True, dynamic_threshold=2)
    assert [row["community_id"] for row in chosen.tables["Points"]] == ["2"]


def test_without_a_model_a_question_for_an_overview_goes_by_how_much_is_told_of_a_community(graph, run):
    graph.hits["communities"] = [("2", 1.0)]
    assert found(run).tables["Points"][0]["community_id"] == "0"
