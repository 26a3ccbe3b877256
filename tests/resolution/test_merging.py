"""Entities merged: what is said of one is said of the other, whatever comes before and after."""

from __future__ import annotations

import pytest
from tests.conftest import NS
from tests.ingest.scripted_reader import reader

from lorelite import InvalidOption, NotFound, Wiki, chunk_entity_generation, entity_community_generation
from lorelite.models import HashEmbedder


def titles(wiki: Wiki) -> dict[str, str]:
    """Entity id → title."""
    store = wiki._wiki._engine.store
    return {id: node.title for id, node in store.nodes.by_ids(NS, store.entities.ids(NS)).items()}


def id_of(wiki: Wiki, title: str) -> str:
    return next(id for id, named in titles(wiki).items() if named == title)


def relations(wiki: Wiki) -> list[tuple[str, str, str]]:
    named = titles(wiki)
    engine = wiki._wiki._engine
    edges = engine.store.edges.among(NS, list(named))
    return sorted((named[edge.source_id], edge.edge_type, named[edge.target_id]) for edge in edges)


@pytest.fixture
def read(open_wiki, clock) -> Wiki:
    """Ada, who is also Bell, knows Cid; Bell knows Dora; both in documents of their own."""
    wiki = open_wiki(model=reader())
    wiki.ingest_document(NS, source_ref="a.md", text="Ada knows Cid.")
    clock.tick()
    wiki.ingest_document(NS, source_ref="b.md", text="Bell knows Dora. Bell knows Ada.")
    clock.tick()
    return wiki


def test_all_that_is_said_becomes_the_survivors(read):
    report = read.merge_entities(NS, into="Ada", others="Bell", reason="pen name")
    assert (report.name, report.documents, report.relations) == ("Ada", 1, 2 + 1 - 1)
    assert sorted(titles(read).values()) == ["Ada", "Cid", "Dora"]
    assert relations(read) == [("Ada", "knows", "Cid"), ("Ada", "knows", "Dora")]
    graph = read.graph(NS)
    ada = next(each for each in graph.entities() if each.name == "Ada")
    assert ada.aliases == ("bell",) and len(ada.chunk_ids) == 2
    assert ada.description == "Ada lives here.\nBell lives here."
    [merge] = read.list_merges(NS)
    assert (merge.name, merge.into, merge.reason) == ("Bell", "Ada", "pen name")


def test_a_later_document_that_uses_the_other_name_tells_of_the_survivor(read):
    read.merge_entities(NS, into="Ada", others="Bell")
    gone = read.list_merges(NS)[0].merged_id
    read.ingest_document(NS, source_ref="c.md", text="Bell owns Fay.")
    assert ("Ada", "owns", "Fay") in relations(read)
    assert gone not in titles(read) and "Bell" not in titles(read).values()
    read.undo_merge(NS, "Bell")
    assert ("Bell", "owns", "Fay") in relations(read)
    assert relations(read) == [
        ("Ada", "knows", "Cid"),
        ("Bell", "knows", "Ada"),
        ("Bell", "knows", "Dora"),
        ("Bell", "owns", "Fay"),
    ]


def test_a_name_goes_on_standing_for_the_survivor_when_all_who_used_it_are_forgotten(read):
    read.merge_entities(NS, into="Ada", others="Bell")
    read.forget(NS, source_ref="b.md")
    assert relations(read) == [("Ada", "knows", "Cid")]
    read.ingest_document(NS, source_ref="c.md", text="Bell owns Fay.")
    assert relations(read) == [("Ada", "knows", "Cid"), ("Ada", "owns", "Fay")]


def test_forgetting_a_document_takes_away_exactly_what_it_said(read, open_wiki, picture):
    read.merge_entities(NS, into="Ada", others="Bell")
    read.forget(NS, source_ref="a.md")
    read.forget(NS, source_ref="b.md")
    assert {table: rows for table, rows in picture(read).items() if rows and table != "edges without ends"} == {}


def test_a_title_stays_whatever_is_said_more_often(read):
    for number in range(4):
        read.ingest_document(NS, source_ref=f"{number}.md", text=f"Bell owns Fay{number}x.")
    read.merge_entities(NS, into="Ada", others="Bell")
    read.ingest_document(NS, source_ref="z.md", text="Bell knows Cid.")
    assert "Ada" in titles(read).values() and "Bell" not in titles(read).values()


def test_stated_entities_are_merged_and_a_new_version_of_their_source_is_merged_again(wiki):
    def state(version: str, body: str) -> None:
        nodes = [{"id": id, "title": id.upper(), "kind": "entity", "body": body} for id in ("one", "two", "three")]
        edges = [{"source_id": "two", "type": "knows", "target_id": "three"}]
        wiki.upsert_graph(NS, source_ref="graph", source_hash=version * 64, nodes=nodes, edges=edges)

    state("a", "before")
    wiki.merge_entities(NS, into="one", others=["two"])
    assert relations(wiki) == [("ONE", "knows", "THREE")]
    state("b", "after")
    assert sorted(titles(wiki)) == ["one", "three"] and relations(wiki) == [("ONE", "knows", "THREE")]
    wiki.undo_merge(NS, "two")
    store = wiki._wiki._engine.store
    assert store.nodes.get(NS, "two").body == "after"
    assert relations(wiki) == [("TWO", "knows", "THREE")]


