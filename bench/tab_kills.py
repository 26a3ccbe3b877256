"""Kill the browser, or end the worker, at random moments while it commits: what was acknowledged must be there.

    python -m bench.tab_kills [--kills 100] [--terminations 50] [--seed 1]

Needs Chromium and Playwright. Each life of the store checks every page against what the seed says, so a lost commit
and a torn one are both seen. A commit counts as acknowledged once its number has arrived here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
KINDS = {".js": "text/javascript", ".html": "text/html"}
PAGE = "<!doctype html><title>kills</title>"
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
PATIENCE = 60.0


class Listener(Protocol):
    """Who hears what a worker tells."""

    def note(self, what: str, told: dict[str, object]) -> None: ...


@dataclass(slots=True)
class Campaign:
    """What the lives of one store told."""

    acknowledged: int = 0
    lives: int = 0
    lost: int = 0
    corrupt: int = 0
    failures: list[str] = field(default_factory=list)
    opened: threading.Event = field(default_factory=threading.Event)

    def note(self, what: str, told: dict[str, object]) -> None:
        if what == "failed":
            self.failures.append(str(told["message"]))
            self.opened.set()
            return
        number = int(str(told["n"]))
        if what == "opened":
            self.lives += 1
            self.lost += max(0, self.acknowledged - number)
            self.corrupt += int(str(told["wrong"])) > 0
            self.acknowledged = number
            self.opened.set()
        else:
            self.acknowledged = max(self.acknowledged, number)


@contextmanager
def serving(listener: Listener) -> Iterator[str]:
    """The repository's scripts under one address, which also hears what the worker tells."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            file = ROOT / self.path.partition("?")[0].lstrip("/")
            body = file.read_bytes() if file.suffix in KINDS and file.is_file() else PAGE.encode()
            self._answer(body, KINDS.get(file.suffix, "text/html"))

        def do_POST(self) -> None:
            told = json.loads(self.rfile.read(int(self.headers["content-length"])))
            listener.note(self.path.lstrip("/"), told)
            self._answer(b"", "text/plain")

        def _answer(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A killed browser hangs up in the middle of a sentence; that is the point."""

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def chromium(profile: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A browser of our own in a process group of its own, which is killed at the end in any case."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        raise SystemExit("Chromium is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [path, *ARGUMENTS, f"--remote-debugging-port={port}", f"--user-data-dir={profile}", "about:blank"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        kill(process)
        for lock in profile.glob("Singleton*"):
            lock.unlink(missing_ok=True)


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL the browser with all its processes."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def connect(playwright: Playwright, address: str) -> Browser:
    """Playwright on a browser that is only starting."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return playwright.chromium.connect_over_cdp(address)
        except Error:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


START = "() => { globalThis.worker = new Worker('/bench/tab_kills_worker.js', { type: 'module' }); }"
AGAIN = "() => { worker.terminate(); worker = new Worker('/bench/tab_kills_worker.js', { type: 'module' }); }"


def live(campaign: Campaign, chance: random.Random) -> None:
    """Wait until a store is open, and then for a moment in which it commits."""
    if not campaign.opened.wait(PATIENCE):
        campaign.failures.append(f"no store was open within {PATIENCE:.0f} s")
    campaign.opened.clear()
    time.sleep(chance.uniform(0.01, 0.6))


def browser_kills(playwright: Playwright, count: int, seed: int) -> Campaign:
    """`count` browsers on one profile, each killed while it commits; one more opens what the last one left."""
    campaign, chance = Campaign(), random.Random(seed)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, serving(campaign) as site:
        for _ in range(count + 1):
            with chromium(Path(profile)) as (process, address):
                page = connect(playwright, address).contexts[0].new_page()
                page.goto(f"{site}/")
                page.evaluate(START)
                live(campaign, chance)
                kill(process)
    return campaign


def worker_terminations(playwright: Playwright, count: int, seed: int) -> Campaign:
    """One page whose worker is terminated `count` times while it commits, each time with a new one after it."""
    campaign, chance = Campaign(), random.Random(seed)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        serving(campaign) as site,
        chromium(Path(profile)) as (_, address),
    ):
        page = connect(playwright, address).contexts[0].new_page()
        page.goto(f"{site}/")
        page.evaluate(START)
        for _ in range(count):
            live(campaign, chance)
            page.evaluate(AGAIN)
        live(campaign, chance)
    return campaign


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--terminations", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    runs: dict[str, Campaign] = {}
    with sync_playwright() as playwright:
        if given.kills:
            runs["browser kills"] = browser_kills(playwright, given.kills, given.seed)
        if given.terminations:
            runs["worker terminations"] = worker_terminations(playwright, given.terminations, given.seed)
    print(f"{'campaign':<22}{'lives':>7}{'commits':>9}{'lost':>6}{'corrupt':>9}{'failures':>10}")
    for name, run in runs.items():
        print(f"{name:<22}{run.lives:>7}{run.acknowledged:>9}{run.lost:>6}{run.corrupt:>9}{len(run.failures):>10}")
        for failure in run.failures[:5]:
            print(f"  {failure}")
    sums = {key: sum(getattr(run, key) for run in runs.values()) for key in ("lives", "lost", "corrupt")}
    failures = sum(len(run.failures) for run in runs.values())
    print(json.dumps({**sums, "failures": failures}))
    return int(bool(sums["lost"] or sums["corrupt"] or failures))


if __name__ == "__main__":
    raise SystemExit(main())
