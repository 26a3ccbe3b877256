"""After the first visit the page needs no server, and follows it when there is a newer version."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from page_steps import add_text, ask, documents_of, wait_until_ready, watch
from playwright.sync_api import Page, expect

from lorelite.classroom.serve import server

pytestmark = pytest.mark.service_workers
BUILT = Path(__file__).resolve().parents[2] / "build" / "site"
KEPT = """async () => {
  const registration = await navigator.serviceWorker.ready;
  const names = await caches.keys();
  const files = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length));
  return { state: registration.active?.state, names, files };
}"""


@dataclass
class Served:
    """A copy of the site, the pages apart from the notebooks, on a server that can be stopped."""

    folder: Path
    port: int = 0

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        self._http = server(self.folder, self.port)
        self.port = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    folder = tmp_path / "site"
    shutil.copytree(BUILT, folder, ignore=shutil.ignore_patterns("lite"))
    served = Served(folder)
    yield served
    served.stop()


def test_the_page_starts_and_answers_without_its_server(served: Served, page: Page) -> None:
    page.goto(served.address)
    wait_until_ready(page)
    add_text(page, "boats.md", "Tobias Oduya is the skipper of Juniper.\n")
    kept = page.evaluate(KEPT)
    files = json.loads((served.folder / "offline.json").read_text())["files"]
    assert kept["files"] == [len(files)] and len(kept["names"]) == 1
    served.stop()
    errors = watch(page)
    page.goto(served.address)
    wait_until_ready(page)
    assert documents_of(page) == ["boats.md"]
    ask(page, "Who is the skipper of Juniper?")
    expect(page.locator(".answer").first).to_contain_text("Tobias Oduya")
    assert not [error for error in errors if "ERR_CONNECTION_REFUSED" not in error]
    served.start()


def test_a_newer_version_is_told_of_kept_in_place_of_the_old_and_used_by_the_next_start(
    served: Served, page: Page
) -> None:
    page.goto(served.address)
    wait_until_ready(page)
    page.evaluate(KEPT)
    texts, worker = served.folder / "src" / "texts.js", served.folder / "service_worker.js"
    before = page.evaluate("caches.keys()")
    page.reload()
    wait_until_ready(page)
    texts.write_text(texts.read_text().replace('title: "Documents"', 'title: "Papers"').replace("Ask your", "Ask our"))
    assert "Papers" in texts.read_text()
    worker.write_text(worker.read_text().replace('VERSION = "', 'VERSION = "newer-'))
    page.evaluate("async () => (await navigator.serviceWorker.ready).update()")
    expect(page.get_by_text("A newer version of this page has arrived")).to_be_visible(timeout=60_000)
    page.wait_for_function("async (old) => !(await caches.keys()).some((name) => old.includes(name))", arg=before)
    page.reload()
    expect(page.get_by_role("heading", name="Papers")).to_be_visible(timeout=60_000)


def test_the_page_can_be_installed(served: Served, page: Page) -> None:
    page.goto(served.address)
    manifest = page.evaluate("async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json()")
    assert manifest["start_url"] == "./" and manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        assert page.evaluate("async (path) => (await fetch(path)).ok", icon["src"])
