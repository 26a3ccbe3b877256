"""Merges meet what users, other files and models do to them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.conftest import HASH_B, HASH_C, NS
from tests.ingest.scripted_reader import reader
from tests.resolution.test_merging import relations, titles
from tests.resolution.test_suggesting import state
from tests.retrieve.test_ranker import Ranker

from lorelite import AsyncWiki, InvalidOption, ReadOnly, StrictOntologyViolation, Wiki
from lorelite.models import HashEmbedder, ScriptedModel
from lorelite.ports import ModelRequest

WORDS = "sleeps under the weir"


def rows(wiki: Wiki, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in wiki._wiki._engine.store.db.rows(sql)]


def live(wiki: Wiki) -> list[str]:
    return [row[0] for row in rows(wiki, "select id from node where deleted_at is null order by id")]


@pytest.fixture
def pair(wiki) -> Wiki:
    """OpenAI, and Open AI, which makes Otter."""
    state(wiki, "OpenAI", "Open AI", "Otter", edges=(("Open AI", "makes", "Otter"),))
    return wiki


# -- forgetting -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("into", ["Ada", "Bell"])
def test_a_forgotten_document_leaves_no_word_in_merges_nor_in_dumps(open_wiki, into):
    def reply(request: ModelRequest) -> str:
        passage = request.user.partition("The passage:")[2]
        named = [name for name in ("Ada", "Bell", "Cid") if name in passage]
        return json.dumps(
            {
                "entities": [
                    {
                        "name": name,
                        "type": "person",
                        "description": f"{name} {WORDS}" if "secret" in passage else f"{name} lives",
                        "aliases": ["Zaphod"] if "secret" in passage else [],
                    }
                    for name in named
                ]
            }
        )

    wiki = open_wiki(model=ScriptedModel({"extract": reply}))
    wiki.ingest_document(NS, source_ref="a.md", text="Ada and Bell and Cid.")
    wiki.ingest_document(NS, source_ref="secret.md", text="A secret of Ada and Bell.")
    wiki.merge_entities(NS, into=into, others="Bell" if into == "Ada" else "Ada")
    wiki.merge_entities(NS, into="Cid", others=into)
    wiki.forget(NS, source_ref="secret.md")
    wiki.run_prune(NS, retain_deleted_for=0, retain_changes_for=0)
    kept = json.dumps([rows(wiki, f"select * from {table}") for table in ("merge", "memo", "node", "support", "alias")])
    assert WORDS not in kept and "zaphod" not in kept.lower()
    assert WORDS not in str(wiki.export_dump(NS).namespaces[NS].rows)
    for merge in wiki.list_merges(NS):
        wiki.undo_merge(NS, merge.merged_id)
    assert sorted(titles(wiki).values()) == ["Ada", "Bell", "Cid"]
    bodies = rows(wiki, "select body from node where kind = 'entity' and deleted_at is null order by title")
    assert bodies == [("Ada lives",), ("Bell lives",), ("Cid lives",)]


def test_a_part_that_is_forgotten_is_taken_out_of_the_whole_first(open_wiki):
    wiki = open_wiki(model=reader())
    wiki.ingest_document(NS, source_ref="a.md", text="Ada knows Cid. Bell knows Dora.")
    bell = next(id for id, title in titles(wiki).items() if title == "Bell")
    wiki.merge_entities(NS, into="Ada", others="Bell")
    assert wiki.forget(NS, node_id=bell, dry_run=True).nodes == 1 and len(wiki.list_merges(NS)) == 1
    assert wiki.forget(NS, node_id=bell).nodes == 1
    assert wiki.list_merges(NS) == [] and sorted(titles(wiki).values()) == ["Ada", "Cid", "Dora"]
    assert relations(wiki) == [("Ada", "knows", "Cid")]


def test_a_survivor_that_comes_back_has_its_own_name(open_wiki):
    wiki = open_wiki(model=reader())
    wiki.ingest_document(NS, source_ref="a.md", text="Ada knows Cid.")
    wiki.ingest_document(NS, source_ref="b.md", text="Bell knows Dora.")
    wiki.merge_entities(NS, into="Ada", others="Bell")
    for source in ("a.md", "b.md"):
        wiki.forget(NS, source_ref=source)
    wiki.ingest_document(NS, source_ref="c.md", text="Bell knows Dora.")
    assert relations(wiki) == [("Ada", "knows", "Dora")]
    assert wiki.list_merges(NS)[0].into == "Ada"


def test_pruning_a_whole_takes_what_is_kept_of_its_parts(pair):
    pair.merge_entities(NS, into="OpenAI", others="Open AI")
    pair.forget(NS, node_id="OpenAI")
    pair.run_prune(NS, retain_deleted_for=0)
    assert pair.list_merges(NS) == [] and rows(pair, "select name from memo") == []


# -- names ------------------------------------------------------------------------------------------------------


def test_the_id_of_a_part_is_not_given_to_a_fact(pair):
    pair.merge_entities(NS, into="OpenAI", others="Open AI")
    with pytest.raises(InvalidOption, match="an entity that is part of OpenAI"):
        pair.write(NS, title="mine", body="my own words", node_id="Open AI")
    pair.undo_merge(NS, "Open AI")
    assert live(pair) == ["Open AI", "OpenAI", "Otter"]


def test_a_title_stands_for_its_bearer_however_deep_it_is_within_and_whoever_else_is_called_so(open_wiki):
    wiki = open_wiki(model=reader())
    wiki.ingest_document(NS, source_ref="a.md", text="Cid is also called Max. Cid knows Eve.")
    wiki.upsert_graph(
        NS, source_ref="g", source_hash=HASH_B, nodes=[{"id": "max", "title": "Max", "kind": "entity"}], edges=[]
    )
    wiki.merge_entities(NS, into="Eve", others="Cid")
    wiki.merge_entities(NS, into="Eve", others="max")
    wiki.ingest_document(NS, source_ref="b.md", text="Max knows Dora.")
    assert ("Eve", "knows", "Dora") in relations(wiki)
    wiki.undo_merge(NS, "max")
    assert ("Max", "knows", "Dora") in relations(wiki)


def test_a_name_that_came_in_after_the_merge_is_the_parts_too(open_wiki):
    wiki = open_wiki(model=reader())
    wiki.ingest_document(NS, source_ref="a.md", text="Ada knows Cid. Bell knows Cid.")
    wiki.merge_entities(NS, into="Ada", others="Bell")
    wiki.ingest_document(NS, source_ref="b.md", text="Bell is also called Lu.")
    wiki.ingest_document(NS, source_ref="c.md", text="Lu knows Dora.")
    wiki.undo_merge(NS, "Bell")
    assert relations(wiki) == [("Ada", "knows", "Cid"), ("Bell", "knows", "Cid"), ("Bell", "knows", "Dora")]


def test_a_chain_of_stated_entities_keeps_what_each_states_in_a_new_version(wiki):
    def graph(version: str, *bodies: str) -> None:
        nodes = [
            {"id": f"n{place}", "title": f"N {place}", "kind": "entity", "body": body}
            for place, body in enumerate(bodies)
        ]
        wiki.upsert_graph(NS, source_ref="graph", source_hash=version, nodes=nodes, edges=[])

    graph(HASH_B, "one", "two")
    wiki.upsert_graph(
        NS, source_ref="top", source_hash="d" * 64, nodes=[{"id": "top", "title": "T", "kind": "entity"}], edges=[]
    )
    wiki.merge_entities(NS, into="n1", others="n0")
    wiki.merge_entities(NS, into="top", others="n1")
    graph(HASH_C, "three", "four")
    assert rows(wiki, "select node_id, body from support") == [("top", "four\nthree")]
    wiki.undo_merge(NS, "n1")
    wiki.undo_merge(NS, "n0")
    assert rows(wiki, "select id, body from node where deleted_at is null order by id") == [
        ("n0", "three"),
        ("n1", "four"),
        ("top", ""),
    ]
    assert rows(wiki, "select * from support") == []


# -- other files ------------------------------------------------------------------------------------------------


def test_two_files_that_merged_the_other_way_round_come_together_without_a_circle(pair, open_wiki):
    other = open_wiki()
    other.import_dump(pair.export_dump(NS))
    pair.merge_entities(NS, into="OpenAI", others="Open AI")
    other.merge_entities(NS, into="Open AI", others="OpenAI")
    report = pair.import_dump(other.export_dump(NS), merge=True)
    told = [each.reason for each in report.skipped if each.table == "merge"]
    assert told == ["the two would be parts of each other"]
    assert [(each.merged_id, each.into_id) for each in pair.list_merges(NS)] == [("Open AI", "OpenAI")]
    assert live(pair) == ["OpenAI", "Otter"]
    pair.upsert_graph(
        NS, source_ref="g", source_hash=HASH_C, nodes=[{"id": "Open AI", "title": "x", "kind": "entity"}], edges=[]
    )
    assert live(pair) == ["OpenAI", "Otter"]


@pytest.mark.parametrize("ours_is_merged", [True, False])
def test_a_merge_stands_whichever_of_two_files_made_it(pair, open_wiki, ours_is_merged, picture):
    before = picture(pair)
    other = open_wiki()
    other.import_dump(pair.export_dump(NS))
    (pair if ours_is_merged else other).merge_entities(NS, into="OpenAI", others="Open AI")
    report = pair.import_dump(other.export_dump(NS), merge=True)
    # The relation leads from elsewhere there, and stays as it is here.
    assert [each.table for each in report.skipped] == ["edge"]
    assert live(pair) == ["OpenAI", "Otter"] and len(pair.list_merges(NS)) == 1
    assert relations(pair) == [("OpenAI", "makes", "Otter")]
    pair.undo_merge(NS, "Open AI")
    assert picture(pair) == before


def test_a_merge_is_undone_in_a_namespace_of_another_name(pair, open_wiki):
    pair.merge_entities(NS, into="OpenAI", others="Open AI")
    other = open_wiki()
    other.import_dump(pair.export_dump(NS), namespace="renamed")
    other.undo_merge("renamed", "Open AI")
    assert rows(other, "select distinct namespace from node") == [("renamed",)]
    assert rows(other, "select namespace, source_id, target_id from edge") == [("renamed", "Open AI", "Otter")]
    assert rows(other, "select name from namespace") == [("renamed",)]


def spoilt(dump: Any, table: str, change: Any) -> Any:
    """The dump with the JSON of its merges, or of their shares, changed."""
    column = "undo" if table == "merge" else "value"
    for row in dump.namespaces[NS].rows[table]:
        value = json.loads(row[column])
        change(value)
        row[column] = json.dumps(value)
    return dump


def set_all(**values: Any) -> Any:
    def change(share: Mapping[str, Any]) -> None:
        for move in share["moves"]:
            if move["table"] == "support":
                move["own"].update(values)

    return change


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("memo", set_all(node_id="victim")),
        ("memo", set_all(document_id="doc_of_another")),
        ("memo", set_all(**{'x") values (1); drop table node; --': 1})),
        ("memo", set_all(body=["a list"])),
        (
            "memo",
            lambda share: share["moves"].append({"table": "sqlite_master", "own": {}, "there": None, "made": True}),
        ),
        ("memo", lambda share: share["moves"].append(7)),
        ("memo", lambda share: share.update(rests={})),
        ("merge", lambda undo: undo.clear()),
        ("merge", lambda undo: undo["node"].update(id="victim")),
        ("merge", lambda undo: undo["node"].pop("title")),
        ("merge", lambda undo: undo["into"].update(tags="[")),
        ("merge", lambda undo: undo.update(names=[1])),
        ("merge", lambda undo: undo.update(related={"node": ["victim"]})),
    ],
)
def test_a_dump_made_to_harm_brings_no_merge_that_writes_what_a_merge_would_not(pair, open_wiki, table, change):
    pair.merge_entities(NS, into="OpenAI", others="Open AI")
    dump = spoilt(pair.export_dump(NS), table, change)
    wiki = open_wiki()
    wiki.write("private", title="Victim", body="untouched", node_id="victim")
    before = wiki.export_dump("private").namespaces["private"].rows
    report = wiki.import_dump(dump)
    assert report.skipped and {each.table for each in report.skipped} == {table}
    for merge in wiki.list_merges(NS):
        wiki.undo_merge(NS, merge.merged_id)
    assert wiki.export_dump("private").namespaces["private"].rows == before
    wiki.ingest_document(NS, source_ref="a.md", text="Open AI met Otter.")


def test_a_share_cannot_reach_an_edge_of_another_namespace(pair, open_wiki):
    pair.merge_entities(NS, into="OpenAI", others="Open AI")
    wiki = open_wiki()
    nodes = [{"id": id, "title": id, "kind": "entity"} for id in ("p", "q")]
    edges = [{"id": "theirs", "type": "knows", "source_id": "p", "target_id": "q"}]
    wiki.upsert_graph("private", source_ref="g", source_hash=HASH_B, nodes=nodes, edges=edges)

    def reach(share: Mapping[str, Any]) -> None:
        for move in share["moves"]:
            if move["table"] == "edge":
                move["own"]["id"] = "theirs"

    report = wiki.import_dump(spoilt(pair.export_dump(NS), "memo", reach))
    assert [each.reason for each in report.skipped] == ["it reaches into another namespace of this file"]


@pytest.mark.parametrize("name", ["merge share x", "merge share [1,2,3]", "merge rejected {}", 'merge rejected ["a"]'])
def test_a_memo_that_only_looks_like_one_of_a_merge_is_left_out(pair, open_wiki, name):
    dump = pair.export_dump(NS)
    dump.namespaces[NS].rows["memo"] = [{"name": name, "value": "1"}]
    wiki = open_wiki()
    assert [each.table for each in wiki.import_dump(dump).skipped] == ["memo"]
    wiki.merge_entities(NS, into="OpenAI", others="Open AI")
    wiki.undo_merge(NS, "Open AI")
    assert len(wiki.suggest_merges(NS)) == 1


# -- rules ------------------------------------------------------------------------------------------------------


def test_a_strict_ontology_permits_no_merge_that_breaks_it(wiki):
    manifest = {
        "node_types": [{"type": "person"}, {"type": "place"}],
        "edge_types": [{"type": "lives_in", "source_type": "person", "target_type": "place"}],
    }
    wiki.set_ontology(NS, manifest, mode="strict")
    state(
        wiki, ("Bob", "person"), ("Bob.", "person"), ("Bobville", "place"), ("Rome", "place"),
        edges=(("Bob", "lives_in", "Rome"),),
    )  # fmt: skip
    with pytest.raises(StrictOntologyViolation, match="Bobville is a place"):
        wiki.merge_entities(NS, into="Bobville", others="Bob")
    assert wiki.list_merges(NS) == [] and relations(wiki) == [("Bob", "lives_in", "Rome")]
    wiki.merge_entities(NS, into="Bob.", others="Bob")
    assert relations(wiki) == [("Bob.", "lives_in", "Rome")] and wiki.lint(NS).manifest_violations.count == 0


def test_a_pair_that_was_rejected_stays_two_also_within_what_they_are_part_of(wiki):
    state(wiki, "OpenAI", "Open AI", "Open-AI!")
    wiki.reject_merge(NS, "OpenAI", "Open AI")
    wiki.merge_entities(NS, into="Open-AI!", others="OpenAI")
    assert wiki.suggest_merges(NS) == [] and wiki.resolve_duplicates(NS).merged == ()


def test_nothing_is_written_to_a_file_opened_for_reading(open_wiki, tmp_path):
    path = tmp_path / "brain.db"
    with_pair = open_wiki(path)
    state(with_pair, "OpenAI", "Open AI")
    with_pair.close()
    wiki = open_wiki(path, read_only=True)
    assert len(wiki.suggest_merges(NS)) == len(wiki.resolve_duplicates(NS, dry_run=True).merged) == 1
    for act in (
        lambda: wiki.merge_entities(NS, into="OpenAI", others="Open AI"),
        lambda: wiki.reject_merge(NS, "OpenAI", "Open AI"),
        lambda: wiki.resolve_duplicates(NS),
    ):
        with pytest.raises(ReadOnly):
            act()


def test_a_number_too_long_for_python_is_a_no_of_the_judge(open_wiki):
    wiki = open_wiki(model=ScriptedModel({"merge_judge": '{"same": ["' + "9" * 5_000 + '", 1]}'}))
    state(wiki, "OpenAI", "Open AI")
    assert len(wiki.resolve_duplicates(NS).merged) == 1


@pytest.mark.cpython_only
def test_what_other_tasks_did_while_a_judge_thought_counts():
    async def judge(system: str, user: str) -> str:
        thinking.set()
        await done.wait()
        return '{"same": [1, 2, 3]}'

    async def play() -> tuple[list[tuple[str, str]], list[str]]:
        async with await AsyncWiki.open(":memory:", model=judge) as wiki:
            names = ("OpenAI", "Open AI", "Tide Gauge", "Tide-Gauge", "Fire Fly", "Firefly")
            await wiki.upsert_graph(
                NS, source_ref="g", source_hash=HASH_B,
                nodes=[{"id": name, "title": name, "kind": "entity"} for name in names], edges=[],
            )  # fmt: skip
            judged = asyncio.create_task(wiki.resolve_duplicates(NS))
            await thinking.wait()
            await wiki.reject_merge(NS, "Tide Gauge", "Tide-Gauge")
            await wiki.forget(NS, node_id="Firefly")
            done.set()
            report = await judged
            merges = await wiki.list_merges(NS)
            return [(each.into, each.other) for each in report.merged], [each.name for each in merges]

    thinking, done = asyncio.Event(), asyncio.Event()
    assert asyncio.run(play()) == ([("Open AI", "OpenAI")], ["OpenAI"])


# -- vectors ----------------------------------------------------------------------------------------------------


def test_a_ranker_is_told_of_an_entity_that_is_taken_out_again(open_wiki):
    ranker = Ranker()
    wiki = open_wiki(embedder=HashEmbedder(16), vector_ranker=ranker)
    state(wiki, "OpenAI", "Open AI")
    wiki.run_reembed(NS)
    wiki.merge_entities(NS, into="OpenAI", others="Open AI")
    assert (NS, "Open AI", None) in ranker.told
    ranker.told.clear()
    wiki.undo_merge(NS, "Open AI")
    assert [vector is not None for _, id, vector in ranker.told if id == "Open AI"] == [True]
