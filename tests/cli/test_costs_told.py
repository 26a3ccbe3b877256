"""What commands say of costs, and budgets."""

from __future__ import annotations

import pytest

from lorelite.cli import arguments
from lorelite.models import ScriptedModel

MODEL = ("--model", "gpt-4o", "--base-url", "http://localhost:1/v1")
REPLY = '{"entities": [{"name": "Heron", "type": "gauge"}], "facts": [], "relations": []}'


@pytest.fixture
def model(monkeypatch):
    made = ScriptedModel({"extract": REPLY}, name="gpt-4o")
    monkeypatch.setattr(arguments, "OpenAIModel", lambda **given: made)
    return made


def test_an_estimate_tells_the_cost_and_asks_nothing(lorelite, model, folder):
    outcome = lorelite("ingest", "docs", "--estimate", *MODEL)
    assert outcome.code == 0 and model.requests == []
    assert outcome.out.startswith("4 calls, ") and "about $0.0" in outcome.out
    assert not (folder / "lorelite.db").exists()
    told = lorelite("ingest", "docs", "--estimate", "--json", *MODEL).json["estimate"]
    assert told["calls"] == 4 and told["cost_low"] > 0


def test_an_estimate_needs_a_model(lorelite):
    assert lorelite("ingest", "docs", "--estimate").code == 2


def test_a_command_tells_what_its_calls_cost_and_which_cost_nothing(lorelite, model):
    assert "4 model calls, " in lorelite("ingest", "docs", *MODEL).err
    lorelite("ingest", "docs/boats.md", "--db", "other.db", *MODEL)
    again = lorelite("ingest", "docs", *MODEL)
    assert "model call" not in again.err
    assert "about $0.0" in lorelite("ingest", "docs", "--db", "third.db", *MODEL).err


def test_a_budget_stops_before_the_call_that_does_not_fit_and_the_next_run_goes_on(lorelite, model):
    outcome = lorelite("ingest", "docs", "--budget", "3k", *MODEL)
    asked = len(model.requests)
    assert outcome.code == 1 and 0 < asked < 4
    assert "the budget of 3,000 tokens does not hold the next call" in outcome.err
    assert lorelite("ingest", "docs", *MODEL).code == 0
    assert len(model.requests) == 4, "nothing was paid twice"


@pytest.mark.parametrize("limit", ["", "much", "-5", "5g", "$", "1e9"])
def test_a_budget_that_is_none_is_wrong_usage(lorelite, model, limit):
    outcome = lorelite("ingest", "docs", f"--budget={limit}", *MODEL)
    assert outcome.code == 2 and "$0.20" in outcome.err
