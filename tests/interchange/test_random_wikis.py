"""Dump and import of wikis made at random: the same picture, and the laws of merging."""

from __future__ import annotations

import random

import pytest

from lorelite import LoreliteError

NS = "class"
NAMES = [
    "Olga",
    "Tide gauge",
    "Bram Tellow",
    "東京駅",
    "Zürich",
    "Juniper",
    "C++",
    "naïve",
    "Ёж",
    "🦉 owl",
    "a,b",
    'q"\\',
]


def random_wiki(open_wiki, clock, seed, steps=40):
    """A wiki after *steps* calls drawn from *seed*, the refused ones among them."""
    chosen = random.Random(seed)
    wiki = open_wiki()
    for number in range(steps):
        clock.tick(chosen.choice((0, 1, 1_000)))
        name, other = chosen.choice(NAMES), chosen.choice(NAMES)
        node_id = f"{seed}-{chosen.randrange(12)}"
        acts = {
            "fact": lambda id=node_id, n=name, o=other: wiki.write(
                NS, title=n, body=f"{o} knows {n}.", node_id=id, tags=[o], confidence="tentative"
            ),
            "graph": lambda n=number, i=node_id: wiki.upsert_graph(
                NS,
                source_ref=f"{seed}/{n % 5}",
                source_hash=f"{seed * 1_000 + n:064d}",
                nodes=[
                    {"id": f"g{i}", "title": NAMES[n % len(NAMES)]},
                    {"id": f"h{i}", "title": "h", "kind": "entity"},
                ],
                edges=[{"id": f"e{i}", "type": "r", "source_id": f"g{i}", "target_id": f"h{i}"}],
            ),
            "document": lambda n=number, a=name, b=other: wiki.ingest_document(
                NS, source_ref=f"{seed}/doc {n % 4}", text=f"# {a}\n\n{a} met [[{b}]] in {n}. {b} left for {a}.\n"
            ),
            "event": lambda n=name: wiki.write(NS, event={"event_type": "action", "summary": n}),
            "task": lambda n=name, p=number % 11: wiki.add_task(NS, description=n, priority=p),
            "supersede": lambda id=node_id, o=other: wiki.supersede(NS, node_id=id, by={"title": o, "body": "later"}),
            "forget": lambda id=node_id: wiki.forget(NS, node_id=id),
            "forget source": lambda n=number: wiki.forget(NS, source_ref=f"{seed}/doc {n % 4}"),
        }
        try:
            acts[chosen.choice(list(acts))]()
        except LoreliteError:
            continue
    return wiki


def picture(wiki):
    found = wiki.export_dump().namespaces[NS]
    return {table: sorted(map(repr, rows)) for table, rows in found.rows.items()}


@pytest.mark.parametrize("seed", range(12))
def test_an_imported_wiki_is_the_same_and_dumps_to_the_same_bytes(open_wiki, clock, tmp_path, seed):
    wiki = random_wiki(open_wiki, clock, seed)
    one, other = tmp_path / "one.dump", tmp_path / "other.dump"
    wiki.export_dump(path=one)
    copy = open_wiki()
    report = copy.import_dump(one)
    copy.export_dump(path=other)
    assert one.read_bytes() == other.read_bytes()
    assert report.skipped == ()
    for name in NAMES:
        assert copy.read(NS, name).fact_scores == wiki.read(NS, name).fact_scores


@pytest.mark.parametrize("seed", range(6))
def test_replacing_any_wiki_by_a_dump_gives_what_the_dump_holds(open_wiki, clock, seed):
    wanted = random_wiki(open_wiki, clock, seed)
    wiki = random_wiki(open_wiki, clock, seed + 100)
    wiki.import_dump(wanted.export_dump())
    assert picture(wiki) == picture(wanted)
    for name in NAMES:
        assert set(wiki.read(NS, name).fact_scores) == set(wanted.read(NS, name).fact_scores)


@pytest.mark.parametrize("seed", range(6))
def test_merging_is_idempotent_and_a_wiki_absorbs_its_own_dump(open_wiki, clock, seed):
    one, other = random_wiki(open_wiki, clock, seed), random_wiki(open_wiki, clock, seed + 100)
    before = picture(one)
    one.import_dump(one.export_dump(), merge=True)
    assert picture(one) == before
    one.import_dump(other.export_dump(), merge=True)
    merged = picture(one)
    assert set(one.import_dump(other.export_dump(), merge=True).counts.values()) == {0}
    assert picture(one) == merged


@pytest.mark.parametrize("seed", range(6))
def test_an_import_leaves_the_keyword_index_as_a_rebuilt_one(open_wiki, clock, seed):
    wiki, dump = random_wiki(open_wiki, clock, seed), random_wiki(open_wiki, clock, seed + 100).export_dump()
    wiki.import_dump(dump, merge=bool(seed % 2))
    found = [wiki.read(NS, name).fact_scores for name in NAMES]
    wiki.sync_search_index(NS)
    assert [wiki.read(NS, name).fact_scores for name in NAMES] == found
