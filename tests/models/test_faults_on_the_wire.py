"""What goes wrong between us and an endpoint, over real sockets, blocking and under asyncio, whole and streamed."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lorelite import AsyncWiki, Wiki
from lorelite._drive import drive
from lorelite.errors import BadReply, ContextOverflow, ModelError, ModelRefused, ModelUnreachable
from lorelite.models import GeminiModel, OpenAIModel
from lorelite.models.sending import Policy
from lorelite.ports import ModelRequest
from lorelite.records import Usage

pytestmark = pytest.mark.cpython_only
ASK = ModelRequest(system="s", user="u")
PATIENCE = 20
"""Seconds after which a test that waits for the other side has failed."""


def event(text, finish=None):
    return f"data: {json.dumps({'choices': [{'delta': {'content': text}, 'finish_reason': finish}]})}\n\n".encode()


class Handler(BaseHTTPRequestHandler):
    """Does what the test has scripted: bytes to write, numbers of seconds at most to wait for `go`."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        server = self.server
        server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        server.asked += 1
        status, headers, body = server.script(server.asked)
        self.send_response(status)
        for name, value in {"connection": "close", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True
        try:
            for piece in body:
                if piece is WAIT:
                    server.waiting.put(True)
                    server.go.wait(PATIENCE)
                else:
                    self.wfile.write(piece)
                    self.wfile.flush()
        except OSError:
            server.hung_up.set()

    def log_message(self, *args):
        pass


WAIT = object()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.bodies = 0, []
        self.go, self.hung_up, self.waiting = threading.Event(), threading.Event(), queue.SimpleQueue()

    def model(self, **options):
        address = f"http://127.0.0.1:{self.server_address[1]}/v1"
        return OpenAIModel("m", base_url=address, api_key="sk-0123456789", **{"max_retries": 0, **options})

    def says(self, *body, status=200, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.script = lambda asked: (status, named, body)

    def handle_error(self, request, client_address):
        """The client hung up, as these tests want it to."""


@pytest.fixture
def server():
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.go.set()
        made.shutdown()
        thread.join()


@pytest.fixture(params=["blocking", "async"])
def runs(request):
    """Runs what a model gives: (model as it must be, runner of a coroutine)."""
    if request.param == "blocking":
        return lambda model: model.as_blocking(), drive
    return lambda model: model, asyncio.run


def whole(runs, model):
    fitted, run = runs
    [reply] = run(fitted(model).complete([ASK]))
    return reply


def streamed(runs, model, each=lambda part: None):
    fitted, run = runs

    async def collect():
        parts = []
        async for part in fitted(model).stream(ASK):
            each(part)
            parts.append(part)
        return parts

    return run(collect())


def failure_of(how, runs, model):
    """The error of a reply; of a stream, the one that it raises."""
    if how is whole:
        return whole(runs, model).error
    with pytest.raises(ModelError) as failure:
        streamed(runs, model)
    return failure.value


def test_a_stream_is_given_while_it_is_written(server, runs):
    server.says(event("Mar"), WAIT, event("ley"), event("", "stop"), b"data: [DONE]\n\n")
    *pieces, usage = streamed(runs, server.model(), lambda part: server.go.set())
    assert pieces == ["Mar", "ley"] and isinstance(usage, Usage)


@pytest.mark.parametrize("begun", [(), (event("Mar"),)])
def test_a_stream_that_stalls_is_given_up_after_the_idle_time(server, runs, begun):
    server.says(*begun, WAIT)
    with pytest.raises(ModelUnreachable, match=r"nothing came for 0\.2 s") as failure:
        streamed(runs, server.model(idle_timeout=0.2, timeout=PATIENCE, max_retries=3))
    assert failure.value.data["cause"] == "timeout"
    assert server.asked == 1


def test_a_first_byte_that_is_late_but_in_time_is_waited_for(server, runs):
    server.says(WAIT, event("Marley", "stop"), b"data: [DONE]\n\n")
    threading.Thread(target=lambda: (server.waiting.get(timeout=PATIENCE), server.go.set())).start()
    assert streamed(runs, server.model(timeout=PATIENCE, idle_timeout=PATIENCE))[0] == "Marley"


def test_a_stream_that_is_cut_raises_after_what_came(server, runs):
    server.says(event("Mar"))
    told = []
    with pytest.raises(ModelUnreachable, match="ended too early"):
        streamed(runs, server.model(max_retries=3), told.append)
    assert (told[0], server.asked) == ("Mar", 1)


def test_a_stream_that_nobody_listens_to_is_hung_up_on(server, runs):
    fitted, run = runs
    server.says(event("Mar"), WAIT, *[event("ley" * 1000)] * 5000)

    async def first():
        parts = fitted(server.model()).stream(ASK)
        piece = await anext(parts)
        await parts.aclose()
        server.go.set()
        return piece

    assert run(first()) == "Mar"
    assert server.hung_up.wait(PATIENCE)


def test_a_cancelled_call_hangs_up(server):
    server.says(b" ", WAIT, *[b" " * 100_000] * 500)

    async def cancelled():
        task = asyncio.ensure_future(server.model().complete([ASK]))
        await asyncio.to_thread(server.waiting.get, True, PATIENCE)
        task.cancel()
        await asyncio.wait([task])
        server.go.set()
        return task.cancelled()

    assert asyncio.run(cancelled())
    assert server.hung_up.wait(PATIENCE)


@pytest.mark.parametrize(
    ("status", "body", "error", "cause"),
    [
        (401, {"error": {"message": "Incorrect API key"}}, ModelRefused, "key"),
        (404, {"error": {"message": "The model 'm' does not exist"}}, ModelRefused, "model"),
        (400, {"error": {"code": "context_length_exceeded", "message": "too long"}}, ContextOverflow, "context"),
        (429, {"error": {"message": "Rate limit reached"}}, ModelRefused, "rate"),
        (429, {"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}, ModelRefused, "quota"),
        (500, {"error": {"message": "oops"}}, ModelRefused, "server"),
        (503, {"error": {"message": "overloaded"}}, ModelRefused, "overload"),
    ],
)
@pytest.mark.parametrize("how", [whole, streamed])
def test_a_refusal_names_what_was_at_fault(server, runs, how, status, body, error, cause):
    server.says(json.dumps(body).encode(), status=status, content_type="application/json")
    if how is whole:
        found = whole(runs, server.model()).error
    else:
        with pytest.raises(ModelRefused) as failure:
            streamed(runs, server.model())
        found = failure.value
    assert type(found) is error
    assert found.data["cause"] == cause
    assert "sk-0123456789" not in str(found)


@pytest.mark.parametrize("headers", [{}, {"retry_after": "0"}, {"retry_after": "Tue, 01 Dec 2026 00:00:00 GMT"}])
@pytest.mark.parametrize("how", [whole, streamed])
def test_what_passes_is_asked_again_until_it_is_answered(server, runs, how, headers):
    fine = json.dumps({"choices": [{"message": {"content": "Marley"}, "finish_reason": "stop"}]}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named |= {"date": "Tue, 01 Dec 2026 00:00:00 GMT"} if headers else {}
    server.script = lambda asked: ((429, 500, 200)[asked - 1], named if asked == 1 else {}, [fine])
    model = server.model(max_retries=2)
    model._policy = Policy(max_retries=2, first_delay=0.0)
    reply = whole(runs, model)
    assert (reply.text, reply.error, server.asked) == ("Marley", None, 3)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "System role not supported"),
        (500, "Jinja Exception: System role not supported"),
        (400, "Only user and assistant roles are supported!"),
        (400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
    ],
)
def test_a_model_without_a_system_role_is_asked_by_the_user_alone_and_remembered(server, runs, status, words):
    refusal = json.dumps({"error": {"message": words}}).encode()
    fine = json.dumps({"choices": [{"message": {"content": "Marley"}, "finish_reason": "stop"}]}).encode()
    server.script = lambda asked: (status, {}, [refusal]) if asked == 1 else (200, {}, [fine])
    model = runs[0](server.model(max_retries=3))
    assert [whole(runs, model).text for _ in range(2)] == ["Marley"] * 2
    spoken = [json.loads(body)["messages"] for body in server.bodies]
    assert [[each["role"] for each in one] for one in spoken] == [["system", "user"], ["user"], ["user"]]
    assert spoken[2] == [{"role": "user", "content": "s\n\nu"}]


@pytest.mark.parametrize(
    "body", [b"", b"<html>The school's proxy</html>", b"[]", b"null", b'{"choices": "x"}', b"\xff\xfe"]
)
@pytest.mark.parametrize("how", [whole, streamed])
def test_what_is_no_reply_is_told_as_such(server, runs, how, body):
    server.says(body, content_type="text/html")
    found = failure_of(how, runs, server.model(max_retries=3))
    assert isinstance(found, BadReply) and server.asked == 1
    assert ("a proxy or a sign-in stands before it" in str(found)) is body.startswith(b"<")


@pytest.mark.parametrize("how", [whole, streamed])
def test_where_an_endpoint_sends_on_to_is_told_and_not_followed_with_the_key(server, runs, how):
    server.says(status=307, location="https://elsewhere.example/v1/chat/completions?token=secret")
    found = failure_of(how, runs, server.model(max_retries=3))
    assert (type(found), found.data["cause"], server.asked) == (ModelRefused, "request", 1)
    assert "it sends on to https://elsewhere.example/v1/chat/completions: give that address instead" in str(found)
    assert "secret" not in str(found)


@pytest.mark.parametrize("how", [whole, streamed])
def test_a_body_without_an_end_is_given_up(server, runs, how, monkeypatch):
    monkeypatch.setattr("lorelite.models.transport.MAX_BODY", 2**20)
    server.says(*[b" " * 100_000] * 5000)
    found = failure_of(how, runs, server.model(max_retries=3))
    assert isinstance(found, ModelUnreachable) and server.asked == 1
    assert (found.data["cause"], "longer than 1 MiB" in str(found)) == ("server", True)
    assert server.hung_up.wait(PATIENCE)


def test_geminis_wait_stands_in_the_body_and_is_kept(server, runs):
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.01s"}]
    busy = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Slow down.", "details": details}}
    parts = {"content": {"parts": [{"text": "Marley"}]}, "finishReason": "STOP"}
    server.script = lambda asked: (
        (429, {}, [json.dumps(busy).encode()])
        if asked == 1
        else (200, {}, [json.dumps({"candidates": [parts]}).encode()])
    )
    model = GeminiModel("m", base_url=f"http://127.0.0.1:{server.server_address[1]}", max_retries=1)
    model._policy = Policy(max_retries=1, first_delay=PATIENCE * 10)  # without the endpoint's own, it would never end
    assert (whole(runs, model).text, server.asked) == ("Marley", 2)


@pytest.mark.parametrize("how", [whole, streamed])
def test_an_error_under_status_200_is_an_error(server, runs, how):
    body = {"error": {"message": "Rate limit exceeded", "code": 429}}
    server.says(json.dumps(body).encode() if how is whole else f"data: {json.dumps(body)}\n\n".encode())
    if how is whole:
        found = whole(runs, server.model()).error
    else:
        with pytest.raises((ModelRefused, BadReply)) as failure:
            streamed(runs, server.model())
        found = failure.value
    assert isinstance(found, ModelRefused | BadReply) and "Rate limit exceeded" in str(found)


def sentence(number):
    return json.dumps({"text": f"Anna Berg has boat {number}.", "citations": [{"source": 1, "quote": "Anna Berg has"}]})


def test_an_answer_is_given_sentence_by_sentence_and_recorded_whole(server, tmp_path):
    reply = '{"answer": [' + ", ".join(sentence(number) for number in (1, 2, 3)) + "]}"
    pieces = [reply[at : at + 40] for at in range(0, len(reply), 40)]
    written = [event(piece) for piece in pieces]
    server.says(*written[:-2], WAIT, *written[-2:], event("", "stop"), b"data: [DONE]\n\n")
    told = []
    with Wiki.open(str(tmp_path / "a.db")) as wiki:
        wiki.ingest_document("main", source_ref="a.md", text="Anna Berg has boat 1, boat 2 and boat 3.")
    with Wiki.open(str(tmp_path / "a.db"), model=server.model()) as wiki:
        stream = wiki.graph("main").stream("What does Anna Berg have?", search="naive")
        for piece in stream:
            told.append((piece, server.go.is_set()))
            server.go.set()
        assert stream.result.usage.calls == 1
        again = list(wiki.graph("main").stream("What does Anna Berg have?", search="naive"))
        [call] = wiki.list_calls("main")
    assert told and told[0][1] is False, "the first piece came before the server had written all"
    assert "".join(again) == "".join(piece for piece, _ in told)
    assert call.status == "ok" and call.reply == reply
    assert server.asked == 1


def test_a_cut_answer_is_an_error_and_answers_nothing_later(server, tmp_path):
    async def ask():
        async with await AsyncWiki.open(str(tmp_path / "a.db"), model=server.model()) as wiki:
            stream = await wiki.graph("main")
            with pytest.raises(ModelUnreachable):
                async for _ in await stream.stream("What does Anna Berg have?", search="naive"):
                    pass
            return [call.status for call in await wiki.list_calls("main")]

    with Wiki.open(str(tmp_path / "a.db")) as wiki:
        wiki.ingest_document("main", source_ref="a.md", text="Anna Berg has boat 1, boat 2 and boat 3.")
    server.says(event('{"answer": [{"text": "Anna'))
    assert asyncio.run(ask()) == ["error"]
