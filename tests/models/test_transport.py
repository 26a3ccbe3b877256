"""Against a real server on this machine."""

import asyncio
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from lorelite.errors import BadReply, ModelRefused, ModelUnreachable
from lorelite.models import OpenAIEmbedder, OpenAIModel
from lorelite.ports import ModelRequest

pytestmark = pytest.mark.cpython_only
ASK = ModelRequest(system="s", user="u")
KEY = "sk-secret-0123456789"


class Handler(BaseHTTPRequestHandler):
    """Behaves as the first part of the path says."""

    seen: list[dict[str, str]] = []
    calls: dict[str, int] = {}
    release = threading.Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        Handler.seen.append({name.lower(): value for name, value in self.headers.items()})
        behaviour = self.path.split("/")[1]
        Handler.calls[behaviour] = Handler.calls.get(behaviour, 0) + 1
        getattr(self, behaviour)()

    def good(self) -> None:
        if self.path.endswith("/embeddings"):
            self.reply(200, json.dumps({"data": [{"index": 0, "embedding": [1.0, 2.0]}]}))
        else:
            self.reply(200, json.dumps({"choices": [{"message": {"content": "Grüße"}, "finish_reason": "stop"}]}))

    def html(self) -> None:
        self.reply(200, "<html>Welcome to the school's proxy</html>")

    def unauthorised(self) -> None:
        self.reply(401, json.dumps({"error": {"message": f"key {self.headers['authorization']} is wrong"}}))

    def hang(self) -> None:
        Handler.release.wait(20)

    def drip(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "1000")
        self.end_headers()
        while not Handler.release.wait(0.02):
            self.wfile.write(b" ")

    def drop(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "1000")
        self.end_headers()
        self.wfile.write(b'{"choices"')

    def busy(self) -> None:
        if Handler.calls["busy"] == 1:
            self.reply(429, "{}", **{"retry-after": "0"})
        else:
            self.good()

    def reply(self, status: int, body: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-length": str(len(body.encode())), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *args: Any) -> None:
        pass


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The client hung up, as these tests want it to."""


@pytest.fixture
def server() -> Iterator[str]:
    Handler.seen, Handler.calls, Handler.release = [], {}, threading.Event()
    with QuietServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        Handler.release.set()
        http.shutdown()
        thread.join()


@pytest.fixture(params=["blocking", "async"])
def ask(request, run):
    """Completes requests over httpx, blocking or under asyncio."""

    def complete(model: OpenAIModel, count: int = 1):
        if request.param == "blocking":
            return run(model.as_blocking().complete([ASK] * count))
        assert not model.blocking
        return asyncio.run(model.complete([ASK] * count))

    return complete


def model_at(server: str, behaviour: str, **options: Any) -> OpenAIModel:
    return OpenAIModel("m", base_url=f"{server}/{behaviour}", api_key=KEY, **{"max_retries": 0, **options})


def test_a_batch_is_answered_with_no_header_of_our_own_but_two(server, ask) -> None:
    replies = ask(model_at(server, "good", max_parallel=3), 5)
    assert [(reply.text, reply.error) for reply in replies] == [("Grüße", None)] * 5
    assert Handler.seen[0]["authorization"] == f"Bearer {KEY}"
    standard = {"host", "accept", "accept-encoding", "connection", "user-agent", "content-length"}
    assert set(Handler.seen[0]) - standard == {"authorization", "content-type"}


def test_a_page_instead_of_a_reply_is_shown(server, ask) -> None:
    (reply,) = ask(model_at(server, "html"))
    assert isinstance(reply.error, BadReply)
    assert "school's proxy" in str(reply.error)


def test_a_refused_key_does_not_leak(server, ask, caplog) -> None:
    caplog.set_level("DEBUG")
    (reply,) = ask(model_at(server, "unauthorised"))
    assert isinstance(reply.error, ModelRefused)
    assert "check the API key" in str(reply.error)
    assert KEY not in str(reply.error)
    assert KEY not in caplog.text


@pytest.mark.parametrize("behaviour", ["hang", "drip"])
def test_an_endpoint_that_does_not_finish_is_given_up(server, ask, behaviour: str) -> None:
    (reply,) = ask(model_at(server, behaviour, timeout=1.0, max_retries=3))
    assert isinstance(reply.error, ModelUnreachable)
    assert "no complete answer within 1 s" in str(reply.error)
    assert Handler.calls == {behaviour: 1}, "a request that timed out is not sent again"


@pytest.mark.parametrize("behaviour", ["drop", "cut"])
def test_a_lost_connection_is_unreachable(server, ask, behaviour: str) -> None:
    (reply,) = ask(model_at(server, behaviour))
    assert isinstance(reply.error, ModelUnreachable)
    assert server in str(reply.error)


def test_a_busy_endpoint_is_asked_again(server, ask) -> None:
    (reply,) = ask(model_at(server, "busy", max_retries=1))
    assert reply.text == "Grüße"
    assert Handler.calls == {"busy": 2}


def test_no_endpoint_at_all_is_unreachable(ask) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (reply,) = ask(model_at(f"http://127.0.0.1:{port}", "v1"))
    assert isinstance(reply.error, ModelUnreachable)
    assert "check that it runs" in str(reply.error)


def test_the_blocking_twin_works_inside_a_running_loop(server, run) -> None:
    async def cell() -> str:
        return run(model_at(server, "good").as_blocking().complete([ASK]))[0].text

    assert asyncio.run(cell()) == "Grüße"


def test_embeddings_come_over_the_same_transport(server, run) -> None:
    embedder = OpenAIEmbedder("e", base_url=f"{server}/good")
    assert run(embedder.as_blocking().embed(["a"])) == [[1.0, 2.0]]
    assert asyncio.run(embedder.embed(["a"])) == [[1.0, 2.0]]


def test_importing_the_models_loads_no_http_library() -> None:
    code = "import sys, lorelite.models; assert not {'httpx', 'httpcore', 'anyio'} & set(sys.modules), 'loaded'"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
