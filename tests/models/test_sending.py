"""When a request is sent again, and how long that waits."""

from __future__ import annotations

import pytest
from fake_transport import FakeTransport, answers, event_stream, json_response

from lorelite.models.pace import Pace
from lorelite.models.sending import Policy, asked_to_wait, is_transient, send_patiently
from lorelite.models.transport import HttpRequest, HttpResponse, Unreachable

REQUEST = HttpRequest(url="http://x.org", headers={}, body=b"", timeout=1)
LATE = "Mon, 30 Nov 2026 17:00:09 GMT"
NOW = "Mon, 30 Nov 2026 17:00:00 GMT"


class Clock:
    """Seconds that pass while a transport pauses."""

    def __init__(self, transport: FakeTransport) -> None:
        self.transport = transport

    def __call__(self) -> float:
        return sum(self.transport.pauses)


def send(run, transport, *, chance=0.5, pace=None, **more):
    policy = Policy(max_retries=3, random=lambda: chance)
    return run(send_patiently(transport, REQUEST, policy=policy, pace=pace or Pace(now=Clock(transport)), **more))


def status(code, **headers):
    return json_response({}, code, **headers)


@pytest.mark.parametrize(
    ("sent", "again"),
    [
        (status(200), False),
        (status(400), False),
        (status(401), False),
        (status(404), False),
        (status(408), True),
        (status(429), True),
        (status(500), True),
        (status(501), False),
        (status(529), True),
        (TimeoutError("x"), False),
        (ConnectionError("x"), True),
        (Unreachable("x"), True),
        (Unreachable("x", "origin"), False),
        (Unreachable("x", "mixed_content"), False),
    ],
)
def test_only_what_passes_is_worth_another_try(sent, again):
    assert is_transient(sent) is again


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        (status(429, retry_after="0"), 0.0),
        (status(429, retry_after="2.5"), 2.5),
        (status(503, retry_after=LATE, date=NOW), 9.0),
        (status(503, retry_after=NOW, date=LATE), 0.0),
        (status(503, retry_after=LATE), None),
        (status(429, retry_after="-3"), None),
        (status(429, retry_after="soon"), None),
        (status(500, retry_after="5"), None),
        (status(429), None),
        (json_response({"error": {"details": [{"retryDelay": "37s"}]}}, 429), 37.0),
        (json_response({"error": {"details": [{"retryDelay": "37s"}]}}, 429, retry_after="2"), 2.0),
        (json_response({"error": {"details": [{"retryDelay": "37s"}]}}, 400), None),
        (TimeoutError("x"), None),
    ],
)
def test_a_wait_is_read_in_seconds_as_a_date_and_in_the_body(sent, seconds):
    assert asked_to_wait(sent) == seconds


def test_waits_double_and_are_spread(run):
    for chance, factor in ((0.0, 0.75), (0.5, 1.0), (1.0, 1.25)):
        transport = answers(*[ConnectionError("refused")] * 4)
        send(run, transport, chance=chance)
        assert transport.pauses == [0.5 * factor, 1.0 * factor, 2.0 * factor]


def test_an_endpoints_own_wait_takes_the_place_of_ours_and_has_a_limit(run):
    transport = answers(status(429, retry_after="7"), status(429, retry_after="86400"), status(200))
    assert send(run, transport).status == 200
    assert transport.pauses == [7.0, 60.0]


def test_every_request_of_a_model_waits_for_what_one_was_told(run):
    transport = answers(status(429, retry_after="7"), status(200), status(200))
    pace = Pace(now=Clock(transport))
    run_policy = {"policy": Policy(max_retries=0), "pace": pace}
    assert run(send_patiently(transport, REQUEST, **run_policy)).status == 429
    assert run(send_patiently(transport, REQUEST, **run_policy)).status == 200
    assert transport.pauses == [7.0]


def test_what_is_hopeless_is_not_sent_again(run):
    transport = answers(status(429))
    assert send(run, transport, is_hopeless=lambda sent: True).status == 429
    assert not transport.pauses


def test_a_stream_that_had_begun_is_not_begun_again(run):
    told = []

    async def cut(request, on_piece=None):
        on_piece(b"data: 1\n")
        return Unreachable("cut")

    transport = answers()
    transport.send = cut
    assert isinstance(send(run, transport, on_piece=told.append), Unreachable)
    assert told == [b"data: 1\n"]


def test_a_stream_that_was_refused_is_sent_again(run):
    told = []
    transport = answers(status(503), event_stream({"a": 1}))
    assert isinstance(send(run, transport, on_piece=told.append), HttpResponse)
    assert b"".join(told) == b'data: {"a": 1}\n\n'
