"""What the commands print: text for people, one JSON document for programs."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from lorelite.records import Citation

_QUOTE_CHARS = 240
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def say(*lines: str) -> None:
    """Print lines of the result."""
    for line in lines:
        print(visible(line), flush=True)


def complain(line: str) -> None:
    """One line on stderr."""
    if sys.stderr is not None:  # closed by the shell; print would take stdout in its place
        print(f"lorelite: {visible(' '.join(line.split()))}", file=sys.stderr)


def say_json(value: object) -> None:
    """Print one JSON document; records become objects with their fields."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=2)
    print(_STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def plain(value: object) -> Any:
    """*value* made of dicts, lists, texts and numbers."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def place(citation: Citation) -> str:
    """Where a citation stands, as file:start-end."""
    return f"{citation.source_ref}:{citation.start}-{citation.end}"


def quoted(text: str) -> str:
    """The text in quotation marks on one line, cut to a readable length."""
    return f"“{shortened(text, _QUOTE_CHARS)}”"


def shortened(text: str, limit: int) -> str:
    """The text on one line, cut after a word where it is longer than *limit*."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[:limit]
    return f"{cut.rsplit(' ', 1)[0] if ' ' in cut[limit // 2 :] else cut} …"


def visible(text: str) -> str:
    """The text without controls and direction overrides: a document must not be able to steer the terminal."""
    return _STEERING.sub("\ufffd", text)


def plural(count: int, noun: str) -> str:
    """For example "1 edge", "1,204 edges", "2 entities"."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def make_safe(stream: TextIO) -> None:
    """Let *stream* take any text: UTF-8 into files and pipes, escapes for what a terminal cannot show."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is None:  # replaced, as test runners and notebooks do
        return
    if stream.isatty():
        reconfigure(errors="backslashreplace")
    else:
        reconfigure(encoding="utf-8", errors="backslashreplace")
