"""JupyterLite: the notebooks run from top to bottom, offline, and what the first one stored is there the next time."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from model_endpoint import ModelEndpoint
from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.service_workers
ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "jupyterlite" / "content"
NOTEBOOK = NOTEBOOKS / "first_steps.ipynb"

READ_CELLS = """() => [...document.querySelectorAll(".jp-CodeCell")].map((cell) => ({
    prompt: cell.querySelector(".jp-InputPrompt").innerText,
    output: [...cell.querySelectorAll(".jp-OutputArea-output")].map((each) => each.innerText.trim()).join("\\n"),
}))"""
# A cell that fails ends the run, and leaves those after it without a number.
ENDED = """() => {
    const prompts = [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt")].map((each) => each.innerText);
    return prompts.some((each) => /\\d/.test(each)) && !prompts.some((each) => each.includes("*"));
}"""


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A page so tall that the notebook shows all its cells: those out of sight are not in the document."""
    page = context.new_page()
    page.set_default_timeout(240_000)
    page.set_viewport_size({"width": 1200, "height": 3100})
    return page


def _run_all(page: Page, site: str, notebook: Path = NOTEBOOK) -> list[str]:
    """Open the notebook, run every cell, and give the outputs of the code cells."""
    code_cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    return run_all(page, site, notebook.name, len(code_cells))


def run_all(page: Page, site: str, name: str, code_cells: int) -> list[str]:
    """The outputs of all code cells of a notebook that the site serves, run in their order; none fails."""
    page.goto(f"{site}/lite/notebooks/index.html?path={name}")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    page.locator('.lm-MenuBar-itemLabel:text-is("Run")').click()
    page.locator('.lm-Menu-itemLabel:text-is("Run All Cells")').click()
    page.wait_for_function(ENDED)
    cells = page.evaluate(READ_CELLS)
    assert [cell["prompt"] for cell in cells] == [f"[{1 + at}]:" for at in range(code_cells)], "\n".join(
        cell["output"] for cell in cells
    )
    return [cell["output"] for cell in cells]


def _with_endpoint(context: BrowserContext, base_url: str) -> None:
    """Let the reader's variable hold an address, as if it had been typed into the notebook."""
    edited = NOTEBOOK.read_text().replace('base_url = \\"\\"', f'base_url = \\"{base_url}\\"')
    assert base_url in edited
    context.route("**/files/first_steps.ipynb*", lambda route: route.fulfill(json=json.loads(edited)))


def _reply_from_the_correction(asked: dict[str, Any]) -> str:
    """What a good model would say: the right figure, quoted from the source that has it."""
    quote = "The right figure is **1,085 breeding pairs**."
    before = asked["messages"][-1]["content"].partition(quote)[0]
    number = int(re.findall(r"^Source (\d+)$", before, re.MULTILINE)[-1])
    text = "After a correction it is 1,085 pairs."
    return json.dumps({"sentences": [{"text": text, "citations": [{"source": number, "quote": quote}]}]})


def test_the_first_notebook_runs_from_top_to_bottom_and_finds_its_wiki_again(
    site: str, context: BrowserContext, page: Page, screenshots: Path
) -> None:
    _, ingested, found, walked, answered, _, model, kept = _run_all(page, site)
    page.screenshot(path=screenshots / "jupyterlite.png")
    assert "people.md" in ingested and "winter-plankton-notes.zh.md" in ingested
    assert ingested.count("ingested") == len(ingested.splitlines()) == 18
    assert "tarn" in found.lower()
    assert len(walked.splitlines()) > 3
    assert "Tobias Oduya" in answered and "characters" in answered
    assert model == "No model is set, and none is needed for the rest of this notebook."
    assert kept.startswith("18 documents, ")

    _with_endpoint(context, "http://127.0.0.1:9/v1")
    _, ingested, _, _, _, _, model, kept_again = _run_all(page, site)
    assert ingested.count("unchanged") == 18
    assert model.startswith("The model did not answer, so let us go on without it.")
    assert kept_again == kept


def test_the_notebook_about_themes_tells_and_draws_them(site: str, page: Page, screenshots: Path) -> None:
    page.set_viewport_size({"width": 1200, "height": 5000})
    counted, reports, _, answers, inserted, exported = _run_all(page, site, NOTEBOOKS / "themes.ipynb")
    page.screenshot(path=screenshots / "jupyterlite-themes.png")
    assert counted.startswith("18 documents, ")
    assert "# Welcome to Ondrel Point" in reports
    drawing = page.locator('.jp-OutputArea-output img[src^="data:image/svg+xml"]')
    assert drawing.evaluate("(image) => image.naturalWidth") == 800
    assert "Juniper is our workboat" in answers
    assert "'reports':" in inserted
    assert " nodes and " in exported


def test_the_notebook_asks_a_model_over_fetch(
    site: str, context: BrowserContext, page: Page, model_endpoint: ModelEndpoint, screenshots: Path
) -> None:
    model_endpoint.reply = _reply_from_the_correction
    _with_endpoint(context, model_endpoint.base_url)
    outputs = _run_all(page, site)
    page.screenshot(path=screenshots / "jupyterlite-model.png")
    assert outputs[6] == "After a correction it is 1,085 pairs."
    headers, asked = model_endpoint.requests[0]
    assert asked["model"] == "llama3.2"
    assert headers["content-type"] == "application/json"
