"""A transport that answers with a function, and what endpoints say."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from lorelite._drive import drive
from lorelite.models import HttpRequest, HttpResponse


class FakeTransport:
    """Answers with a function of the request, and notes pauses instead of waiting.

    Where pieces are listened to, a 2xx body is told in pieces of seven bytes, as a stream would come.
    """

    blocking = True

    def __init__(self, answer: Callable[[HttpRequest], Any]) -> None:
        self.answer = answer
        self.sent: list[HttpRequest] = []
        self.pauses: list[float] = []

    async def send(self, request: HttpRequest, on_piece: Callable[[bytes], None] | None = None) -> Any:
        self.sent.append(request)
        answer = self.answer(request)
        if on_piece is None or not isinstance(answer, HttpResponse) or not 200 <= answer.status <= 299:
            return answer
        for begin in range(0, len(answer.body), 7):
            on_piece(answer.body[begin : begin + 7])
        return HttpResponse(status=answer.status, headers=answer.headers)

    async def run_all(self, jobs: Any, on_done: Any = None) -> list[Any]:
        results = []
        for at, job in enumerate(jobs):
            results.append(drive(job()))
            if on_done is not None:
                on_done(at, results[-1])
        return results

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def as_blocking(self) -> FakeTransport:
        return self


def answers(*outcomes: Any) -> FakeTransport:
    """Gives each of the outcomes once, in order."""
    remaining = list(outcomes)
    return FakeTransport(lambda request: remaining.pop(0))


def json_response(value: Any, status: int = 200, **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return HttpResponse(status=status, headers=named, body=json.dumps(value, ensure_ascii=False).encode())


def event_stream(*messages: Any) -> HttpResponse:
    """Server-sent events: each a text as it stands, or a value as JSON."""
    lines = (each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in messages)
    return HttpResponse(status=200, body="".join(f"data: {line}\n\n" for line in lines).encode())


def body_of(request: HttpRequest) -> Any:
    return json.loads(request.body)
