"""The demo page in Chromium: what a teacher does with it, from the first visit to an answer."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from model_endpoint import ModelEndpoint
from page_steps import (
    BOATS,
    SKIPPER,
    add_text,
    ask,
    count_of,
    documents_of,
    load_sample,
    open_tab,
    wait_until_ready,
    watch,
)
from playwright.sync_api import Browser, Page, expect

HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
SHELL_MILLISECONDS = 1_500
LONGEST_PAUSE_MILLISECONDS = 500
WATCH_FOR_PAUSES = """() => {
    globalThis.pauses = [];
    const note = (entries) => globalThis.pauses.push(...entries.getEntries().map((entry) => entry.duration));
    new PerformanceObserver(note).observe({ type: "longtask" });
}"""
SHELL_READY = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


LOOKS = {
    "light": {"width": 1280, "height": 860, "color_scheme": "light"},
    "dark": {"width": 1280, "height": 860, "color_scheme": "dark"},
    "phone": {"width": 390, "height": 844, "color_scheme": "light"},
}


@pytest.fixture(scope="module")
def sample(site: str, chromium: Browser, screenshots: Path) -> Iterator[Page]:
    """One tab with the sample loaded, for the tests that only look at it: starting Python takes seconds."""
    with closing(chromium.new_context(reduced_motion="reduce", accept_downloads=True)) as context:
        page = context.new_page()
        page.set_default_timeout(180_000)
        errors = watch(page)
        page.goto(f"{site}/")
        wait_until_ready(page)
        for look in LOOKS:
            put_on(page, look)
            page.screenshot(path=screenshots / f"{look}-welcome.png")
        put_on(page, "light")
        load_sample(page)
        yield page
        assert not errors


def put_on(page: Page, look: str) -> None:
    page.set_viewport_size({"width": LOOKS[look]["width"], "height": LOOKS[look]["height"]})
    page.emulate_media(color_scheme=LOOKS[look]["color_scheme"])


def test_the_page_can_be_used_before_python_has_arrived(site: str, page: Page) -> None:
    page.route("**/pyodide/**", lambda route: None)
    page.goto(f"{site}/")
    assert min(page.reload() and page.evaluate(SHELL_READY) for _ in range(3)) < SHELL_MILLISECONDS
    page.get_by_role("button", name="Paste text").last.click()
    page.get_by_label("Name", exact=True).fill("early.txt")
    page.get_by_label("Text", exact=True).fill(BOATS)
    page.get_by_role("button", name="Read this text").click()
    expect(page.locator(".queue-line")).to_contain_text("early.txt")
    expect(page.locator(".boot li.now")).to_have_text("Download Python")


def test_what_stops_the_start_is_told_with_what_to_do(site: str, page: Page) -> None:
    page.route("**/pyodide/pyodide.asm.wasm", lambda route: route.abort())
    page.goto(f"{site}/")
    expect(page.locator(".boot.failed")).to_contain_text("Lorelite could not start")
    expect(page.locator(".boot.failed").get_by_role("button", name="Reload the page")).to_be_visible()
    expect(page.locator(".state")).to_have_text("Stopped")


def test_the_sample_is_read_searched_and_walked(sample: Page) -> None:
    open_tab(sample, "Documents")
    assert len(documents_of(sample)) == 18
    assert count_of(sample, "documents") == 18
    assert count_of(sample, "entities") > 30
    assert count_of(sample, "edges") > 60

    open_tab(sample, "Search")
    sample.get_by_role("searchbox").fill("Tobias Oduya")
    sample.keyboard.press("Enter")
    sample.locator(".hit").filter(has=sample.locator(".badge.entity")).filter(has_text="Tobias Oduya").first.click()
    expect(sample.locator(".inspector h2")).to_have_text("Tobias Oduya")
    expect(sample.locator(".quotation mark").first).to_contain_text("Oduya")
    expect(sample.locator(".ties li").first).to_be_visible()

    sample.get_by_role("button", name="Show in graph").click()
    expect(sample.locator(".graph-title")).to_have_text("Tobias Oduya")
    assert sample.locator(".graph .mark").count() > 3
    assert sample.locator(".graph .line.touched").count() > 1
    sample.locator(".graph .mark.anchor").focus()
    sample.keyboard.press("ArrowRight")
    expect(sample.locator(".graph .mark.selected")).not_to_have_class("anchor")
    there = sample.locator(".graph .mark.selected title").text_content()
    sample.keyboard.press("e")
    expect(sample.locator(".graph-title")).to_have_text(there or "")
    sample.get_by_text("The same as a list").click()
    listed = sample.locator(".lists li").count()
    assert listed == sample.locator(".graph .mark").count() + sample.locator(".graph .line").count()


def test_reading_the_sample_again_changes_nothing(sample: Page) -> None:
    open_tab(sample, "Documents")
    before = count_of(sample, "edges")
    sample.get_by_role("button", name="Clear this list").click()
    load_sample(sample)
    expect(sample.locator(".queue-line").first).to_contain_text("Unchanged")
    assert count_of(sample, "edges") == before


def test_an_answer_without_a_model_cites_what_the_documents_say(sample: Page) -> None:
    ask(sample, "Who founded the field station in 1968?")
    expect(sample.locator(".answer .prose").first).to_contain_text("Edda Marchmere")
    expect(sample.locator(".answer footer").first).to_contain_text("Quoted from your documents, no model")
    quotes = sample.locator(".cited q").all_inner_texts()
    assert quotes
    for marker, quote in zip(sample.locator(".cite").all(), quotes, strict=True):
        marker.click()
        expect(sample.locator(".reader mark")).to_have_text(quote.strip("“”"), use_inner_text=False)
        expect(sample.locator(".reader mark")).to_be_in_viewport()
    sample.get_by_role("complementary").get_by_role("button", name="Close").click()
    sample.get_by_role("button", name="Show the graph used").first.click()
    assert sample.locator(".graph .mark").count() > 1


def test_a_question_that_the_documents_do_not_answer_is_answered_so(sample: Page) -> None:
    ask(sample, "Which railway company dug the tunnel through Mont Cenis?")
    expect(sample.locator(".silent").first).to_have_text("The documents do not say.")


def test_a_model_of_the_users_writes_the_answer(lore: Page, model_endpoint: ModelEndpoint) -> None:
    quote = "Tobias Oduya is her skipper."
    add_text(lore, "boats.md", BOATS)
    open_tab(lore, "Settings")
    lore.get_by_label("Address").fill(model_endpoint.base_url)
    lore.get_by_label("Model", exact=True).first.fill("scripted")
    lore.get_by_label("API key").fill("secret-key")
    lore.get_by_role("button", name="Test the connection").click()
    expect(lore.locator(".tested .good")).to_contain_text("A scripted reply.")
    lore.get_by_role("button", name="Use this model").click()
    expect(lore.get_by_text("In use: scripted")).to_be_visible()

    model_endpoint.reply = written("The skipper of the Juniper is Tobias Oduya.", quote)
    ask(lore, "Who is the skipper of the Juniper?")
    expect(lore.locator(".answer .sentence").first).to_contain_text("The skipper of the Juniper is Tobias Oduya.")
    expect(lore.locator(".answer footer")).to_contain_text("Written by scripted")
    lore.locator(".cite").first.click()
    expect(lore.locator(".reader mark")).to_have_text(quote)
    headers, _ = model_endpoint.requests[-1]
    assert headers["authorization"] == "Bearer secret-key"
    kept = lore.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert "scripted" in kept and "secret-key" not in kept


def written(sentence: str, quote: str) -> str:
    """A reply in the form that the answer prompt asks for."""
    said = {"text": sentence, "citations": [{"source": 1, "quote": quote}]}
    return json.dumps({"answered": True, "sentences": [said]})


def test_an_endpoint_that_is_not_there_is_told_with_advice(lore: Page) -> None:
    wait_until_ready(lore)
    open_tab(lore, "Settings")
    lore.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    lore.get_by_label("Model", exact=True).first.fill("any")
    lore.get_by_role("button", name="Test the connection").click()
    expect(lore.locator(".tested .bad")).to_contain_text("http://127.0.0.1:9/v1")
    expect(lore.locator(".tested li", has_text="OLLAMA_ORIGINS")).to_be_visible()


def test_the_table_of_meanings_is_fetched_when_it_is_wanted_and_not_before(lore: Page) -> None:
    asked: list[str] = []
    lore.context.on("request", lambda request: asked.append(request.url))
    wait_until_ready(lore)
    add_text(lore, "anna.md", "The physician told Anna to stay in bed.")
    add_text(lore, "gauge.md", "The gauge is read at noon.")
    assert not [url for url in asked if "static_table" in url]
    open_tab(lore, "Settings")
    lore.get_by_label("Search by meaning").select_option("meaning")
    lore.get_by_role("button", name="Use it").click()
    expect(lore.get_by_text("In use: lorelite-static-384-1")).to_be_visible()
    expect(lore.locator(".settings-view")).not_to_contain_text("0 vectors")
    assert len([url for url in asked if url.endswith("/data/static_table.bin")]) == 1
    open_tab(lore, "Search")
    lore.locator(".search-view input").first.fill("a doctor")
    lore.keyboard.press("Enter")
    expect(lore.locator(".search-view")).to_contain_text("physician")


def test_dropped_files_are_read_and_binary_ones_are_refused_by_name(lore: Page) -> None:
    wait_until_ready(lore)
    lore.get_by_label("Choose files").set_input_files(
        [
            {
                "name": "page.html",
                "mimeType": "text/html",
                "buffer": b"<title>Boats</title><p>Tobias steers.<script>1</script>",
            },
            {"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": b"\xff\xd8\xff\xe0\x00\x10JFIF"},
            {"name": "utf16.txt", "mimeType": "text/plain", "buffer": "The tarn is deep.".encode("utf-16")},
            {"name": "empty.txt", "mimeType": "text/plain", "buffer": b""},
        ]
    )
    expect(lore.locator(".queue-line.ended")).to_have_count(4)
    refused = lore.locator(".queue-line.bad").all_inner_texts()
    assert ["photo.jpg" in refused[0], "empty.txt" in refused[1], len(refused)] == [True, True, 2]
    assert documents_of(lore) == ["page.html", "utf16.txt"]
    lore.get_by_role("button", name="page.html", exact=True).click()
    expect(lore.locator(".reader")).to_have_text("# Boats Tobias steers.")


def test_markup_in_names_and_texts_stays_text(lore: Page) -> None:
    hostile = f"# {HOSTILE}\n\n{HOSTILE} Tobias Oduya met [[{HOSTILE}]] in Maldry.\n\n- [{HOSTILE}](x.md)\n"
    add_text(lore, f"{HOSTILE}.md", hostile)
    assert documents_of(lore) == [f"{HOSTILE}.md"]
    lore.locator(".document .title-link").click()
    expect(lore.locator(".reader")).to_contain_text(HOSTILE)
    lore.keyboard.press("Escape")
    open_tab(lore, "Search")
    lore.get_by_role("searchbox").fill("onerror")
    lore.keyboard.press("Enter")
    lore.locator(".hit").first.click()
    expect(lore.locator(".inspector-body .hint").first).to_be_visible()
    lore.get_by_role("button", name="Show in graph").click()
    expect(lore.locator(".graph .mark").first).to_be_visible()
    ask(lore, f"Who met {HOSTILE}?")
    assert lore.locator("img").count() == 0
    assert "owned" not in lore.title()


@pytest.mark.skipif("LORELITE_SHARED" not in os.environ, reason="LORELITE_SHARED names no folder with the book")
def test_the_page_answers_while_a_book_is_read(lore: Page) -> None:
    wait_until_ready(lore)
    lore.evaluate(WATCH_FOR_PAUSES)
    book = Path(os.environ["LORELITE_SHARED"]) / "data" / "christmas_carol" / "book.txt"
    lore.get_by_label("Choose files").set_input_files(book)
    open_tab(lore, "Search")
    expect(lore.get_by_role("searchbox")).to_be_visible()
    open_tab(lore, "Documents")
    expect(lore.locator(".queue-line.good")).to_be_visible(timeout=120_000)
    assert lore.evaluate("() => Math.max(0, ...globalThis.pauses)") < LONGEST_PAUSE_MILLISECONDS
    ask(lore, "Who was Scrooge's partner?")
    expect(lore.locator(".answer .prose")).to_contain_text("Marley")


def test_the_page_works_from_a_sub_folder(site: str, page: Page) -> None:
    errors = watch(page)
    page.route("**/school/lore/**", lambda route: route.continue_(url=route.request.url.replace("/school/lore", "")))
    page.goto(f"{site}/school/lore/")
    wait_until_ready(page)
    assert not errors


@pytest.mark.parametrize("look", LOOKS)
def test_every_tab_fits_its_screen(sample: Page, screenshots: Path, look: str) -> None:
    put_on(sample, look)
    for tab in ("Documents", "Search", "Graph", "Ask", "Settings"):
        open_tab(sample, tab)
        if tab == "Search":
            sample.get_by_role("searchbox").fill("Juniper")
            sample.keyboard.press("Enter")
            expect(sample.locator(".hit").first).to_be_visible()
        if tab == "Graph":
            expect(sample.locator(".graph .mark").first).to_be_visible()
        if tab == "Ask":
            ask(sample, SKIPPER)
        sample.screenshot(path=screenshots / f"{look}-{tab.lower()}.png", full_page=tab == "Settings")
        wider = sample.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, f"{tab} is {wider} pixels too wide"
    open_tab(sample, "Ask")
    sample.locator(".cite").first.click()
    expect(sample.locator(".reader mark")).to_be_in_viewport()
    sample.screenshot(path=screenshots / f"{look}-citation.png")
    sample.keyboard.press("Escape")
    put_on(sample, "light")
