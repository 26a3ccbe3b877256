"""What can be imported: a dump in memory, a file or its bytes, and the JSON of the program Lorelite learned from."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from lorelite.dumps import MemoryDump
from lorelite.errors import CannotOpen, DumpError, InvalidOption
from lorelite.interchange.columns import COLUMNS, RowRefused, checked, is_storable
from lorelite.interchange.dump_file import Item, is_header, read_lines
from lorelite.interchange.reference import ReferenceReader
from lorelite.options import file_path
from lorelite.text.strict_json import read_json

_PLACES = {table: place for place, table in enumerate(COLUMNS)}
SQLITE_MARK = b"SQLite format 3\0"


@contextmanager
def items_of(source: object, reference: ReferenceReader) -> Iterator[Iterable[Item]]:
    """The rows of *source*, checked, one at a time; *reference* reads the other program's. Raises DumpError."""
    if isinstance(source, MemoryDump):
        yield _of_memory(source)
    elif isinstance(source, Mapping):
        yield reference.items(source, "the mapping")
    elif isinstance(source, bytes | bytearray | memoryview):
        yield _of_stream(io.BytesIO(source), "the bytes", reference)
    elif isinstance(source, str | os.PathLike):
        path = file_path(source)
        with opened(path) as stream:
            yield _of_stream(stream, path, reference)
    elif hasattr(source, "readline"):
        yield _of_stream(source, "the stream", reference)
    else:
        raise InvalidOption("source", "a MemoryDump, a path, an open file, bytes or a mapping", source)


def _of_memory(dump: MemoryDump) -> Iterator[Item]:
    for name, found in dump.namespaces.items():
        yield "namespace", {"name": name, "created_at": found.created_at, "summary": found.summary}
        # What is referred to comes first, whichever way the dump was put together.
        for table in sorted(found.rows, key=lambda table: _PLACES.get(table, len(_PLACES))):
            for row in found.rows[table]:
                try:
                    item = checked(table, dict(row))
                    if not is_storable(row):
                        raise RowRefused(f"{table}: it holds a NUL or half a character, which cannot be stored")
                    yield table, item
                except RowRefused as refused:
                    raise DumpError("in memory", f"namespace {name!r}: {refused}") from refused


def _of_stream(stream: Any, name: str, reference: ReferenceReader) -> Iterator[Item]:
    lines = lines_of(stream, name)
    first = next(lines, b"")
    if first.startswith(SQLITE_MARK):
        raise DumpError(
            name, "it is an SQLite file; import_llm_wiki reads one of core-llm-wiki, import_file one of Lorelite"
        )
    if is_header(first):
        return read_lines(chain([first], lines), name)
    return reference.items(_json(b"".join(chain([first], lines)), name), name)


def opened(path: str) -> BinaryIO:
    """The file, to be read. Raises CannotOpen."""
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        raise CannotOpen(path, getattr(error, "strerror", None) or str(error)) from error


def lines_of(stream: Any, name: str) -> Iterator[bytes]:
    """Its lines as bytes. Raises DumpError when it cannot be read, InvalidOption when it is no open file."""
    while True:
        try:
            line = stream.readline()
        except (OSError, ValueError) as error:
            raise DumpError(name, f"it cannot be read: {error}") from error
        if not line:
            return
        if isinstance(line, str):
            line = line.encode("utf-8", "surrogatepass")
        if not isinstance(line, bytes | bytearray):
            raise InvalidOption("source", "an open file", stream)
        yield bytes(line)


def _json(data: bytes, name: str) -> Any:
    if not data.strip():
        raise DumpError(name, "it is empty")
    try:
        return read_json(data.decode("utf-8-sig"), object_pairs_hook=_compacted)
    except ValueError as error:
        raise DumpError(name, f"expected a dump of Lorelite or of core-llm-wiki, found no JSON ({error})") from error


def _compacted(pairs: list[tuple[str, Any]]) -> Any:
    """Bytes written as {"0": 1, "1": 2, …} become bytes at once: dictionaries would take a hundred times more."""
    if len(pairs) > 3 and pairs[0][0] == "0":
        try:
            return bytes([value for _, value in pairs])
        except (TypeError, ValueError):
            pass
    return dict(pairs)
