"""A knowledge graph as it is drawn, wherever it is kept."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from knowledge_world import ENTITIES, insert, said

from lorelite import InvalidOption, Wiki, chunk_entity_generation, entity_community_generation
from lorelite._drive import drive
from lorelite.graph_records import Community, CommunityReport
from lorelite.pipeline.view import graph_view

STAVES = (
    "Scrooge, Marley and Cratchit worked together.\nTim and Martha are children.\nFan was small.",
    "Topper came to dinner.",
)


@pytest.fixture
def drawn(knowledge):
    """Scrooge is joined to two, Tim to Martha, Fan and Topper to nobody; names → ids."""
    office, children, fan = insert(knowledge, "carol", STAVES[0])
    (dinner,) = insert(knowledge, "sequel", STAVES[1])
    names = ["Scrooge", "Marley", "Cratchit", "Tim", "Martha", "Fan", "Topper"]

    def each(*names):
        return [(name, "person", f"{name}.") for name in names]

    found = [
        (
            office,
            said(each(*names[:3]), [("Scrooge", "Marley", "partners", 2.0), ("Scrooge", "Cratchit", "pays", 1.0)]),
        ),
        (children, said(each("Tim", "Martha"), [("Tim", "Martha", "siblings", 1.0)])),
        (fan, said(each("Fan"))),
        (dinner, said(each("Topper"))),
    ]
    drive(knowledge.add_extractions(found, processor=ENTITIES))
    ids = {entity.name: entity.id for entity in drive(knowledge.entities(drive(knowledge.entity_ids())))}
    chunks = [chunk.id for chunk, _ in found]

    def community(id, level, members, *, chunk_ids, parent=None, children=()):
        members = tuple(sorted(ids[name] for name in members))
        return Community(
            id=id, level=level, entity_ids=members, parent=parent, children=children, is_final=not children,
            title=f"of {id}", chunk_ids=chunk_ids,
        )  # fmt: skip

    drive(
        knowledge.put_communities(
            [
                community("all", 0, names[:3], chunk_ids=(chunks[0],), children=("pair",)),
                community("young", 0, ["Tim", "Martha"], chunk_ids=(chunks[1],)),
                community("pair", 1, ["Scrooge", "Marley"], chunk_ids=(chunks[0],), parent="all"),
            ]
        )
    )
    drive(knowledge.put_reports([CommunityReport(community_id="all", level=0, title="The office", summary="Money.")]))
    return ids


def view(knowledge, level=0, max_nodes=200):
    return drive(graph_view(knowledge, level=level, max_nodes=max_nodes))


def test_nodes_carry_their_communities_and_the_colour_of_one(knowledge, drawn):
    seen = view(knowledge)
    names = {id: name for name, id in drawn.items()}
    told = {node.name: (node.degree, node.communities, node.community, node.colour) for node in seen.nodes}
    assert told["Scrooge"] == (2, ("all", "pair"), "all", 0)
    assert told["Cratchit"] == (1, ("all",), "all", 0)
    assert told["Tim"] == (1, ("young",), "young", 1)
    assert told["Fan"] == (0, (), None, None)
    assert [node.type for node in seen.nodes] == ["person"] * 7
    ends = {frozenset((names[edge.source_id], names[edge.target_id])): edge.weight for edge in seen.edges}
    assert ends == {
        frozenset({"Scrooge", "Marley"}): 2.0,
        frozenset({"Scrooge", "Cratchit"}): 1.0,
        frozenset({"Tim", "Martha"}): 1.0,
    }
    assert [(each.id, each.title, each.size, each.colour) for each in seen.communities] == [
        ("all", "The office", 3, 0),
        ("young", "of young", 2, 1),
    ]
    assert (seen.level, seen.entities, seen.truncated) == (0, 7, False)


def test_at_a_deeper_level_communities_that_are_not_divided_stand_themselves(knowledge, drawn):
    seen = view(knowledge, level=1)
    assert {node.name: node.community for node in seen.nodes} == {
        "Scrooge": "pair", "Marley": "pair", "Cratchit": None, "Tim": "young", "Martha": "young",
        "Fan": None, "Topper": None,
    }  # fmt: skip
    assert [(each.id, each.level) for each in seen.communities] == [("pair", 1), ("young", 0)]
    assert view(knowledge, level=9).communities == view(knowledge, level=2).communities


def test_a_cut_keeps_the_most_connected_their_edges_and_their_colours(knowledge, drawn):
    whole, cut = view(knowledge), view(knowledge, max_nodes=2)
    assert cut.nodes == whole.nodes[:2]
    assert cut.nodes[0].name == "Scrooge"
    assert [node.degree for node in whole.nodes] == [2, 1, 1, 1, 1, 0, 0]
    assert {(edge.source_id, edge.target_id) for edge in cut.edges} <= {(e.source_id, e.target_id) for e in whole.edges}
    shown = {node.id for node in cut.nodes}
    assert all({edge.source_id, edge.target_id} <= shown for edge in cut.edges)
    assert set(cut.communities) <= set(whole.communities)
    assert (cut.entities, cut.truncated) == (7, True)


def test_what_is_told_later_takes_a_later_colour(knowledge, drawn):
    before = view(knowledge)
    chunks = tuple(drive(knowledge.chunks_of(["sequel"])))
    late = Community(id="aaa", level=0, entity_ids=(drawn["Topper"],), chunk_ids=chunks)
    drive(knowledge.put_communities([late, *drive(knowledge.communities())]))
    assert [(each.id, each.colour) for each in view(knowledge).communities] == [
        *((each.id, each.colour) for each in before.communities),
        ("aaa", 2),
    ]


def test_json_can_hold_it_and_it_is_the_same_each_time(knowledge, drawn):
    text = json.dumps(asdict(view(knowledge)))
    assert text == json.dumps(asdict(view(knowledge)))
    assert json.loads(text)["communities"][0]["title"] == "The office"


def test_an_empty_graph_is_an_empty_view(knowledge):
    seen = view(knowledge)
    assert (seen.nodes, seen.edges, seen.communities, seen.truncated) == ((), (), (), False)


def test_a_graph_gives_it_and_refuses_what_is_no_number():
    with Wiki.open(":memory:") as wiki:
        graph = wiki.graph("main", pipeline=[chunk_entity_generation(), entity_community_generation()])
        graph.insert("Ada Marsh keeps Heron Lock. Tom Weir met Ada Marsh at Heron Lock.")
        seen = graph.view()
        assert seen.nodes[0].colour == 0
        assert seen.communities[0].title == graph.reports()[0].title
        for wrong in ({"level": -1}, {"max_nodes": 0}, {"max_nodes": True}):
            with pytest.raises(InvalidOption):
                graph.view(**wrong)
