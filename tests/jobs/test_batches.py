"""The bounded batcher: what is asked next, and that one bad batch never takes others along."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from lorelite import Wiki
from lorelite._drive import drive
from lorelite.errors import BadReply, ModelError, ModelRefused, ModelUnreachable
from lorelite.jobs.batches import Outcome, Queue, ask_in_batches, failure_of, first_size, is_truncation
from lorelite.models.openai import OpenAIModel
from lorelite.models.scripted import ScriptedModel
from lorelite.ports import ModelReply, ModelRequest

OpenWiki = Callable[..., Wiki]


def asked(
    open_wiki: OpenWiki, items: Sequence[int], script: Any, **options: Any
) -> tuple[Outcome[int], list[int], Any]:
    """The outcome, the numbers that were answered, and the model. A reply is the JSON list of the asked numbers."""
    model = ScriptedModel({"count": script}) if not hasattr(script, "complete") else script
    engine = open_wiki(model=model)._wiki._engine
    answered: list[int] = []

    def build(some: Sequence[int], level: int) -> ModelRequest:
        return ModelRequest(system="", user=json.dumps([level, *some]), purpose="count")

    def read(some: Sequence[int], text: str) -> tuple[list[int], bool]:
        if text.startswith("?"):
            raise BadReply("numbers", text)
        return json.loads(text.rstrip("~")), not text.endswith("~")

    outcome = drive(
        ask_in_batches(
            engine, "ns", items, build=build, read=read, take=lambda some, value: answered.extend(value), **options
        )
    )
    return outcome, answered, model


def echo(request: ModelRequest) -> str:
    return json.dumps(json.loads(request.user)[1:])


def sizes(model: ScriptedModel) -> list[int]:
    return [len(json.loads(request.user)) - 1 for request in model.requests]


def test_everything_is_asked_once_in_order(open_wiki: OpenWiki) -> None:
    outcome, answered, model = asked(open_wiki, range(25), echo)
    assert answered == list(range(25))
    assert sizes(model) == [10, 10, 5]
    assert (outcome.skipped, outcome.degraded, outcome.unasked, outcome.usage.calls) == ([], [], [], 3)


def test_nothing_to_ask_calls_nobody(open_wiki: OpenWiki) -> None:
    outcome, answered, model = asked(open_wiki, [], echo)
    assert (answered, sizes(model), outcome.skipped) == ([], [], [])


def test_a_limit_of_four_answers_a_reply_is_found_and_kept(open_wiki: OpenWiki) -> None:
    def limited(request: ModelRequest) -> str:
        numbers = json.loads(request.user)[1:]
        return json.dumps(numbers) if len(numbers) <= 4 else json.dumps(numbers[:4]) + "~"

    outcome, answered, model = asked(open_wiki, range(30), limited, wave=1)
    assert answered == list(range(30))
    assert outcome.skipped == []
    assert max(sizes(model)[3:]) <= 4, "later batches stay small"


def test_one_unreadable_item_costs_only_itself(open_wiki: OpenWiki) -> None:
    outcome, answered, _ = asked(open_wiki, range(12), lambda r: "?" if 5 in json.loads(r.user)[1:] else echo(r))
    assert sorted(answered) == [n for n in range(12) if n != 5]
    assert [(skipped.item, skipped.reason) for skipped in outcome.skipped] == [(5, "non_convergent")]


def test_a_provider_error_loses_its_own_batch_alone(open_wiki: OpenWiki) -> None:
    def broken(request: ModelRequest) -> str | Exception:
        return ModelUnreachable("http://x", "reset") if 0 in json.loads(request.user)[1:] else echo(request)

    outcome, answered, model = asked(open_wiki, range(25), broken)
    assert answered == list(range(10, 25))
    assert {(skipped.item, skipped.reason) for skipped in outcome.skipped} == {(n, "call_error") for n in range(10)}
    assert len(model.requests) == 3, "no call is wasted on an endpoint that does not answer"


def test_a_refused_item_is_singled_out_and_the_others_keep_their_batches(open_wiki: OpenWiki) -> None:
    def refuses(request: ModelRequest) -> str | Exception:
        return ModelRefused("http://x", 400, "content policy") if 3 in json.loads(request.user)[1:] else echo(request)

    outcome, answered, model = asked(open_wiki, range(40), refuses, wave=1)
    assert sorted(answered) == [n for n in range(40) if n != 3]
    assert [(skipped.item, skipped.reason) for skipped in outcome.skipped] == [(3, "call_error")]
    assert sizes(model)[-3:] == [10, 10, 10]


def test_an_endpoint_that_is_gone_is_not_asked_for_ever(open_wiki: OpenWiki) -> None:
    outcome, answered, model = asked(open_wiki, range(1_000), lambda _: ModelUnreachable("http://x", "down"), wave=2)
    assert answered == []
    assert len(model.requests) == 4
    assert len(outcome.skipped) == 40
    assert outcome.unasked == list(range(40, 1_000))


def test_a_model_that_raises_is_like_one_that_reports_the_error(open_wiki: OpenWiki) -> None:
    class Raising(ScriptedModel):
        async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
            if len(self.requests) == 0:
                self.requests += requests
                raise RuntimeError("boom")
            return await super().complete(requests)

    outcome, answered, _ = asked(open_wiki, range(15), Raising({"count": echo}), wave=1)
    assert answered == [10, 11, 12, 13, 14]
    assert [skipped.item for skipped in outcome.skipped] == list(range(10))
    assert "boom" in outcome.skipped[0].message


def test_one_item_that_is_cut_is_asked_with_ever_less_around_it(open_wiki: OpenWiki) -> None:
    script: list[Any] = [ModelError("response truncated"), ModelError("max_tokens reached"), "[7]~", "[7]"]
    outcome, answered, model = asked(open_wiki, [7], script)
    assert answered == [7]
    assert outcome.degraded == [(7, 3)]
    assert [json.loads(request.user)[0] for request in model.requests] == [0, 1, 2, 3]


def test_with_nothing_left_to_leave_out_a_cut_reply_is_read_as_far_as_it_goes(open_wiki: OpenWiki) -> None:
    assert asked(open_wiki, [7], lambda _: "[7]~")[1] == [7]


def test_an_item_that_is_always_too_long_is_given_up(open_wiki: OpenWiki) -> None:
    outcome, answered, model = asked(open_wiki, [1, 2], lambda _: ModelError("finish_reason=length"))
    assert answered == []
    assert [(skipped.item, skipped.reason) for skipped in outcome.skipped] == [
        (1, "non_convergent"),
        (2, "non_convergent"),
    ]
    assert len(model.requests) == 1 + 2 * 4


def test_a_request_never_grows_beyond_the_limit_of_characters(open_wiki: OpenWiki) -> None:
    _, answered, model = asked(open_wiki, range(100, 140), echo, max_chars=30)
    assert answered == list(range(100, 140))
    assert max(len(request.user) for request in model.requests) <= 30
    assert max(sizes(model)) > 1


@pytest.mark.parametrize("script", ["garbage", "cut", "error", "mixed"])
@pytest.mark.parametrize("wave", [1, 3, 8])
def test_every_item_is_answered_or_named_once(open_wiki: OpenWiki, script: str, wave: int) -> None:
    def reply(request: ModelRequest) -> str | Exception:
        numbers = json.loads(request.user)[1:]
        bad: dict[str, str | Exception] = {"garbage": "?", "cut": f"{numbers}~", "error": ModelError("status 500")}
        if script == "mixed":
            return (list(bad.values()) + 2 * [echo(request)])[int(sum(numbers)) % 5]
        return bad[script] if numbers[0] % 3 == 0 else echo(request)

    outcome, answered, model = asked(open_wiki, range(57), reply, wave=wave)
    seen = answered + [skipped.item for skipped in outcome.skipped] + outcome.unasked
    assert sorted(seen) == list(range(57))
    assert len(model.requests) < 57 * 6


def test_the_queue_puts_a_failed_batch_before_the_rest() -> None:
    queue = Queue(range(6), 4, lambda some, level: True)
    [first] = queue.next()
    assert first.items == (0, 1, 2, 3)
    assert queue.failed(first, "truncated", "") == []
    assert [batch.items for batch in queue.next(9)] == [(0, 1), (2, 3), (4, 5)]


def test_an_item_alone_beyond_the_limit_begins_with_less_around_it() -> None:
    queue = Queue([1, 2], 2, lambda some, level: level >= 2)
    assert [(batch.items, batch.level) for batch in queue.next(2)] == [((1,), 2), ((2,), 2)]


@pytest.mark.parametrize(
    "message",
    [
        "response truncated",
        "max_tokens reached",
        "finish_reason=length",
        "stopped: finish_reason 'length'",
        "output limit hit",
        "This model's maximum context length is 8192 tokens",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "reply was cut off",
    ],
)
def test_messages_about_length_are_recognised(message: str) -> None:
    assert is_truncation(message)


@pytest.mark.parametrize(
    "message",
    ["rate limit reached: tokens", "max_tokens exceeds the limit of 4096", "insufficient quota", "timeout", "finish"],
)
def test_other_messages_are_not_about_length(message: str) -> None:
    assert not is_truncation(message)


def test_what_a_reply_quotes_does_not_make_it_a_cut_one() -> None:
    assert failure_of(BadReply("JSON", "the tree was truncated at the top")) == "unreadable"
    assert failure_of(BadReply("a whole reply, not one cut off at the token limit", "{")) == "truncated"
    assert failure_of(ModelRefused("http://x", 429, "slow down")) == "unavailable"


def test_a_model_that_can_say_much_is_asked_much_at_once() -> None:
    model = ScriptedModel({})
    assert first_size(model) == 10
    model.max_output_tokens = 8_000  # type: ignore[attr-defined]
    assert first_size(model) == 42
    model.max_output_tokens = 100  # type: ignore[attr-defined]
    assert first_size(model) == 10
    assert first_size(None) == 10
    assert first_size(OpenAIModel("m", max_tokens=8_000)) == 42
    assert first_size(OpenAIModel("m")) == 10
