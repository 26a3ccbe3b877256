"""A memory as web pages."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from urllib.parse import unquote

import pytest

from lorelite import Wiki, chunk_entity_generation, entity_community_generation
from lorelite.cli.main import main
from lorelite.errors import CannotOpen, InvalidOption
from lorelite.site import export_site, format_site

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
TEXT = """---
title: Boats
---

# Boats

Juniper is a boat of Anna Berg. **Juniper** lies in [[Maldry]]; `fuel` is in [the shed](https://example.org/shed).

| name | owner |
|------|-------|
| Juniper | Anna Berg |

- one
- two
  goes on

> Anna Berg said so.
"""


class Page(HTMLParser):
    """The links, ids and tags of a page; what is not closed in order is told."""

    VOID = ("meta", "link", "input", "br", "img")

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.tags, self.open, self.attributes = [], [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        self.attributes += given
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given[name] for name in ("href", "src", "action") if given.get(name)]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def wiki_with(*documents, namespace="main"):
    wiki = Wiki.open(":memory:")
    for name, text in documents:
        wiki.ingest_document(namespace, source_ref=name, text=text)
    return wiki


def files_of(wiki, namespace=None, title=""):
    dump = wiki.export_dump(namespace, vectors=False)
    return {file.path: file.content for file in format_site(dump, file=b"", title=title)}


def pages_of(files):
    return {path: Page(content.decode()) for path, content in files.items() if path.endswith(".html")}


def test_every_link_of_every_page_leads_to_a_page_and_a_place_that_are_there():
    with wiki_with(("boats.md", TEXT), ("more.md", "# More\n\nAnna Berg lives in Maldry.\n")) as wiki:
        wiki.graph("main", pipeline=[chunk_entity_generation(), entity_community_generation()]).build()
        files = files_of(wiki)
    pages = pages_of(files)
    assert {"index.html", "documents/boats.md.html", "entities/Juniper.html", "search.html"} <= pages.keys()
    assert any(path.startswith("communities/") for path in pages)
    for path, page in pages.items():
        for link in page.links:
            if not re.match(r"https?:|data:", link):
                way, _, place = link.partition("#")
                target = (Path("/", path).parent / way).resolve() if way else Path("/", path)
                name = str(target).lstrip("/")
                assert name in files, (path, link)
                place = place.partition(":~:")[0]
                assert not place or place in pages[name].ids, (path, link)


def test_names_of_a_text_lead_to_their_entities_and_a_citation_to_its_place():
    with wiki_with(("boats.md", TEXT)) as wiki:
        files = files_of(wiki)
    document = files["documents/boats.md.html"].decode()
    assert '<a href="../entities/Juniper.html">' in document
    entity = Page(files["entities/Anna_Berg-" + _hash_of(files, "Anna_Berg") + ".html"].decode())
    cited = [link for link in entity.links if "#at-" in link]
    start = int(re.search(r"#at-(\d+)", cited[0])[1])
    quote = unquote(cited[0].partition(":~:text=")[2]).split(",")[0]
    assert TEXT[start:].replace("**", "").startswith(quote)


def _hash_of(files, name):
    return next(re.search(rf"{name}-(\w+)\.html", path)[1] for path in files if f"entities/{name}-" in path)


def test_what_the_text_marks_becomes_elements():
    with wiki_with(("boats.md", TEXT)) as wiki:
        document = files_of(wiki)["documents/boats.md.html"].decode()
    article = re.sub(r'<span id="[^"]*" class="at"></span>|</?a\b[^>]*>', "", document)
    for shown in (
        '<h2 dir="auto">Boats</h2>',
        "<strong>Juniper</strong>",
        "<code>fuel</code>",
        '<dt>title</dt><dd dir="auto">Boats</dd>',
        '<td dir="auto">Juniper</td>',
        '<li dir="auto">two\ngoes on</li>',
        '<blockquote dir="auto">Anna Berg said so.</blockquote>',
    ):
        assert shown in article.replace("\n  goes", "\ngoes")
    assert 'href="https://example.org/shed"' in document


def test_hostile_names_and_texts_are_shown_and_never_run():
    text = f"# {HOSTILE}\n\n[{HOSTILE}](javascript:alert) [[{HOSTILE}]] {HOSTILE}\n\n"
    text += f"| a | b |\n|---|---|\n| {HOSTILE} | x |\n"
    with wiki_with((f"../{HOSTILE}.md", text), ("t.csv", f"name,place\nAnna,{HOSTILE}\n"), namespace=HOSTILE) as wiki:
        wiki.ingest_document("../up", source_ref="a/../../b", text=text)
        files = files_of(wiki, title=HOSTILE)
    assert all(not {"", ".", ".."} & set(path.split("/")) for path in files)
    for page in pages_of(files).values():
        assert "img" not in page.tags and not any(name.startswith("on") for name in page.attributes)
        assert not any(link.lower().startswith("javascript:") for link in page.links)
        assert page.tags.count("script") == sum(link.endswith("search.js") for link in page.links)


def test_pages_allow_no_script_of_their_own_and_nothing_from_elsewhere():
    with wiki_with(("a.md", "Anna Berg.")) as wiki:
        index = files_of(wiki)["index.html"].decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', index)[1]
    assert "default-src &#x27;none&#x27;" in policy
    assert "script-src &#x27;self&#x27;;" in policy


def test_several_namespaces_lie_in_folders_of_their_own_and_one_at_the_root():
    with wiki_with(("a.md", "Anna Berg met Ben Carter."), namespace="one") as wiki:
        wiki.ingest_document("Two", source_ref="b.md", text="Ben Carter met Anna Berg.")
        wiki.ingest_document("two", source_ref="c.md", text="Nobody.")
        wiki.ingest_document("assets", source_ref="d.md", text="Nobody.")
        several, one = files_of(wiki), files_of(wiki, "one")
    fronts = [path for path in several if path.count("/") == 1 and path.endswith("index.html")]
    assert len({path.casefold() for path in fronts}) == 4
    assert "assets/index.html" not in several
    assert "index.html" in several and "documents/a.md.html" in one


def test_the_same_memory_gives_the_same_bytes():
    with wiki_with(("boats.md", TEXT)) as wiki:
        assert files_of(wiki) == files_of(wiki)


def test_an_empty_memory_is_a_site_that_says_so():
    with Wiki.open(":memory:") as wiki:
        files = files_of(wiki)
    assert "index.html" in files
    pages_of(files)


def test_what_is_no_dump_is_refused():
    with pytest.raises(InvalidOption, match="MemoryDump"):
        list(format_site({}, file=b""))


@pytest.mark.cpython_only
def test_the_file_of_a_site_holds_nothing_but_what_is_shown(tmp_path):
    with Wiki.open(str(tmp_path / "a.db"), model=lambda system, user: '{"entities": [{"name": "Anna Berg"}]}') as wiki:
        wiki.ingest_document("open", source_ref="a.md", text="Anna Berg met Ben Carter.")
        wiki.ingest_document("closed", source_ref="b.md", text="Anna Berg: the password is heliotrope.")
        wiki.ingest_document("open", source_ref="c.md", text="Anna Berg forgot the word marzipan.")
        wiki.forget("open", source_ref="c.md")
        count = export_site(wiki, tmp_path / "site", namespace="open")
    written = [path for path in (tmp_path / "site").rglob("*") if path.is_file()]
    assert len(written) == count
    for path in written:
        data = path.read_bytes()
        assert b"heliotrope" not in data and b"marzipan" not in data
    with sqlite3.connect(tmp_path / "site" / "brain.db") as file:
        assert file.execute("select count(*) from call").fetchone() == (0,)
        assert file.execute("select distinct namespace from node").fetchall() == [("open",)]


@pytest.mark.cpython_only
def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with wiki_with(("a.md", "Anna Berg.")) as wiki, pytest.raises(CannotOpen, match="holds something already"):
        export_site(wiki, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.cpython_only
def test_the_command_writes_a_site_and_tells_where_to_begin(tmp_path, capsys):
    db, out = str(tmp_path / "a.db"), tmp_path / "site"
    with Wiki.open(db) as wiki:
        wiki.ingest_document("main", source_ref="a.md", text="Anna Berg met Ben Carter.")
    assert main(["export", "site", str(out), "--db", db, "--title", "Class 4b"]) == 0
    assert str(out / "index.html") in capsys.readouterr().out
    assert "<title>Class 4b</title>" in (out / "index.html").read_text("utf-8")


@pytest.mark.cpython_only
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_the_script_reads_of_the_file_what_sqlite_reads(tmp_path):
    long = "A long text of Anna Berg. " * 4000  # more than a page
    with Wiki.open(str(tmp_path / "a.db")) as wiki:
        for number in range(60):
            wiki.write("main", title=f"Größe {number} 木", body=long if number == 7 else f"Body {number}")
        (tmp_path / "b.db").write_bytes(wiki.export_file())
    with sqlite3.connect(tmp_path / "b.db") as file:
        names = [column[1] for column in file.execute("pragma table_info(node)")]
        expected = [dict(zip(names, row, strict=True)) for row in file.execute("select * from node order by key")]
    script = Path(str(resources.files("lorelite.site"))) / "assets" / "sqlite_file.js"
    code = (
        f"import {{ SqliteFile }} from {json.dumps(script.as_uri())}; import fs from 'node:fs';"
        f"const data = fs.readFileSync({json.dumps(str(tmp_path / 'b.db'))});"
        "const file = new SqliteFile(data.buffer.slice(data.byteOffset, data.byteOffset + data.length));"
        "console.log(JSON.stringify([...file.rows('node')]));"
    )
    told = subprocess.run(["node", "--input-type=module", "-e", code], capture_output=True, check=True, timeout=60)
    assert json.loads(told.stdout) == expected


def test_facts_that_no_document_states_have_a_page_and_are_found():
    with wiki_with(("boats.md", TEXT)) as wiki:
        fact = wiki.write("main", title="The gauge is read at noon", body="By <b>Anna</b>.")
        files = files_of(wiki)
    page = files["facts.html"].decode()
    assert f'<li id="{fact.id}">' in page and "By &lt;b&gt;Anna&lt;/b&gt;." in page
    assert json.loads(files["assets/addresses.json"])[fact.id] == f"facts.html#{fact.id}"
    assert "./facts.html" in Page(files["index.html"].decode()).links
