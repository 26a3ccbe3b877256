"""Communities as notes on nodes, and read back."""

from __future__ import annotations

from lorelite.graph.hierarchy import cluster
from lorelite.graph.schema import clusters_by_node, community_schema


def ring_of_triangles(count: int) -> list[tuple[str, str, float]]:
    """Triangles joined into a ring; from nine on level 0 takes two of them as one."""
    edges = []
    for number in range(count):
        a, b, c = (f"{number:02}{corner}" for corner in "abc")
        edges += [(a, b, 1.0), (b, c, 1.0), (a, c, 1.0), (a, f"{(number + 1) % count:02}b", 1.0)]
    return edges


def test_notes_of_a_hierarchy_give_the_hierarchy_back():
    edges = ring_of_triangles(10)
    hierarchy = cluster(edges, max_cluster_size=4)
    notes = clusters_by_node(hierarchy.clusters)
    assert all([note["level"] for note in of_node] == list(range(len(of_node))) for of_node in notes.values())
    schema = community_schema(
        [(node, {"clusters": found}) for node, found in sorted(notes.items())], [edge[:2] for edge in edges]
    )
    assert len(schema) == len(hierarchy.clusters) == 14
    for found in hierarchy.clusters:
        community = schema[found.id]
        assert (community["level"], tuple(community["nodes"])) == (found.level, found.members)
        assert (community["parent"], tuple(community["sub_communities"])) == (found.parent, found.children)


def test_communities_come_by_level_and_number():
    nodes = [
        ("x", {"clusters": [{"level": 0, "cluster": "2"}, {"level": 1, "cluster": "10"}]}),
        ("y", {"clusters": [{"level": 0, "cluster": "2"}, {"level": 1, "cluster": "9"}]}),
        ("z", {"clusters": [{"level": 0, "cluster": "own"}], "source_id": "chunk-1"}),
        ("nowhere", {"clusters": []}),
        ("unclustered", {}),
    ]
    schema = community_schema(nodes, [("y", "x"), ("y", "nowhere"), ("z", "z")])
    assert list(schema) == ["2", "own", "9", "10"]
    assert schema["2"]["sub_communities"] == ["9", "10"]
    assert schema["2"]["edges"] == [("nowhere", "y"), ("x", "y")]
    assert schema["own"]["edges"] == [("z", "z")]
    assert (schema["own"]["chunk_ids"], schema["own"]["occurrence"], schema["2"]["occurrence"]) == (
        ["chunk-1"],
        1.0,
        0.0,
    )
    assert community_schema([], []) == {}
