"""transformers.js in the page: the real library and onnxruntime, with models of one operation each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "web" / "node_modules"
LIBRARIES = [PACKAGES / "@huggingface" / "transformers" / "dist", PACKAGES / "onnxruntime-web" / "dist"]
sys.path.insert(0, str(ROOT))

from tests.models.tiny_onnx import write_tiny_embedder, write_tiny_writer  # noqa: E402

KINDS = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}
PLAIN = {"dtype": "fp32", "device": "wasm"}
CHOICE = {"kind": "transformers", "library": "transformers/transformers.js"}
WRITER = {**CHOICE, "model": "writer", "options": {"models": "weights/", "pipeline": PLAIN}}
EMBEDDER = {**CHOICE, "model": "embedder", "options": {**WRITER["options"], "task": "feature-extraction"}}
BEGIN = 'async (choice) => { const { connect } = await import(new URL("src/models/kinds.js", document.baseURI).href);'
EMBED = BEGIN + 'return (await connect(choice)).embed(["deep tarn", "deep", "fog"]); }'
COMPLETE = (
    BEGIN
    + """
  const model = await connect(choice);
  const asked = { system: "Be brief.", user: "How deep?" };
  const pieces = [];
  const written = await model.complete(asked, (piece) => pieces.push(piece));
  const controller = new AbortController();
  const cancelled = await model
    .complete({ ...asked, signal: controller.signal }, () => controller.abort())
    .then(() => "went on", (error) => error.name);
  return { name: model.name, written, pieces, cancelled };
}"""
)
FAILS = BEGIN + 'return connect(choice).then(() => "it loaded", (error) => error.message); }'


@pytest.fixture
def served(site: str, page: Page, tmp_path: Path) -> Page:
    """An empty page of the site, with the library and the models beside it."""
    if not all(each.is_dir() for each in LIBRARIES):
        pytest.skip("transformers.js (npm: @huggingface/transformers) is not installed")
    write_tiny_embedder(tmp_path / "embedder")
    write_tiny_writer(tmp_path / "writer")

    def serve(folders: list[Path], prefix: str) -> None:
        def answer(route: Route) -> None:
            name = route.request.url.split(prefix, 1)[1]
            for path in (folder / name for folder in folders):
                if path.is_file():
                    return route.fulfill(body=path.read_bytes(), content_type=KINDS.get(path.suffix))
            route.fulfill(status=404, body="not here")

        page.context.route(f"**{prefix}**", answer)

    serve(LIBRARIES, "/transformers/")
    serve([tmp_path], "/weights/")
    page.context.route("**/empty.html", lambda route: route.fulfill(body="<html></html>", content_type="text/html"))
    page.goto(f"{site}/empty.html")
    return page


def test_vectors_are_the_mean_of_the_tokens_at_length_one_and_padding_is_left_out(served: Page) -> None:
    both, deep, unknown = served.evaluate(EMBED, EMBEDDER)
    assert both == pytest.approx([0.5**0.5, 0.5**0.5, 0.0])
    assert deep == pytest.approx([1.0, 0.0, 0.0])
    assert unknown == pytest.approx([0.0, 0.0, 1.0])


def test_it_writes_piece_by_piece_and_can_be_stopped(served: Page) -> None:
    told = served.evaluate(COMPLETE, WRITER)
    assert told["name"] == "transformers:writer"
    expected = {"text": "the tarn is deep", "finish": "stop", "model": "writer", "output_tokens": 5}
    assert told["written"] == expected
    assert told["pieces"] == ["the ", "tarn ", "is ", "deep"]
    assert told["cancelled"] == "AbortError"


def test_a_reply_that_was_cut_says_so(served: Page) -> None:
    told = served.evaluate(COMPLETE, {**WRITER, "options": {**WRITER["options"], "max_tokens": 2}})
    assert (told["written"]["text"], told["written"]["finish"]) == ("the tarn", "length")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"model": "none"}, "/weights/none/config.json is not on this site"),
        ({"library": "transformers/none.js"}, "transformers/none.js cannot be loaded; it should be on this site"),
    ],
    ids=["no weights", "no library"],
)
def test_what_keeps_a_model_from_loading_is_told_in_plain_words(
    served: Page, change: dict[str, Any], told: str
) -> None:
    assert told in served.evaluate(FAILS, {**WRITER, **change})
