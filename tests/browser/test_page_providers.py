"""Every provider's API from the page: chosen in the settings, asked over fetch, its streamed or whole reply read."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from page_steps import open_tab, wait_until_ready, watch
from playwright.sync_api import Page, expect

KEY = "sk-of-the-page"
SAID = "ready, says the model"
REPLIES: dict[str, Any] = {
    "/chat/completions": {"choices": [{"message": {"content": SAID}, "finish_reason": "stop"}]},
    "/responses": {
        "status": "completed",
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID}]}],
    },
    "/messages": {"type": "message", "content": [{"type": "text", "text": SAID}], "stop_reason": "end_turn"},
    ":generateContent": {"candidates": [{"content": {"parts": [{"text": SAID}]}, "finishReason": "STOP"}]},
    "/api/chat": {"message": {"role": "assistant", "content": SAID}, "done": True, "done_reason": "stop"},
}
PROVIDERS = {
    "openai": ("/v1", "/chat/completions", "authorization"),
    "openai-responses": ("/v1", "/responses", "authorization"),
    "anthropic": ("/v1", "/messages", "x-api-key"),
    "gemini": ("/v1beta", ":generateContent", "x-goog-api-key"),
    "ollama": ("", "/api/chat", "authorization"),
}


class Provider(BaseHTTPRequestHandler):
    """Speaks five APIs, and lets pages send exactly the headers that these need."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[str, dict[str, str]]] = []

    def do_OPTIONS(self) -> None:
        self.answer(204, b"")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        Provider.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        [reply] = [value for ending, value in REPLIES.items() if self.path.split("?")[0].endswith(ending)]
        self.answer(200, json.dumps(reply).encode())

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        allowed = "content-type, authorization, x-api-key, x-goog-api-key, anthropic-version"
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Access-Control-Allow-Origin": "*",
            "Access-Control-Allow-Headers": f"{allowed}, anthropic-dangerous-direct-browser-access",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def provider() -> Iterator[str]:
    Provider.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_every_provider_answers_the_page_with_the_key_where_its_api_wants_it(
    site: str, page: Page, provider: str
) -> None:
    errors = watch(page)
    page.goto(f"{site}/")
    wait_until_ready(page)
    open_tab(page, "Settings")
    for name, (folder, _, _) in PROVIDERS.items():
        page.get_by_label("Provider").select_option(name)
        page.get_by_label("Address").fill(f"{provider}{folder}")
        page.get_by_label("Model", exact=True).first.fill("m")
        page.get_by_label("API key").fill(KEY)
        page.get_by_role("button", name="Test the connection").click()
        expect(page.locator(".tested .good")).to_contain_text(SAID)
        page.locator(".tested").evaluate("each => each.replaceChildren()")
    for (path, headers), (name, (_, ending, header)) in zip(Provider.asked, PROVIDERS.items(), strict=True):
        assert path.split("?")[0].endswith(ending), name
        assert KEY in headers[header], name
        assert KEY not in path, name
    assert not errors


def test_a_provider_brings_its_usual_address_and_keeps_one_that_was_typed(site: str, page: Page) -> None:
    page.goto(f"{site}/")
    wait_until_ready(page)
    open_tab(page, "Settings")
    address, choice = page.get_by_label("Address"), page.get_by_label("Provider")
    expect(address).to_have_value("")
    choice.select_option("anthropic")
    expect(address).to_have_value("https://api.anthropic.com/v1")
    choice.select_option("ollama")
    expect(address).to_have_value("http://localhost:11434")
    address.fill("http://localhost:9999")
    choice.select_option("gemini")
    expect(address).to_have_value("http://localhost:9999")


def test_what_was_tested_is_no_longer_shown_once_something_else_is_typed(site: str, page: Page, provider: str) -> None:
    page.goto(f"{site}/")
    wait_until_ready(page)
    open_tab(page, "Settings")
    page.get_by_label("Address").fill(f"{provider}/v1")
    page.get_by_label("Model", exact=True).first.fill("m")
    page.get_by_role("button", name="Test the connection").click()
    expect(page.locator(".tested .good")).to_contain_text(SAID)
    page.get_by_label("API key").fill(KEY)
    expect(page.locator(".tested .good")).to_have_count(0)


def test_vectors_are_not_offered_from_a_provider_that_makes_none(site: str, page: Page) -> None:
    page.goto(f"{site}/")
    wait_until_ready(page)
    open_tab(page, "Settings")
    endpoint = page.get_by_role("option", name="A model at the address above")
    for name, offered in {"anthropic": False, "gemini": True}.items():
        page.get_by_label("Provider").select_option(name)
        assert endpoint.is_enabled() == offered, name
