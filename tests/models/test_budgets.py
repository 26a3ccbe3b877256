"""Prices, and budgets that stop before they are passed."""

from __future__ import annotations

import asyncio
import json

import pytest

from lorelite import AsyncWiki, Budget, Estimate, Price, Prices, Wiki, WikiConfig, spending
from lorelite.errors import BudgetExceeded, InvalidOption
from lorelite.models import CallableModel, OpenAIModel, ScriptedModel
from lorelite.models.tokens import estimated_tokens
from lorelite.records import Usage

NS = "class"
EMPTY = '{"entities": [], "relations": [], "facts": [{"title": "Marley", "body": "Marley was dead.", "about": []}]}'
TEXT = "\n\n".join(
    f"Paragraph {number}. Marley was dead to begin with, as dead as a door-nail." * 12 for number in range(8)
)


def wiki_with(calls, **config):
    def model(system, user):
        calls.append(user)
        return EMPTY

    settings = WikiConfig(chunk_chars=900, chunk_overlap=0, prices={"paid": (10, 20)}, **config)
    return Wiki.open(":memory:", model=CallableModel(model, name="paid"), config=settings)


# prices


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("gpt-4o", Price(2.5, 10)),
        ("GPT-4o-2024-08-06", Price(2.5, 10)),
        ("openai/gpt-4o-mini", Price(0.15, 0.6)),
        ("claude-sonnet-4-5-20250929", Price(3, 15)),
        ("gemini-2.5-flash-preview-05-20", Price(0.3, 2.5)),
        ("gpt-4o-audio", None),
        ("gpt-5-pro", None),
        ("llama3.2", None),
        ("", None),
    ],
)
def test_a_price_holds_for_versions_and_for_no_other_model(model, price):
    assert Prices().of(model) == price


def test_prices_of_the_callers_own_come_first(tmp_path):
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"gpt-4o": {"input": 1, "output": 2}, "mine": [3, 4]}))
    prices = Prices.load(path)
    assert prices.cost("gpt-4o-2024-08-06", 1_000_000, 500_000) == 2.0
    assert prices.of("mine") == Price(3, 4)
    assert prices.of("gpt-4o-mini") == Price(0.15, 0.6)
    assert Prices({"mine": (3, 4)}, built_in=False).cost("gpt-4o", 1, 1) is None


@pytest.mark.parametrize(
    "given", [{"m": "free"}, {"m": (1,)}, {"m": (-1, 2)}, {"m": {"in": 1}}, {"m": (float("nan"), 1)}]
)
def test_a_price_that_is_none_is_refused_by_the_models_name(given):
    with pytest.raises(InvalidOption, match="a price of m"):
        Prices(given)
    with pytest.raises(InvalidOption):
        WikiConfig(prices=given)


# what calls cost


def test_an_ingest_tells_its_tokens_and_its_cost_and_a_second_one_costs_nothing():
    calls = []
    with wiki_with(calls) as wiki:
        usage = wiki.ingest_document(NS, source_ref="a.txt", text=TEXT).usage
        assert usage.calls == len(calls) > 4
        assert usage.cost == pytest.approx((usage.input_tokens * 10 + usage.output_tokens * 20) / 1e6)
        wiki.forget(NS, source_ref="a.txt", dry_run=True)
        again = wiki.ingest_document("other", source_ref="a.txt", text=TEXT).usage
    assert (again.calls, again.reused, again.cost) == (0, usage.calls, 0.0)


def test_a_model_without_a_price_costs_an_unknown_amount_and_one_on_this_machine_nothing():
    with Wiki.open(":memory:", model=ScriptedModel({"extract": EMPTY})) as wiki:
        assert wiki.ingest_document(NS, source_ref="a.txt", text=TEXT).usage.cost is None
    assert OpenAIModel("gpt-4o", base_url="http://localhost:8080/v1").is_local
    assert not OpenAIModel("gpt-4o").is_local


