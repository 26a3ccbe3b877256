"""A model of the window, asked by Python in JupyterLite's worker. What stands in for the browser's own model follows
the Prompt API (webmachinelearning.github.io/prompt-api); everything between it and Python is real."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page
from test_notebooks import run_all

pytestmark = pytest.mark.service_workers

LANGUAGE_MODEL = """
globalThis.seen = { created: [], asked: [], stopped: 0, destroyed: 0 };
globalThis.LanguageModel = class {
  static async availability() { return STATE; }
  static async create({ initialPrompts, monitor, signal, ...options }) {
    if (STATE === "downloadable" && monitor) await new Promise((resolve) => setTimeout(resolve, 6_000));
    seen.created.push({ initialPrompts, options });
    return new this();
  }
  contextUsage = 0;
  promptStreaming(input, { signal, responseConstraint }) {
    seen.asked.push({ input, responseConstraint });
    if (input === "too long") throw Object.assign(new Error("too long"), { name: "QuotaExceededError" });
    const { contextUsage } = Object.assign(this, { contextUsage: 7 });
    const quote = "The tarn is nine metres deep.";
    const source = Number(input.match(/Source (\\d+)/)?.[1] ?? 1);
    const sentences = [{ text: "Nine metres.", citations: [{ source, quote }] }];
    const words = responseConstraint ? [JSON.stringify({ sentences })] : ["one ", "two ", "three"];
    return new ReadableStream({
      start(stream) {
        const stopped = () => { seen.stopped++; stream.error(signal.reason); };
        if (input === "wait") return signal.addEventListener("abort", stopped);
        for (const word of words) stream.enqueue(word);
        stream.close();
      },
    });
  }
  destroy() { seen.destroyed++; }
};
"""
ASK = [
    """
from lorelite.browser import in_page
model = await in_page.prompt_api(options={"expectedOutputs": [{"type": "text", "languages": ["en"]}]})
print(model.name)
""",
    """
from lorelite.ports import Listener, ModelRequest
pieces = []
asked = [ModelRequest(system="Count.", user="Go on"), ModelRequest(system="", user="too long")]
replies = await model.complete_telling(asked, Listener(on_text=lambda at, piece: pieces.append(piece)))
print(pieces, replies[0].text, type(replies[1].error).__name__)
""",
    """
import asyncio, contextlib
waiting = asyncio.ensure_future(model.complete([ModelRequest(system="", user="wait")]))
await asyncio.sleep(1)
waiting.cancel()
with contextlib.suppress(asyncio.CancelledError):
    await waiting
print(waiting.cancelled())
""",
    """
from lorelite import AsyncWiki
wiki = await AsyncWiki.open("tarn")
await wiki.ingest_document("station", source_ref="tarn.md", text="The tarn is nine metres deep.")
await wiki.close()
wiki = await AsyncWiki.open("tarn", model=model)
answer = await wiki.ask("station", "How deep is the tarn?")
print(answer.text, answer.sentences[0].citations[0].quote)
await wiki.close()
""",
]
LOST = """
from lorelite.browser import in_page
from lorelite.errors import ModelUnreachable
try:
    await in_page.prompt_api()
except ModelUnreachable as error:
    print(error)
"""


def _run(site: str, context: BrowserContext, page: Page, state: str, cells: list[str]) -> list[str]:
    """Run the cells in a window whose browser has a model in that state; gives their outputs."""

    def cell(number: int, source: str) -> dict[str, Any]:
        code = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
        return {**code, "id": f"cell-{number}", "source": source.strip().splitlines(keepends=True)}

    kernel = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
    notebook = {"cells": [cell(*each) for each in enumerate(cells)], "metadata": {"kernelspec": kernel}}
    context.route(
        "**/files/first_steps.ipynb*",
        lambda route: route.fulfill(json={**notebook, "nbformat": 4, "nbformat_minor": 5}),
    )
    page.set_viewport_size({"width": 1200, "height": 2000})
    page.add_init_script(LANGUAGE_MODEL.replace("STATE", repr(state)))
    return [output.strip() for output in run_all(page, site, "first_steps.ipynb", len(cells))]


def test_python_in_a_worker_asks_the_model_of_the_window(site: str, context: BrowserContext, page: Page) -> None:
    named, told, cancelled, answered = _run(site, context, page, "downloadable", ASK)
    seen = page.evaluate("seen")
    assert named == "prompt-api", "though it took six seconds to fetch"
    assert told == "['one ', 'two ', 'three'] one two three ContextOverflow"
    assert cancelled == "True" and seen["stopped"] == 1
    assert answered == "Nine metres. The tarn is nine metres deep."
    assert seen["created"][0]["options"] == {"expectedOutputs": [{"type": "text", "languages": ["en"]}]}
    assert seen["created"][1]["initialPrompts"] == [{"role": "system", "content": "Count."}]
    assert "sentences" in seen["asked"][-1]["responseConstraint"]["properties"]
    assert seen["destroyed"] == len(seen["created"])


def test_a_browser_without_a_model_is_told_of_in_the_notebook(site: str, context: BrowserContext, page: Page) -> None:
    [told] = _run(site, context, page, "unavailable", [LOST])
    assert "this browser has no language model of its own" in told
