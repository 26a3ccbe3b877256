"""WebLLM needs WebGPU, which this Chromium has not: a module with its interface (@mlc-ai/web-llm 0.2.86) stands in."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

LIBRARY = """
export async function CreateMLCEngine(model, { appConfig, initProgressCallback }) {
  const { model: weights } = appConfig.model_list.find((each) => each.model_id === model);
  initProgressCallback({ progress: 1, timeElapsed: 2, text: "Fetched " + weights });
  let interrupted = false;
  const create = async ({ messages, stream, stream_options, response_format }) => {
    if (messages.at(-1).content === "too long")
      throw Object.assign(new Error("Prompt tokens exceed context window size: 9"), { name: "ContextWindowSizeExceededError" });
    const words = response_format ? [JSON.stringify(JSON.parse(response_format.schema).required)] : ["one ", "two ", "three"];
    return (async function* () {
      for (const content of words) if (!interrupted) yield { choices: [{ delta: { content }, finish_reason: null }] };
      yield { choices: [{ delta: {}, finish_reason: interrupted ? "abort" : "length" }] };
      if (stream_options.include_usage) yield { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } };
    })();
  };
  return { chat: { completions: { create } }, interruptGenerate: async () => void (interrupted = true), unload: async () => {} };
}
"""  # noqa: E501
WEIGHTS = {"model_list": [{"model": "weights/tiny/", "model_id": "tiny", "model_lib": "weights/tiny.wasm"}]}
CHOICE = {"kind": "webllm", "library": "webllm/index.js", "model": "tiny", "options": {"appConfig": WEIGHTS}}
COMPLETE = """
async (choice) => {
  const { connect } = await import(new URL("src/models/kinds.js", document.baseURI).href);
  const loaded = [], pieces = [];
  const model = await connect(choice, (...told) => loaded.push(told));
  const asked = { system: "Count.", user: "Go on" };
  const written = await model.complete(asked, (piece) => pieces.push(piece));
  const shaped = await model.complete({ ...asked, schema: { required: ["a"] } }, () => {});
  const long = await model.complete({ ...asked, user: "too long" }, () => {}).catch((error) => error.name);
  const controller = new AbortController();
  const cancelled = await model
    .complete({ ...asked, signal: controller.signal }, () => controller.abort())
    .then(() => "went on", (error) => error.name);
  await model.close();
  return { name: model.name, loaded, pieces, written, shaped: shaped.text, long, cancelled };
}
"""
FAILS = """
async (choice) => {
  const { connect } = await import(new URL("src/models/kinds.js", document.baseURI).href);
  return connect(choice).then(() => "it loaded", (error) => error.message);
}
"""


@pytest.fixture
def served(site: str, page: Page) -> Page:
    """An empty page of the site, with the library beside it."""
    page.context.route("**/empty.html", lambda route: route.fulfill(body="<html></html>", content_type="text/html"))
    page.context.route("**/webllm/index.js", lambda route: route.fulfill(body=LIBRARY, content_type="text/javascript"))
    page.goto(f"{site}/empty.html")
    return page


def test_the_library_is_asked_in_its_own_words(served: Page) -> None:
    assert served.evaluate(COMPLETE, CHOICE) == {
        "name": "webllm:tiny",
        "loaded": [[1, "Fetched weights/tiny/"]],
        "pieces": ["one ", "two ", "three"],
        "written": {
            "text": "one two three",
            "finish": "length",
            "input_tokens": 5,
            "output_tokens": 3,
            "model": "tiny",
        },
        "shaped": '["a"]',
        "long": "ContextWindowSizeExceededError",
        "cancelled": "AbortError",
    }


def test_its_own_list_of_models_which_lie_elsewhere_is_never_used(served: Page) -> None:
    assert "appConfig.model_list" in served.evaluate(FAILS, {**CHOICE, "options": {}})
