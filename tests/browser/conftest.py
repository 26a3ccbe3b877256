"""The built site on a local server, Debian's Chromium without a way out, and a scripted model endpoint."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from model_endpoint import ModelEndpoint, ModelHandler
from page_steps import watch
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from lorelite.classroom.serve import server

BUILD = Path(__file__).resolve().parents[2] / "build"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--js-flags=--expose-gc",
    # A request that would leave this machine fails, instead of passing unseen.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for the whole run."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.exit("Chromium is not installed; `make test` installs it", returncode=1)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def playwright_browsers(chromium: Browser) -> dict[str, Browser]:
    """What pytest-pyodide asks for: it would start a second Playwright, and look for its own Chromium."""
    return {"chrome": chromium}


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of the built site, without a slash at the end."""
    if not (BUILD / "site" / "pyodide").is_dir():
        pytest.exit("build/site is not built; run web/build/build_site.py", returncode=1)
    with _serving(server(BUILD / "site")) as address:
        yield address


@pytest.fixture
def context(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A fresh profile; the test fails when anything in it asked for another machine.

    Service workers, which would keep the whole site for each test, are let in where the test is marked with them.
    """
    workers = "allow" if request.node.get_closest_marker("service_workers") else "block"
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, service_workers=workers)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    yield context
    context.close()
    elsewhere = {url for url in asked if _is_elsewhere(url)}
    assert not elsewhere, f"requests left this machine: {sorted(elsewhere)}"


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A page of `context`, patient enough for a cold start."""
    page = context.new_page()
    page.set_default_timeout(180_000)
    return page


@pytest.fixture
def model_endpoint() -> Iterator[ModelEndpoint]:
    """An OpenAI-compatible endpoint that gives scripted replies, and keeps the requests."""
    endpoint = ModelEndpoint()
    serving = ThreadingHTTPServer(("127.0.0.1", 0), ModelHandler)
    serving.endpoint = endpoint  # type: ignore[attr-defined]
    with _serving(serving) as address:
        endpoint.base_url = f"{address}/v1"
        yield endpoint


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """The folder for pictures to look at."""
    folder = BUILD / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def _serving(serving: ThreadingHTTPServer) -> Iterator[str]:
    thread = threading.Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{serving.server_address[1]}"
    finally:
        serving.shutdown()
        serving.server_close()


def _is_elsewhere(url: str) -> bool:
    address = urlsplit(url)
    return address.scheme in ("http", "https", "ws", "wss") and address.hostname not in ("127.0.0.1", "localhost")


@pytest.fixture
def lore(site: str, page: Page) -> Iterator[Page]:
    """The page, opened; the test fails when its console tells of an error."""
    errors = watch(page)
    page.goto(f"{site}/")
    yield page
    assert not errors
