import json
from itertools import count, pairwise

import pytest
from small_graph import SmallKnowledge, engine, members, model, reply, ring, run, told_of, world

from lorelite._drive import drive
from lorelite.errors import InsertAborted, InvalidOption, ModelError
from lorelite.pipeline.communities import entity_community_generation, entityCommunityGeneration
from lorelite.text.budget import token_cost


def test_every_community_gets_a_report_and_the_chunks_are_finished():
    knowledge, asked = world(), model()
    counters = run(knowledge, asked, ["c0", "c1"])
    assert members(knowledge, 0) == ["H0H1H2H3H4", "R0R1R2R3R4", "W0W1W2W3W4"]
    assert counters == {"communities": 3, "reports": 3, "reports_reused": 0, "fallbacks": 0, "model_calls": 3}
    assert knowledge.report.keys() == knowledge.community.keys()
    assert knowledge.finished == ["c0", "c1"]
    river = next(each for each in knowledge.report.values() if "R0" in each.title)
    assert (river.origin, river.rating, river.is_fallback) == ("model", 5.0, False)


def test_d3_communities_are_divided_until_none_is_too_large():
    knowledge = world()
    run(knowledge, max_cluster_size=4)
    for community in knowledge.community.values():
        if community.parent is not None:
            assert set(community.entity_ids) < set(knowledge.community[community.parent].entity_ids)
            assert community.id in knowledge.community[community.parent].children


def test_d5_small_parts_of_the_graph_are_covered_unless_only_the_largest_is_wanted():
    knowledge = world()
    run(knowledge, use_lcc=True)
    assert members(knowledge, 0) == ["R0R1R2R3R4", "W0W1W2W3W4"]


def test_d6_reports_are_written_bottom_up_and_a_forced_parent_is_told_by_those_of_its_parts():
    knowledge, asked = ring(), model()
    run(knowledge, asked, force_sub_communities=True, max_cluster_size=3)
    parts = [each for each in knowledge.community.values() if each.level == 1]
    wholes = [each for each in knowledge.community.values() if each.level == 0]
    assert len(parts) == 24 and {len(each.children) for each in wholes} >= {2}
    assert all("Reports:" not in request.user for request in asked.requests[:24])
    for request in asked.requests[24:]:
        assert request.user.count("# On ") >= 2
        assert told_of(request) == set()
    titles = [line for line in knowledge.log if line.startswith("report")]
    assert len(titles) == len(parts) + len(wholes)
    assert all(len(title.split()) == 5 for title in titles[:24])


def test_d6_a_parent_that_fits_is_told_whole_unless_forced():
    knowledge, asked = ring(), model()
    run(knowledge, asked, max_cluster_size=3)
    assert all("Reports:" not in request.user for request in asked.requests)
    assert all(len(told_of(request)) >= 6 for request in asked.requests[24:])


@pytest.mark.parametrize("packing", ["share", "substitute"])
def test_d7_no_request_exceeds_max_input_tokens_and_none_asked_again(packing):
    knowledge, asked = SmallKnowledge(), model("no JSON")
    names = [f"N{number}" for number in range(40)]
    knowledge.add("c", "text", *(f"{a}-{b}" for a, b in pairwise(names)))
    knowledge.described = dict.fromkeys(names, "=" * 300 + "word " * 200)
    run(knowledge, asked, max_input_tokens=1_000, packing=packing)
    costs = [token_cost(request.system) + token_cost(request.user) for request in asked.requests]
    assert max(costs) <= 1_000
    assert max(costs) > 900
    assert len(costs) == 2 * len(knowledge.community)


@pytest.mark.parametrize("bad", ["", "I cannot.", '{"title": "x"}', "{}"])
def test_d8_a_reply_that_cannot_be_used_is_asked_for_once_more(bad):
    knowledge = world()
    asked = model([bad, bad, bad, *(json.dumps({"title": f"T{n}", "summary": "S", "rating": 3}) for n in range(3))])
    counters = run(knowledge, asked)
    assert counters["model_calls"] == 6 and counters["fallbacks"] == 0
    assert "could not be used" in asked.requests[3].system
    assert sorted(each.title for each in knowledge.report.values()) == ["T0", "T1", "T2"]


