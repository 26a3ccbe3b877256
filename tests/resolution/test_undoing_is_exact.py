"""Whatever happens between a merge and its undoing, the namespace is what it would be had nothing been merged."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tests.conftest import NS, SetClock
from tests.ingest.scripted_reader import reader

from lorelite import NotFound, Wiki
from lorelite.ids import text_hash

NAMES = ("Ada", "Ben", "Cid", "Dora", "Eve")
Step = Callable[[Wiki], object]


def text_of(chosen: random.Random) -> str:
    sentences = []
    for _ in range(chosen.randint(1, 9)):
        one, other = chosen.sample(NAMES, 2)
        sentences.append(
            chosen.choice(
                [
                    f"{one} knows {other}.",
                    f"{one} visits {other}.",
                    f"{one} owns {other}.",
                    f"It is said that {one} sings.",
                    f"{one} is also called {chosen.choice(['Red', 'Max'])}.",
                ]
            )
        )
    return "\n\n".join(sentences)


def change(chosen: random.Random) -> Step:
    """Something that happens to a wiki, whether anything is merged or not."""
    kind = chosen.choice(["ingest", "ingest", "ingest", "forget", "state"])
    ref = f"{chosen.randint(0, 4)}.md"
    if kind == "ingest":
        text = text_of(chosen)
        return lambda wiki: wiki.ingest_document(NS, source_ref=ref, text=text, chunk_chars=200, chunk_overlap=0)
    if kind == "forget":
        forgotten = chosen.choice([ref, "graph"])
        return lambda wiki: wiki.forget(NS, source_ref=forgotten)
    one, other = chosen.sample(("stated-1", "stated-2", "stated-3"), 2)
    body = chosen.choice(["keeps the lock", "reads the gauge"])
    nodes = [
        {"id": one, "title": "Fay Reed", "kind": "entity", "body": body},
        {"id": other, "title": "Gus Hale", "kind": "entity"},
    ]
    edges = [{"type": "knows", "source_id": one, "target_id": other, "id": f"{one} {other}"}]
    return lambda wiki: wiki.upsert_graph(
        NS, source_ref="graph", source_hash=text_hash(f"{one} {other} {body}"), nodes=nodes, edges=edges
    )


def entity_ids(wiki: Wiki) -> list[str]:
    engine = wiki._wiki._engine
    return engine.store.entities.ids(NS)


def dump_of(wiki: Wiki) -> dict[str, list[dict[str, object]]]:
    rows = wiki.export_dump(NS).namespaces[NS].rows
    return {
        table: [{name: value for name, value in row.items() if name != "updated_at"} for row in found]
        for table, found in rows.items()
    }


def merge_some(wiki: Wiki, chosen: random.Random) -> list[str]:
    ids = entity_ids(wiki)
    if len(ids) < 2:
        return []
    into, *others = chosen.sample(ids, min(len(ids), chosen.choice([2, 2, 3])))
    return list(wiki.merge_entities(NS, into=into, others=others).merged)


@pytest.mark.parametrize("by_model", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_merging_and_undoing_at_once_leaves_an_identical_dump(open_wiki, seed, by_model):
    chosen = random.Random(seed)
    wiki = open_wiki(model=reader() if by_model else None)
    wiki.write(NS, title="Eels", body="sleep by day")
    for _ in range(6):
        change(chosen)(wiki)
    before = dump_of(wiki)
    merged: list[str] = []
    for _ in range(chosen.choice([1, 2, 3])):
        merged += merge_some(wiki, chosen)
    chosen.shuffle(merged)
    for id in merged:
        wiki.undo_merge(NS, id)
    assert dump_of(wiki) == before


@pytest.mark.parametrize("by_model", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_undoing_later_gives_what_there_would_be_without_the_merge(open_wiki, picture, clock, seed, by_model):
    chosen = random.Random(seed)
    steps = [change(random.Random(f"{seed} {number}")) for number in range(12)]
    ours, twin = (open_wiki(model=reader() if by_model else None) for _ in range(2))
    for each in (ours, twin):
        each.write(NS, title="Eels", body="sleep by day", node_id="eels")
    for step in steps[:5]:
        for each in (ours, twin):
            step(each)
        clock.tick()
    merged = merge_some(ours, chosen)
    for number, step in enumerate(steps[5:]):
        for each in (ours, twin):
            step(each)
        clock.tick()
        if number == 3:
            merged += merge_some(ours, chosen)
    chosen.shuffle(merged)
    for id in merged:
        ours.undo_merge(NS, id)
    assert picture(ours) == picture(twin)
    assert ours.list_merges(NS) == []


def test_the_clock_may_stand_still(wiki: Wiki, clock: SetClock):
    wiki.upsert_graph(
        NS,
        source_ref="graph",
        source_hash="a" * 64,
        nodes=[{"id": id, "title": id, "kind": "entity"} for id in ("a", "b", "c")],
        edges=[],
    )
    wiki.merge_entities(NS, into="b", others=["a"])
    wiki.merge_entities(NS, into="c", others="b")
    assert [(each.merged_id, each.into_id) for each in wiki.list_merges(NS)] == [("b", "c"), ("a", "b")]
    wiki.undo_merge(NS, "a")
    assert sorted(entity_ids(wiki)) == ["a", "c"]
    wiki.undo_merge(NS, "b")
    assert sorted(entity_ids(wiki)) == ["a", "b", "c"]
    with pytest.raises(NotFound):
        wiki.undo_merge(NS, "b")
