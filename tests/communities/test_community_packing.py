import csv
import io
from itertools import pairwise

import pytest

from lorelite.communities.packing import packed
from lorelite.communities.schema import View, named, views
from lorelite.graph.hierarchy import Cluster
from lorelite.graph_records import CommunityReport, GraphEntity, GraphRelation

NAMES = [f"N{number:02}" for number in range(40)]


def community(length=60, names=NAMES):
    """40 entities in two parts of 30 and 10, each joined to the next, the first of the highest degree."""
    clusters = [
        Cluster("0", 0, tuple(names), None, ("1", "2"), False),
        Cluster("1", 1, tuple(names[:30]), "0", (), True),
        Cluster("2", 1, tuple(names[30:]), "0", (), True),
    ]
    whole, *parts = named("ns", clusters, 2)
    entities = [
        GraphEntity(id=name, name=name, type="t", degree=90 - number, description="d" * length)
        for number, name in enumerate(names)
    ]
    relations = [
        GraphRelation(source_id=a, target_id=b, source=a, target=b, description="r" * length)
        for a, b in pairwise(names)
    ]
    (view,) = views([whole], entities, relations)
    return view, sorted(parts, key=lambda part: -len(part.entity_ids))


def told(part, text="s" * 40, rating=5.0):
    return part, CommunityReport(community_id=part.id, level=1, title="T", summary=text, rating=rating)


def rows(table):
    return list(csv.DictReader(io.StringIO(table)))


def size(tables):
    return sum(map(len, tables.values())) / 4


def test_what_fits_is_shown_whole_and_without_reports_of_parts():
    view, (large, small) = community()
    tables = packed(view, [told(large), told(small)], 10_000)
    assert list(tables) == ["Entities", "Relationships"]
    entities = rows(tables["Entities"])
    assert [row["entity"] for row in entities] == NAMES
    assert entities[0] == {"id": "1", "entity": "N00", "type": "t", "description": "d" * 60, "degree": "90"}
    assert rows(tables["Relationships"])[0] == {
        "id": "1", "source": "N00", "target": "N01", "description": "r" * 60, "rank": "179",
    }  # fmt: skip


def test_commas_quotes_and_line_breaks_stay_inside_their_cell():
    view, _ = community()
    odd = GraphEntity(id="N00", name='Rat, "Ratty"', description="line\nline", degree=99)
    one = View(view.community, (odd,), (), {"N00": 99})
    assert rows(packed(one, [], 1_000)["Entities"])[0]["entity"] == 'Rat, "Ratty"'
    assert rows(packed(one, [], 1_000)["Entities"])[0]["description"] == "line\nline"


@pytest.mark.parametrize("packing", ["share", "substitute"])
@pytest.mark.parametrize("tokens", [0, 10, 60, 200, 500, 900, 1_200, 1_500, 3_000])
@pytest.mark.parametrize("force", [False, True])
def test_d7_no_budget_is_exceeded(packing, tokens, force):
    view, parts = community()
    for children in ([], [told(part, "s" * 900) for part in parts]):
        tables = packed(view, children, tokens, force=force, packing=packing)
        assert size(tables) <= tokens


def test_without_reports_of_parts_the_room_is_shared_and_the_best_rows_stay():
    view, _ = community()
    tables = packed(view, [], 700)
    entities, relations = rows(tables["Entities"]), rows(tables["Relationships"])
    assert [row["entity"] for row in entities] == NAMES[: len(entities)]
    assert abs(len(entities) - len(relations)) <= 2
    assert size(tables) > 650


def test_reports_of_parts_come_first_by_occurrence_and_what_they_cover_is_left_out():
    view, (large, small) = community()
    children = [told(large, "about the large"), told(small, "about the small")]
    tables = packed(view, [(c, r) for c, r in children], 1_500, force=True)
    assert list(tables) == ["Reports", "Relationships"]
    assert len(rows(tables["Reports"])) == 2
    assert [(row["source"], row["target"]) for row in rows(tables["Relationships"])] == [("N29", "N30")]
    only_small = packed(view, [told(small)], 1_500, force=True)
    assert [row["entity"] for row in rows(only_small["Entities"])] == NAMES[:30]
    assert len(rows(only_small["Relationships"])) == 30


def test_a_community_that_is_too_long_is_told_by_reports_without_being_forced():
    view, (large, small) = community()
    tables = packed(view, [told(large), told(small)], 1_000)
    assert len(rows(tables["Reports"])) == 2
    assert "# T" in rows(tables["Reports"])[0]["report"]


def test_substituting_replaces_only_as_many_parts_as_needed_the_largest_first():
    view, (large, small) = community()
    children = [told(small, "about the small"), told(large, "about the large")]
    tables = packed(view, children, 1_000, packing="substitute")
    assert ["about the large" in row["report"] for row in rows(tables["Reports"])] == [True]
    assert [row["entity"] for row in rows(tables["Entities"])] == NAMES[30:]
    assert len(rows(tables["Relationships"])) == 10
    both = packed(view, children, 1_000, packing="substitute", force=True)
    assert len(rows(both["Reports"])) == 2


def test_a_description_that_is_longer_than_all_room_is_cut_and_the_others_are_shown_too():
    view, _ = community()
    first, second, *_ = view.entities
    long = GraphEntity(id=first.id, name=first.name, degree=first.degree, description="x" * 100_000)
    tables = packed(View(view.community, (long, second), (), view.degrees), [], 500)
    assert [row["entity"] for row in rows(tables["Entities"])] == ["N00", "N01"]
    assert rows(tables["Entities"])[0]["description"].endswith("x…")