# estimates


def test_an_estimate_counts_the_very_calls_of_the_run_and_sends_and_writes_none():
    calls = []
    with wiki_with(calls) as wiki:
        before = wiki.export_dump().namespaces
        estimate = wiki.estimate_ingest(NS, source_ref="a.txt", text=TEXT)
        assert not calls and wiki.export_dump().namespaces == before
        usage = wiki.ingest_document(NS, source_ref="a.txt", text=TEXT).usage
        assert (estimate.calls, estimate.reused, estimate.input_tokens) == (usage.calls, 0, usage.input_tokens)
        assert estimate.cost_low == pytest.approx((estimate.input_tokens * 10 + estimate.output_tokens_low * 20) / 1e6)
        assert estimate.cost_low < estimate.cost_high
        other = wiki.estimate_ingest("other", source_ref="a.txt", text=TEXT)
        assert (other.calls, other.reused, other.cost_high) == (0, usage.calls, 0.0)
        assert wiki.estimate_ingest(NS, source_ref="a.txt", text=TEXT).calls == 0


def test_an_estimate_of_what_was_begun_counts_the_rest():
    calls = []
    with wiki_with(calls) as wiki:
        whole = wiki.estimate_ingest(NS, source_ref="a.txt", text=TEXT)
        with pytest.raises(BudgetExceeded), spending(Budget(tokens=7_000)):
            wiki.ingest_document(NS, source_ref="a.txt", text=TEXT)
        rest = wiki.estimate_ingest(NS, source_ref="a.txt", text=TEXT)
        assert rest.calls == whole.calls - len(calls) > 0


def test_an_estimate_without_a_model_is_nothing_and_without_a_price_unknown():
    with Wiki.open(":memory:") as wiki:
        assert wiki.estimate_ingest(NS, source_ref="a.txt", text=TEXT) == Estimate()
    with Wiki.open(":memory:", model=ScriptedModel({})) as wiki:
        estimate = wiki.estimate_ingest(NS, source_ref="a.txt", text=TEXT)
        assert estimate.calls > 0 and estimate.cost_low is estimate.cost_high is None


# budgets


def test_a_budget_stops_before_it_is_passed_and_what_was_done_is_kept():
    calls = []
    with wiki_with(calls) as wiki:
        each = 1_000 + 700
        with pytest.raises(BudgetExceeded) as caught, spending(Budget(tokens=4 * each)) as budget:
            wiki.ingest_document(NS, source_ref="a.txt", text=TEXT)
        paid = len(calls)
        assert paid > 0 and budget.tokens_spent <= 4 * each
        assert "call again with a larger budget" in str(caught.value)
        report = wiki.ingest_document(NS, source_ref="a.txt", text=TEXT)
        assert report.status == "ingested"
        assert len(calls) == len(set(calls)), "no call is paid twice"
        assert len(calls) > paid


def test_a_budget_of_nothing_sends_nothing_and_recorded_calls_still_answer():
    calls = []
    with wiki_with(calls) as wiki:
        with pytest.raises(BudgetExceeded), spending(Budget(tokens=0)):
            wiki.ingest_document(NS, source_ref="a.txt", text=TEXT)
        assert not calls
        wiki.ingest_document(NS, source_ref="a.txt", text=TEXT)
        with spending(Budget(tokens=0, money=0)) as budget:
            assert wiki.ingest_document("other", source_ref="a.txt", text=TEXT).status == "ingested"
        assert budget.spent.reused == len(calls) and budget.tokens_spent == 0


def test_a_budget_of_money_needs_a_price():
    with (
        Wiki.open(":memory:", model=ScriptedModel({"extract": EMPTY})) as wiki,
        pytest.raises(BudgetExceeded),
        spending(Budget(money=100)),
    ):
        wiki.ingest_document(NS, source_ref="a.txt", text=TEXT)


