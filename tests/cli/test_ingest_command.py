"""lorelite ingest"""

from __future__ import annotations

import io
import sys

import pytest

from lorelite import IngestReport, ModelUnreachable, Wiki
from lorelite.cli import arguments
from lorelite.models import ScriptedModel
from lorelite.ports import ModelReply


def test_a_folder_stands_for_all_its_files(lorelite):
    outcome = lorelite("ingest", "docs")
    assert outcome.code == 0
    assert [line.split(":")[0] for line in outcome.out.splitlines()] == [
        "docs/boats.md",
        "docs/dog.md",
        "docs/gauges/heron.txt",
        "docs/gauges/log.csv",
    ]
    assert outcome.err == ""


def test_hidden_files_of_a_folder_are_left_alone(lorelite, folder):
    (folder / "docs" / ".secret.md").write_text("hidden")
    (folder / "docs" / ".git").mkdir()
    (folder / "docs" / ".git" / "config.md").write_text("hidden too")
    assert "hidden" not in lorelite("ingest", "docs").out
    assert len(lorelite("status", "--json").json["namespaces"][0]["documents"]) == 4


def test_a_folder_may_hold_the_database_itself(lorelite):
    assert lorelite("ingest", ".").code == 0
    outcome = lorelite("ingest", ".")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.count("unchanged") == 4


def test_the_same_again_changes_nothing(filled):
    outcome = filled("ingest", "docs")
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "docs/boats.md: unchanged"
    assert outcome.out.count("unchanged") == 4


def test_a_changed_file_replaces_its_earlier_version(filled, folder):
    (folder / "docs" / "boats.md").write_text("# Boats\n\nJuniper was sold to Hallam in May.\n")
    assert "in place of its earlier version" in filled("ingest", "docs/boats.md").out
    assert "docs/boats.md" not in filled("search", "skipper").out
    assert "docs/boats.md" in filled("search", "Hallam").out


def test_a_copy_under_another_name_is_not_taken_in_twice(filled, folder):
    (folder / "copy.md").write_text((folder / "docs" / "boats.md").read_text())
    outcome = filled("ingest", "copy.md")
    assert outcome.code == 0
    assert outcome.out == "copy.md: the same text as docs/boats.md, not taken in again\n"


