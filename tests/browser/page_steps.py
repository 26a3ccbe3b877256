"""What a visitor does on the demo page, step by step."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

expect.set_options(timeout=30_000)

SKIPPER = "Who is the skipper of the boat that lifts the buoy Lantern for cleaning?"
BOATS = (
    "# Boats\n\nThe workboat Juniper belongs to the station. Tobias Oduya is her skipper. 🛶 She was built in Maldry.\n"
)


def watch(page: Page) -> list[str]:
    errors: list[str] = []
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    return errors


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=name).click()


def wait_until_ready(page: Page) -> None:
    expect(page.locator(".state")).to_have_text("Ready", timeout=90_000)


def load_sample(page: Page) -> None:
    page.get_by_role("button", name="Load the sample").last.click()
    expect(page.locator(".queue-line.good")).to_have_count(18, timeout=90_000)
    wait_until_ready(page)


def add_text(page: Page, name: str, text: str) -> None:
    open_tab(page, "Documents")
    page.locator("button:visible", has_text="Paste text").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Read this text").click()
    expect(page.locator(".queue-line.ended").filter(has_text=name).last).to_be_visible(timeout=90_000)
    wait_until_ready(page)


def ask(page: Page, question: str) -> None:
    open_tab(page, "Ask")
    page.get_by_role("textbox", name="Ask").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".answer").first.locator("h2")).to_have_text(question)
    expect(page.locator(".answer").first.locator("footer")).to_be_visible(timeout=30_000)


def documents_of(page: Page) -> list[str]:
    open_tab(page, "Documents")
    return page.locator(".document .title-link").all_inner_texts()


def count_of(page: Page, what: str) -> int:
    shown = page.locator(".counts div").filter(has=page.get_by_text(what, exact=True)).locator("dd")
    return int(shown.inner_text().replace(",", ""))


def export(page: Page, to: Path) -> Path:
    open_tab(page, "Settings")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export file").click()
    download.value.save_as(to)
    return to


def replace_by(page: Page, file: Path) -> None:
    open_tab(page, "Settings")
    page.get_by_label("Import file").set_input_files(file)
    page.get_by_role("dialog").get_by_role("button", name="Import file").click()
