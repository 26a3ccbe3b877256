"""A scripted model behind HTTP that counts each call that is paid for, and kills who asks at chosen calls."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from tests.models.scripted_replies import scripted

Moment = Literal["before", "within", "after", "soon"]
"""Of a kill: before the reply is sent, when half of it is, when all of it is, a few milliseconds later."""
MOMENTS: tuple[Moment, ...] = ("before", "within", "after", "soon")


@dataclass
class Toll:
    """What the calls came to. `plan`: at which paid calls the process that asks is killed, and when."""

    address: str = ""
    plan: list[tuple[int, Moment]] = field(default_factory=list)
    paid: list[str] = field(default_factory=list)
    victim: int | None = None
    connections: int = 0
    under_way: int = 0
    most_under_way: int = 0
    lock: threading.Condition = field(default_factory=threading.Condition)

    def begins(self, call: str) -> tuple[int, Moment | None]:
        """A call has come in and is paid for: the process to kill at it, and when, if so."""
        with self.lock:
            self.paid.append(call)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            self.lock.notify_all()
            # As a real model does, it takes its time: so calls overlap.
            self.lock.wait_for(lambda: self.under_way >= 4, timeout=0.004)
            if self.victim is None or not self.plan or len(self.paid) < self.plan[0][0]:
                return 0, None
            victim, self.victim = self.victim, None
            return victim, self.plan.pop(0)[1]

    def ends(self) -> None:
        with self.lock:
            self.under_way -= 1

    def connected(self, count: int) -> None:
        with self.lock:
            self.connections += count
            self.lock.notify_all()

    def settled(self) -> None:
        """Returns when all that was sent before has been counted: what a dead process sent is read after its death."""
        with self.lock:
            assert self.lock.wait_for(lambda: not self.connections, timeout=10)


def drawn_plan(calls: int, kills: int, seed: int) -> list[tuple[int, Moment]]:
    """That many kills at different calls; each moment comes up equally often, in random order."""
    draw = random.Random(seed)
    moments = [MOMENTS[number % len(MOMENTS)] for number in range(kills)]
    draw.shuffle(moments)
    return list(zip(sorted(draw.sample(range(1, calls), kills)), moments, strict=True))


def call_name(system: str, user: str) -> str:
    """What tells one call from another."""
    return sha256(f"{system}\0{user}".encode()).hexdigest()


@contextmanager
def toll_server() -> Iterator[Toll]:
    """An endpoint of OpenAI's API on loopback, while the `with` lasts."""
    toll = Toll()
    server = _Server(("127.0.0.1", 0), _Handler)
    server.toll = toll
    toll.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield toll
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    toll: Toll

    def process_request(self, request: Any, client_address: Any) -> None:
        self.toll.connected(1)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self.toll.connected(-1)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed has closed its connections."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = {message["role"]: message["content"] for message in body["messages"]}
        victim, moment = self.server.toll.begins(call_name(said["system"], said["user"]))
        reply = json.dumps(
            {
                "choices": [{"message": {"content": scripted(said["system"], said["user"])}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10},
            }
        ).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(reply)}\r\n\r\n".encode()
        sent = {"before": b"", "within": (head + reply)[: len(head) + len(reply) // 2]}.get(moment or "", head + reply)
        try:
            self.wfile.write(sent)
            self.wfile.flush()
        finally:
            self.server.toll.ends()
            if moment == "soon":
                threading.Timer(random.Random(victim).random() * 0.02, _kill, [victim]).start()
            elif moment:
                _kill(victim)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


def _kill(victim: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(victim, signal.SIGKILL)
