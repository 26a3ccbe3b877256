"""An oracle: a wiki in which entities are merged and taken apart at random is, at every moment, the wiki in which
nothing ever was, seen through its merges."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from tests.conftest import NS, SetClock
from tests.ingest.scripted_reader import reader
from tests.resolution.test_undoing_is_exact import NAMES, change

from lorelite import Wiki
from lorelite._drive import drive
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction
from lorelite.text.span import Span

Rows = dict[str, list[tuple[Any, ...]]]


def happening(chosen: random.Random) -> Callable[[Wiki], object]:
    """Something that happens to a wiki whether anything is merged or not."""
    kind = chosen.choice(["change", "change", "change", "read again", "read again", "prune", "rolled back"])
    if kind == "change":
        return change(chosen)
    if kind == "prune":
        return lambda wiki: wiki.run_prune(NS, retain_deleted_for=0, retain_changes_for=0)
    seed = chosen.random()
    if kind == "read again":
        return lambda wiki: read_again(wiki, random.Random(seed))

    def rolled_back(wiki: Wiki) -> None:
        with pytest.raises(ZeroDivisionError), wiki.transaction():
            wiki.forget(NS, source_ref=f"{int(seed * 5)}.md")
            undo_one(wiki, random.Random(seed))
            merge_two(wiki, random.Random(seed))
            raise ZeroDivisionError

    return rolled_back


def read_again(wiki: Wiki, chosen: random.Random) -> None:
    """A pipeline reads some chunks, of which some were read before, and finds something else."""
    engine = wiki._wiki._engine
    if engine.store.namespaces.get(NS) is None:
        return
    knowledge = FileKnowledge(engine, NS)
    ids = sorted(drive(knowledge.chunk_ids()))
    chunks = drive(knowledge.chunks(chosen.sample(ids, min(len(ids), chosen.randint(1, 3)))))
    # A fact is about an entity for as long as somebody says anything of that: not what is looked at here.
    chunks = [chunk for chunk in chunks if "is said that" not in chunk.content]
    found = []
    for chunk in chunks:
        named = chosen.sample(NAMES, chosen.randint(0, 3))
        entities = [
            ExtractedEntity(
                name=name,
                type=chosen.choice(["person", None]),
                description=f"{name} {chosen.choice(['sings', 'sleeps'])}.",
                # Names that no text uses: what a name stands for that two had is said in docs/entities.md.
                aliases=tuple(chosen.sample(("Lu", "Mo", "Zed"), chosen.randint(0, 2))),
                mentions=(Span(chunk.start, chunk.start + 2),) if chosen.random() < 0.7 else (),
            )
            for name in named
        ]
        relations = [
            ExtractedRelation(source=one, target=other, type="knows", description=f"{one} and {other}", weight=2.0)
            for one, other in pairwise(named)
        ]
        found.append((chunk, Extraction(entities=tuple(entities), relations=tuple(relations))))
    origin = "heuristic" if engine.model is None else "model"
    drive(knowledge.add_extractions(found, origin=origin, processor="chunkEntityGeneration"))


def merge_two(wiki: Wiki, chosen: random.Random) -> None:
    ids = wiki._wiki._engine.store.entities.ids(NS)
    if len(ids) > 1:
        into, *others = chosen.sample(ids, min(len(ids), chosen.choice([2, 2, 3])))
        wiki.merge_entities(NS, into=into, others=others)


def undo_one(wiki: Wiki, chosen: random.Random) -> None:
    merges = sorted(merge.merged_id for merge in wiki.list_merges(NS))
    if merges:
        wiki.undo_merge(NS, chosen.choice(merges))


def carried(wiki: Wiki, other: Wiki) -> Wiki:
    report = other.import_dump(wiki.export_dump(NS))
    assert (report.problems, report.skipped) == ((), ())
    return other


def wholes(wiki: Wiki) -> Callable[[str], str]:
    into = {merge.merged_id: merge.into_id for merge in wiki.list_merges(NS)}

    def whole(id: str) -> str:
        while id in into:
            id = into[id]
        return id

    return whole


def seen(wiki: Wiki, whole: Callable[[str], str]) -> Rows:
    """What is said in a namespace, with every node in the place of what it is part of."""
    db = wiki._wiki._engine.store.db

    def rows(sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in db.rows(sql, {"namespace": NS})]

    live = "select id from node where namespace = :namespace and deleted_at is null"
    # A whole lives while a part of it does.
    alive = {whole(id) for (id,) in rows(live)}
    edges: dict[tuple[str, ...], tuple[float, set[str]]] = {}
    for source, kind, target, ref, weight, description in rows(
        """select source_id, edge_type, target_id, coalesce(source_ref, ''), weight, description from edge
            where namespace = :namespace"""
    ):
        if whole(source) != whole(target) and {whole(source), whole(target)} <= alive:
            sum, lines = edges.get((whole(source), kind, whole(target), ref), (0.0, set()))
            edges[whole(source), kind, whole(target), ref] = (sum + weight, lines | {*description.split("\n")} - {""})
    said: dict[tuple[Any, ...], set[str]] = {}
    for id, document, ordinal, body in rows(
        f"select node_id, document_id, ordinal, body from support where node_id in ({live})"
    ):
        said.setdefault((whole(id), document, ordinal), set()).update(body.split("\n"))
    names = set(rows(f"select alias_key, node_id, document_id from alias where node_id in ({live})"))
    for id, document, key, body in rows(
        f"""select n.id, d.id, n.title_key, n.body from node n join document d
                on d.namespace = n.namespace and d.source_ref = n.source_ref and d.source_hash = n.source_hash
             where n.kind = 'entity' and n.id in ({live})"""
    ):
        # What a source states of an entity is in the entity's own fields.
        said.setdefault((whole(id), document, -1), set()).update(body.split("\n"))
        names.add((key, id, document))
    return {
        "nodes": sorted((id,) for id in alive),
        "edges": sorted((*key, round(weight, 6), *sorted(lines)) for key, (weight, lines) in edges.items()),
        "said": sorted((*key, *sorted(lines - {""})) for key, lines in said.items()),
        "names": sorted(
            {(key, whole(id), document) for key, id, document in names}
        ),
        "citations": sorted(
            {(whole(id), *rest) for id, *rest in rows(
                f'select owner_id, document_id, start, "end" from citation where owner_id in ({live})'
            )}
        ),
        "quotes of edges": sorted(
            {(whole(source), kind, whole(target), *rest) for source, kind, target, *rest in rows(
                """select source_id, edge_type, target_id, document_id, start, "end" from citation c
                     join edge e on e.id = c.owner_id where namespace = :namespace"""
            ) if whole(source) != whole(target) and {whole(source), whole(target)} <= alive}
        ),
    }  # fmt: skip


def loose(wiki: Wiki) -> list[tuple[Any, ...]]:
    """Rows that refer to what is not there, or that tell of what is gone and is no part of anything."""
    db = wiki._wiki._engine.store.db
    whole = wholes(wiki)
    live = {row[0] for row in db.rows("select id from node where deleted_at is null")}
    there = {row[0] for row in db.rows("select id from node")}
    found = [
        ("edge", source, target)
        for source, target in map(tuple, db.rows("select source_id, target_id from edge where namespace = ?", (NS,)))
        if not {source, target} <= there
        or (whole(source) != whole(target) and {whole(source), whole(target)} <= live and not {source, target} <= live)
    ]
    for table, owner in (("support", "node_id"), ("alias", "node_id")):
        found += [(table, row[0]) for row in db.rows(f"select {owner} from {table}") if row[0] not in live]
    edges = {row[0] for row in db.rows("select id from edge")}
    found += [
        ("citation", row[0])
        for row in db.rows("select owner_id from citation")
        if row[0] not in live and row[0] not in edges
    ]
    unsupported = """
        select id from node n where namespace = ? and kind = 'entity' and source_ref is null and deleted_at is null
           and source_type = 'immutable_document' and not exists (select 1 from support where node_id = n.id)"""
    found += [("entity of which nobody says anything", row[0]) for row in db.rows(unsupported, (NS,))]
    return found


def play(
    seed: int, open_wiki: Callable[..., Wiki], clock: SetClock, picture: Callable[[Wiki], Rows], *, by_model: bool
) -> None:
    chosen = random.Random(seed)
    ours, twin = (open_wiki(model=reader() if by_model else None) for _ in range(2))
    for each in (ours, twin):
        each.write(NS, title="Eels", body="sleep by day", node_id="eels")
    for number in range(16):
        step = happening(random.Random(f"{seed} {number}"))
        for each in (ours, twin):
            step(each)
        clock.tick()
        does = chosen.choice(["merge", "merge", "undo", "carry", "nothing", "nothing"])
        if does == "merge":
            merge_two(ours, chosen)
        elif does == "undo":
            undo_one(ours, chosen)
        elif does == "carry":
            ours, twin = (carried(each, open_wiki(model=reader() if by_model else None)) for each in (ours, twin))
        assert seen(ours, wholes(ours)) == seen(twin, wholes(ours)), (seed, number)
        assert loose(ours) == loose(twin) == [], (seed, number)
    while ours.list_merges(NS):
        undo_one(ours, chosen)
    assert picture(ours) == picture(twin), seed


@pytest.mark.parametrize("by_model", [True, False])
@pytest.mark.parametrize("seed", range(15))
def test_at_every_moment_a_wiki_with_merges_is_the_one_without_seen_through_them(
    open_wiki, clock, picture, seed, by_model
):
    play(seed, open_wiki, clock, picture, by_model=by_model)
