"""Bundles on disk: a folder, or a zip of one."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from lorelite.errors import CannotOpen, DumpError
from lorelite.okf.bundle_file import REST_FILE, OkfFile

MAX_FILE_BYTES = 64 * 1024 * 1024
MAX_BUNDLE_BYTES = 1024 * 1024 * 1024
"""What a bundle may hold: a zip of a few kilobytes can unpack to more than any memory."""
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""One time for every entry of a zip, so that the same bundle makes the same bytes."""


def write_bundle(files: Iterable[OkfFile], path: str | os.PathLike[str]) -> int:
    """Write a bundle into a new or empty folder, or into *path* as a zip if it ends in ".zip"; gives the files' number.

    Raises CannotOpen when the folder holds something already, or cannot be written.
    """
    target, found = Path(path), list(files)
    try:
        if target.suffix.lower() == ".zip":
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
                for file in found:
                    archive.writestr(zipfile.ZipInfo(file.path, _MOMENT), file.content, zipfile.ZIP_DEFLATED)
            return len(found)
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise CannotOpen(str(target), "it holds something already; choose a new or an empty folder")
        for file in found:
            place = target / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise CannotOpen(str(target), error.strerror or str(error)) from error
    return len(found)


def read_bundle(path: str | os.PathLike[str]) -> list[OkfFile]:
    """The Markdown files of a folder or a zip, and our rows beside them. Links in folders are not followed.

    Raises CannotOpen when nothing can be read there, DumpError when it is too large or no UTF-8.
    """
    source = Path(path)
    try:
        entries = _of_folder(source) if source.is_dir() else _of_zip(source)
        return [OkfFile(name, _text(source, name, data)) for name, data in _within_limit(source, entries)]
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise CannotOpen(str(source), f"expected a folder or a zip of Markdown files: {error}") from error


def _is_wanted(name: str) -> bool:
    return name.endswith(".md") or name.rsplit("/", 1)[-1] == REST_FILE


def _of_folder(source: Path) -> Iterator[tuple[str, bytes]]:
    for folder, names, files in os.walk(source):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            place = Path(folder) / name
            if _is_wanted(name) and not place.is_symlink():
                _check_size(source, place.stat().st_size)
                yield place.relative_to(source).as_posix(), place.read_bytes()


def _of_zip(source: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(source) as archive:
        for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
            if _is_wanted(entry.filename) and not entry.is_dir():
                _check_size(source, entry.file_size)
                with archive.open(entry) as stream:
                    # One byte more than allowed: what the zip says of its sizes need not be true.
                    data = stream.read(MAX_FILE_BYTES + 1)
                _check_size(source, len(data))
                yield entry.filename, data


def _check_size(source: Path, size: int) -> None:
    if size > MAX_FILE_BYTES:
        raise DumpError(str(source), f"one of its files has more than {MAX_FILE_BYTES:,} bytes")


def _within_limit(source: Path, entries: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    total = 0
    for name, data in entries:
        total += len(data)
        if total > MAX_BUNDLE_BYTES:
            raise DumpError(str(source), f"it holds more than {MAX_BUNDLE_BYTES:,} bytes")
        yield name, data


def _text(source: Path, name: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DumpError(
            str(source), f"its file {name!r} is no UTF-8 ({error.reason} at byte {error.start:,})"
        ) from error
