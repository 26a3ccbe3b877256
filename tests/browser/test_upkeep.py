"""Jobs and dumps in a tab: what was under way when the tab was closed goes on in the next one."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page
from test_storage import _python, _start

OPEN = """
import json
from lorelite import AsyncWiki, WikiConfig

asked, shown = 0, []

async def answer(system, user):
    global asked
    asked += 1
    shown.extend(number for number in "01234" if f"event number {number}" in user)
    if asked == LAST:
        await asyncio.Event().wait()  # the tab is closed before the model answers
    fact = {"title": f"Number {shown[-1]}", "body": f"It was number {shown[-1]}."}
    return json.dumps({"facts": [fact], "tasks": []})

wiki = await AsyncWiki.open("memory", model=answer)
"""
RUN = """
import asyncio
for number in range(5):
    await wiki.write("class", event={"summary": f"event number {number} happened"})
run = asyncio.ensure_future(wiki.run_librarian("class", batch_size=1))
while asked < LAST:
    await asyncio.sleep(0.01)
"""


def test_a_job_goes_on_where_a_closed_tab_left_it(site: str, context: BrowserContext, page: Page) -> None:
    _start(page, site)
    _python(page, "import asyncio\nLAST = 3" + OPEN + RUN)
    page.wait_for_function("() => !pyodide.globals.get('wiki')._storage.unflushed")
    page.close()
    page = context.new_page()
    _start(page, site)
    _python(page, "import asyncio\nLAST = 0" + OPEN)
    titles = 'json.dumps(sorted(node.title for node in (await wiki.read("class", "")).facts))'
    jobs = 'json.dumps([(job.kind, job.state) for job in (await wiki.get_status("class")).jobs])'
    assert _python(page, titles) == '["Number 0", "Number 1"]'
    assert _python(page, jobs) == '[["librarian", "interrupted"]]'
    _python(page, 'await wiki.run_pending_maintenance("class")')
    assert _python(page, "json.dumps(shown)") == '["2", "3", "4"]'
    assert _python(page, jobs) == "[]"
    assert _python(page, "json.dumps(len((await wiki.read('class', '')).facts))") == "5"


CARRY = """
import json, time
from lorelite import AsyncWiki, format_okf_bundle, parse_okf_bundle
from lorelite.ids import text_hash

wiki = await AsyncWiki.open("carried")
nodes = [
    {"id": f"n{number}", "title": f"Buoy {number}", "body": f"Buoy {number} lies off pier {number % 7}."}
    for number in range(2000)
]
await wiki.upsert_graph("class", source_ref="buoys", source_hash=text_hash("buoys"), nodes=nodes)
await wiki.export_dump(path="/tmp/carried.jsonl")
report = await wiki.import_dump("/tmp/carried.jsonl", namespace="copy")
files = format_okf_bundle(await wiki.export_dump("copy"))
await wiki.import_dump(parse_okf_bundle("again", files))
held = {}
for name in ("class", "copy", "again"):
    facts = (await wiki.get_memory_bundle(name)).facts
    held[name] = sorted((fact.id, fact.title, fact.body) for fact in facts)
same = held["class"] == held["copy"] == held["again"]
await wiki.close()
json.dumps([len(held["class"]), same])
"""


def test_two_thousand_facts_leave_a_tab_and_return_as_a_dump_and_as_okf(site: str, page: Page) -> None:
    _start(page, site)
    assert _python(page, CARRY) == "[2000, true]"
    _start(page, site)
    found = 'json.dumps(len((await (await AsyncWiki.open("carried")).read("again", "pier", max_results=5)).facts))'
    assert _python(page, "import json\nfrom lorelite import AsyncWiki\n" + found) == "5"
