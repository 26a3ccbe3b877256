"""Bundles on disk: folders and zips, friendly and hostile."""

from __future__ import annotations

import os
import zipfile

import pytest

from lorelite import CannotOpen, DumpError, OkfFile, Wiki, format_okf_bundle, parse_okf_bundle
from lorelite.okf import files as on_disk
from lorelite.okf.files import read_bundle, write_bundle

NS = "class"
FILES = [OkfFile("index.md", "# 灯台\n"), OkfFile("entities/e/facts/a.md", "---\ntype: x\n---\n\nWindows\r\nline\n")]


@pytest.mark.parametrize("name", ["bundle", "bundle.zip"])
def test_what_is_written_is_read_back(tmp_path, name):
    assert write_bundle(FILES, tmp_path / name) == 2
    assert sorted(read_bundle(tmp_path / name), key=lambda file: file.path) == sorted(FILES, key=lambda file: file.path)


def test_the_same_bundle_makes_the_same_zip(tmp_path):
    for name in ("one.zip", "two.zip"):
        write_bundle(FILES, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(CannotOpen, match="holds something already"):
        write_bundle(FILES, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_only_markdown_is_read_and_links_are_not_followed(tmp_path):
    write_bundle(FILES, tmp_path / "b")
    (tmp_path / "b" / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "secret.md").write_text("secret")
    if hasattr(os, "symlink"):
        os.symlink(tmp_path / "secret.md", tmp_path / "b" / "link.md")
    (tmp_path / "b" / ".git").mkdir()
    (tmp_path / "b" / ".git" / "x.md").write_text("no")
    assert sorted(file.path for file in read_bundle(tmp_path / "b")) == ["entities/e/facts/a.md", "index.md"]


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(on_disk, "MAX_FILE_BYTES", 1_000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", "x" * 100_000)
    with pytest.raises(DumpError, match="more than 1,000 bytes"):
        read_bundle(tmp_path / "bomb.zip")
    monkeypatch.setattr(on_disk, "MAX_FILE_BYTES", 10_000)
    monkeypatch.setattr(on_disk, "MAX_BUNDLE_BYTES", 25_000)
    with zipfile.ZipFile(tmp_path / "many.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.md", "x" * 9_000)
    with pytest.raises(DumpError, match="more than 25,000 bytes"):
        read_bundle(tmp_path / "many.zip")


def test_a_path_in_a_zip_that_leads_out_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("../evil.md", "x")
    with pytest.raises(DumpError, match="stay inside"):
        parse_okf_bundle(NS, read_bundle(tmp_path / "evil.zip"))


def test_what_is_no_bundle_is_refused_by_name(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 cut off")
    for name in ("x.zip", "missing"):
        with pytest.raises(CannotOpen, match=name):
            read_bundle(tmp_path / name)
    (tmp_path / "latin").mkdir()
    (tmp_path / "latin" / "a.md").write_bytes("Größe".encode("latin-1"))
    with pytest.raises(DumpError, match=r"'a\.md' is no UTF-8"):
        read_bundle(tmp_path / "latin")


def test_a_wiki_comes_back_from_its_bundle(open_wiki, clock, picture):
    one, other = open_wiki(), open_wiki()
    one.ingest_document(
        NS, source_ref="logs/灯.txt", text="Heron Lock stands on the Wharfe. Ada Marsh keeps Heron Lock."
    )
    one.write(NS, title="Eels", body="sleep by day", tags=["fish"])
    clock.tick()
    old = one.write(NS, title="The gauge", body="is read at noon", node_id="gauge")
    one.supersede(NS, node_id=old.id, by={"title": "The gauge", "body": "is read at ten"})
    one.add_task(NS, description="Oil the gate", priority=4, related_node_id="gauge")
    one.write(NS, event={"event_type": "decision", "summary": "Oil it\non Monday"})
    one.set_ontology(NS, {"node_types": [{"type": "fish", "description": "Fish."}], "edge_types": []}, mode="emergent")
    files = format_okf_bundle(one.export_dump([NS], vectors=False))
    report = other.import_dump(parse_okf_bundle(None, files))
    assert report.skipped == () and report.problems == ()
    assert picture(other) == picture(one)
    assert other.list_tasks(NS) == one.list_tasks(NS)
    assert other.get_memory_bundle(NS).events == one.get_memory_bundle(NS).events
    assert other.get_ontology(NS) == one.get_ontology(NS)
    assert format_okf_bundle(other.export_dump([NS], vectors=False)) == files
    with Wiki.open(":memory:") as third:
        third.import_dump(parse_okf_bundle("elsewhere", files))
        assert third.list_namespaces() == ["elsewhere"]
