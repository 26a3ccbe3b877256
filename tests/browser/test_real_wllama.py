"""llama.cpp in the page: the real wllama, with a tiny model whose weights are random, so that it writes nonsense."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from page_steps import open_tab, wait_until_ready, watch
from playwright.sync_api import Page, Route, expect

ROOT = Path(__file__).parents[2]
WLLAMA = ROOT / "web" / "node_modules" / "@wllama" / "wllama" / "esm"
sys.path.insert(0, str(ROOT))

from tests.models.tiny_model import write_tiny_model  # noqa: E402

CHOICE = {
    "kind": "wllama",
    "library": "wllama/index.js",
    "model": "weights/tiny.gguf",
    "title": "Tiny",
    "options": {
        "wasm": {"default": "wllama/wasm/wllama.wasm"},
        "load": {"n_ctx": 512, "n_threads": 1},
        "max_tokens": 3,
    },
}
COMPLETE = """
async (choice) => {
  const { connect } = await import(new URL("src/models/kinds.js", document.baseURI).href);
  const loaded = [], pieces = [];
  const model = await connect(choice, (done) => loaded.push(done));
  const asked = { system: "Be brief.", user: "Say something." };
  const written = await model.complete(asked, (piece) => pieces.push(piece));
  const schema = { type: "object", properties: { a: { type: "boolean" } }, required: ["a"] };
  const shaped = await model.complete({ ...asked, schema }, () => {});
  const long = await model.complete({ ...asked, user: "word ".repeat(600) }, () => {}).catch((error) => error.message);
  const controller = new AbortController();
  const cancelled = await model
    .complete({ ...asked, signal: controller.signal }, () => controller.abort())
    .then(() => "went on", (error) => error.name);
  model.close();
  return { name: model.name, loaded, pieces, written, shaped, cancelled, long };
}
"""
FAILS = """
async (choice) => {
  const { connect } = await import(new URL("src/models/kinds.js", document.baseURI).href);
  return connect(choice).then(() => "it loaded", (error) => String(error?.message ?? error));
}
"""


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "tiny.gguf"
    write_tiny_model(path)
    return path


@pytest.fixture
def served(page: Page, weights: Path) -> Iterator[Page]:
    """The page, with the library, the model and their list beside it."""
    if not WLLAMA.is_dir():
        pytest.skip("wllama (npm: @wllama/wllama) is not installed")
    kinds = {".js": "text/javascript", ".wasm": "application/wasm"}

    def library(route: Route) -> None:
        path = WLLAMA / route.request.url.split("/wllama/", 1)[1].split("?")[0]
        if not path.is_file():
            return route.fulfill(status=404, body="not here")
        route.fulfill(body=path.read_bytes(), content_type=kinds.get(path.suffix, "application/octet-stream"))

    def model(body: bytes) -> Callable[[Route], None]:
        return lambda route: route.fulfill(body=body, content_type="application/octet-stream")

    context = page.context
    context.route("**/wllama/**", library)
    context.route("**/weights/*.gguf", model(weights.read_bytes()))
    for name, body in {"page": b"<html></html>" * 99, "cut": weights.read_bytes()[:100_000]}.items():
        context.route(f"**/weights/{name}.gguf", model(body))
    context.route("**/weights/missing.gguf", lambda route: route.fulfill(status=404, body="not here"))
    context.route("**/empty.html", lambda route: route.fulfill(body="<html></html>", content_type="text/html"))
    context.route("**/models/index.json", lambda route: route.fulfill(json=[CHOICE]))
    yield page


def test_wllama_writes_piece_by_piece_keeps_to_a_schema_and_can_be_stopped(site: str, served: Page) -> None:
    served.goto(f"{site}/empty.html")
    told = served.evaluate(COMPLETE, CHOICE)
    assert told["name"] == "wllama:tiny.gguf"
    assert told["loaded"][-1] == 1
    assert "".join(told["pieces"]) == told["written"]["text"] != ""
    assert told["written"]["finish"] == "length" and told["written"]["output_tokens"] > 0
    assert set(told["shaped"]["text"]) <= set(' \t\n{"a":truefls}'), "what it writes is the beginning of such an object"
    assert told["cancelled"] != "went on"
    assert "exceeds the available context size" in told["long"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"model": "weights/missing.gguf"}, "missing.gguf is not on this site (404)"),
        ({"model": "weights/page.gguf"}, "page.gguf is no GGUF file"),
        ({"model": "weights/cut.gguf"}, "cut.gguf is damaged or was cut short"),
        ({"options": {**CHOICE["options"], "load": {"n_ctx": 10**8, "n_threads": 1}}}, "does not fit into this tab"),
        ({"options": {"wasm": {"default": "wllama/wasm/none.wasm"}}}, "wllama/wasm/none.wasm is not on this site"),
        ({"library": "wllama/none.js"}, "wllama/none.js cannot be loaded; it should be on this site"),
    ],
    ids=["no weights", "other file", "cut", "memory", "no wasm", "no library"],
)
def test_what_keeps_a_model_from_loading_is_told_in_plain_words(
    site: str, served: Page, change: dict[str, Any], told: str
) -> None:
    served.goto(f"{site}/empty.html")
    assert told in served.evaluate(FAILS, {**CHOICE, **change})


def test_a_mended_file_is_fetched_though_a_damaged_one_was_kept(site: str, served: Page) -> None:
    served.goto(f"{site}/empty.html")
    served.context.route("**/weights/mended.gguf", lambda route: route.fulfill(body="<html></html>"))
    choice = {**CHOICE, "model": "weights/mended.gguf"}
    assert "is no GGUF file" in served.evaluate(FAILS, choice)
    served.context.unroute("**/weights/mended.gguf")
    assert served.evaluate(FAILS, choice) == "it loaded"


def test_the_page_offers_the_model_it_serves_and_answers_with_it(site: str, served: Page) -> None:
    errors = watch(served)
    served.goto(f"{site}/")
    wait_until_ready(served)
    open_tab(served, "Settings")
    form = served.locator(".in-page form")
    expect(form).to_be_visible()
    form.get_by_role("button", name="Use this model").click()
    expect(served.get_by_text("In use: wllama:tiny.gguf")).to_be_visible(timeout=60_000)
    assert not errors
