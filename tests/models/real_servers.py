"""Model servers that nobody here wrote, started on loopback: llama.cpp's own (with a tiny model), and aimock.

llama.cpp's server is the PyPI package `xllamacpp` (a development dependency where a wheel exists), aimock an npm
package of `web/`. A test that uses one is skipped, with the reason, where it is absent.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

KEY = "a-key-of-the-test"
_AIMOCK = Path(__file__).parents[2] / "web" / "node_modules" / "@copilotkit" / "aimock" / "dist" / "index.js"

_LLAMA = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.api_keys, params.model_alias = sys.argv[1], [sys.argv[2]], {"tiny"}
params.hostnames, params.port = ["127.0.0.1"], 0
params.n_ctx, params.n_parallel, params.cpuparams.n_threads, params.warmup = 4096, 1, 1, False
params.verbosity = -1
if sys.argv[3] == "embedding":
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""

_MOCK = """
import { LLMock } from %(module)s;
const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 5, logLevel: "silent", apiKeys: [%(key)s] });
for (const fixture of JSON.parse(process.argv[1])) mock.addFixture(fixture);
await mock.start();
console.log(mock.url);
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
"""


@contextmanager
def llama_server(model: Path, *, embedding: bool = False) -> Iterator[str]:
    """The address of llama.cpp's server of the model in that file; it asks for KEY."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("llama.cpp's server (PyPI: xllamacpp) is not installed")
    arguments = [str(model), KEY, "embedding" if embedding else "text"]
    with _running([sys.executable, "-c", _LLAMA, *arguments]) as address:
        yield address


@contextmanager
def aimock(fixtures: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The address of an aimock server with these fixtures."""
    node = shutil.which("node")
    if node is None or not _AIMOCK.exists():
        pytest.skip("aimock (npm: @copilotkit/aimock in web/) is not installed")
    script = _MOCK % {"module": json.dumps(_AIMOCK.as_uri()), "key": json.dumps(KEY)}
    with _running([node, "--input-type=module", "-e", script, json.dumps(list(fixtures))]) as address:
        yield address


@contextmanager
def _running(command: Sequence[str]) -> Iterator[str]:
    """A server that prints its address, and ends when its input does."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            address = next((line for line in server.stdout if line.startswith(b"http")), b"").decode().strip()
            if not address:
                server.kill()
                raise AssertionError(f"the server did not start: {server.communicate()[1].decode()[-2000:]}")
            yield address
        finally:
            server.kill()
