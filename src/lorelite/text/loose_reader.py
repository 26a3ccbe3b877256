"""A reader of almost-JSON that never looks far ahead, so its time is linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_DEPTH = 100

_BLANK = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)
_SPACE = re.compile(r"\s*")
_SHORT_COMMENT = re.compile(r"(?:(?://|#)[^\n]{0,200}\n\s*|/\*.{0,200}?\*/\s*)?", re.DOTALL)
_DOUBLED_BRACE = re.compile(r"\}\s*,\s*\{")
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_FULLWIDTH = {"：": ":", "，": ",", "｛": "{", "｝": "}", "［": "[", "］": "]"}
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": '”“"', "”": "”", "„": "“”", "«": "»", "‘": "’"}
_STOPS = {quote: re.compile(rf"[\\{closers}]") for quote, closers in _QUOTES.items()}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "'": "'", "\n": "\n"}
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_LITERALS = {
    "true": True, "false": False, "null": None, "none": None, "nan": None, "undefined": None, "infinity": None,
    "-infinity": None,
}  # fmt: skip
_LITERAL = re.compile(
    r"(?:(?P<number>[+-]?(?:\d{1,300}(?:\.\d*)?|\.\d{1,300})(?:[eE][+-]?\d{1,4})?)"
    rf"|(?P<word>{'|'.join(_LITERALS)}))(?=\s*(?:[,，}}\])\"“{{\[\n#]|//|/\*))",
    re.IGNORECASE,
)
_BARE = re.compile(r"[^,，\]}）)\n]*")
_BARE_KEY = re.compile(r"""[^:：,{}\[\]"'“”\n]{0,80}""")
_KEY_FOLLOWS = re.compile(
    r"""\s*["'`“„«][^"'`“”„«»{}\[\]\n]{0,80}(?:["'`“”»]\s*(?:[:：=]|\Z)|\Z)|\s*[A-Za-z_]\w{0,60}["']?\s*(?:[:：=]|\Z)"""
)
_QUOTED_KEY = re.compile(r"""["“][A-Za-z_][\w -]{0,40}["”]\s*[:：]\s*["“\[{\dtfnTFN-]""")
_ELEMENT_FOLLOWS = re.compile(r"""\s*(?:["'“{\[(\]}]|[-\d]|(?:true|false|null|None|True|False)\b|\.\.\.|\Z)""")
_CLOSING_QUOTE = re.compile(r"""["”]\s*(?:[,，}\]]|\Z)""")
_HALF_QUOTED_KEY = re.compile(r"\w{1,40}\s*:\s*")
_NEXT_OBJECT = re.compile(r"\}\s*,\s*\{$")
_NEAR = 400


class TooDeep(Exception):
    """The value is nested deeper than MAX_DEPTH."""


class _Cut(Exception):
    """The text ended inside a string or literal, which therefore is not to be trusted."""


_NOTHING = object()