def test_money_is_counted_and_limits():
    calls = []
    with wiki_with(calls) as wiki, spending(Budget(money=0.1)) as budget:
        with pytest.raises(BudgetExceeded):
            wiki.ingest_document(NS, source_ref="a.txt", text=TEXT)
        assert calls and 0 < budget.money_spent <= 0.1


def test_budgets_nest_and_each_must_hold():
    calls = []
    with wiki_with(calls) as wiki, spending(Budget(tokens=10_000_000)) as outer:
        with pytest.raises(BudgetExceeded), spending(Budget(tokens=1)):
            wiki.ingest_document(NS, source_ref="a.txt", text=TEXT)
        wiki.ingest_document(NS, source_ref="a.txt", text=TEXT)
        assert outer.spent.calls == len(calls) > 0


def test_a_failed_call_gives_back_what_was_set_aside():
    model = ScriptedModel({"answer": [RuntimeError("down")] * 3})
    with Wiki.open(":memory:", model=model) as wiki:
        wiki.write(NS, title="Marley was dead")
        with spending(Budget(tokens=5_000)) as budget:
            for _ in range(3):
                with pytest.raises(Exception, match="down"):
                    wiki.ask(NS, "Who was dead?")
        assert budget.tokens_spent == 0 and budget.admits(5_000, None)


@pytest.mark.cpython_only
def test_tasks_have_budgets_of_their_own():
    async def main():
        async def model(system, user):
            await asyncio.sleep(0)
            return EMPTY

        async with await AsyncWiki.open(":memory:", model=model) as wiki:

            async def ingest(name, tokens):
                with spending(Budget(tokens=tokens)):
                    return await wiki.ingest_document(NS, source_ref=name, text=f"{name}. Marley was dead.")

            return await asyncio.gather(ingest("a", 1), ingest("b", 100_000), return_exceptions=True)

    failed, done = asyncio.run(main())
    assert isinstance(failed, BudgetExceeded) and done.status == "ingested"


@pytest.mark.parametrize("given", [{"tokens": -1}, {"money": "5"}, {"tokens": True}])
def test_a_limit_that_is_none_is_refused(given):
    with pytest.raises(InvalidOption):
        Budget(**given)


def test_usage_adds_up_and_an_unknown_price_stays_unknown():
    assert (Usage(cost=0.5) + Usage(cost=0.25)).cost == 0.75
    assert (Usage(cost=0.5) + Usage(cost=None)).cost is None


def test_tokens_are_estimated_by_script():
    assert [estimated_tokens(text) for text in ("", "abcd", "abcde", "日本", "привет")] == [0, 1, 2, 2, 3]


def test_methods_take_a_budget_of_their_own():
    calls = []
    with wiki_with(calls) as wiki:
        with pytest.raises(BudgetExceeded):
            wiki.ingest_document(NS, source_ref="a.txt", text=TEXT, budget=Budget(tokens=0))
        budget = Budget(tokens=10_000_000)
        wiki.ingest_document(NS, source_ref="a.txt", text=TEXT, budget=budget)
        assert budget.spent.calls == len(calls) > 0
        with pytest.raises(InvalidOption, match="budget"):
            wiki.ask(NS, "Who?", budget=5)
        for spend in (
            lambda limit: wiki.run_librarian(NS, budget=limit),
            lambda limit: wiki.run_heal(NS, budget=limit),
            lambda limit: wiki.run_ontology_backfill(NS, budget=limit),
            lambda limit: wiki.run_pending_maintenance(NS, budget=limit),
            lambda limit: wiki.resolve_duplicates(NS, dry_run=True, budget=limit),
            lambda limit: wiki.graph(NS, pipeline=[]).insert([], budget=limit),
            lambda limit: wiki.graph(NS, pipeline=[]).build(budget=limit),
        ):
            spend(Budget(tokens=0))
            with pytest.raises(InvalidOption, match="budget"):
                spend("much")