def test_d8_after_two_bad_replies_a_fallback_stands_in_and_is_not_asked_for_again():
    knowledge = world()
    counters = run(knowledge, model("prose"))
    assert counters["fallbacks"] == 3
    river = next(each for each in knowledge.report.values() if "R0" in each.title)
    assert river.title == "R0, R1, R2"
    assert river.summary == "5 entities, 10 relations: R0, R1, R2, R3, R4"
    assert (river.rating, river.findings, river.is_fallback, river.origin) == (0.0, (), True, "heuristic")
    again = model()
    assert run(knowledge, again)["reports_reused"] == 3
    assert again.requests == []


def test_a_request_that_fails_leaves_the_others_and_is_made_again_next_time():
    knowledge = world()
    first, last = (json.dumps({"title": title, "summary": "S"}) for title in "TU")
    asked = model([first, ModelError("down"), last])
    with pytest.raises(InsertAborted, match="down"):
        run(knowledge, asked)
    assert sorted(each.title for each in knowledge.report.values()) == ["T", "U"]
    again = model()
    assert run(knowledge, again)["reports_reused"] == 2
    assert len(again.requests) == 1


def test_under_skip_a_failure_is_noted_and_the_run_goes_on():
    knowledge = world()
    asked = model([ModelError("down")] + [json.dumps({"title": "T", "summary": "S"})] * 2)
    graph = engine(knowledge, asked, on_error="skip")
    counters = drive(entity_community_generation().process(graph, ["c0"]))
    assert counters["reports"] == 2
    (failure,) = graph.tally.failures
    assert failure.item_id in knowledge.community and failure.reason == "down"


def test_d9_a_second_run_asks_nothing_and_changes_nothing():
    knowledge = world()
    run(knowledge, model())
    communities, reports = dict(knowledge.community), dict(knowledge.report)
    again = model()
    knowledge.log.clear()
    assert run(knowledge, again) == {
        "communities": 3, "reports": 0, "reports_reused": 3, "fallbacks": 0, "model_calls": 0,
    }  # fmt: skip
    assert (again.requests, knowledge.log) == ([], [])
    assert (knowledge.community, knowledge.report) == (communities, reports)


def test_stale_reports_go_only_after_the_new_ones_are_written():
    knowledge = world()
    run(knowledge, model())
    knowledge.add("c4", "H5 came.", "H5-H0", "H5-H1", "H5-H2")
    knowledge.log.clear()
    run(knowledge, model())
    kinds = [line.split()[0] for line in knowledge.log]
    assert kinds == ["remember", "put", "remember", "report", "drop"]
    assert knowledge.log[-1] == "drop On H0 H1 H2 H3 H4"


def test_d9_an_interrupted_run_goes_on_without_asking_twice(monkeypatch):
    monkeypatch.setattr("lorelite.communities.reports.BATCH", 1)
    knowledge, undisturbed = world(), world()
    run(undisturbed, model())

    calls = count()

    def stops(request):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return reply(request)

    asked = model(stops)
    with pytest.raises(KeyboardInterrupt):
        run(knowledge, asked)
    assert len(knowledge.report) == 2 and knowledge.finished == []
    again = model()
    run(knowledge, again)
    assert len(again.requests) == 1
    assert (knowledge.community, knowledge.report) == (undisturbed.community, undisturbed.report)


@pytest.mark.parametrize("names", [[], ["Mole"], ["Mole", "Rat", "Toad"]])
@pytest.mark.parametrize("with_model", [False, True])
def test_entities_without_relations_make_no_communities_and_no_calls(names, with_model):
    knowledge, asked = SmallKnowledge(), model()
    knowledge.add("c", "Mole, Rat, Toad.", *names)
    counters = run(knowledge, asked if with_model else None)
    assert counters["communities"] == counters["model_calls"] == 0
    assert (knowledge.community, knowledge.report, asked.requests) == ({}, {}, [])