def merge_pairs(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """A dict of *pairs* in which a key given twice keeps both of its lists, else the last value that says something."""
    merged: dict[str, object] = {}
    for key, value in pairs:
        earlier = merged.get(key)
        if isinstance(earlier, list) and isinstance(value, list):
            merged[key] = [*earlier, *value]
        elif key not in merged or value not in (None, "", [], {}):
            merged[key] = value
    return merged


class LooseReader:
    """Reads the one value that begins at *position* of *text*; afterwards `position` is its end.

    `complete` turns False when the text ends before the value does.
    """

    def __init__(self, text: str, position: int) -> None:
        self.text = text
        self.position = position
        self.complete = True
        self._open: list[str] = []
        self._has_inner_quotes = False

    def read(self) -> object:
        return self._container()

    def _container(self) -> object:
        if len(self._open) >= MAX_DEPTH:
            raise TooDeep
        self._open.append(_CLOSERS[self._peek()])
        self.position += 1
        value = self._object() if self._open[-1] == "}" else self._array()
        self._open.pop()
        return value

    def _object(self) -> object:
        pairs: list[tuple[str, object]] = []
        self._blank()
        if self._peek() == "{":
            return self._array()  # a list in the wrong brackets
        while not self._closed(last=pairs[-1][1] if pairs else None):
            if pairs and self._peek() == "{" and "]" in self._open:
                break  # the next element of a list: our own closer was forgotten
            before = self.position
            try:
                key = self._key()
                self._blank()
                if self._peek() not in (":", "="):
                    if self.position == before:
                        self.position += 1
                    continue
                self.position += 2 if self.text.startswith("=>", self.position) else 1
                value = self._value()
            except _Cut:
                self.complete = False
                break
            if value is not _NOTHING:
                pairs.append((key, value))
        return merge_pairs(pairs)

    def _array(self) -> list[object]:
        values: list[object] = []
        while not self._closed(last=values[-1] if values else None):
            before = self.position
            try:
                value = self._value()
            except _Cut:
                self.complete = False
                break
            if value is not _NOTHING:
                values.append(value)
            elif self.position == before:
                self.position += 1
        return values

    def _closed(self, last: object) -> bool:
        """Skip blanks and commas; True at the end of the innermost container, whatever marks it."""
        while True:
            self._blank()
            char = self._peek()
            if not char:
                self.complete = False
                return True
            if char in ",;":
                self.position += 1
            elif char == self._open[-1]:
                self.position += 1
                return True
            elif char in "}])":
                if self._is_surplus(char, last):
                    self.position += 1
                else:
                    return True  # the closer of an outer container: ours was forgotten
            else:
                return False

    def _is_surplus(self, closer: str, last: object) -> bool:
        """Whether *closer* closes nothing that is open, or is a doubled brace between two elements."""
        if closer not in self._open:
            return True
        doubled = closer == "}" and isinstance(last, dict) and "]" not in self._open[:-1]
        return doubled and bool(_DOUBLED_BRACE.match(self.text, self.position))

    def _key(self) -> str:
        char = self._peek()
        if char in _QUOTES:
            return self._string(char, is_key=True)
        start = self.position
        self.position = _end(_BARE_KEY, self.text, start)
        key = self.text[start : self.position].strip()
        if self._peek() in ('"', "'", "”"):
            self.position += 1
        return key

    def _value(self) -> object:
        self._blank()
        char = self._peek()
        if not char:
            raise _Cut
        if char in _CLOSERS:
            return self._container()
        if char in _QUOTES:
            return self._string(char, is_key=False)
        return self._bare()

    def _bare(self) -> object:
        """A number, a literal, or text that lost its opening quote or both."""
        start = self.position
        if self.text.startswith("</", start):  # a draft that was given up
            self.position = len(self.text)
            raise _Cut
        if literal := _LITERAL.match(self.text, start):
            self.position = literal.end()
            return _number(literal["number"]) if literal["number"] else _LITERALS[literal["word"].lower()]
        quote = self.text.find('"', start, start + _NEAR)
        if quote >= 0 and _lost_opening_quote(self.text, start, quote):
            self.position = quote + 1
            return self.text[start:quote].strip()
        end = _end(_BARE, self.text, start)
        self.position = end
        if end == len(self.text):
            raise _Cut
        token = self.text[start:end].strip().strip('"”').strip()
        return _NOTHING if token in ("", "...", "…") else token

    def _string(self, quote: str, *, is_key: bool) -> str:
        """The string that opens with *quote* here. A quote inside it that nothing structural follows is text."""
        stops = _STOPS[quote]
        parts: list[str] = []
        if self.text.startswith(quote * 3, self.position):
            closing = self.text.find(quote * 3, self.position + 3)
            if closing >= 0:
                begin, self.position = self.position + 3, closing + 3
                return self.text[begin:closing]
        self.position += 1
        begin = start = self.position
        while match := stops.search(self.text, start):
            at = match.start()
            parts.append(self.text[start:at])
            if at + 1 == len(self.text) and match.group() == "\\":
                break
            if match.group() == "\\":
                piece, start = _escape(self.text, at)
                parts.append(piece)
            elif not is_key and self._may_be_cut(at):
                break
            elif self._ends_string(at, is_key):
                self.position = at + 1
                return "".join(parts)
            elif is_key and _HALF_QUOTED_KEY.fullmatch(self.text, begin, at):
                self.position = self.text.index(":", begin)
                return self.text[begin : self.position].strip()
            elif not is_key and (comma := _forgotten_close(self.text, begin, at)) is not None:
                self.position = comma
                value = "".join(parts)
                return value[: len(value) - (at - comma)]
            else:
                self._has_inner_quotes = self._has_inner_quotes or not is_key
                parts.append(match.group())
                start = at + 1
        self.position = len(self.text)
        raise _Cut

    def _may_be_cut(self, at: int) -> bool:
        """Whether the text ends behind the quote at *at*, in a text that has shown that its quotes need not close."""
        rest = self.text[at + 1 : at + 1 + _NEAR].strip()
        return self._has_inner_quotes and rest in ("", ",", "，") and len(self.text) <= at + 1 + _NEAR

    def _ends_string(self, at: int, is_key: bool) -> bool:
        text = self.text
        after = _near_blank(text, at + 1)
        char = _FULLWIDTH.get(text[after : after + 1], text[after : after + 1])
        if not char:
            return True
        if is_key:
            return char in ":=,}]"
        if char in "}])":
            return char in self._open
        if char in ",;":
            follows = _KEY_FOLLOWS if self._open[-1] == "}" else _ELEMENT_FOLLOWS
            rest = _near_blank(text, after + 1)
            next_char = text[rest : rest + 1]
            return (
                bool(follows.match(text, rest))
                or next_char in ("", "}", "]", ")")
                or (next_char == "{" and "]" in self._open)
            )
        if self._open[-1] == "}":
            return char in "\"'“" and bool(_KEY_FOLLOWS.match(text, after))
        return char in '"“{[' and after > at + 1

    def _blank(self) -> None:
        self.position = _end(_BLANK, self.text, self.position)

    def _peek(self) -> str:
        char = self.text[self.position : self.position + 1]
        return _FULLWIDTH.get(char, char)


def _near_blank(text: str, position: int) -> int:
    """Where the space and at most one short comment after *position* end."""
    return _end(_SHORT_COMMENT, text, _end(_SPACE, text, position))


def _lost_opening_quote(text: str, start: int, quote: int) -> bool:
    """Whether the quote at *quote* closes a string whose opening quote is missing at *start*."""
    before = text[start:quote].rstrip()
    return bool(before) and before[-1] not in ",:{[" and bool(_CLOSING_QUOTE.match(text, quote))


def _forgotten_close(text: str, begin: int, at: int) -> int | None:
    """Where a string that lacks its closing quote ends, if a quoted key begins at *at*."""
    if not _QUOTED_KEY.match(text, at):
        return None
    floor = max(begin, at - _NEAR)
    before = text[floor:at].rstrip()
    gap = text[floor + len(before) : at]
    if next_object := _NEXT_OBJECT.search(before):
        return floor + next_object.start()
    if before.endswith(","):
        return floor + len(before) - 1
    return floor + len(before) if "\n" in gap else None


def _escape(text: str, at: int) -> tuple[str, int]:
    """What the backslash at *at* stands for, and where reading goes on. Unknown escapes keep their backslash."""
    char = text[at + 1]
    if char == "u":
        match = _HEX.match(text, at + 2)
        return (chr(int(match.group(), 16)), match.end()) if match else ("\\u", at + 2)
    if char in _ESCAPES:
        return _ESCAPES[char], at + 2
    return "\\", at + 1


def _number(token: str) -> int | float:
    try:
        return int(token)
    except ValueError:
        return float(token)


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where *pattern*, which may match nothing, stops matching."""
    match = pattern.match(text, position)
    return match.end() if match else position
