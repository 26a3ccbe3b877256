"""IndexedDB of a real browser under SQLite: what was flushed is there after the page was loaded again."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import BrowserContext, Page

START = """async () => {
    const { loadPyodide } = await import("/lite/static/pyodide/pyodide.mjs");
    globalThis.pyodide = await loadPyodide({ indexURL: "/lite/static/pyodide/" });
    await pyodide.loadPackage("lorelite", { messageCallback: () => {} });
}"""

OPEN = """
import sqlite3
from lorelite.browser.storage import open_storage
storage = await open_storage("class")
db = sqlite3.connect(storage.path, isolation_level=None)
db.execute("pragma locking_mode=exclusive")
db.execute("pragma journal_mode=memory")
"""


def _start(page: Page, site: str) -> None:
    page.route("**/blank", lambda route: route.fulfill(content_type="text/html", body="<!doctype html>"))
    page.goto(f"{site}/blank")
    page.evaluate(START)


def _python(page: Page, code: str) -> Any:
    return page.evaluate("(code) => pyodide.runPythonAsync(code)", code)


def test_a_flushed_database_survives_a_reload_and_a_closed_tab(site: str, context: BrowserContext, page: Page) -> None:
    _start(page, site)
    _python(page, OPEN + 'db.execute("create virtual table d using fts5(body)")')
    _python(page, """db.executemany("insert into d values (?)", [(f"row {i} fox",) for i in range(3000)])""")
    _python(page, "await storage.flush()")
    _start(page, site)
    assert _python(page, OPEN + """db.execute("select count(*) from d where d match 'fox'").fetchone()[0]""") == 3000
    _python(page, """db.execute("insert into d values ('one more fox')"); await storage.flush()""")
    page.close()
    page = context.new_page()
    _start(page, site)
    assert _python(page, OPEN + """db.execute("select count(*) from d where d match 'fox'").fetchone()[0]""") == 3001
    assert _python(page, """db.execute("pragma integrity_check").fetchone()[0]""") == "ok"


def test_a_touched_commit_is_stored_without_waiting(site: str, page: Page) -> None:
    _start(page, site)
    _python(page, OPEN + 'db.execute("create table t (x)"); storage.touch()')
    page.wait_for_function("() => !pyodide.globals.get('storage').unflushed")
    _start(page, site)
    assert _python(page, OPEN + 'db.execute("select count(*) from t").fetchone()[0]') == 0


def test_a_second_tab_is_told_that_the_first_is_writing(site: str, context: BrowserContext, page: Page) -> None:
    _start(page, site)
    _python(page, OPEN)
    second = context.new_page()
    _start(second, site)
    told = _python(
        second,
        """
from lorelite.browser.storage import open_storage
from lorelite.errors import WriterLocked
try:
    await open_storage("class")
    told = ""
except WriterLocked as error:
    told = str(error)
told""",
    )
    assert "'class' is already open for writing (in another tab or notebook)" in told
    page.close()
    _python(second, OPEN)


def test_small_commits_in_a_large_database_are_quick(site: str, page: Page) -> None:
    _start(page, site)
    _python(page, OPEN + 'db.execute("create table t (id integer primary key, body text)")')
    _python(page, """db.executemany("insert into t (body) values (?)", [("x" * 1000,) for _ in range(10000)])""")
    _python(page, "await storage.flush()")
    median = _python(
        page,
        """
import statistics, time
async def commit():
    start = time.perf_counter()
    db.execute("insert into t (body) values ('one more')")
    await storage.flush()
    return 1000 * (time.perf_counter() - start)
statistics.median([await commit() for _ in range(40)])""",
    )
    assert median < 100, f"{median:.1f} ms"
