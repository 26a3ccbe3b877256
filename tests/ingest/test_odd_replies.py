"""Whatever a model replies, the ingest ends with a report or an error of ours, and the file stays sound."""

from __future__ import annotations

import json
import random

import pytest

from lorelite import LoreliteError, WikiConfig
from lorelite.models import ScriptedModel

NS = "class"
TEXT = "Ada knows Bob. Heron Lock stands on the Wharfe."
ODD = [
    "Ada", "Bob", "ada", "ADA ", "Ada's", "", " ", "\u200b", "\ud800", "A\udfffda", "A\0da", "x" * 5_000, "🦉", "字",
    "«Ada»", "...", None, 5, -1, 1.5, float("nan"), float("inf"), 10**400, True, [], ["Ada"], {}, {"name": "Ada"},
    "person", "certain",
]  # fmt: skip
KEYS = [
    "name", "type", "description", "aliases", "source", "target", "weight", "quote", "title", "body", "about", "tags",
    "confidence", "id", "label", "entities", "relations", "facts",
]  # fmt: skip


def odd_value(chosen: random.Random, depth: int = 2):
    kind = chosen.random()
    if depth and kind < 0.15:
        return [odd_value(chosen, depth - 1) for _ in range(chosen.randrange(4))]
    if depth and kind < 0.3:
        return {chosen.choice(KEYS): odd_value(chosen, depth - 1) for _ in range(chosen.randrange(5))}
    return chosen.choice(ODD)


def odd_reply(chosen: random.Random) -> str:
    def some(*keys: str) -> list[object]:
        return [
            {
                key: chosen.choice(["Ada", "Bob", "Heron Lock"]) if chosen.random() < 0.6 else odd_value(chosen)
                for key in keys
            }
            for _ in range(chosen.randrange(5))
        ]

    value = {
        "entities": some("name", "type", "description", "aliases"),
        "relations": some("source", "target", "type", "weight", "quote"),
        "facts": some("title", "body", "about", "tags", "confidence", "quote"),
    }
    if chosen.random() < 0.2:
        value = odd_value(chosen, 3)
    text = json.dumps(value)
    return text[: chosen.randrange(len(text) + 1)] if chosen.random() < 0.2 else text


@pytest.mark.parametrize("seed", range(4))
def test_no_reply_breaks_an_ingest_or_the_file(open_wiki, seed):
    chosen = random.Random(seed)
    wiki = open_wiki(
        model=ScriptedModel(
            {"extract": lambda request: odd_reply(chosen), "answer": lambda request: odd_reply(chosen)}
        ),
        config=WikiConfig(model_batch=2),
    )
    for turn in range(40):
        try:
            wiki.ingest_document(NS, source_ref=f"d{turn % 20}", text=f"{TEXT} Turn {turn}.")
            wiki.ask(NS, "Whom does Ada know?")
        except LoreliteError:
            continue
    db = wiki._wiki._engine.store.db
    assert db.value("pragma integrity_check") == "ok"
    assert db.rows("pragma foreign_key_check") == []
    for node in wiki.get_memory_bundle(NS).facts:
        assert node.title.strip() and "\0" not in node.title + node.body
    kept = wiki.read(NS, "Ada Bob Heron", max_results=500).fact_scores
    wiki.sync_search_index(NS)
    assert wiki.read(NS, "Ada Bob Heron", max_results=500).fact_scores == pytest.approx(kept, rel=1e-12)
