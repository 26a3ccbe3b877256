"""Tables of other programs: CSV, TSV, JSON, JSON Lines and Parquet files as rows."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lorelite.errors import CannotOpen, DumpError
from lorelite.text.strict_json import read_json

TABLE_SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")
_MAX_CELL = 100_000_000
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")

Row = dict[str, Any]


def find_table(folder: Path, names: Sequence[str]) -> Path | None:
    """The file of the first of *names* that the folder holds, whatever its format."""
    found = (folder / f"{name}{suffix}" for name in names for suffix in TABLE_SUFFIXES)
    return next((path for path in found if os.path.isfile(path)), None)  # False too for what is no path


def read_table(path: Path) -> Iterator[Row]:
    """The rows of a table, as mappings of the header's names. Raises CannotOpen, DumpError."""
    try:
        if path.suffix == ".parquet":
            yield from _parquet(path)
        elif path.suffix in (".csv", ".tsv"):
            yield from _separated(path)
        else:
            yield from _json(path)
    except OSError as error:
        raise CannotOpen(str(path), error.strerror or str(error)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DumpError(str(path), f"it cannot be read: {error}") from error


def listed(value: object) -> list[str]:
    """The texts of a cell that holds a list: one already, JSON, or the way Python and numpy print one."""
    if value is None or value == "":
        return []
    if isinstance(value, str):
        return _listed_text(value.strip())
    return [str(item) for item in value] if isinstance(value, Iterable) else [str(value)]


def _listed_text(text: str) -> list[str]:
    if not text.startswith("["):
        return [part for part in re.split(r"[,;|]\s*", text) if part]
    try:
        return [str(item) for item in json.loads(text)]
    except ValueError:
        quoted = [single or double for single, double in _QUOTED.findall(text)]
        return quoted or text.strip("[]").replace(",", " ").split()


def number(value: object, default: float) -> float:
    """A finite number, or the default."""
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return default
    return found if abs(found) < float("inf") else default


def text(value: object) -> str:
    """A cell as text; "" for what is missing."""
    return "" if value is None or value != value else str(value).strip()


def _separated(path: Path) -> Iterator[Row]:
    csv.field_size_limit(_MAX_CELL)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        sample = stream.read(4096)
        stream.seek(0)
        yield from csv.DictReader(stream, delimiter=_delimiter(path, sample))


def _delimiter(path: Path, sample: str) -> str:
    """What the header uses most: quoted cells may hold any of them."""
    if path.suffix == ".tsv":
        return "\t"
    header = sample.partition("\n")[0]
    return max(",;\t", key=lambda mark: (header.count(mark), -",;\t".index(mark)))


def _json(path: Path) -> Iterator[Row]:
    if path.suffix in (".jsonl", ".ndjson"):
        with path.open(encoding="utf-8-sig") as stream:
            for place, line in enumerate(stream, 1):
                if line.strip():
                    yield _row(_loaded(line, path, place), path)
        return
    value = _loaded(path.read_text("utf-8-sig"), path, 1)
    if not isinstance(value, list):
        raise DumpError(str(path), "expected a JSON array of objects")
    for item in value:
        yield _row(item, path)


def _loaded(source: str, path: Path, line: int) -> Any:
    try:
        return read_json(source)
    except ValueError as error:
        raise DumpError(str(path), f"line {line}: expected JSON ({error})") from error


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
