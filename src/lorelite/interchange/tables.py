"""Tables of other programs: CSV, TSV, JSON, JSON Lines and Parquet files as rows."""

from __future__ import annotations

import codecs
import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from lorelite.errors import CannotOpen, DumpError
from lorelite.text.clean import clean_text
from lorelite.text.strict_json import read_json

TABLE_SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")
_MAX_CELL = 100_000_000
_DELIMITERS = ",;\t|"
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")

Row = dict[str, Any]


def find_table(folder: Path, names: Sequence[str]) -> Path | None:
    """The file of the first of *names* that the folder holds, whatever its format."""
    found = (folder / f"{name}{suffix}" for name in names for suffix in TABLE_SUFFIXES)
    return next((path for path in found if os.path.isfile(path)), None)  # False too for what is no path


def read_table(path: Path) -> Iterator[Row]:
    """The rows of a table, as mappings of the header's names; blank ones are left out, of two columns of one name the
    first counts. Raises CannotOpen, DumpError.
    """
    suffix = path.suffix.lower()
    with reading(path):
        if suffix == ".parquet":
            yield from _parquet(path)
        elif suffix in (".csv", ".tsv"):
            yield from _separated(path, suffix)
        elif suffix in (".jsonl", ".ndjson"):
            yield from _json_lines(path)
        else:
            yield from _json(path)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What goes wrong while a file is read, as CannotOpen, or as DumpError when it holds something else."""
    try:
        is_path = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_path = False
    if not is_path:
        raise CannotOpen(str(path), "expected a file path")
    try:
        yield
    except OSError as error:
        raise CannotOpen(str(path), error.strerror or str(error)) from error
    except (UnicodeError, csv.Error) as error:
        raise DumpError(str(path), f"expected text in UTF-8: {error}") from error


def opened(path: Path, newline: str | None = None) -> TextIO:
    """A text in UTF-8, or in UTF-16 with a byte-order mark."""
    with path.open("rb") as stream:
        mark = stream.read(2)
    is_utf16 = mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return path.open(encoding="utf-16" if is_utf16 else "utf-8-sig", newline=newline)


def json_of(source: str, path: Path, line: int = 1) -> Any:
    """The JSON of a text, without the lone surrogates that nothing can store. Raises DumpError."""
    try:
        value = read_json(source)
    except ValueError as error:
        raise DumpError(str(path), f"line {line}: expected JSON ({error})") from error
    return _storable(value) if "\\ud" in source.lower() else value


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(name): _storable(item) for name, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value


def listed(value: object) -> list[str]:
    """The texts of a cell that holds a list: one already, JSON, or the way Python and numpy print one."""
    if isinstance(value, str):
        return _listed_text(value.strip())
    items = value if isinstance(value, Iterable) else [value]
    return [found for item in items if (found := text(item))]


def _listed_text(source: str) -> list[str]:
    if not source.startswith("["):
        return [part for part in re.split(r"[,;|]\s*", source) if part]
    try:
        return listed(read_json(source))
    except ValueError:
        quoted = [single or double for single, double in _QUOTED.findall(source)]
        return quoted or source.strip("[]").replace(",", " ").split()


def number(value: object, default: float) -> float:
    """A finite number, or the default."""
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return default
    return found if abs(found) < float("inf") else default


def text(value: object) -> str:
    """A cell as text; "" for what is missing. A whole number is one however it was written: 2.0 is 2."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool | Mapping | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()


def _separated(path: Path, suffix: str) -> Iterator[Row]:
    csv.field_size_limit(_MAX_CELL)
    with opened(path, newline="") as stream:
        sample = stream.read(4096)
        stream.seek(0)
        rows = csv.reader(stream, delimiter="\t" if suffix == ".tsv" else delimiter_of(sample))
        header = [name.strip() for name in next(rows, [])]
        if not any(header):
            raise DumpError(str(path), "expected a header, found an empty line" if sample else "it is empty")
        for cells in rows:
            if any(map(str.strip, cells)):
                row: Row = {}
                for name, cell in zip(header, cells, strict=False):
                    row.setdefault(name, cell)
                yield row


def delimiter_of(sample: str) -> str:
    """What the header of a table uses most: quoted cells may hold any of them."""
    header = sample.partition("\n")[0]
    return max(_DELIMITERS, key=lambda mark: (header.count(mark), -_DELIMITERS.index(mark)))


def _json_lines(path: Path) -> Iterator[Row]:
    with opened(path) as stream:
        for place, line in enumerate(stream, 1):
            if line.strip():
                yield _row(json_of(line, path, place), path)


def _json(path: Path) -> Iterator[Row]:
    with opened(path) as stream:
        value = json_of(stream.read(), path)
    if not isinstance(value, list):
        raise DumpError(str(path), "expected a JSON array of objects")
    for item in value:
        yield _row(item, path)


def _row(value: object, path: Path) -> Row:
    if not isinstance(value, dict):
        raise DumpError(str(path), f"expected objects, found {type(value).__name__}")
    return value


def _parquet(path: Path) -> Iterator[Row]:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise DumpError(str(path), "reading Parquet needs pyarrow: pip install 'lorelite[parquet]'") from error
    try:
        for batch in ParquetFile(path).iter_batches(1000):
            yield from batch.to_pylist()
    except OSError:
        raise
    except Exception as error:
        raise DumpError(str(path), f"it is no Parquet file that can be read: {error}") from error
