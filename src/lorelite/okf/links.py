"""Links: a relative path from one file of a bundle to another, and the links of a Markdown text."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

_TARGET = r"[^()\s<>]{0,500}(?:\([^()\s]{0,500}\)[^()\s<>]{0,500}){0,9}"
# A label of bounded length: else each of many opening brackets would be followed to the end of the text.
_LINK = re.compile(rf"(?<!!)\[((?:[^\[\]\\\n]|\\.){{0,300}})\]\(\s*<?({_TARGET})>?(?:\s+\"[^\"\n]*\")?\s*\)")
_CODE = re.compile(r"(?ms)^(?:```|~~~).*?^(?:```|~~~)|`[^`\n]+`")
_ESCAPE = re.compile(r"([\\\[\]])")


def escaped(text: str) -> str:
    """*text* as the label of a link, on one line."""
    return _ESCAPE.sub(r"\\\1", " ".join(text.split("\n")))


def unescaped(label: str) -> str:
    return re.sub(r"\\([\\\[\]])", r"\1", label)


def relative(path: str, start: str) -> str:
    """The way from file *start* to file *path*, beginning with a dot."""
    folder, name = posixpath.split(path)
    if folder == posixpath.dirname(start):
        return f"./{name}"
    way = posixpath.relpath(path, posixpath.dirname(start) or ".")
    return way if way.startswith("../") else f"./{way}"


def links(text: str) -> Iterator[tuple[str, str]]:
    """(label, target) of every link outside of code, in order."""
    for found in _LINK.finditer(_CODE.sub(lambda code: " " * len(code[0]), text)):
        yield unescaped(found[1]), found[2]


def resolved(target: str, start: str) -> str | None:
    """The file of the bundle that a link in file *start* means; None for one that leads out of it."""
    path = unquote(target.split("#")[0].split("?")[0])
    if not path or re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", path):
        return None
    base = "" if path.startswith("/") else posixpath.dirname(start)
    found = posixpath.normpath(posixpath.join(base, path.lstrip("/")))
    return None if found.startswith("..") else found
