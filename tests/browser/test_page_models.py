"""Models on the page: the browser's own, and endpoints that fail, each told by what was at fault."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from page_steps import BOATS, SKIPPER, add_text, ask, open_tab, wait_until_ready, watch
from playwright.sync_api import Page, expect

# Stands for the browser's own model, which Debian's Chromium lacks: answers as Lorelite's prompt asks.
OWN_MODEL = """
globalThis.LanguageModel = {
  availability: async () => "available",
  create: async ({ initialPrompts = [], signal } = {}) => ({
    inputUsage: 12,
    destroy() {},
    async *promptStreaming(user, { responseConstraint } = {}) {
      const quote = "Tobias Oduya is her skipper";
      if (!user.includes("skipper")) throw new DOMException("too long", "QuotaExceededError");
      yield '{"answered": true, "sentences": [{"text": "It is Tobias Oduya.", ';
      yield `"citations": [{"source": 1, "quote": "${quote}"}]}]}`;
    },
  }),
};
"""
FAULTS = {
    "key": (401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}),
    "quota": (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}),
    "model": (404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}),
    "context": (400, {"error": {"message": "too long", "code": "context_length_exceeded"}}),
    "server": (500, {"error": {"message": "boom"}}),
    "rate": (429, {"error": {"message": "Rate limit reached"}}),
    "overload": (503, {"error": {"message": "The server is overloaded"}}),
    "unseen": (200, {"error": {"message": "Rate limit exceeded", "code": 429}}),
}


class Faulty(BaseHTTPRequestHandler):
    """Fails as the first part of the path says; "origin" lets no page in."""

    def do_OPTIONS(self) -> None:
        self._send(204, b"")

    def do_GET(self) -> None:
        self._send(404, b"")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.path.split("/")[1]
        if fault == "html":
            self._send(200, b"<html>Sign in</html>", "text/html")
        elif fault == "empty":
            self._send(200, b"")
        elif fault == "huge":
            self._send(200, b" " * (64 * 2**20 + 1))
        elif fault == "cut":
            self._send(200, b'{"choices"', length=1_000)
        else:
            status, body = FAULTS.get(fault, (200, {}))
            self._send(status, json.dumps(body).encode())

    def _send(self, status: int, body: bytes, kind: str = "application/json", length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        if not self.path.startswith("/origin"):
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "Authorization, Content-Type")
        if self.path.startswith(("/rate", "/overload")):
            self.send_header("Retry-After", "0")
            self.send_header("Access-Control-Expose-Headers", "Retry-After")
        self.end_headers()
        with suppress(OSError):  # of "huge" the page does not take all
            self.wfile.write(body)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def faulty() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Faulty) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_the_browsers_own_model_answers_with_a_citation(site: str, page: Page) -> None:
    errors = watch(page)
    page.add_init_script(OWN_MODEL)
    page.goto(f"{site}/")
    wait_until_ready(page)
    add_text(page, "boats.md", BOATS)
    open_tab(page, "Settings")
    form = page.locator(".in-page form")
    expect(form).to_be_visible()
    form.get_by_role("button", name="Use this model").click()
    expect(page.get_by_text("In use: prompt-api")).to_be_visible(timeout=60_000)
    ask(page, SKIPPER)
    expect(page.locator(".answer").first).to_contain_text("It is Tobias Oduya.")
    assert not errors


def test_a_browser_without_a_model_says_so(site: str, page: Page) -> None:
    page.goto(f"{site}/#settings")
    wait_until_ready(page)
    open_tab(page, "Settings")
    expect(page.locator(".in-page .state-line")).to_contain_text("no model of its own")


def test_each_failure_of_an_endpoint_is_told_by_what_was_at_fault(site: str, page: Page, faulty: str) -> None:
    page.goto(f"{site}/")
    wait_until_ready(page)
    open_tab(page, "Settings")
    told = {
        "key": "check the API key",
        "quota": "check its plan and billing",
        "model": "check the model's name",
        "context": "ask about less at a time",
        "server": "see the endpoint's log",
        "origin": "let the server accept pages of this address",
        "html": "expected a JSON object",
        "cut": "was cut after",
        "rate": "wait, or set requests_per_minute",
        "overload": "try again later",
        "unseen": "Rate limit exceeded",
        "empty": "an empty body",
        "huge": "longer than 64 MiB",
    }
    for fault, advice in told.items():
        page.get_by_label("Address").fill(f"{faulty}/{fault}")
        page.get_by_label("Model", exact=True).first.fill("x")
        page.get_by_role("button", name="Test the connection").click()
        expect(page.locator(".tested .bad")).to_contain_text(advice)
    page.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    page.get_by_role("button", name="Test the connection").click()
    expect(page.locator(".tested .bad")).to_contain_text("check that it runs")
