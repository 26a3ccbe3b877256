"""Whatever a model says, what a caller or a document states stays, and the graph stays whole."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from heal_samples import document, fact
from tests.conftest import HASH_A, NS

from lorelite import Wiki
from lorelite.models.scripted import ScriptedModel
from lorelite.ports import ModelRequest
from lorelite.records import SourceType

OpenWiki = Callable[..., Wiki]
SOURCES: list[SourceType] = ["user_stated", "user_confirmed", "librarian_inferred", "librarian_inferred"]
WORDS = ["anna", "bob", "owns", "likes", "tea", "cat", "boat", "lake", "river", "猫", "кот", "not", "5", "-5", "dawn"]


def anything(ids: list[str], seed: int) -> Callable[[ModelRequest], str]:
    """A model that says anything at all about any id."""
    chance = random.Random(seed)

    def some(most: int) -> list[str]:
        return chance.choices([*ids, "nobody"], k=chance.randrange(most))

    def reply(request: ModelRequest) -> str:
        new = [{"title": " ".join(chance.choices(WORDS, k=3)), "body": " ".join(chance.choices(WORDS, k=5))}]
        verdict = {
            "downgraded": some(5),
            "deleted": some(5),
            "newFacts": new * chance.randrange(3),
            "contradictions": [dict(zip(("a", "b", "keep"), some(4), strict=False)) for _ in range(4)],
            "duplicates": [some(4) for _ in range(3)],
        }
        text = json.dumps(verdict)
        return text if chance.random() < 0.8 else text[: chance.randrange(len(text))]

    return reply


@pytest.mark.parametrize("seed", range(12))
def test_no_verdict_breaks_a_promise(open_wiki: OpenWiki, seed: int) -> None:
    chance = random.Random(seed)
    ids = [f"f{number}" for number in range(24)] + ["doc"]
    wiki = open_wiki(model=ScriptedModel({"heal": anything(ids, seed)}))
    document(wiki, "doc", "A documented matter", "anna owns the boat")
    for id in ids[:-1]:
        title, body = (" ".join(chance.choices(WORDS, k=count)) for count in (2, 4))
        fact(wiki, id, title, body, source=chance.choice(SOURCES))
    nodes = [{"id": "hub", "title": "Hub"}]
    edges = [{"type": "about", "source_id": chance.choice(ids), "target_id": "hub"} for _ in range(8)]
    wiki.upsert_graph(NS, source_ref="g", source_hash=HASH_A, nodes=nodes, edges=edges)
    stated = texts(wiki, "source_type <> 'librarian_inferred'")
    for _ in range(3):
        wiki.run_heal(NS)
    assert texts(wiki, "source_type <> 'librarian_inferred'") == stated
    db = wiki._wiki._engine.store.db
    known = "(select id from node)"
    assert db.rows(f"select id from edge where source_id not in {known} or target_id not in {known}") == []
    replaced = "select n.id from node n left join node s on s.id = n.superseded_by where n.superseded_by is not null"
    assert db.rows(f"{replaced} and (s.id is null or s.superseded_by = n.id)") == [], "no fact replaces its own heir"
    assert db.rows("select id from node where valid_to is not null and superseded_by is null") == []


def texts(wiki: Wiki, where: str) -> list[tuple[Any, ...]]:
    """What such nodes say, of those that are held true."""
    rows = wiki._wiki._engine.store.db.rows(
        f"select id, title, body, source_type from node where deleted_at is null and valid_to is null and {where}"
    )
    return sorted(map(tuple, rows))
