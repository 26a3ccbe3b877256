"""Indexes of Microsoft GraphRAG as its versions, other exporters and re-runs leave them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from lorelite import DumpError, Wiki
from lorelite.blocking import Wiki as BlockingWiki

FIRST = "Ada Marsh keeps the lock at Fenny, and has kept it for thirty years now."
SECOND = "Ben Rook walks to the mill every evening, and there he talks to Ada Marsh."
TABLES: dict[str, list[dict[str, Any]]] = {
    "entities": [
        {"id": "e0", "title": "ADA MARSH", "type": "PERSON", "description": "Keeps it.", "text_unit_ids": ["u0", "u1"]},
        {"id": "e1", "title": "BEN ROOK", "type": "PERSON", "description": "Walks.", "text_unit_ids": ["u1"]},
    ],
    "relationships": [
        {"id": "r", "source": "BEN ROOK", "target": "ADA MARSH", "description": "d", "weight": 4,
         "text_unit_ids": ["u1"]},
    ],
    "text_units": [
        {"id": "u0", "text": FIRST, "document_ids": ["d0"]},
        {"id": "u1", "text": SECOND, "document_ids": ["d1"]},
    ],
    "documents": [{"id": "d0", "title": "a.txt", "text": FIRST}, {"id": "d1", "title": "b.txt", "text": SECOND}],
    "communities": [
        {"community": 0, "level": 0, "parent": -1, "title": "Community 0", "entity_ids": ["e0", "e1"],
         "text_unit_ids": ["u0"]},
    ],
    "community_reports": [
        {"community": 0, "title": "The lock", "summary": "Ada and Ben.", "rank": 7,
         "findings": [{"summary": "Ada keeps it", "explanation": "Daily."}]},
    ],
}  # fmt: skip


def tables() -> dict[str, list[dict[str, Any]]]:
    return copy.deepcopy(TABLES)


def imported(wiki: BlockingWiki, folder: Path, given: dict[str, list[dict[str, Any]]]) -> Any:
    for name, rows in given.items():
        (folder / f"{name}.json").write_text(json.dumps(rows), "utf-8")
    return wiki.import_graphrag("fen", folder)


@pytest.fixture
def wiki():
    with Wiki.open(":memory:") as opened:
        yield opened


def test_two_documents_of_one_title_are_two(wiki, tmp_path):
    given = tables()
    given["documents"][1]["title"] = "a.txt"
    assert imported(wiki, tmp_path, given).documents == 2
    assert wiki.get_document("fen", "a.txt (d0)") == FIRST and wiki.get_document("fen", "a.txt (d1)") == SECOND
    assert imported(wiki, tmp_path, given).documents == 2


@pytest.mark.parametrize("title", ["x" * 5_000, "a\0b", "\ud800", None, 5, {"a": 1}])
def test_a_title_that_is_no_name_still_names_a_document(wiki, tmp_path, title):
    given = tables()
    given["documents"][0]["title"] = title
    given["entities"][1]["title"] = title
    assert imported(wiki, tmp_path, given).documents == 2


@pytest.mark.parametrize(
    "change",
    [
        {"community": "0", "level": "0", "parent": "-1"},
        {"community": 0.0, "level": 0.0, "parent": None},
        {"community": None, "id": "0"},
        {"community": None, "id": None},
        {"entity_ids": None, "relationship_ids": ["r"]},
        {"level": 1e300},
        {"level": -4, "parent": 0},
        {"parent": 10**400},
    ],
)
def test_communities_of_every_version_find_their_members_and_reports(wiki, tmp_path, change):
    given = tables()
    given["communities"][0] |= change
    found = imported(wiki, tmp_path, given)
    assert (found.communities, found.reports) == (1, 1)
    [community] = wiki.graph("fen").communities()
    assert (community.id, community.level, community.parent, len(community.entity_ids)) == ("0", 0, None, 2)


def test_parents_that_go_round_in_a_ring_are_none_and_what_comes_twice_counts_once(wiki, tmp_path):
    given = tables()
    [first], [report] = given["communities"], given["community_reports"]
    given["communities"] = [first | {"parent": 1}, first | {"community": 1, "level": 1, "parent": 0}, first]
    given["community_reports"] = [report, report | {"title": "Another"}]
    found = imported(wiki, tmp_path, given)
    assert (found.communities, found.reports) == (2, 1)
    assert [(each.id, each.parent, each.children) for each in wiki.graph("fen").communities()] == [
        ("0", None, ("1",)),
        ("1", "0", ()),
    ]
    before = wiki.export_dump("fen").namespaces["fen"].rows
    imported(wiki, tmp_path, given)
    assert wiki.export_dump("fen").namespaces["fen"].rows == before


@pytest.mark.parametrize(
    ("findings", "summaries"),
    [
        ("[{'summary': 'It''s', 'explanation': \"b\"}\n {'summary': 'Two'}]", 2),
        ('[{"summary": "One"}]', 1),
        ({"summary": "One"}, 1),
        (["One", "Two", "", None], 2),
        ("Plain words", 1),
        ("[" * 5_000, 1),
        (None, 0),
        (3, 1),
    ],
)
def test_findings_are_read_however_they_are_written(wiki, tmp_path, findings, summaries):
    given = tables()
    given["community_reports"][0]["findings"] = findings
    imported(wiki, tmp_path, given)
    [report] = wiki.graph("fen").reports()
    assert len(report.findings) == summaries


def test_ids_that_are_numbers_or_missing_are_ids_all_the_same(wiki, tmp_path):
    given = tables()
    for place, unit in enumerate(given["text_units"]):
        unit |= {"id": place, "document_ids": [place]}
        given["documents"][place]["id"] = float(place)
        given["entities"][place]["text_unit_ids"] = [float(place)]
    found = imported(wiki, tmp_path, given)
    assert (found.documents, found.entities) == (2, 2) and wiki.get_document("fen", "b.txt") == SECOND
    for unit in given["text_units"]:
        del unit["id"]
    with Wiki.open(":memory:") as other:
        assert imported(other, tmp_path, given).entities == 2


def test_documents_of_version_0_3_have_raw_content(wiki, tmp_path):
    given = tables()
    given["documents"][0] = {"id": "d0", "title": "a.txt", "raw_content": f"Preface. {FIRST}"}
    imported(wiki, tmp_path, given)
    assert wiki.get_document("fen", "a.txt") == f"Preface. {FIRST}"


def test_text_units_without_a_text_are_refused_before_anything_is_written(wiki, tmp_path):
    given = tables()
    given["text_units"] = [{"id": "u0", "text": None}, {"id": "u1", "text": " "}]
    with pytest.raises(DumpError, match="text units with a text"):
        imported(wiki, tmp_path, given)
    assert wiki.list_namespaces() == []


@pytest.mark.parametrize("weight", [10**400, float("nan"), "much", None, True, -3, 1e308])
def test_weights_that_are_no_numbers_do_no_harm(wiki, tmp_path, weight):
    given = tables()
    given["relationships"] += [given["relationships"][0] | {"weight": weight}] * 2
    assert imported(wiki, tmp_path, given).relations == 1


def test_what_the_tables_say_otherwise_of_the_same_texts_takes_the_place_of_what_they_said(wiki, tmp_path):
    imported(wiki, tmp_path, tables())
    given = tables()
    given["entities"][1]["description"] = "Rides."
    given["relationships"][0]["weight"] = 9
    imported(wiki, tmp_path, given)
    graph = wiki.graph("fen")
    assert {each.name: each.description for each in graph.entities()} == {
        "ADA MARSH": "Keeps it.",
        "BEN ROOK": "Rides.",
    }
    assert [each.weight for each in graph.relations()] == [9.0]
    before = wiki.export_dump("fen").namespaces["fen"].rows
    imported(wiki, tmp_path, given)
    assert wiki.export_dump("fen").namespaces["fen"].rows == before
