from dataclasses import replace

import pytest
from small_graph import HALL, WOOD, SmallKnowledge, clique, members, model, run, told_of, world

from lorelite._drive import drive
from lorelite.graph.hierarchy import cluster


def test_d9_after_adding_a_document_the_model_is_asked_for_changed_communities_alone():
    knowledge = world()
    run(knowledge, model())
    kept = set(knowledge.community)
    knowledge.add("c4", "H5 came.", "H5-H0", "H5-H1", "H5-H2")
    again = model()
    run(knowledge, again)
    assert [told_of(request) for request in again.requests] == [{*HALL, "H5"}]
    assert len(kept & set(knowledge.community)) == 2
    assert knowledge.report.keys() == knowledge.community.keys()


def test_d9_a_new_description_asks_for_its_community_alone_and_the_report_keeps_its_id():
    knowledge = world()
    run(knowledge, model())
    ids = set(knowledge.report)
    knowledge.described["W3"] = "A weasel."
    again = model()
    run(knowledge, again)
    assert [told_of(request) for request in again.requests] == [set(WOOD)]
    assert set(knowledge.report) == ids


@pytest.mark.parametrize("killed_at", ["remember", "put_communities", "put_reports", "drop_reports", "mark_finished"])
def test_a4_killed_before_any_step_the_next_run_gives_what_an_undisturbed_one_gives(killed_at):
    def grown():
        knowledge = world()
        run(knowledge, model())
        knowledge.add("c4", "H5 came to R0.", "H5-H0", "H5-H1", "H5-R0", "R0-H0", "X0-X1", "X1-X2")
        return knowledge

    undisturbed, knowledge = grown(), grown()
    run(undisturbed, model())

    async def kill(*_):
        raise KeyboardInterrupt

    setattr(knowledge, killed_at, kill)
    with pytest.raises(KeyboardInterrupt):
        run(knowledge, model(), ["c4"])
    delattr(knowledge, killed_at)
    run(knowledge, model(), ["c4"])
    assert knowledge.kept == undisturbed.kept
    assert (knowledge.community, knowledge.report) == (undisturbed.community, undisturbed.report)


def test_after_entities_are_deleted_communities_and_reports_are_right_again():
    knowledge = world()
    run(knowledge, model())
    knowledge.remove(*HALL, "W4")
    again = model()
    run(knowledge, again)
    assert members(knowledge, 0) == ["R0R1R2R3R4", "W0W1W2W3"]
    assert [told_of(request) for request in again.requests] == [set(WOOD) - {"W4"}]
    assert knowledge.report.keys() == knowledge.community.keys()


def test_ids_of_communities_that_stay_are_kept_when_the_graph_around_them_changes():
    knowledge = SmallKnowledge()
    villages = [[f"{letter}{number}" for number in range(6)] for letter in "ABCDEFGHIJKL"]
    for village in villages:
        knowledge.add(village[0], "text", *clique(village))
    ring = zip(villages, [*villages[1:], villages[0]], strict=True)
    knowledge.add("ring", "text", *(f"{first[0]}-{second[1]}" for first, second in ring))
    run(knowledge)
    before = set(knowledge.community)
    knowledge.add("new", "text", "A2-Z0", "Z0-A3", "Z0-A4")
    run(knowledge)
    assert len(before & set(knowledge.community)) >= len(before) - 2


def test_new_relations_among_known_entities_change_their_communities_alone():
    knowledge = SmallKnowledge()
    villages = [[f"{chr(65 + number)}{place}" for place in range(6)] for number in range(40)]
    for village in villages:
        knowledge.add(village[0], "text", *clique(village))
    run(knowledge, model())
    before = set(knowledge.community)
    first, other = villages[0], villages[5]
    knowledge.add("new", "text", *(f"{first[0]}-{member}" for member in other))
    counters = run(knowledge, model())
    assert "".join([*first, *other]) in members(knowledge, 0)
    assert members(knowledge, 1) == ["".join(first), "".join(other)]
    assert before < set(knowledge.community)
    assert (counters["reports"], counters["reports_reused"]) == (1, 40)


def test_a_report_goes_along_when_its_community_is_found_on_another_level():
    knowledge = world()
    run(knowledge, model())
    knowledge.report = {id: replace(report, level=3) for id, report in knowledge.report.items()}
    again = model()
    assert run(knowledge, again)["reports_reused"] == 3
    assert {report.level for report in knowledge.report.values()} == {0}
    assert again.requests == []


def test_warm_starts_keep_the_quality_of_a_search_from_nothing():
    knowledge = SmallKnowledge()
    villages = [[f"{chr(65 + number)}{place}" for place in range(6)] for number in range(20)]
    for number, village in enumerate(villages):
        knowledge.add(village[0], "text", *clique(village))
        if number:
            knowledge.add(f"road{number}", "text", f"{village[0]}-{villages[number - 1][1]}")
        run(knowledge)
        edges = drive(knowledge.weighted_edges()).edges
        whole = cluster(edges, max_cluster_size=None).modularity
        own = {id: each.id for each in knowledge.community.values() if each.level == 0 for id in each.entity_ids}
        assert modularity_of(edges, own) >= whole - 0.011


def modularity_of(edges, own):
    total = sum(weight for _, _, weight in edges)
    inside = sum(weight for a, b, weight in edges if own[a] == own[b])
    strength = {}
    for a, b, weight in edges:
        for end in (a, b):
            strength[own[end]] = strength.get(own[end], 0.0) + weight
    return inside / total - sum((each / (2 * total)) ** 2 for each in strength.values())
