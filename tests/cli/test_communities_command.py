"""`lorelite communities`, and what `lorelite ask` says before and after."""

from __future__ import annotations

import pytest

from lorelite import Wiki
from lorelite.cli.communities import _tree
from lorelite.graph_records import Community

WHOLE = "What are the main themes?"


@pytest.fixture
def built(filled):
    """The documents of the folder, with communities and reports."""
    assert filled("communities", "--build").code == 0
    return filled


@pytest.fixture
def filled(lorelite, folder):
    (folder / "docs" / "lock.md").write_text(
        "Ada Marsh keeps Heron Lock. Tom Weir met Ada Marsh at Heron Lock.\n\nOlga Brandt lives in Norham.", "utf-8"
    )
    assert lorelite("ingest", "docs").code == 0
    return lorelite


def test_before_they_are_built_it_is_told_how(filled):
    told = filled("communities")
    assert (told.code, told.out) == (0, "")
    assert told.err == "lorelite: main has no communities: none were found yet; --build does that\n"


def test_build_finds_them_lists_them_and_costs_nothing_the_second_time(filled):
    first = filled("communities", "--build", "--json").json
    assert first["built"]["counters"]["entityCommunityGeneration"]["reports"] == len(first["communities"]) > 1
    assert [report["community_id"] for report in first["reports"]] == [each["id"] for each in first["communities"]]
    again = filled("communities", "--build", "--json").json
    assert again["built"]["counters"]["entityCommunityGeneration"]["reports"] == 0
    assert again["communities"] == first["communities"] == filled("communities", "--json").json["communities"]
    told = filled("communities", "--build")
    assert (
        told.err == f"lorelite: {len(first['communities'])} communities, 0 reports written, "
        f"{len(first['communities'])} kept\n"
    )
    count, levels = len(first["communities"]), len({each["level"] for each in first["communities"]})
    status = filled("status").out
    assert f", {count} communities on {levels} level{'s' * (levels > 1)} with {count} reports\n" in status
    assert "without a report" not in status


def test_status_tells_of_communities_whose_report_went_with_a_forgotten_document(built):
    before = built("status", "--json").json["namespaces"][0]
    [document, *_] = before["documents"]
    with Wiki.open("lorelite.db") as wiki:
        wiki.forget("main", source_ref=document["source_ref"])
    after = built("status", "--json").json["namespaces"][0]
    missing = after["communities"] - after["reports"]
    assert before["reports"] == before["communities"] and missing > 0
    told = built("status").out
    assert f"{missing} communit" in told and "without a report: lorelite communities --build" in told


def test_the_list_shows_titles_sizes_ratings_and_ids(built):
    [lock] = [line for line in built("communities").out.splitlines() if "Ada Marsh" in line]
    assert "(3 entities, rated " in lock
    shown = lock.rpartition("(ID: ")[2].rstrip(")")
    assert built("communities", "--report", shown).out.startswith("# ")


def test_a_report_is_printed_by_its_title_or_the_beginning_of_it(built):
    [report] = [each for each in built("communities", "--json").json["reports"] if "Ada Marsh" in each["title"]]
    printed = built("communities", "--report", report["title"].lower())
    assert printed.out.startswith(f"# {report['title']}\n\n")
    assert "Ada Marsh keeps Heron Lock." in printed.out
    assert built("communities", "--report", report["title"][:5]).out == printed.out
    assert built("communities", "--report", report["community_id"], "--json").json == report


def test_a_report_that_is_not_there_is_said_not_to_be(built):
    told = built("communities", "--report", "Zebra")
    assert (told.code, told.out) == (1, "")
    assert told.err == "lorelite: report 'Zebra' was not found; lorelite communities lists them; --build writes them\n"
    assert built("communities", "--report", "").code == 1


def test_a_level_is_shown_alone_and_one_too_deep_is_told(built):
    assert built("communities", "--level", "0").out == built("communities").out
    told = built("communities", "--level", "7")
    assert (told.code, told.out, told.err) == (0, "", "lorelite: there is no level 7; the deepest is 0\n")


def test_each_community_stands_above_its_parts():
    top, other = Community(id="a", level=0, entity_ids=("x",)), Community(id="b", level=0, entity_ids=("y", "z"))
    part = Community(id="c", level=1, entity_ids=("y",), parent="b")
    assert [each.id for each in _tree([top, other, part], {})] == ["b", "c", "a"]


def test_an_unknown_namespace_is_told_of_and_not_made(built):
    for build in ((), ("--build",)):
        told = built("communities", "--namespace", "mian", *build)
        assert (told.code, told.err) == (1, "lorelite: namespace 'mian' was not found; known: 'main'\n")
    with Wiki.open("lorelite.db", read_only=True) as wiki:
        assert wiki.list_namespaces() == ["main"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--level", "-1"], "--level"),
        (["--level", "0", "--report", "x"], "--level / --report"),
        (["--model", "x", "--base-url", "http://127.0.0.1:9/v1"], "--build beside it"),
    ],
)
def test_wrong_usage_is_told(filled, options, message):
    told = filled("communities", *options)
    assert told.code == 2
    assert message in told.err


def test_documents_without_related_entities_have_none_and_that_is_no_error(lorelite, folder):
    (folder / "docs" / "one.md").write_text("nothing much happened here today", "utf-8")
    assert lorelite("ingest", "docs/one.md").code == 0
    told = lorelite("communities", "--build")
    assert (told.code, told.out) == (0, "")
    assert told.err.endswith("main has no communities: no two entities are related so far\n")


def test_ask_says_what_it_lacks_and_answers_when_it_is_there(filled):
    told = filled("ask", WHOLE)
    assert (told.code, told.out) == (0, "The documents do not say.\n")
    assert told.err.endswith("from reports on communities; `lorelite communities --build` makes them\n")
    told = filled("ask", "--strategy", "global", WHOLE)
    assert (told.code, told.out) == (1, "")
    assert told.err.endswith("lorelite: `lorelite communities --build` makes them\n")
    assert "--build" not in filled("ask", "--strategy", "similar_chunk_traversal", WHOLE).err
    assert filled("communities", "--build").code == 0
    for strategy in ((), ("--strategy", "global"), ("--strategy", "global_community")):
        told = filled("ask", WHOLE, *strategy)
        assert (told.code, told.err) == (0, "")
        assert "Ada Marsh" in told.out and "docs/lock.md:" in told.out
    assert "Ada Marsh keeps Heron Lock." in filled("ask", "--strategy", "local", "Who keeps Heron Lock?").out
