"""Streamed replies over the browser's fetch, whole, late, stalled and cut, in Chromium's Pyodide."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pytest_pyodide import run_in_pyodide

HOLD = threading.Event()
"""Never set while a test runs: what waits for it stalls."""
END = b"data: [DONE]\n\n"


def event(text: str) -> bytes:
    return f"data: {json.dumps({'choices': [{'delta': {'content': text}}]})}\n\n".encode()


SCRIPTS = {
    "whole": (event("Mar"), event("ley"), END),
    "late": (None,),
    "stalled": (event("Mar"), None),
    "cut": (event("Mar"),),
    "wrong": (b'data: {"error": {"message": "boom", "code": 500}}\n\n',),
    "page": (b"<html>Sign in</html>",),
}


class Streams(BaseHTTPRequestHandler):
    """Writes what the first part of the path names; at None it stops, and keeps the connection."""

    def do_OPTIONS(self) -> None:
        self._begin(204)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        script = SCRIPTS[self.path.split("/")[1]]
        with suppress(OSError):
            for at, piece in enumerate(script):
                if piece is None:
                    HOLD.wait(30)
                    return
                if at == 0:
                    self._begin(200)
                self.wfile.write(piece)
                self.wfile.flush()

    def _begin(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Headers", "Authorization, Content-Type")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def streams() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Streams)
    server.block_on_close = False
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    HOLD.set()
    server.shutdown()
    server.server_close()
    HOLD.clear()


@run_in_pyodide(packages=["lorelite"])
async def outcomes(selenium, address):
    """Of each script: the pieces that came, and the error's kind, cause and words."""
    from lorelite.errors import ModelError
    from lorelite.models import OpenAIModel
    from lorelite.ports import ModelRequest

    found = []
    cases = [("whole", {}), ("late", {"idle_timeout": 0.2}), ("late", {"timeout": 0.2}), ("cut", {}), ("wrong", {})]
    cases += [("stalled", {"idle_timeout": 0.2}), ("stalled", {"timeout": 0.5}), ("page", {})]
    for script, options in cases:
        model = OpenAIModel("m", base_url=f"{address}/{script}/v1", max_retries=0, **options)
        pieces, told = [], ["", "", ""]
        try:
            async for part in model.stream(ModelRequest(system="s", user="u")):
                if isinstance(part, str):
                    pieces.append(part)
        except ModelError as error:
            told = [type(error).__name__, error.data.get("cause", ""), str(error)]
        found.append([script, "".join(pieces), *told])
    return found


def test_streams_that_fail_are_told_by_what_was_at_fault(selenium, streams: str) -> None:
    wanted = [
        ("whole", "Marley", "", "", ""),
        ("late", "", "ModelUnreachable", "timeout", "nothing came for 0.2 s before the first byte"),
        ("late", "", "ModelUnreachable", "timeout", "no complete answer within 0.2 s"),
        ("cut", "Mar", "ModelUnreachable", "network", "ended too early, after 3 characters"),
        ("wrong", "", "ModelRefused", "server", "boom"),
        ("stalled", "Mar", "ModelUnreachable", "timeout", "nothing came for 0.2 s after"),
        ("stalled", "Mar", "ModelUnreachable", "timeout", "no complete answer within 0.5 s"),
        ("page", "", "BadReply", "", "found '<html>Sign in</html>'"),
    ]
    for found, (script, pieces, kind, cause, words) in zip(outcomes(selenium, streams), wanted, strict=True):
        assert tuple(found[:4]) == (script, pieces, kind, cause)
        assert words in found[4]