def test_only_entities_can_be_merged(read):
    read.write(NS, title="Eels", body="sleep by day", node_id="eels")
    chunk = read.read(NS, "Ada", kinds=("chunk",)).facts[0]
    for other in ("eels", chunk.id):
        with pytest.raises(InvalidOption, match="expected an entity"):
            read.merge_entities(NS, into="Ada", others=[other])
        with pytest.raises(InvalidOption, match="expected an entity"):
            read.merge_entities(NS, into=other, others=["Ada"])
    with pytest.raises(NotFound, match="Nobody"):
        read.merge_entities(NS, into="Ada", others=["Nobody"])
    with pytest.raises(InvalidOption, match="other than"):
        read.merge_entities(NS, into="Ada", others=["Bell", "Ada"])
    with pytest.raises(InvalidOption, match="at least one"):
        read.merge_entities(NS, into="Ada", others=[])
    with pytest.raises(NotFound, match="was not found"):
        read.undo_merge(NS, "Ada")
    assert read.list_merges(NS) == [] and "Bell" in titles(read).values()


def test_a_merge_is_carried_to_another_file_and_undone_there(read, open_wiki, picture):
    before = picture(read)
    read.merge_entities(NS, into="Ada", others="Bell")
    other = open_wiki(model=reader())
    report = other.import_dump(read.export_dump(NS))
    assert not report.problems
    assert relations(other) == relations(read)
    other.undo_merge(NS, "Bell")
    after = picture(other)
    assert after == before
    other.merge_entities(NS, into="Ada", others="Bell")
    other.ingest_document(NS, source_ref="c.md", text="Bell owns Fay.")
    assert ("Ada", "owns", "Fay") in relations(other)


def test_pruning_keeps_merges(read, clock, picture):
    before = picture(read)
    read.merge_entities(NS, into="Ada", others="Bell")
    clock.tick(10)
    read.run_prune(NS, retain_deleted_for=0, retain_changes_for=0)
    assert len(read.list_merges(NS)) == 1
    read.undo_merge(NS, "Bell")
    assert picture(read) == before


def test_the_past_and_undo_know_merges(read, clock, picture):
    before, moment = picture(read), clock.now
    clock.tick()
    read.merge_entities(NS, into="Ada", others="Bell")
    clock.tick()
    walked = read.traverse_graph(NS, source_id=id_of(read, "Dora"), as_of=moment)
    assert "Bell" in [node.title for node in walked.nodes]
    read.undo(NS)
    assert picture(read) == before and read.list_merges(NS) == []


def test_tasks_and_events_follow(read):
    bell = id_of(read, "Bell")
    read.add_task(NS, description="write to Bell", related_node_id=bell, task_id="letter")
    read.merge_entities(NS, into="Ada", others="Bell")
    assert read.list_tasks(NS)[0].related_node_id == id_of(read, "Ada")
    read.undo_merge(NS, "Bell")
    assert read.list_tasks(NS)[0].related_node_id == bell


def test_vectors_follow(open_wiki):
    wiki = open_wiki(model=reader(), embedder=HashEmbedder(64))
    wiki.ingest_document(NS, source_ref="a.md", text="Ada knows Cid. Bell knows Dora.")
    wiki.merge_entities(NS, into="Ada", others="Bell")
    assert (
        wiki.get_status(NS).embeddable == wiki.get_status(NS).embedded
        if hasattr(wiki.get_status(NS), "embeddable")
        else True
    )
    engine = wiki._wiki._engine
    assert engine.store.merges.vectors([id_of(wiki, "Ada")], None)


def test_communities_are_out_of_date_and_not_broken(wiki):
    graph = wiki.graph(NS, pipeline=[chunk_entity_generation(), entity_community_generation()])
    graph.insert("Ada Marsh keeps Heron Lock. Ben Hale met Ada Marsh at Heron Lock. Olga Brandt met Ben Hale.")
    before = {each.community_id: each for each in graph.reports()}
    wiki.merge_entities(NS, into="Ada Marsh", others="Olga Brandt")
    for community in graph.communities():
        assert set(community.entity_ids) <= set(titles(wiki))
    graph.build()
    assert graph.communities() and {each.community_id: each for each in graph.reports()} != before
    assert graph.query("Who keeps Heron Lock?", search="local_community", only_context=True).context.text


def test_a_chunk_that_is_read_again_says_only_what_it_says_now(read, open_wiki, picture):
    twin = open_wiki(model=reader())
    for text in ("Bell knows Dora. Bell knows Ada.",):
        twin.ingest_document(NS, source_ref="a.md", text="Ada knows Cid.")
        twin.ingest_document(NS, source_ref="b.md", text=text)
    read.merge_entities(NS, into="Ada", others="Bell")
    for wiki in (read, twin):
        wiki.ingest_document(NS, source_ref="b.md", text="Ada owns Dora.")
    read.undo_merge(NS, "Bell")
    assert relations(read) == relations(twin) == [("Ada", "knows", "Cid"), ("Ada", "owns", "Dora")]
    assert titles(read) == titles(twin)


def test_everything_is_forgotten_with_its_merges(read):
    read.merge_entities(NS, into="Ada", others="Bell")
    read.reject_merge(NS, "Cid", "Dora")
    read.forget(NS, clear_all=True)
    assert read.list_merges(NS) == []
    read.ingest_document(NS, source_ref="b.md", text="Bell knows Dora.")
    assert "Bell" in titles(read).values()
