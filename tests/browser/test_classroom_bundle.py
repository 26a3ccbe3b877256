"""A classroom's folder, under a sub-path and with no network: the page begins with its memory, and a lesson runs."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_steps import add_text, ask, documents_of, wait_until_ready, watch
from playwright.sync_api import BrowserContext, Page, expect
from test_notebooks import run_all

from lorelite import Wiki
from lorelite.classroom import build_classroom
from lorelite.classroom.serve import server

pytestmark = pytest.mark.service_workers
BUILT = Path(__file__).resolve().parents[2] / "build" / "site"
DOCUMENTS = {"boats.md": "# Boats\n\nTobias Oduya is the skipper of Juniper. Juniper was built in Maldry.\n"}
LESSON = [
    "from lorelite import AsyncWiki",
    'await AsyncWiki.import_file("lesson", open("brain.db", "rb").read())\nwiki = await AsyncWiki.open("lesson")',
    'answer = await wiki.ask("class", "Who is the skipper of Juniper?")\nprint(answer.text)',
    "await wiki.close()",
]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a bundle that lies below the root of its server."""
    root = tmp_path_factory.mktemp("server")
    lessons = tmp_path_factory.mktemp("lessons")
    cells = [
        {"cell_type": "code", "id": f"c{at}", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
        for at, source in enumerate(LESSON)
    ]
    kernel = {"kernelspec": {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}
    (lessons / "lesson.ipynb").write_text(json.dumps(notebook))
    with Wiki.open(":memory:") as wiki:
        for name, text in DOCUMENTS.items():
            wiki.ingest_document("class", source_ref=name, text=text)
        brain = wiki.export_file()
    build_classroom(BUILT, root / "school" / "4b", brain=brain, namespace="class", notebooks=lessons)
    with server(root) as http:
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{http.server_address[1]}/school/4b"
        http.shutdown()


def test_the_page_begins_with_the_memory_of_the_class_and_keeps_what_is_added(bundle: str, page: Page) -> None:
    errors = watch(page)
    page.goto(f"{bundle}/")
    wait_until_ready(page)
    assert documents_of(page) == ["boats.md"]
    ask(page, "Who is the skipper of Juniper?")
    expect(page.locator(".answer").first).to_contain_text("Tobias Oduya")
    add_text(page, "mine.md", "Anna Berg has a kite.\n")
    page.reload()
    wait_until_ready(page)
    assert sorted(documents_of(page)) == ["boats.md", "mine.md"], "the memory of the class takes no other's place"
    assert not errors


def test_a_lesson_opens_the_memory_of_the_class_in_a_notebook(
    bundle: str, context: BrowserContext, tmp_path: Path
) -> None:
    page = context.new_page()
    page.set_default_timeout(240_000)
    page.set_viewport_size({"width": 1200, "height": 2000})
    outputs = run_all(page, bundle, "lesson.ipynb", len(LESSON))
    assert "Tobias Oduya is the skipper of Juniper." in outputs[2]