def test_lone_entities_are_communities_when_that_is_asked_for():
    knowledge = SmallKnowledge()
    knowledge.add("c", "Mole, Rat.", "Mole", "Rat-Toad")
    run(knowledge, min_community_size=1)
    assert members(knowledge, 0) == ["Mole", "RatToad"]


def test_reports_of_chosen_levels_alone():
    knowledge = ring()
    run(knowledge, max_cluster_size=3)
    assert {each.level for each in knowledge.report.values()} == {0, 1}
    run(knowledge, max_cluster_size=3, report_levels=[0])
    assert {each.level for each in knowledge.report.values()} == {0}
    assert {each.level for each in knowledge.community.values()} == {0, 1}


def test_a_report_that_is_longer_than_allowed_loses_its_last_findings():
    knowledge = world()
    findings = [{"summary": f"finding {number}", "explanation": "word " * 40} for number in range(9)]
    run(knowledge, model(json.dumps({"title": "T", "summary": "S " * 50, "findings": findings})), max_report_tokens=200)
    for report in knowledge.report.values():
        assert 0 < len(report.findings) < 9
        assert report.findings[0].summary == "finding 0"
        assert token_cost(report.text) <= 200
    knowledge = world()
    run(knowledge, model(json.dumps({"title": "T", "summary": "S " * 9_000})), max_report_tokens=200)
    assert {token_cost(report.text) for report in knowledge.report.values()} <= set(range(190, 201))


def test_reports_put_together_without_a_model_give_way_to_those_of_a_model_but_not_the_other_way():
    knowledge = world()
    run(knowledge)
    assert {report.origin for report in knowledge.report.values()} == {"heuristic"}
    assert run(knowledge)["reports_reused"] == 3
    assert run(knowledge, model())["reports"] == 3
    assert run(knowledge)["reports_reused"] == 3
    assert {report.origin for report in knowledge.report.values()} == {"model"}


def test_the_model_of_the_processor_goes_before_the_graphs():
    knowledge, graph, own = world(), model(), model()
    drive(entity_community_generation(model=own).process(engine(knowledge, graph), ()))
    assert (len(graph.requests), len(own.requests)) == (0, 3)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("max_cluster_size", 0), ("seed", -1), ("resolution", 0), ("resolution", float("nan")), ("use_lcc", 1),
        ("min_community_size", 0), ("max_input_tokens", 100), ("max_report_tokens", 1), ("max_report_tokens", "9"),
        ("report_levels", 2), ("report_levels", [-1]), ("force_sub_communities", "yes"), ("packing", "squeeze"),
        ("prompt", 7), ("engine", "gpu"),
    ],
)  # fmt: skip
def test_an_option_out_of_its_range_is_refused_by_name(option, value):
    with pytest.raises(InvalidOption, match=option):
        entity_community_generation(**{option: value})


def test_an_unknown_algorithm_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="leiden, louvain, local-moving"):
        entity_community_generation(algorithm="guess")


def test_b3_its_options_are_json_and_name_the_model_and_a_digest_of_the_prompt():
    given = entity_community_generation(model=model(), prompt="Rhyme.", report_levels=(1, 0)).options()
    assert given["model"] == "scripted" and given["report_levels"] == [0, 1]
    assert "Rhyme" not in json.dumps(given) and len(given["prompt"]) == 64
    assert entity_community_generation().options()["prompt"] is None


def test_options_go_by_the_sdks_own_names_too():
    made = entityCommunityGeneration(maxClusterSize=7, useLcc=True, reportLevels=[0])
    assert made.options() == entity_community_generation(max_cluster_size=7, use_lcc=True, report_levels=[0]).options()
    assert made.name == "entityCommunityGeneration"
