"""The file behind the demo page: kept, shared between tabs, exported, imported, cleared."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from page_steps import BOATS, add_text, documents_of, export, open_tab, replace_by, wait_until_ready, watch
from playwright.sync_api import BrowserContext, Page, expect

from lorelite import Wiki


def test_everything_is_there_after_the_tab_was_closed(site: str, context: BrowserContext, lore: Page) -> None:
    add_text(lore, "boats.md", BOATS)
    lore.close()
    again = context.new_page()
    errors = watch(again)
    again.goto(f"{site}/#search")
    wait_until_ready(again)
    assert documents_of(again) == ["boats.md"]
    open_tab(again, "Search")
    again.get_by_role("searchbox").fill("skipper")
    again.keyboard.press("Enter")
    expect(again.locator(".hit").first).to_contain_text("skipper")
    assert not errors


def test_a_second_tab_is_told_and_goes_on_when_the_first_is_closed(
    site: str, context: BrowserContext, lore: Page
) -> None:
    add_text(lore, "boats.md", BOATS)
    second = context.new_page()
    second.goto(f"{site}/")
    expect(second.locator(".boot.failed h2")).to_have_text("Your memory is open in another tab", timeout=90_000)
    lore.close()
    second.get_by_role("button", name="Try again").click()
    wait_until_ready(second)
    assert documents_of(second) == ["boats.md"]


def test_a_second_tab_takes_over_and_the_first_is_told_and_takes_it_back(
    site: str, context: BrowserContext, lore: Page, screenshots: Path
) -> None:
    add_text(lore, "boats.md", BOATS)
    second = context.new_page()
    errors = watch(second)
    second.goto(f"{site}/")
    second.get_by_role("button", name="Take over").click(timeout=90_000)
    wait_until_ready(second)
    assert documents_of(second) == ["boats.md"]
    expect(lore.locator(".boot.failed h2")).to_have_text("Your memory is open in another tab")
    lore.screenshot(path=screenshots / "taken_over.png")
    add_text(second, "tarn.md", "# The tarn\n\nBrindle Tarn is 27.4 metres deep.\n")
    lore.get_by_role("button", name="Take over").click()
    wait_until_ready(lore)
    assert documents_of(lore) == ["boats.md", "tarn.md"]
    expect(second.locator(".boot.failed h2")).to_have_text("Your memory is open in another tab")
    assert not errors


def test_the_exported_file_opens_in_sqlite_and_in_lorelite(lore: Page, tmp_path: Path) -> None:
    add_text(lore, "boats.md", BOATS)
    file = export(lore, tmp_path / "class.db")
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    with Wiki.open(file) as wiki:
        assert wiki.get_document("main", "boats.md") == BOATS
        assert wiki.read("main", "Tobias Oduya").facts


def test_an_imported_file_takes_the_place_of_what_was_there(lore: Page, tmp_path: Path) -> None:
    file = tmp_path / "class.db"
    with Wiki.open(file) as wiki:
        wiki.ingest_document("history", source_ref="storm.md", text="# The storm\n\nThe storm took the slip in 1974.\n")
    add_text(lore, "boats.md", BOATS)
    replace_by(lore, file)
    expect(lore.get_by_text("Imported. This is now your memory.")).to_be_visible()
    assert documents_of(lore) == ["storm.md"]
    assert lore.get_by_label("Namespace", exact=True).input_value() == "history"
    lore.reload()
    wait_until_ready(lore)
    assert documents_of(lore) == ["storm.md"]


def test_a_file_that_is_no_wiki_is_refused_and_nothing_is_lost(lore: Page, tmp_path: Path) -> None:
    add_text(lore, "boats.md", BOATS)
    picture = tmp_path / "picture.db"
    picture.write_bytes(b"GIF89a, and not a database at all")
    replace_by(lore, picture)
    expect(lore.locator(".told .bad")).to_contain_text("cannot be used as a Lorelite file")
    assert documents_of(lore) == ["boats.md"]


def test_forgetting_and_starting_over_ask_first(lore: Page) -> None:
    add_text(lore, "boats.md", BOATS)
    add_text(lore, "tarn.md", "# The tarn\n\nBrindle Tarn is 27.4 metres deep.\n")
    lore.get_by_role("button", name="Forget boats.md").click()
    lore.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert documents_of(lore) == ["boats.md", "tarn.md"]
    lore.get_by_role("button", name="Forget boats.md").click()
    lore.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(lore.locator(".document")).to_have_count(1)
    open_tab(lore, "Settings")
    lore.get_by_role("button", name="Start over").click()
    lore.get_by_role("dialog").get_by_role("button", name="Start over").click()
    expect(lore.get_by_text("Everything was deleted.")).to_be_visible()
    assert documents_of(lore) == []
    expect(lore.get_by_text("Start with something to read")).to_be_visible()


def test_namespaces_are_isolated(lore: Page) -> None:
    add_text(lore, "boats.md", BOATS)
    open_tab(lore, "Settings")
    lore.get_by_label("New namespace").fill("physics")
    lore.get_by_role("button", name="Open it").click()
    assert documents_of(lore) == []
    lore.get_by_label("Namespace", exact=True).select_option("main")
    expect(lore.locator(".document")).to_have_count(1)
