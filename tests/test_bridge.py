"""The page's bridge, called as the page calls it: JSON in, JSON out."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lorelite._drive import drive
from lorelite.browser.bridge import Bridge
from lorelite.errors import StorageFull

PROTOCOL = Path(__file__).resolve().parents[1] / "web" / "src" / "protocol.js"
PEOPLE = """# People

The skipper of the workboat Juniper is Tobias Oduya.

Marit Oduya studies Brindle Tarn. 🛶 She dislikes boats, and Tobias Oduya dislikes lakes.
"""


class Page:
    """Calls a bridge the way the page does, and fails the test on an error that was not asked for."""

    def __init__(self, path: Path) -> None:
        self.told: list[tuple[int, dict[str, Any]]] = []
        self.bridge = Bridge(lambda call_id, progress: self.told.append((call_id, json.loads(progress))))
        self.path = str(path)
        self.call("open", name=self.path)

    def answer(self, operation: str, data: bytes | None = None, **options: Any) -> tuple[dict[str, Any], bytes | None]:
        request = json.dumps({"id": 7, "operation": operation, "options": options})
        text, produced = drive(self.bridge.handle(request, data))
        return json.loads(text), produced

    def call(self, operation: str, data: bytes | None = None, **options: Any) -> Any:
        reply, produced = self.answer(operation, data, **options)
        assert "error" not in reply, reply
        return reply["result"] if produced is None else produced

    def failure(self, operation: str, data: bytes | None = None, **options: Any) -> dict[str, Any]:
        reply, _ = self.answer(operation, data, **options)
        error: dict[str, Any] = reply["error"]
        return error


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    page = Page(tmp_path / "lorelite.db")
    yield page
    drive(page.bridge._close())


def ingest(page: Page, text: str = PEOPLE, source_ref: str = "people.md") -> Any:
    return page.call("ingest", namespace="main", source_ref=source_ref, text=text)


@pytest.mark.skipif(not PROTOCOL.exists(), reason="the page's sources are not beside these tests")
def test_the_page_and_python_know_the_same_operations() -> None:
    table = re.search(r"OPERATIONS = .*?\(\{(.*?)\}\)", PROTOCOL.read_text(), re.DOTALL)
    assert table is not None
    in_javascript = dict(re.findall(r'(\w+): "(\w+)"', table[1]))
    assert in_javascript == {name: each.access for name, each in Bridge().operations.items()}


def test_a_namespace_without_content_is_empty_and_not_an_error(page: Page) -> None:
    assert page.call("namespaces") == []
    status = page.call("status", namespace="main")
    assert (status["namespace"], status["documents"], status["edges"]) == ("main", [], 0)
    assert page.call("search", namespace="main", query="boat") == []
    assert page.call("starting_points", namespace="main") == []
    assert page.call("ask", namespace="main", question="Who?")["answered"] is False


def test_ingest_reports_what_it_found_and_how_far_it_is(page: Page) -> None:
    report = ingest(page)
    assert (report["status"], report["source_ref"]) == ("ingested", "people.md")
    assert report["chunks"] >= 1 and report["entities"] >= 2
    assert page.told and all(call_id == 7 for call_id, _ in page.told)
    assert {"stage", "done", "total", "detail"} == set(page.told[0][1])
    assert ingest(page)["status"] == "unchanged"
    [document] = page.call("status", namespace="main")["documents"]
    assert (document["source_ref"], document["characters"]) == ("people.md", len(PEOPLE))
    assert page.call("namespaces") == ["main"]


def test_a_document_is_cut_around_a_span_by_characters_as_python_counts_them(page: Page) -> None:
    ingest(page)
    start = PEOPLE.index("She dislikes")
    passage = page.call("document", namespace="main", source_ref="people.md", start=start, end=start + 12, around=10)
    assert passage["quote"] == "She dislikes"
    assert passage["before"] == PEOPLE[start - 10 : start] and "🛶" in passage["before"]
    assert passage["after"] == PEOPLE[start + 12 : start + 22]
    assert (passage["from"], passage["to"], passage["characters"]) == (start - 10, start + 22, len(PEOPLE))
    whole = page.call("document", namespace="main", source_ref="people.md")
    assert whole["before"] + whole["quote"] + whole["after"] == PEOPLE


def test_search_walk_and_starting_points_speak_of_the_same_nodes(page: Page) -> None:
    ingest(page)
    hits = page.call("search", namespace="main", query="Tobias Oduya", kinds=["entity"])
    assert hits[0]["node"]["title"] == "Tobias Oduya" and hits[0]["score"] > 0
    assert {hit["node"]["kind"] for hit in hits} == {"entity"}
    graph = page.call("walk", namespace="main", source_id=hits[0]["node"]["id"], max_depth=2, max_nodes=30)
    assert graph["nodes"][0]["id"] == hits[0]["node"]["id"] and graph["nodes"][0]["depth"] == 0
    points = page.call("starting_points", namespace="main", limit=3)
    assert 0 < len(points) <= 3
    assert [point["score"] for point in points] == sorted((point["score"] for point in points), reverse=True)


def test_every_citation_of_an_answer_is_what_its_document_says(page: Page) -> None:
    ingest(page)
    answer = page.call("ask", namespace="main", question="Who is the skipper of the Juniper?")
    assert answer["answered"] and answer["origin"] == "heuristic"
    citations = [citation for sentence in answer["sentences"] for citation in sentence["citations"]]
    assert citations
    for citation in citations:
        place = {name: citation[name] for name in ("source_ref", "start", "end")}
        assert page.call("document", namespace="main", around=0, **place)["quote"] == citation["quote"]


def test_forget_removes_the_document(page: Page) -> None:
    ingest(page)
    assert page.call("forget", namespace="main", source_ref="people.md")["documents"] == 1
    assert page.call("status", namespace="main")["documents"] == []


def test_an_error_raised_on_purpose_travels_with_its_name_and_data(page: Page) -> None:
    ingest(page)
    error = page.failure("document", namespace="main", source_ref="gone.md")
    assert error["name"] == "NotFound" and "gone.md" in error["message"] and error["data"]["name"] == "gone.md"
    reply, _ = page.answer("document", namespace="main", source_ref="gone.md")
    assert "traceback" not in reply


def test_an_unexpected_exception_travels_with_a_traceback_for_the_console(page: Page) -> None:
    reply, _ = page.answer("search", namespace="main", query="boat", colour="red")
    assert reply["error"]["name"] == "TypeError" and "colour" in reply["traceback"]


def test_an_unknown_operation_names_those_that_exist(page: Page) -> None:
    error = page.failure("dance")
    assert error["name"] == "InvalidOption" and "starting_points" in error["message"]


def test_a_call_before_open_says_that_nothing_is_open() -> None:
    text, _ = drive(Bridge().handle('{"id": 1, "operation": "namespaces", "options": {}}'))
    assert json.loads(text)["error"]["name"] == "ClosedError"


def test_a_file_goes_out_and_comes_back(page: Page, tmp_path: Path) -> None:
    ingest(page)
    page.call("flush")
    data = page.call("export_file")
    assert data.startswith(b"SQLite format 3\0")
    ingest(page, "Something else altogether.", "other.txt")
    assert page.call("import_file", data)["stored"] is False
    assert [each["source_ref"] for each in page.call("status", namespace="main")["documents"]] == ["people.md"]


def test_a_file_that_is_no_wiki_is_refused_and_changes_nothing(page: Page) -> None:
    ingest(page)
    assert page.failure("import_file", b"GIF89a, not a database")["name"] == "NotADatabase"
    assert len(page.call("status", namespace="main")["documents"]) == 1


def test_start_over_leaves_nothing(page: Page) -> None:
    ingest(page)
    page.call("start_over")
    assert page.call("namespaces") == []
    assert ingest(page)["status"] == "ingested"


def test_going_on_with_or_without_a_model_keeps_what_is_there(page: Page) -> None:
    ingest(page)
    page.call("use_models", base_url="http://127.0.0.1:9/v1", model="scripted")
    assert len(page.call("status", namespace="main")["documents"]) == 1
    page.call("use_models")
    assert page.call("ask", namespace="main", question="Who is the skipper?")["origin"] == "heuristic"


def test_an_embedder_is_used_for_what_is_there_and_for_what_comes(page: Page) -> None:
    ingest(page)
    assert page.call("status", namespace="main")["vectors"] == 0
    page.call("use_models", embedder="spelling")
    assert page.call("sync", namespace="main") > 0
    before = page.call("status", namespace="main")["vectors"]
    assert before > 0
    ingest(page, "Anneke Dool repairs the tide gauge Heron.", "heron.txt")
    assert page.call("status", namespace="main")["vectors"] > before
    assert page.call("search", namespace="main", query="Tobias Odduya")


def test_the_built_in_embedder_finds_what_is_said_in_other_words(page: Page) -> None:
    ingest(page, "The physician told Anna to stay in bed.", "anna.txt")
    ingest(page, "The gauge is read at noon.", "gauge.txt")
    page.call("use_models", embedder="meaning")
    assert page.call("sync", namespace="main") > 0
    found = page.call("search", namespace="main", query="a doctor", kinds=["chunk"])
    assert "physician" in found[0]["node"]["body"]


@pytest.mark.cpython_only
def test_an_endpoint_that_is_not_there_is_told_by_its_address(page: Page) -> None:
    request = {"base_url": "http://127.0.0.1:9/v1", "model": "any", "api_key": ""}
    text = json.dumps({"id": 1, "operation": "test_model", "options": request})
    reply, _ = asyncio.run(page.bridge.handle(text))
    error = json.loads(reply)["error"]
    assert error["name"] == "ModelUnreachable" and "http://127.0.0.1:9/v1" in error["message"]


def test_a_second_page_is_told_that_the_first_is_writing(page: Page) -> None:
    second = Bridge()
    text, _ = drive(second.handle(json.dumps({"id": 1, "operation": "open", "options": {"name": page.path}})))
    assert json.loads(text)["error"]["name"] == "WriterLocked"


class FullStorage:
    """A browser's storage that has no room left, until `room` is given."""

    def __init__(self) -> None:
        self.room = False
        self.unflushed = True

    async def flush(self) -> None:
        if not self.room:
            raise StorageFull("lorelite.db", "no more room")
        self.unflushed = False

    async def close(self) -> None:
        await self.flush()


