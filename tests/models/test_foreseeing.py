"""Costs of what would be asked, counted without asking."""

from __future__ import annotations

import pytest

from lorelite import OnlyForeseen, Wiki, WikiConfig, foreseeing
from lorelite._drive import drive
from lorelite.models import CallableEmbedder, ScriptedModel
from lorelite.ports import ModelRequest

NS = "lake"
PRICES = WikiConfig(maintenance="off", prices={"scripted": (1.0, 2.0)})
NOTHING = {
    "librarian": '{"facts": [], "tasks": []}',
    "heal": '{"downgraded": [], "deleted": [], "newFacts": [], "contradictions": [], "duplicates": []}',
    "answer": '{"answered": false, "sentences": []}',
    "merge_judge": '{"same": []}',
}


def eventful(wiki, count=60):
    for number in range(count):
        wiki.write(NS, event={"event_type": "observation", "summary": f"Boat {number} came in at noon with eels."})


def test_a_rehearsed_librarian_is_counted_batch_by_batch_and_asks_nothing(open_wiki):
    model = ScriptedModel(NOTHING)
    wiki = open_wiki(model=model, config=PRICES)
    eventful(wiki)
    with foreseeing() as foreseen:
        wiki.run_librarian(NS, dry_run=True, batch_size=20)
    assert model.requests == [] and wiki.list_calls(NS) == []
    total = foreseen.total
    assert total.calls == 3 and total.reused == 0
    assert 0 < total.cost_low < total.cost_high
    wiki.run_librarian(NS, batch_size=20)
    assert len(model.requests) == 3
    asked = sum(call.input_tokens for call in wiki.list_calls(NS))
    assert total.input_tokens == pytest.approx(asked, rel=0.3)


def test_a_rehearsed_heal_is_counted_to_the_end(open_wiki):
    model = ScriptedModel(NOTHING)
    wiki = open_wiki(model=model, config=PRICES)
    for number in range(100):
        wiki.write(NS, title=f"Boat {number} lies at pier {number}", source_type="librarian_inferred")
    with foreseeing() as foreseen:
        wiki.run_heal(NS, dry_run=True)
    assert model.requests == []
    assert foreseen.total.calls > 2
    wiki.run_heal(NS)
    assert abs(len(model.requests) - foreseen.total.calls) <= 1


def test_what_is_recorded_is_answered_and_not_counted(open_wiki):
    wiki = open_wiki(model=ScriptedModel(NOTHING), config=PRICES)
    request = ModelRequest(system="s", user="u", purpose="answer")
    [reply] = drive(wiki._wiki._engine.complete(NS, [request]))
    with foreseeing() as foreseen:
        [again] = drive(wiki._wiki._engine.complete(NS, [request]))
    assert again.text == reply.text and foreseen.total.calls == 0


def test_a_question_within_it_fails_by_name_and_scopes_nest(open_wiki):
    wiki = open_wiki(model=ScriptedModel(NOTHING), config=PRICES)
    with Wiki.open(":memory:") as plain:
        plain.ingest_document(NS, source_ref="a.md", text="Anna Berg sails a boat on the lake.")
        dump = plain.export_dump(NS)
    wiki.import_dump(dump)
    with foreseeing() as outer, foreseeing() as inner, pytest.raises(OnlyForeseen, match="counted and not sent"):
        wiki.ask(NS, "Who sails a boat?")
    assert outer.total == inner.total and inner.total.calls == 1


def test_an_embedder_elsewhere_is_not_asked(open_wiki):
    asked = []

    def embed(texts):
        asked.extend(texts)
        return [[1.0, 0.0] for _ in texts]

    wiki = open_wiki(model=ScriptedModel(NOTHING), embedder=CallableEmbedder(embed, "e"), config=PRICES)
    eventful(wiki, 5)
    wiki.write(NS, title="Eels are caught at noon")
    asked.clear()
    with foreseeing() as foreseen:
        wiki.run_librarian(NS, dry_run=True)
    assert foreseen.total.calls == 1 and asked == []
