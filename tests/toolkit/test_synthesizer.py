"""Answers from results: how many calls each mode makes, and with what."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption
from lorelite._drive import drive
from lorelite.models import ScriptedModel
from lorelite.ports import ModelRequest
from lorelite.toolkit import SearchResult, Synthesizer

RESULTS = [SearchResult(id=str(at), content=f"Result {at}. " + "x" * 385, score=1.0) for at in range(6)]
"""About a hundred tokens each."""


def model() -> ScriptedModel:
    def reply(request: ModelRequest) -> str:
        return f"{request.purpose} of {request.user.count('Result ')}"

    return ScriptedModel({"toolkit_answer": reply, "toolkit_summarise": reply})


def synthesized(mode: str, max_tokens: int, results: list[SearchResult] = RESULTS) -> tuple[str, list[ModelRequest]]:
    asked = model()
    text = drive(Synthesizer(asked, mode=mode, max_tokens=max_tokens).synthesize("Why?", results))  # type: ignore[arg-type]
    return text, asked.requests


def test_h8_compact_answers_from_what_fits_and_refines_with_the_rest():
    text, requests = synthesized("compact", 250)
    assert len(requests) == 3 and "Answer so far" in requests[1].user and text == "toolkit_answer of 2"
    assert len(synthesized("compact", 10_000)[1]) == 1


def test_h8_refine_takes_one_result_a_call_and_simple_makes_one_call():
    assert len(synthesized("refine", 250)[1]) == 6
    assert len(synthesized("simple", 250)[1]) == 1


def test_h8_tree_summarize_sums_up_packs_until_one_is_left():
    _, requests = synthesized("tree-summarize", 250)
    assert [request.purpose for request in requests] == ["toolkit_summarise"] * 3 + ["toolkit_answer"]
    assert [request.purpose for request in synthesized("tree-summarize", 10_000)[1]] == ["toolkit_answer"]


def test_h8_summaries_as_long_as_their_sources_come_to_an_end():
    asked = ScriptedModel({"toolkit_answer": "done", "toolkit_summarise": "y" * 4_000})
    assert drive(Synthesizer(asked, mode="tree-summarize", max_tokens=250).synthesize("Why?", RESULTS)) == "done"


def test_h8_every_result_is_shown_once_and_none_passes_the_budget():
    _, requests = synthesized("compact", 250, [SearchResult(id="0", content="z" * 9_000, score=1.0), *RESULTS])
    shown = "".join(request.user for request in requests)
    assert [shown.count(f"Result {at}.") for at in range(6)] == [1] * 6
    assert max(request.user.count("z") for request in requests) == 1_000


def test_h8_nothing_found_asks_no_model():
    asked = model()
    assert drive(Synthesizer(asked, fail_response="Nothing.").synthesize("Why?", [])) == "Nothing."
    assert not asked.requests
    with pytest.raises(InvalidOption):
        drive(Synthesizer(asked).synthesize(" ", RESULTS))
