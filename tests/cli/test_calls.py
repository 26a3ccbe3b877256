"""`lorelite calls`: what it lists, carries and deletes."""

from __future__ import annotations

import json

import pytest

from lorelite import Wiki
from lorelite.models import ScriptedModel

pytestmark = pytest.mark.cpython_only


@pytest.fixture
def recorded(folder):
    """The present folder, with what two models said of one document in lorelite.db."""
    for namespace, model, says in (("main", "small", "There."), ("second", "large", "Gone.")):
        reply = json.dumps({"entities": [{"name": "Ada", "description": says}]})
        with Wiki.open("lorelite.db", model=ScriptedModel({"extract": reply}, name=model)) as wiki:
            wiki.ingest_document(namespace, source_ref="a.txt", text="Ada knows Bob.")


def test_calls_are_listed_shown_and_summed_up(recorded, lorelite):
    assert "extract  small" in lorelite("calls", "--namespace", "main").out
    [call] = lorelite("calls", "list", "--model", "large", "--json").json
    shown = lorelite("calls", "show", str(call["id"])).out
    assert "--- user" in shown and "Ada knows Bob." in shown
    assert lorelite("calls", "summary", "--json").json["total"]["calls"] == 2
    assert "all: 2 calls" in lorelite("calls", "summary").out


def test_two_models_are_compared(recorded, lorelite):
    told = lorelite("calls", "diff", "small", "large").out
    assert '− entities: {"description": "There.", "name": "Ada"}' in told
    assert '+ entities: {"description": "Gone.", "name": "Ada"}' in told


def test_calls_carried_to_another_file_answer_without_a_model(recorded, lorelite, folder):
    assert lorelite("calls", "export", "lesson.jsonl", "--namespace", "main").out == "lesson.jsonl: 1 call\n"
    assert lorelite("calls", "import", "lesson.jsonl", "--db", "new.db").out == "1 call taken in, 0 were known\n"
    (folder / "a.txt").write_text("Ada knows Bob.")
    assert lorelite("ingest", "a.txt", "--db", "new.db", "--replay", "only").code == 0
    (folder / "b.txt").write_text("Eve knows Bob.")
    missed = lorelite("ingest", "b.txt", "--db", "new.db", "--replay", "only")
    assert missed.code == 1 and "the nearest is call 1" in missed.err


def test_calls_are_cleared_only_where_it_is_said(recorded, lorelite):
    assert lorelite("calls", "clear").code == 2
    assert lorelite("calls", "clear", "--all", "--older-than", "1").out == "0 calls deleted\n"
    assert lorelite("calls", "clear", "--namespace", "main").out == "1 call deleted\n"
    assert lorelite("calls", "clear", "--all").out == "1 call deleted\n"
    assert lorelite("calls").out == "no calls are recorded\n"


def test_wrong_usage_is_told(recorded, lorelite):
    for wrong in (("show",), ("show", "x"), ("diff", "small"), ("list", "small"), ("import",)):
        assert lorelite("calls", *wrong).code == 2
    assert lorelite("calls", "show", "99").code == 1
    assert lorelite("calls", "import", "nothing.jsonl").code == 1
