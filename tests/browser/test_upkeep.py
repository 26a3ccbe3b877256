"""Jobs and dumps in a tab: what was under way when the tab was closed goes on in the next one."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page
from test_storage import _python, _start

OPEN = """
import asyncio, json
from lorelite import AsyncWiki

shown = []

async def answer(system, user):
    shown.extend(number for number in "01234" if f"event number {number}" in user)
    if shown[-1] == LAST:
        await asyncio.Event().wait()  # the tab is closed before the model answers
    return json.dumps({"facts": [{"title": f"Number {shown[-1]}", "body": f"It was number {shown[-1]}."}], "tasks": []})

wiki = await AsyncWiki.open("memory", model=answer)
"""
RUN = """
for number in range(5):
    await wiki.write("class", event={"summary": f"event number {number} happened"})
run = asyncio.ensure_future(wiki.run_librarian("class", batch_size=1))
while LAST not in shown:
    await asyncio.sleep(0.01)
"""


def test_a_job_goes_on_where_a_closed_tab_left_it(site: str, context: BrowserContext, page: Page) -> None:
    _start(page, site)
    _python(page, "LAST = '2'" + OPEN + RUN)
    page.wait_for_function("() => !pyodide.globals.get('wiki')._storage.unflushed")
    page.close()
    page = context.new_page()
    _start(page, site)
    _python(page, "LAST = None" + OPEN)
    titles = 'json.dumps(sorted(node.title for node in (await wiki.read("class", "")).facts))'
    jobs = 'json.dumps([(job.kind, job.state) for job in (await wiki.get_status("class")).jobs])'
    assert _python(page, titles) == '["Number 0", "Number 1"]'
    assert _python(page, jobs) == '[["librarian", "interrupted"]]'
    _python(page, 'await wiki.run_pending_maintenance("class")')
    assert _python(page, "json.dumps(shown)") == '["2", "3", "4"]'
    assert _python(page, jobs) == "[]"


CARRY = """
import json
from lorelite import AsyncWiki, format_okf_bundle, parse_okf_bundle
from lorelite.ids import text_hash

wiki = await AsyncWiki.open("carried")
nodes = [
    {"id": f"n{number}", "title": f"Buoy {number}", "body": f"Buoy {number} lies off pier {number % 7}."}
    for number in range(2000)
]
await wiki.upsert_graph("class", source_ref="buoys", source_hash=text_hash("buoys"), nodes=nodes)
await wiki.export_dump(path="/tmp/carried.jsonl")
held = {"class": await wiki.get_memory_bundle("class")}
files = format_okf_bundle(await wiki.export_dump())
for name, source in (("copy", "/tmp/carried.jsonl"), ("again", parse_okf_bundle(None, files))):
    await wiki.close()
    wiki = await AsyncWiki.open(name)
    await wiki.import_dump(source)
    held[name] = await wiki.get_memory_bundle("class")
same = held["class"].facts == held["copy"].facts == held["again"].facts
await wiki.close()
json.dumps([len(held["class"].facts), same])
"""


def test_two_thousand_facts_leave_a_tab_and_return_as_a_dump_and_as_okf(site: str, page: Page) -> None:
    _start(page, site)
    assert _python(page, CARRY) == "[2000, true]"
    _start(page, site)
    found = 'json.dumps(len((await (await AsyncWiki.open("again")).read("class", "pier", max_results=5)).facts))'
    assert _python(page, "import json\nfrom lorelite import AsyncWiki\n" + found) == "5"
