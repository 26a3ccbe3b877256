"""Summaries of what many chunks say of one thing."""

from __future__ import annotations

import pytest

from lorelite._drive import drive
from lorelite.errors import BadReply
from lorelite.graph_records import GraphEntity
from lorelite.models.scripted import ScriptedModel
from lorelite.pipeline import summaries
from lorelite.pipeline.knowledge import Parts
from lorelite.pipeline.run import GraphEngine
from lorelite.pipeline.summaries import grouped, needs_summary, summarise
from lorelite.ports import ModelRequest
from lorelite.prompts import summarise_entity
from lorelite.text.budget import token_cost


class Told:
    """A knowledge that knows descriptions alone."""

    namespace = "class"

    def __init__(self, **parts: tuple[str, ...]) -> None:
        self.parts = parts
        self.put: dict[str, str] = {}

    async def descriptions(self, ids: list[str]) -> list[Parts]:
        return [
            Parts(entity=GraphEntity(id=id, name=id.title()), parts=self.parts[id], is_summarised=id in self.put)
            for id in ids
        ]

    async def put_summaries(self, summaries: dict[str, str]) -> None:
        self.put |= summaries


def _run(told: Told, model: ScriptedModel) -> GraphEngine:
    return GraphEngine(knowledge=told, model=model, clock=lambda: 0)  # type: ignore[arg-type]


def test_descriptions_need_a_summary_at_the_limit_or_when_there_are_eight() -> None:
    assert not needs_summary(["a" * 197, "b" * 198], 100)
    assert needs_summary(["a" * 198, "b" * 198], 100)
    assert not needs_summary(["a"] * 7, 100)
    assert needs_summary(["a"] * 8, 100)


def test_a_single_description_is_none_to_sum_up_however_long() -> None:
    assert not needs_summary(["a" * 10_000], 100)


def test_what_is_summarised_already_is_left_alone() -> None:
    told = Told(scrooge=tuple(f"Fact {n}." for n in range(8)), fred=("Nice.",))
    model = ScriptedModel({"summarise_entity": "Scrooge, in short."})

    first = drive(summarise(_run(told, model), ["scrooge", "fred"], max_tokens=100))
    second = drive(summarise(_run(told, model), ["scrooge", "fred"], max_tokens=100))

    assert told.put == {"scrooge": "Scrooge, in short."}
    assert (first, second) == ({"summaries": 1}, {})
    assert len(model.requests) == 1


def test_groups_hold_at_least_two_parts_and_no_more_than_the_window() -> None:
    parts = [f"{n} " + "x" * 200 for n in range(7)]

    groups = grouped(parts, 120)

    assert [part for group in groups for part in group] == parts
    assert all(len(group) >= 2 for group in groups)
    assert all(sum(map(token_cost, group)) <= 120 for group in groups[:-1])
    assert grouped(["y" * 1000, "z" * 1000], 100) == [["y" * 200, "z" * 200]]


def test_parts_beyond_the_window_are_summarised_in_groups_and_then_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries, "WINDOW_TOKENS", 100)
    told = Told(scrooge=tuple(f"part {n} " + "x" * 120 for n in range(9)))
    asked: list[list[str]] = []

    def reply(request: ModelRequest) -> str:
        asked.append([line[2:8] for line in request.user.splitlines() if line.startswith("- ")])
        return f"sum {len(asked)} " + "y" * 120

    counts = drive(summarise(_run(told, ScriptedModel({"summarise_entity": reply})), ["scrooge"], max_tokens=60))

    assert counts == {"summaries": 1}
    assert asked[0] == ["part 0", "part 1"] or asked[0] == ["part 0", "part 1", "part 2"]
    assert sorted(part for group in asked for part in group if part.startswith("part")) == [
        f"part {n}" for n in range(9)
    ]
    assert asked[-1][0].startswith("sum ")
    assert told.put["scrooge"].startswith(f"sum {len(asked)} ")


def test_one_group_that_fails_fails_the_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries, "WINDOW_TOKENS", 100)
    told = Told(scrooge=tuple(f"part {n} " + "x" * 120 for n in range(6)))
    replies = ["fine", RuntimeError("overloaded"), "fine"]

    counts = drive(summarise(_run(told, ScriptedModel({"summarise_entity": replies})), ["scrooge"], max_tokens=60))

    assert counts == {"summaries_failed": 1}
    assert told.put["scrooge"].startswith("part 0 xxx")
    assert len(told.put["scrooge"]) == 240


def test_the_request_names_the_thing_and_fences_what_was_said_of_it() -> None:
    request = summarise_entity.build("Scrooge", ["A miser.", "Ignore\nthat."], max_tokens=100, language="German")

    assert request.user.count("=" * 8) == 4
    assert "- A miser.\n- Ignore that." in request.user
    assert "Scrooge" in request.user
    assert "in German" in request.system
    assert "at most 75 words" in request.system
    assert "contradict" in request.system


def test_a_summary_is_read_without_fences_quotes_and_reasoning() -> None:
    assert summarise_entity.parse("<think>Hm.</think>\n```\nScrooge is\n a miser.\n```") == "Scrooge is a miser."
    assert summarise_entity.parse('"Scrooge is a miser."') == "Scrooge is a miser."
    for nothing in ("", "  ...  ", "<think>Scrooge"):
        with pytest.raises(BadReply):
            summarise_entity.parse(nothing)
