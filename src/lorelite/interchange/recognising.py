"""What a file or folder is that somebody wants imported, told by what it holds."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from lorelite.errors import CannotOpen, DumpError
from lorelite.interchange.dump_file import is_header
from lorelite.interchange.edge_lists import LISTS_OF_EDGES, LISTS_OF_NODES, has_two_ends
from lorelite.interchange.sources import SQLITE_MARK
from lorelite.interchange.tables import TABLE_SUFFIXES, delimiter_of, find_table
from lorelite.text.strict_json import read_json

Kind = Literal["dump", "okf", "graph", "graphrag", "replies"]
"""dump: of Lorelite or of core-llm-wiki, whose SQLite file counts as one."""

IMPORTABLE = (
    "a dump of Lorelite, a folder or zip of Markdown files (OKF), core-llm-wiki's SQLite file or JSON dump, a graph as "
    "GraphML, JSON (node-link, or lists of nodes and edges) or a table of edges (CSV, TSV, JSON Lines, Parquet), "
    "a folder with the tables of Microsoft GraphRAG, or a model's tuple replies"
)

_HEAD = 65_536
_GRAPHRAG_TABLES = ("entities", "create_final_entities")
_BINARY = {
    b"%PDF": "a PDF file",
    b"\x1f\x8b": "a gzip file, which has to be unpacked first",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"7z\xbc\xaf": "a 7z file, which has to be unpacked first",
}
_ROOT = re.compile(r"<([A-Za-z][\w:.-]*)")
_TUPLE = re.compile(r"""\(\s*\\?["']?(?:entity|relationship)\\?["']?\s*<\|>|<\|COMPLETE\|>""", re.IGNORECASE)
_CALLS = '{"format": "lorelite-calls/'


def kind_of(path: Path) -> Kind:
    """What *path* is. Raises CannotOpen, and DumpError that names what was found and what can be imported."""
    try:
        if path.is_dir():
            return _of_folder(path)
        with path.open("rb") as stream:
            head = stream.read(_HEAD)
        if head.startswith(b"PK\x03\x04"):
            return _of_zip(path)
        return _of_bytes(path, head)
    except (OSError, ValueError) as error:
        raise CannotOpen(str(path), getattr(error, "strerror", None) or str(error)) from error


def _unknown(path: Path, found: str) -> DumpError:
    return DumpError(str(path), f"found {found}; expected {IMPORTABLE}")


def _of_folder(path: Path) -> Kind:
    if find_table(path, _GRAPHRAG_TABLES):
        return "graphrag"
    if find_table(path / "output", _GRAPHRAG_TABLES):
        raise _unknown(
            path, f"a project of Microsoft GraphRAG, whose tables are in {path / 'output'}, which can be imported"
        )
    if next(path.rglob("*.md"), None):
        return "okf"
    raise _unknown(path, "a folder with neither Markdown files nor a table of entities")


def _of_zip(path: Path) -> Kind:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile as error:
        raise _unknown(path, f"a damaged zip ({error})") from error
    if any(name.endswith(".md") for name in names):
        return "okf"
    raise _unknown(path, "a zip without Markdown files")


def _of_bytes(path: Path, head: bytes) -> Kind:
    if not head.strip():
        raise _unknown(path, "an empty file")
    if head.startswith(SQLITE_MARK):
        return "dump"
    if head.startswith(b"PAR1"):
        return _graph(path, "Parquet", (".parquet",))
    if found := next((found for mark, found in _BINARY.items() if head.startswith(mark)), None):
        raise _unknown(path, found)
    is_utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = head.decode("utf-16" if is_utf16 else "utf-8-sig", "ignore")
    if "\0" in text:
        raise _unknown(path, "a binary file")
    return _of_text(path, text.lstrip(), head)


def _of_text(path: Path, text: str, head: bytes) -> Kind:
    if text.startswith("<"):
        roots = _ROOT.findall(text)
        if "graphml" in roots:
            return _graph(path, "GraphML", (".graphml", ".xml"))
        raise _unknown(path, f"XML or HTML of <{roots[0] if roots else '?'}>")
    if is_header(head.partition(b"\n")[0]):
        return "dump"
    if text.startswith(_CALLS):
        raise _unknown(path, "recorded model calls, which `lorelite calls import` takes in")
    if text.startswith(("{", "[")):
        return _of_json(path, text)
    if _TUPLE.search(text):
        return "replies"
    return _of_table(path, text)


def _of_json(path: Path, text: str) -> Kind:
    first = text.partition("\n")[0].strip()
    if first.startswith("{") and first.endswith("}") and text.count("\n") > 0:  # a table in JSON Lines, if that is one
        row = _json(first)
        if isinstance(row, Mapping) and has_two_ends(row):
            return _graph(path, "JSON Lines", (".jsonl", ".ndjson"))
    if _TUPLE.search(text):
        return "replies"
    value = _json(path.read_bytes().decode("utf-8-sig", "replace"))
    if isinstance(value, Mapping):
        if isinstance(value.get("entities"), Mapping):
            return "dump"
        if any(isinstance(value.get(name), list) for name in (*LISTS_OF_EDGES, *LISTS_OF_NODES)) or "elements" in value:
            return _graph(path, "JSON", (".json",))
        raise _unknown(path, f"JSON with the keys {', '.join(map(str, list(value)[:8])) or 'none'}")
    if isinstance(value, list) and value:
        if isinstance(value[0], list) or (isinstance(value[0], Mapping) and has_two_ends(value[0])):
            return _graph(path, "JSON", (".json",))
        raise _unknown(path, "a JSON list of something else than edges, which have a source and a target")
    raise _unknown(path, "JSON that is cut off or damaged" if value is None else "JSON without a graph in it")


def _json(text: str) -> Any:
    try:
        return read_json(text)
    except ValueError:
        return None


def _of_table(path: Path, text: str) -> Kind:
    header = text.partition("\n")[0].rstrip("\r")
    columns = [name.strip() for name in next(csv.reader(io.StringIO(header), delimiter=delimiter_of(header)), [])]
    if len(columns) > 1 and has_two_ends(dict.fromkeys(columns, "x")):
        return _graph(path, "a table", (".csv", ".tsv") if delimiter_of(header) == "\t" else (".csv",))
    if path.suffix.lower() in TABLE_SUFFIXES and len(columns) > 1:
        raise _unknown(
            path, f"a table with the columns {', '.join(columns[:8])} (edges need two such as source and target)"
        )
    raise _unknown(path, "a text, which `lorelite ingest` takes in as a document")


def _graph(path: Path, form: str, suffixes: tuple[str, ...]) -> Kind:
    """The readers of graphs go by the name, so that one which says something else is told of."""
    if path.suffix.lower() in suffixes:
        return "graph"
    raise DumpError(str(path), f"found a graph as {form}; expected a name that ends in {' or '.join(suffixes)}")