def test_a_binary_file_is_refused_by_name_and_the_others_go_on(lorelite, folder):
    (folder / "docs" / "crow.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0d" * 20)
    outcome = lorelite("ingest", "docs")
    assert outcome.code == 1
    assert len(outcome.out.splitlines()) == 4
    [complaint] = outcome.err.splitlines()
    assert complaint.startswith("lorelite: document 'docs/crow.png' cannot be read: ")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.txt", b" \n", "it is empty"),
        ("latin.txt", "Café Zoë".encode("latin-1"), "is not valid UTF-8"),
        ("absent.txt", None, "No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(lorelite, folder, name, data, reason):
    if data is not None:
        (folder / name).write_bytes(data)
    outcome = lorelite("ingest", name)
    assert outcome.code == 1
    assert outcome.out == ""
    assert f"'{name}'" in outcome.err and reason in outcome.err
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_files_are_read_whatever_their_byte_order(lorelite, folder, encoding):
    (folder / "notes.txt").write_bytes("Das Café am Grünhof öffnet 潮位計".encode(encoding))
    assert lorelite("ingest", "notes.txt").code == 0
    with Wiki.open("lorelite.db", read_only=True) as wiki:
        assert wiki.get_document("main", "notes.txt") == "Das Café am Grünhof öffnet 潮位計"


def test_html_is_taken_in_as_the_text_it_shows(lorelite, folder):
    (folder / "page.html").write_text("<h1>Heron</h1><script>var x = 1</script><p>A <b>tide</b>\ngauge &amp; more</p>")
    assert lorelite("ingest", "page.html").code == 0
    with Wiki.open("lorelite.db", read_only=True) as wiki:
        assert wiki.get_document("main", "page.html") == "# Heron\n\nA tide gauge & more\n"


def test_a_dash_reads_standard_input_under_the_name_given(lorelite, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Heron is a tide gauge.")))
    assert lorelite("ingest", "-", "--name", "note").code == 0
    assert "note:0-22" in lorelite("search", "tide").out


def test_standard_input_needs_a_name_and_a_name_needs_standard_input(lorelite):
    assert lorelite("ingest", "-").code == 2
    assert lorelite("ingest", "docs", "--name", "note").code == 2


def test_json_gives_a_report_for_each_document_and_names_the_refused(lorelite, folder):
    (folder / "docs" / "crow.png").write_bytes(bytes(range(256)))
    outcome = lorelite("ingest", "docs", "--json")
    assert outcome.code == 1
    assert set(outcome.json) == {"path", "namespace", "documents", "refused"}
    assert set(outcome.json["documents"][0]) == set(IngestReport.__dataclass_fields__)
    assert [report["status"] for report in outcome.json["documents"]] == ["ingested"] * 4
    [refused] = outcome.json["refused"]
    assert refused["source_ref"] == "docs/crow.png" and refused["error"] == "UnreadableDocument"


def test_namespaces_of_a_file_are_apart(filled):
    assert filled("ingest", "docs/dog.md", "--namespace", "pets").code == 0
    assert "Tellow" in filled("search", "Tellow", "--namespace", "pets").out
    assert filled("search", "skipper", "--namespace", "pets").out == "nothing found\n"


def test_the_file_is_named_by_the_environment_unless_an_option_names_one(lorelite, folder, monkeypatch):
    monkeypatch.setenv("LORELITE_DB", "brain.db")
    assert lorelite("ingest", "docs").code == 0
    assert lorelite("ingest", "docs", "--db", "other.db").code == 0
    assert sorted(path.name for path in folder.glob("*.db")) == ["brain.db", "other.db"]


class Answering(ScriptedModel):
    """Stands in for the endpoint; remembers how it was asked for."""

    asked: dict[str, str] = {}

    def __init__(self, *, base_url, model, api_key):
        Answering.asked = {"base_url": base_url, "model": model, "api_key": api_key}
        super().__init__(
            {"extract": '{"entities": [{"name": "Heron", "type": "gauge"}], "facts": [], "relations": []}'}
        )


def test_a_model_is_asked_with_the_key_of_the_environment_which_is_never_shown(lorelite, monkeypatch):
    monkeypatch.setattr(arguments, "OpenAIModel", Answering)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    monkeypatch.setenv("LORELITE_API_KEY", "sk-of-lorelite")
    outcome = lorelite("ingest", "docs", "--json", "--model", "small", "--base-url", "http://localhost:1/v1")
    assert outcome.code == 0
    assert Answering.asked == {"base_url": "http://localhost:1/v1", "model": "small", "api_key": "sk-of-lorelite"}
    assert {report["origin"] for report in outcome.json["documents"]} == {"model"}
    assert "sk-of" not in outcome.out + outcome.err


def test_a_model_and_its_endpoint_come_together(lorelite):
    outcome = lorelite("ingest", "docs", "--model", "small")
    assert outcome.code == 2 and "--base-url" in outcome.err


class Unreachable(ScriptedModel):
    """An endpoint that is not there."""

    def __init__(self):
        super().__init__({"extract": ""})

    async def complete(self, requests):
        error = ModelUnreachable("http://localhost:1/v1", "connection refused")
        return [ModelReply(error=error) for _ in requests]


def test_an_endpoint_that_is_not_there_ends_the_command_and_keeps_what_was_stored(lorelite, monkeypatch):
    assert lorelite("ingest", "docs/boats.md").code == 0
    monkeypatch.setattr(arguments, "OpenAIModel", lambda **given: Unreachable())
    outcome = lorelite("ingest", "docs", "--model", "small", "--base-url", "http://localhost:1/v1")
    assert outcome.code == 1
    assert len([line for line in outcome.err.splitlines() if "cannot be reached" in line]) == 1
    assert "skipper" in lorelite("search", "skipper").out
