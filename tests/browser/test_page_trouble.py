"""The demo page where something is missing: storage, the server, an answer, the page's own script."""

from __future__ import annotations

from pathlib import Path

from model_endpoint import ModelEndpoint
from page_steps import BOATS, add_text, ask, documents_of, open_tab, wait_until_ready, watch
from playwright.sync_api import BrowserContext, Page, Route, expect

REFUSE_STORAGE = """
for (const name of ["localStorage", "indexedDB"]) {
    Object.defineProperty(self, name, { get() { throw new DOMException("denied", "SecurityError"); } });
}
"""
FULL_STORAGE = """
const begin = IDBDatabase.prototype.transaction;
new BroadcastChannel("room").onmessage = ({ data: isFull }) => {
    IDBDatabase.prototype.transaction = !isFull ? begin : function (...given) {
        const change = begin.apply(this, given);
        if (given[1] === "readwrite") {
            Object.defineProperty(change, "error", { value: new DOMException("full", "QuotaExceededError") });
            change.commit = () => change.abort();
        }
        return change;
    };
};
"""


def before_the_worker(context: BrowserContext, script: str) -> None:
    """Run `script` in the page's worker before its own."""

    def put_before(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=script + response.text())

    context.route("**/src/worker.js", put_before)


def test_a_page_opened_as_a_file_says_what_to_do(site: str, page: Page) -> None:
    page.goto((Path(__file__).resolve().parents[2] / "build" / "site" / "index.html").as_uri())
    expect(page.get_by_text("It has to come from a web server")).to_be_visible()


def test_the_page_works_where_the_browser_refuses_storage(site: str, context: BrowserContext, page: Page) -> None:
    errors = watch(page)
    page.add_init_script(REFUSE_STORAGE)
    before_the_worker(context, REFUSE_STORAGE)
    page.goto(f"{site}/")
    expect(page.locator(".state")).to_have_text("Not stored", timeout=90_000)
    expect(page.get_by_text("This browser keeps nothing for this page")).to_be_visible()
    assert not errors


def test_what_finds_no_room_is_told_can_be_exported_and_is_saved_when_there_is_some(
    site: str, context: BrowserContext, page: Page
) -> None:
    before_the_worker(context, FULL_STORAGE)
    page.goto(f"{site}/")
    wait_until_ready(page)
    is_full = "(isFull) => new BroadcastChannel('room').postMessage(isFull)"
    page.evaluate(is_full, True)
    page.locator(".documents-view input[type=file]").set_input_files(
        {"name": "boats.md", "mimeType": "text/markdown", "buffer": BOATS.encode()}
    )
    expect(page.locator(".queue-line.bad")).to_contain_text("export the file to keep it")
    expect(page.locator(".state")).to_have_text("Not saved")
    open_tab(page, "Settings")
    page.get_by_label("Search by meaning").select_option("spelling")
    page.get_by_role("button", name="Use it").click()
    expect(page.locator(".told .bad")).to_contain_text("no room")
    with page.expect_download():
        page.get_by_role("button", name="Export file").click()
    page.evaluate(is_full, False)
    wait_until_ready(page)
    page.reload()
    wait_until_ready(page)
    assert documents_of(page) == ["boats.md"]


def test_the_page_goes_on_without_its_server(site: str, context: BrowserContext, page: Page) -> None:
    page.goto(f"{site}/")
    wait_until_ready(page)
    context.set_offline(True)
    add_text(page, "brindle-tarn.md", BOATS)
    ask(page, "Who is the skipper of Juniper?")
    open_tab(page, "Documents")
    page.locator("button:visible", has_text="Load the sample").click()
    expect(page.locator(".told p")).to_have_count(1)
    expect(page.locator(".told p")).to_contain_text("has stopped")


def test_files_go_where_they_were_dropped_though_another_namespace_is_opened_meanwhile(lore: Page) -> None:
    wait_until_ready(lore)
    files = [
        {"name": f"{at}.txt", "mimeType": "text/plain", "buffer": f"Ada Bell met Bo Crane{at}. ".encode() * 99}
        for at in range(12)
    ]
    lore.locator(".documents-view input[type=file]").set_input_files(files)
    open_tab(lore, "Settings")
    lore.get_by_label("New namespace").fill("physics")
    lore.get_by_role("button", name="Open it").click()
    expect(lore.locator(".queue-line.good")).to_have_count(12)
    wait_until_ready(lore)
    assert documents_of(lore) == []
    lore.get_by_label("Namespace", exact=True).select_option("main")
    expect(lore.locator(".document")).to_have_count(12)
    add_text(lore, "1.txt", BOATS)
    expect(lore.locator(".queue-line").last).to_contain_text("took the place of the earlier text")


def test_a_model_that_never_answers_can_be_left(lore: Page, model_endpoint: ModelEndpoint) -> None:
    add_text(lore, "boats.md", BOATS)
    open_tab(lore, "Settings")
    lore.get_by_label("Address").fill(model_endpoint.base_url)
    lore.get_by_label("Model", exact=True).first.fill("slow")
    lore.context.route("**/chat/completions", lambda route: None)
    lore.get_by_role("button", name="Use this model").click()
    expect(lore.get_by_text("In use: slow")).to_be_visible()
    open_tab(lore, "Ask")
    lore.get_by_role("textbox", name="Ask").fill("Who is the skipper of Juniper?")
    lore.get_by_role("button", name="Ask", exact=True).click()
    expect(lore.locator(".thinking")).to_be_visible()
    open_tab(lore, "Settings")
    lore.get_by_role("button", name="Work without a model").click()
    expect(lore.get_by_text("No model: answers are quoted")).to_be_visible(timeout=10_000)
    ask(lore, "Who is the skipper of Juniper?")
