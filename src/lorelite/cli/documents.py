"""The documents that the arguments of `ingest` name."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lorelite.cli.html_text import html_text
from lorelite.errors import UnreadableDocument
from lorelite.text.clean import decode_document

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Input:
    """A document to read: its name and the file it stands in, or None for standard input."""

    source_ref: str
    path: Path | None

    def text(self, limit: int) -> str:
        """What it says; HTML as the text that it shows. Raises UnreadableDocument, without reading more than needed."""
        try:
            if self.path is None:
                data = sys.stdin.buffer.read()
            else:
                if self.path.stat().st_size > 4 * limit:
                    raise UnreadableDocument(self.source_ref, f"the file is larger than {4 * limit:,} bytes; split it")
                data = self.path.read_bytes()
        except OSError as error:
            raise UnreadableDocument(self.source_ref, error.strerror or str(error)) from error
        text = decode_document(data, self.source_ref)
        is_html = self.path is not None and self.path.suffix.lower() in (".html", ".htm", ".xhtml")
        return html_text(text) if is_html else text


def inputs(arguments: Sequence[str], stdin_name: str | None, database: str) -> list[Input]:
    """The documents in the order given, each once.

    A folder stands for all its files, but for hidden ones and the *database* with what SQLite keeps beside it.
    """
    found: dict[str, Input] = {}
    for argument in arguments:
        for each in _inputs(argument, stdin_name, Path(database).resolve()):
            found.setdefault(each.source_ref, each)
    return list(found.values())


def _inputs(argument: str, stdin_name: str | None, database: Path) -> Iterator[Input]:
    path = Path(argument)
    if argument == STDIN:
        yield Input(stdin_name or "stdin", None)
    elif path.is_dir():
        for file in sorted(path.rglob("*")):
            is_hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            is_ours = file.name.startswith(database.name) and file.parent.resolve() == database.parent
            if file.is_file() and not is_hidden and not is_ours:
                yield Input(file.as_posix(), file)
    else:
        yield Input(path.as_posix(), path)
