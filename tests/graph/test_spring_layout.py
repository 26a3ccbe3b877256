"""Where the nodes of a small graph are drawn, and the drawing."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from lorelite.graph.drawing import DrawnLink, DrawnNode, graph_svg
from lorelite.graph.spring_layout import spring_layout

GRAPHS = st.integers(0, 12).flatmap(
    lambda count: st.tuples(
        st.just(count),
        st.lists(
            st.tuples(
                st.integers(0, max(count - 1, 0)), st.integers(0, max(count - 1, 0)), st.floats(0, 1e6, width=32)
            ),
            max_size=30 if count else 0,
        ),
    )
)


@given(GRAPHS)
def test_every_node_has_a_place_in_the_unit_square_the_same_each_time(graph):
    count, links = graph
    points = spring_layout(count, links, rounds=10)
    assert len(points) == count
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in points)
    assert points == spring_layout(count, links, rounds=10)


def test_two_groups_lie_apart():
    groups = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]
    points = spring_layout(6, [(a, b, 1.0) for a, b in groups])

    def far(a, b):
        return math.dist(points[a], points[b])

    within = max(far(a, b) for a, b in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)])
    assert min(far(0, 4), far(0, 5), far(1, 4), far(1, 5)) > within


def test_parts_that_are_not_connected_lie_on_areas_of_their_own():
    points = spring_layout(10, [(a, a + 1, 1.0) for a in range(7)] + [(8, 9, 1.0)])
    large, small = points[:8], points[8:]
    assert max(x for x, _ in large) < min(x for x, _ in small)


def test_no_two_nodes_lie_on_one_spot():
    points = spring_layout(60, [(0, other, 1.0) for other in range(1, 60)])
    assert min(math.dist(points[a], points[b]) for a in range(60) for b in range(a)) > 0.01


def test_a_drawing_is_well_formed_whatever_the_names_hold():
    nodes = [DrawnNode(label="<b>&\x00\ud800\"'", href="a'b\"<.html", detail="]]>"), DrawnNode(label="木" * 50)]
    drawn = graph_svg(nodes, [DrawnLink(0, 1, 2.0, "<knows>")], title="A & B")
    root = ElementTree.fromstring(drawn)
    assert root.get("aria-label") == "A & B"
    texts = [each.text for each in root.iter() if each.tag.endswith("text")]
    assert texts == ["<b>&\ufffd\ufffd\"'", "木" * 25 + "…"]
    [link] = [each for each in root.iter() if each.tag.endswith("}a")]
    assert link.get("href") == "a'b\"<.html"


def test_an_empty_graph_is_an_empty_drawing():
    assert len(list(ElementTree.fromstring(graph_svg([], [], title="Nothing")))) == 1
