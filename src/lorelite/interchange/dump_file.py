"""The file format "lorelite-dump/1": JSON Lines that check themselves, written and read one row at a time.

{"format": "lorelite-dump/1", "generated_at": …, "namespaces": ["class"]}
{"namespace": {"name": "class", "created_at": …}}       what follows belongs to it
{"node": {"id": …, "kind": "fact", …}}                  one line per row: table and columns
{"end": {"rows": {"node": 1}, "sha256": "…"}}           the SHA-256 of all bytes before this line
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lorelite.errors import DumpError
from lorelite.interchange.columns import RowRefused, checked, is_storable, is_whole
from lorelite.text.strict_json import MAX_DEPTH, read_json

FORMAT = "lorelite-dump/1"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_BYTES_AT_ONCE = 200_000

Item = tuple[str, dict[str, Any]]
"""(table, row); ("namespace", {name, created_at, summary}) begins a namespace."""


def write_lines(header: Mapping[str, Any], items: Iterable[Item]) -> Iterator[bytes]:
    """The lines of a dump."""
    digest = hashlib.sha256()
    counts: Counter[str] = Counter()
    line = _line({"format": FORMAT, **header})
    digest.update(line)
    yield line
    for table, row in items:
        line = _line({table: row})
        digest.update(line)
        yield line
        counts[table] += 1
    yield _line({"end": {"rows": dict(sorted(counts.items())), "sha256": digest.hexdigest()}})


def is_header(line: bytes) -> bool:
    """Whether a file that begins with this line is a dump of ours, of whichever version."""
    try:
        header = read_json(line.decode())
    except ValueError:
        return False
    return isinstance(header, dict) and str(header.get("format")).startswith("lorelite-dump/")


def read_lines(lines: Iterable[bytes], name: str) -> Iterator[Item]:
    """The items of a dump, each row checked. Raises DumpError with the number of the line; the end is checked too."""
    digest = hashlib.sha256()
    counts: Counter[str] = Counter()
    number, is_begun, is_ended = 0, False, False
    for number, (line, item) in enumerate(_parsed(lines), 1):
        if is_ended:
            if line.strip():
                raise DumpError(name, "there is more after the end", number)
            continue
        if not line.endswith(b"\n"):
            raise DumpError(name, "it is cut off within a line", number)
        if type(item) is dict and len(item) == 1 and b"\\u" not in line and number > 1:
            [(key, value)] = item.items()
        else:
            key, value = _keyed(line, item, name, number)
        if number == 1:
            if value != FORMAT:
                raise DumpError(name, f"expected the format {FORMAT!r}, found {value!r}; a newer Lorelite reads it", 1)
        elif key == "end":
            _check_end(value, counts, digest.hexdigest(), name, number)
            is_ended = True
            continue
        else:
            if key != "namespace" and not is_begun:
                raise DumpError(name, f"expected a namespace before the first {key}", number)
            is_begun = True
            try:
                yield key, (_namespace(value) if key == "namespace" else checked(key, value))
            except RowRefused as refused:
                raise DumpError(name, str(refused), number) from refused
            counts[key] += 1
        digest.update(line)
    if not is_ended:
        raise DumpError(name, "it is cut off: the last line is missing", number + 1)


def _parsed(lines: Iterable[bytes]) -> Iterator[tuple[bytes, Any]]:
    """Each line and what it says, or the error that it raises. Many are read as one array, which is twice as fast."""
    held: list[bytes] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size > _BYTES_AT_ONCE:
            yield from _read(held)
            held, size = [], 0
    yield from _read(held)


def _read(lines: Sequence[bytes]) -> Iterator[tuple[bytes, Any]]:
    items: Any = ()
    if all(line.count(b"[") + line.count(b"{") < MAX_DEPTH for line in lines):
        with suppress(ValueError):
            # Decoded here: `json.loads` lets bytes pass that are half a character.
            items = json.loads((b"[" + b",".join(lines) + b"]").decode())
    if len(items) != len(lines):
        items = map(_read_one, lines)
    yield from zip(lines, items, strict=True)


def _read_one(line: bytes) -> Any:
    try:
        return read_json(line.decode())
    except ValueError as error:
        return error


def _keyed(line: bytes, item: Any, name: str, number: int) -> tuple[str, Any]:
    """The key and the value of a line; of the first line, "format" and what it says."""
    if isinstance(item, Exception):
        raise DumpError(name, f"expected JSON ({item})", number) from item
    if b"\\u" in line and _holds_unstorable(line, item):
        raise DumpError(name, "it holds a NUL or half a character, which cannot be stored", number)
    if number == 1 and isinstance(item, dict):
        return "format", item.get("format")
    if not isinstance(item, dict) or len(item) != 1:
        raise DumpError(name, "expected an object with one key, the table", number)
    [(key, value)] = item.items()
    return key, value


def _holds_unstorable(line: bytes, item: Any) -> bool:
    if b"\\u0000" not in line and b"\\ud" not in line.lower():
        return False
    return not is_storable(item)


def _namespace(value: Any) -> dict[str, Any]:
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("name"), str)
        or not is_whole(value.get("created_at", 0))
        or not isinstance(value.get("summary", ""), str)
    ):
        raise RowRefused("namespace: expected an object with a name")
    return {
        "name": value["name"],
        "created_at": value.get("created_at", 0),
        "summary": value.get("summary", ""),
    }


def _check_end(value: Any, counts: Counter[str], digest: str, name: str, number: int) -> None:
    said = value if isinstance(value, dict) else {}
    if said.get("rows") != dict(counts):
        raise DumpError(name, f"it does not hold what its end says: {said.get('rows')}, found {dict(counts)}", number)
    if said.get("sha256") != digest:
        raise DumpError(name, "its SHA-256 is not what its end says: it was changed or damaged", number)


def _line(item: Mapping[str, Any]) -> bytes:
    return _encode(item).encode() + b"\n"
