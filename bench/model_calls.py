"""What our side of a model call costs, against a server on this machine that answers at once.

    python -m bench.model_calls [--calls 1000] [--parallel 8] [--min calls_per_s=400] [--max overhead_ms=2]

The server is a process of its own, on bare sockets. overhead_ms: processor time of our process per call, one after the
other. calls_per_s: calls a second by the clock, `parallel` at a time. streamed_mb: how much the peak memory grows
while a reply of 10 MB is streamed, beyond the reply's own text.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.report import json_line, limits, table
from lorelite._drive import drive
from lorelite.models import OpenAIModel
from lorelite.ports import Listener, ModelRequest

_SERVER = r"""
import asyncio, json, re
BODY = json.dumps({"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}).encode()
PIECE = b"data: " + json.dumps({"choices": [{"delta": {"content": "x" * 1000}}]}).encode() + b"\n\n"
END = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readexactly(int(re.search(rb"content-length: (\d+)", head.lower())[1]))
            if b'"stream": true' in body:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
                for _ in range(int(re.search(rb"pieces=(\d+)", body)[1])):
                    writer.write(PIECE)
                    await writer.drain()
                writer.write(END)
                await writer.drain()
                break
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@contextmanager
def _server() -> Iterator[str]:
    with subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.kill()


def measure(calls: int, parallel: int, pieces: int) -> dict[str, float]:
    """overhead_ms (blocking and async), calls_per_s (likewise), streamed_mb."""
    requests = [ModelRequest(system="Be brief.", user=f"Question {number}") for number in range(calls)]
    found: dict[str, float] = {}
    with _server() as address:
        for name, wait in (("async", False), ("blocking", True)):
            alone, many = (_model(address, number, wait) for number in (1, parallel))
            _all(alone, requests[:20])
            began = time.process_time()
            _all(alone, requests[: calls // 4 or 1])
            found[f"overhead_ms_{name}"] = (time.process_time() - began) * 1000 / (calls // 4 or 1)
            begun = time.perf_counter()
            _all(many, requests)
            found[f"calls_per_s_{name}"] = calls / (time.perf_counter() - begun)
        found["streamed_mb"] = _streamed(_model(address, 1, False), pieces)
    found["overhead_ms"] = max(found["overhead_ms_async"], found["overhead_ms_blocking"])
    found["calls_per_s"] = min(found["calls_per_s_async"], found["calls_per_s_blocking"])
    return found


def _model(address: str, parallel: int, wait: bool) -> OpenAIModel:
    model = OpenAIModel("any", base_url=address, max_parallel=parallel)
    return model.as_blocking() if wait else model


def _all(model: OpenAIModel, requests: Sequence[ModelRequest]) -> None:
    replies = drive(model.complete(requests)) if model.blocking else asyncio.run(model.complete(requests))
    assert all(reply.text == "ok" for reply in replies), replies[0]


def _streamed(model: OpenAIModel, pieces: int) -> float:
    """Growth of the peak of resident memory in MB, less the reply, whose text is held twice when it is joined."""
    told = 0

    def count(at: int, piece: str) -> None:
        nonlocal told
        told += len(piece)

    async def grown() -> float:
        # Measured in here: asyncio.run of Python 3.11 writes out the repr of what it returns (signal.getsignal).
        before = _peak()
        [reply] = await model.complete_telling([request], Listener(on_text=count))
        assert told == len(reply.text) == pieces * 1000, reply.error
        return _peak() - before

    request = ModelRequest(system="", user=f"pieces={pieces}")
    return max(0.0, asyncio.run(grown()) - 2 * told / 1e6)


def _peak() -> float:
    import resource  # Unix alone has it

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6  # Linux counts in KiB


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--pieces", type=int, default=10_000, help="of 1,000 characters each, in the streamed reply")
    parser.add_argument("--min", nargs="*", default=[], metavar="name=X")
    parser.add_argument("--max", nargs="*", default=[], metavar="name=X")
    given = parser.parse_args(arguments)
    found = {name: round(value, 3) for name, value in measure(given.calls, given.parallel, given.pieces).items()}
    print(table(["measure", "value"], found.items()))
    print(json_line({"bench": "model_calls", "calls": given.calls, **found}))
    is_low = any(found[name] < least for name, least in limits(given.min).items())
    is_high = any(found[name] > most for name, most in limits(given.max).items())
    return int(is_low or is_high)


if __name__ == "__main__":
    sys.exit(main())
