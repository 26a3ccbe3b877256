from dataclasses import replace

from lorelite.communities.schema import content_hash, named, told_by, views
from lorelite.graph.hierarchy import Cluster
from lorelite.graph_records import GraphEntity, GraphRelation


def entity(name, degree=1, chunks=(), description=""):
    return GraphEntity(id=name, name=name, degree=degree, chunk_ids=chunks, description=description)


def joined(a, b, description="meets"):
    return GraphRelation(source_id=a, target_id=b, source=a, target=b, description=description)


CLUSTERS = [
    Cluster("0", 0, ("a", "b", "c", "d", "e"), None, ("2", "3"), False),
    Cluster("1", 0, ("x",), None, (), True),
    Cluster("2", 1, ("a", "b", "c"), "0", (), True),
    Cluster("3", 1, ("d", "e"), "0", (), True),
]


def test_clusters_of_enough_members_become_communities_with_parents_and_children():
    large, small, pair = named("ns", CLUSTERS, 2)
    assert (large.level, large.entity_ids, large.parent, large.is_final) == (0, ("a", "b", "c", "d", "e"), None, False)
    assert {small.entity_ids, pair.entity_ids} == {("a", "b", "c"), ("d", "e")}
    assert small.parent == pair.parent == large.id
    assert large.children == tuple(sorted((small.id, pair.id)))


def test_a_community_whose_parts_are_too_small_is_final():
    large, part = named("ns", CLUSTERS, 3)
    assert large.children == (part.id,)
    (alone,) = named("ns", CLUSTERS, 4)
    assert alone.is_final and alone.children == ()


def test_an_id_stands_for_the_members_whatever_the_level_and_differs_by_namespace():
    (deep,) = named("ns", [Cluster("7", 3, ("e", "d"), None, (), True)], 2)
    assert deep.id in {each.id for each in named("ns", CLUSTERS, 2)}
    assert deep.id not in {each.id for each in named("other", CLUSTERS, 2)}


def test_chunks_come_in_the_order_of_insertion_and_occurrence_is_a_share_of_the_most():
    entities = {each.id: each for each in [
        entity("a", 3, ("c3", "c1")), entity("b", 5, ("c1",)), entity("c", 1, ("c2",)), entity("d", 1, ("c4",)),
        entity("e", 1, ("c4", "gone")),
    ]}  # fmt: skip
    told = told_by(named("ns", CLUSTERS, 2), entities, ["c2", "c1", "c3", "c4"])
    by_members = {each.entity_ids: each for each in told}
    assert by_members["a", "b", "c"].chunk_ids == ("c2", "c1", "c3")
    assert by_members["a", "b", "c"].occurrence == 3 / 4
    assert by_members["d", "e"].occurrence == 1 / 4
    assert by_members["a", "b", "c"].title == "b, a, c"


def test_a_view_holds_what_lies_inside_the_most_connected_first():
    communities = named("ns", CLUSTERS, 2)[1:]
    entities = [entity("a", 2), entity("b", 4), entity("c", 2), entity("d", 9), entity("e", 1)]
    relations = [joined("a", "c"), joined("c", "b"), joined("c", "d"), joined("d", "e"), joined("zz", "a")]
    seen = {view.community.entity_ids: view for view in views(communities, entities, relations)}
    view = seen["a", "b", "c"]
    assert [each.name for each in view.entities] == ["b", "a", "c"]
    assert [(each.source, each.target) for each in view.relations] == [("c", "b"), ("a", "c")]
    assert view.rank(view.relations[0]) == 6
    assert [(each.source, each.target) for each in seen["d", "e"].relations] == [("d", "e")]


def test_the_hash_follows_members_descriptions_and_relations_and_nothing_else():
    community = named("ns", CLUSTERS, 2)[-1]
    (view,) = views([community], [entity("d"), entity("e")], [joined("d", "e")])
    same = content_hash(view)
    (moved,) = views(
        [replace(community, level=5, chunk_ids=("c9",))], [entity("e", 7), entity("d", 8)], [joined("e", "d")]
    )
    assert content_hash(moved) == same
    (described,) = views([community], [entity("d", description="new"), entity("e")], [joined("d", "e")])
    (related,) = views([community], [entity("d"), entity("e")], [joined("d", "e", "fights")])
    (apart,) = views([community], [entity("d"), entity("e")], [])
    assert len({same, content_hash(described), content_hash(related), content_hash(apart)}) == 4
    assert content_hash(moved, with_chunks=True) != content_hash(view, with_chunks=True)
