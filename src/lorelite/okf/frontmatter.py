"""Front matter: the YAML between two `---` lines.

Written is a subset every YAML reader takes. Read is what people and tools write there: maps and lists, as blocks and
as flows, quoted and plain scalars, block texts. Anchors, tags and complex keys are not read; the text stays as it is.
A YAML library would do more, but none can be had in a browser with nothing but this wheel.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`~=][^\n\t]*")
_NOT_TEXT = re.compile(
    r"null|true|false|yes|no|on|off|y|n|[-+]?(\.\d+|\d[\d_,.]*)([eE][-+]?\d+)?|0x[0-9a-f]+|0o[0-7]+|[-+]?\.(inf|nan)"
    r"|\d{4}-\d\d?-\d\d?([Tt ].*)?|\d+(:[0-5]?\d)+(\.\d*)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[-+]?(\d+|(\d+\.\d*|\.\d+)([eE][-+]?\d+)?|\d+[eE][-+]?\d+)")
_QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')"""
_KEY = re.compile(rf"""({_QUOTED}|[^\s#'"\[\]{{}},&*!|>%@`-][^#:]*?|[^\s:'"][^\s:]*?)\s{{0,99}}:(?:\s+(.*)|$)""")
_FENCE = re.compile(r"\ufeff?---[ \t]*\n(?:(.*?)\n)??(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
# A quote that is not closed reaches to the end, so that no other is looked for within it.
_COMMENT = re.compile(r"""("(?:[^"\\]|\\.)*+(?:"|\Z)|'(?:[^']|'')*+(?:'|\Z))|(?:^|(?<=\s))#.*""")
_QUOTED_TOKEN = re.compile(_QUOTED)


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A scalar that is written as it is: a moment, a date."""

    text: str


def emit(fields: Sequence[tuple[str, Any]]) -> str:
    """The fields as front matter, with its two lines."""
    lines = ["---"]
    for name, value in fields:
        key = _key(name)
        if isinstance(value, list | tuple) and value and not any(isinstance(item, Mapping) for item in value):
            lines.append(f"{key}:")
            lines += [f"  - {scalar(item)}" for item in value]
        elif isinstance(value, Mapping | list | tuple):
            lines.append(f"{key}: {_flow(value)}")
        else:
            lines.append(f"{key}: {scalar(value)}")
    return "\n".join([*lines, "---", ""])


def scalar(value: Any) -> str:
    """A value on one line; text is quoted where a reader would take it for something else."""
    if isinstance(value, Verbatim):
        return value.text
    if not isinstance(value, str):
        return json.dumps(value)
    is_plain = (
        _PLAIN.fullmatch(value)
        and not _NOT_TEXT.fullmatch(value)
        and ": " not in value
        and " #" not in value
        and not value.endswith((":", " "))
        and value.isprintable()
    )
    return value if is_plain else json.dumps(value, ensure_ascii=False)


@lru_cache(1024)
def _key(name: str) -> str:
    return scalar(name)


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{scalar(str(key))}: {_flow(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(_flow, value))
        return f"[ {inner} ]" if inner else "[]"
    return json.dumps(value.text if isinstance(value, Verbatim) else value, ensure_ascii=False)


def split(text: str) -> tuple[str | None, str]:
    """(front matter without its lines, or None when there is none; what follows it)"""
    found = _FENCE.match(text)
    return (None, text) if found is None else (found[1] or "", text[found.end() :])


def parse(text: str) -> dict[str, Any]:
    """The fields of front matter. Raises ValueError naming the line that is no field."""
    lines = [_Line(len(line) - len(line.lstrip(" ")), line.strip(), line) for line in text.split("\n")]
    try:
        value, rest = _block(lines, 0, 0)
    except RecursionError as error:
        raise ValueError("the front matter is nested too deeply") from error
    rest = _skip(lines, rest)
    if rest < len(lines):
        raise ValueError(f"line {rest + 1} of the front matter is no field: {lines[rest].text[:80]!r}")
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"the front matter is no list of fields: {str(value)[:80]!r}")
    return value


@dataclass(frozen=True, slots=True)
class _Line:
    indent: int
    text: str
    raw: str


def _skip(lines: list[_Line], at: int) -> int:
    while at < len(lines) and (not lines[at].text or lines[at].text.startswith("#")):
        at += 1
    return at


def _block(lines: list[_Line], at: int, indent: int) -> tuple[Any, int]:
    """The map or list that begins at line *at*, indented by *indent* at least; and the line after it."""
    at = _skip(lines, at)
    if at == len(lines) or lines[at].indent < indent:
        return None, at
    if lines[at].text == "-" or lines[at].text.startswith("- "):
        return _list(lines, at)
    return _map(lines, at)


def _map(lines: list[_Line], at: int) -> tuple[Any, int]:
    found: dict[str, Any] = {}
    indent = lines[at].indent
    while (at := _skip(lines, at)) < len(lines) and lines[at].indent == indent:
        key = _KEY.fullmatch(lines[at].text)
        if key is None:
            break
        found[str(_scalar(key[1], quoted_only=True))], at = _value(lines, at, key[2] or "", indent)
    return found, at


def _list(lines: list[_Line], at: int) -> tuple[Any, int]:
    found: list[Any] = []
    indent = lines[at].indent
    while (at := _skip(lines, at)) < len(lines) and lines[at].indent == indent:
        text = lines[at].text
        if text != "-" and not text.startswith("- "):
            break
        inner = text[1:].strip()
        if _KEY.fullmatch(inner) and not inner.startswith(("{", "[")):
            # "- key: value": a map whose first field stands behind the dash.
            width = len(text) - len(inner)
            lines[at] = _Line(indent + width, inner, " " * (indent + width) + inner)
            value, at = _map(lines, at)
        else:
            value, at = _value(lines, at, inner, indent)
        found.append(value)
    return found, at


def _value(lines: list[_Line], at: int, text: str, indent: int) -> tuple[Any, int]:
    """What stands behind a key or a dash: there, or in the lines below that are indented further."""
    if re.fullmatch(r"[|>][-+0-9]*(\s+#.*)?", text):
        return _block_text(lines, at + 1, text, indent)
    bare = _without_comment(text)
    if not bare:
        below = _skip(lines, at + 1)
        # A list may stand at its key's own depth.
        is_list = below < len(lines) and lines[below].indent == indent and lines[below].text.startswith("- ")
        return _block(lines, at + 1, indent if is_list else indent + 1)
    at += 1
    if bare[0] in "[{":
        while not _is_closed(bare) and at < len(lines):
            bare, at = f"{bare} {_without_comment(lines[at].text)}", at + 1
    return _scalar(bare), at


def _block_text(lines: list[_Line], at: int, marker: str, indent: int) -> tuple[str, int]:
    taken: list[str] = []
    while at < len(lines) and (not lines[at].text or lines[at].indent > indent):
        taken.append(lines[at].raw)
        at += 1
    depth = min((len(line) - len(line.lstrip(" ")) for line in taken if line.strip()), default=0)
    body = "\n".join(line[depth:] for line in taken)
    if marker.startswith(">"):
        body = re.sub(r"(?<=\S)\n(?=\S)", " ", body)
    body = body.rstrip("\n")
    return body + ("" if "-" in marker or not body else "\n"), at


def _without_comment(text: str) -> str:
    return _COMMENT.sub(lambda found: found[1] or "", text).strip()


def _is_closed(text: str) -> bool:
    bare = _QUOTED_TOKEN.sub("", text)
    return bare.count("[") + bare.count("{") <= bare.count("]") + bare.count("}")


def _scalar(text: str, *, quoted_only: bool = False) -> Any:
    if text[:1] == '"':
        found = re.match(r'"(?:[^"\\]|\\.)*"', text)
        try:
            return json.loads(found[0], strict=False) if found else text
        except ValueError:
            return text
    if text[:1] == "'":
        found = re.match(r"'((?:[^']|'')*)'", text)
        return found[1].replace("''", "'") if found else text
    if quoted_only:
        return text
    if text[:1] in ("[", "{"):
        try:
            return _Flow(text).value()
        except (IndexError, RecursionError):
            return text
    if text in ("", "~") or text.lower() == "null":
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _NUMBER.fullmatch(text) and len(text) < 300:
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
    return text


class _Flow:
    """`[a, {b: c}]`, read from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def value(self) -> Any:
        self._space()
        opening = self._text[self._at]
        if opening == "[":
            return self._items("]", self.value)
        if opening == "{":
            return dict(self._items("}", self._field))
        return _scalar(self._token(",]}"))

    def _items(self, closing: str, read: Any) -> list[Any]:
        self._at += 1
        found: list[Any] = []
        while True:
            self._space()
            if self._text[self._at] == closing:
                self._at += 1
                return found
            found.append(read())
            self._space()
            if self._text[self._at] == ",":
                self._at += 1

    def _field(self) -> tuple[str, Any]:
        key = str(_scalar(self._token(":,}"), quoted_only=True))
        self._space()
        if self._text[self._at] != ":":
            return key, None
        self._at += 1
        return key, self.value()

    def _token(self, ends: str) -> str:
        self._space()
        quoted = _QUOTED_TOKEN.match(self._text, self._at)
        begin = self._at
        self._at = quoted.end() if quoted else begin
        while self._text[self._at] not in ends:
            self._at += 1
        # A token that takes nothing would be read for ever.
        if self._at == begin:
            self._at += 1
        return self._text[begin : self._at].strip()

    def _space(self) -> None:
        while self._text[self._at].isspace():
            self._at += 1