@pytest.fixture
def full(page: Page) -> FullStorage:
    storage = FullStorage()
    page.bridge._open_wiki._storage = storage
    return storage


def test_a_document_is_acknowledged_once_it_is_stored(page: Page, full: FullStorage) -> None:
    asked = {"namespace": "main", "source_ref": "people.md", "text": PEOPLE}
    assert page.failure("ingest", **asked)["name"] == "StorageFull"
    full.room = True
    assert page.call("ingest", **asked)["status"] == "unchanged"
    assert not full.unflushed
    full.room, full.unflushed = False, True
    assert page.failure("forget", namespace="main", source_ref="people.md")["name"] == "StorageFull"
    full.room = True


def test_a_wiki_that_cannot_be_stored_stays_open_and_can_be_exported(page: Page, full: FullStorage) -> None:
    full.room = True
    ingest(page)
    full.room = False
    assert page.failure("use_models", embedder="spelling")["name"] == "StorageFull"
    assert len(page.call("status", namespace="main")["documents"]) == 1
    assert page.call("export_file").startswith(b"SQLite format 3")
    full.room = True


def test_starting_over_needs_no_room_for_what_is_deleted(page: Page, full: FullStorage) -> None:
    page.call("start_over")
    assert page.call("namespaces") == []


@pytest.mark.cpython_only
def test_a_model_that_never_answers_does_not_hold_up_the_change_to_another(tmp_path: Path) -> None:
    async def never(system: str, user: str) -> str:
        await asyncio.Event().wait()
        return ""

    async def run() -> list[dict[str, Any]]:
        bridge = Bridge()

        def ask(operation: str, **options: Any) -> Any:
            return bridge.handle(json.dumps({"id": 1, "operation": operation, "options": options}))

        await ask("open", name=str(tmp_path / "lorelite.db"))
        await ask("ingest", namespace="main", source_ref="people.md", text=PEOPLE)
        bridge._model = never  # type: ignore[assignment]
        await bridge._reopen()
        waiting = asyncio.create_task(ask("ask", namespace="main", question="Who is the skipper?"))
        while not bridge._running:
            await asyncio.sleep(0)
        bridge.stop_waiting()
        replies = [await waiting, await ask("use_models"), await ask("ask", namespace="main", question="Who?")]
        await bridge._close()
        return [json.loads(text) for text, _ in replies]

    stopped, changed, asked = asyncio.run(run())
    assert stopped["error"]["name"] == "Stopped"
    assert "error" not in changed and asked["result"]["origin"] == "heuristic"
