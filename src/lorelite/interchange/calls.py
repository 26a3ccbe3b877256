"""The file format "lorelite-calls/1": recorded model calls as JSON Lines that check themselves.

{"format": "lorelite-calls/1"}
{"namespace": "class", "purpose": "answer", "model": …}     one line per call; what is left out is empty
{"end": {"calls": 1, "sha256": "…"}}                        the SHA-256 of all bytes before this line

The same calls give the same bytes, whichever file they are in.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lorelite import options
from lorelite.call_records import Call, CallImport
from lorelite.engine import Engine
from lorelite.errors import DumpError, InvalidOption
from lorelite.interchange.columns import COLUMNS, RowRefused, checked, compact, is_storable
from lorelite.interchange.sources import lines_of, opened
from lorelite.interchange.whole_file import whole_file
from lorelite.reports import ExportReport
from lorelite.store.calls import CallFilter
from lorelite.store.dump import snapshot
from lorelite.text.strict_json import read_json

FORMAT = "lorelite-calls/1"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def call_row(call: Call) -> dict[str, Any]:
    """The call as a row of a dump, without its namespace."""
    return compact("call", {name: getattr(call, name) for name in COLUMNS["call"]})


def exported_calls(engine: Engine, which: CallFilter) -> bytes:
    """The calls as the bytes of a file."""
    return b"".join(_written(engine, which, {}))


def export_calls(engine: Engine, which: CallFilter, path: str) -> ExportReport:
    """The calls as a file, which is there whole or not at all."""
    counts: dict[str, int] = {}
    size = 0
    with whole_file(path) as stream, snapshot(engine.store.db):
        for line in _written(engine, which, counts):
            size += stream.write(line)
    calls = counts.pop("call", 0)
    return ExportReport(path=path, namespaces=tuple(counts), counts={"call": calls}, size_bytes=size)


def import_calls(engine: Engine, source: object, namespace: str | None) -> CallImport:
    """Take calls in, all of them or, on an error, none. Raises DumpError with the number of the line."""
    with engine.store.db.aside():
        taken, known = engine.store.calls.load(_calls_in(source, namespace))
    return CallImport(calls=taken, known=known)


def _written(engine: Engine, which: CallFilter, counts: dict[str, int]) -> Iterator[bytes]:
    digest = hashlib.sha256()
    for item in _items(engine, which, counts):
        line = _encode(item).encode() + b"\n"
        digest.update(line)
        yield line
    yield _encode({"end": {"calls": counts.get("call", 0), "sha256": digest.hexdigest()}}).encode() + b"\n"


def _items(engine: Engine, which: CallFilter, counts: dict[str, int]) -> Iterator[Mapping[str, Any]]:
    yield {"format": FORMAT}
    for call in engine.store.calls.each(which):
        counts["call"] = counts.get("call", 0) + 1
        counts.setdefault(call.namespace, 0)
        yield {"namespace": call.namespace, **call_row(call)}


def _calls_in(source: object, namespace: str | None) -> Iterator[Call]:
    if isinstance(source, bytes | bytearray | memoryview):
        yield from _read(lines_of(io.BytesIO(source), "the bytes"), "the bytes", namespace)
    elif hasattr(source, "readline"):
        yield from _read(lines_of(source, "the stream"), "the stream", namespace)
    elif isinstance(source, str) or hasattr(source, "__fspath__"):
        path = options.file_path(source)
        with opened(path) as stream:
            yield from _read(lines_of(stream, path), path, namespace)
    else:
        raise InvalidOption("source", "a path, an open file or bytes", source)


def _read(lines: Iterable[bytes], name: str, namespace: str | None) -> Iterator[Call]:
    digest = hashlib.sha256()
    number, is_ended = 0, False
    for number, line in enumerate(lines, 1):
        item = _item(line, name, number)
        if number == 1:
            if item.get("format") != FORMAT:
                raise DumpError(name, f"expected the format {FORMAT!r}, found {item.get('format')!r}", 1)
        elif is_ended:
            raise DumpError(name, "there is more after the end", number)
        elif "end" in item:
            if item["end"] != {"calls": number - 2, "sha256": digest.hexdigest()}:
                raise DumpError(name, "it is not what its end says: it was changed or damaged", number)
            is_ended = True
        else:
            yield _call(item, name, number, namespace)
        digest.update(line)
    if not is_ended:
        raise DumpError(name, "it is cut off: the last line is missing", number + 1)


def _item(line: bytes, name: str, number: int) -> dict[str, Any]:
    try:
        item = read_json(line.decode())
    except ValueError as error:
        raise DumpError(name, f"expected a line of JSON ({error})", number) from error
    if not isinstance(item, dict):
        raise DumpError(name, "expected an object", number)
    return item


def _call(item: dict[str, Any], name: str, number: int, namespace: str | None) -> Call:
    try:
        whose = item.pop("namespace", "")
        if whose != "":
            options.namespace(whose)
        row = checked("call", item)
        if not is_storable(item):
            raise RowRefused("it holds a NUL or half a character, which cannot be stored")
    except (RowRefused, InvalidOption) as refused:
        raise DumpError(name, str(refused), number) from refused
    return Call(namespace=namespace or whose, **row)
