"""Reading JSON as language models really write it.

Strict JSON is tried first, value by value; only a value that is not strict JSON meets the tolerant reader of
`lorelite.text.loose_reader`. Text around values is skipped, and so is reasoning in <think> tags.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from lorelite.errors import BadReply
from lorelite.text.loose_reader import MAX_DEPTH, LooseReader, TooDeep, merge_pairs

_REASONING = re.compile(r"<(?P<slash>/?)(?P<name>think|thinking|thought|reasoning)>", re.IGNORECASE)
_LANDMARK = re.compile(_REASONING.pattern + r"|[{\[]", re.IGNORECASE)
_OBJECT = re.compile(r"""\{\s*(?:["'`“”„«}]|//|/\*|#)""")
_BARE_OBJECT = re.compile(r"""\{\s*[A-Za-z_][\w-]{0,63}["'”]?\s*[:：]""")
_ARRAY = re.compile(r"""\[\s*(?:[]{\[("'“„\d-]|//|/\*|(?:true|false|null|None|True|False)\b)""")
_FIRST_QUOTE = re.compile(r"""[{\[]\s*(?P<quote>["']|\\"|&quot;|&#34;|&#x22;)""")
_ESCAPED = re.compile(r'\\(["\\n]|\Z)')
_BRACKET = re.compile(r"[\[\]{}]")

_ESCAPED_LETTER = re.compile(r"\\u((?!00[0-7])[0-9a-fA-F]{4})")  # escaped twice; ASCII never needs it
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SURROGATE_PAIR = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")
# JSON reads \frac, \beta, \rho, \theta, \nabla as an escape and a rest.
_LATEX = re.compile(
    r"(?P<f>\x0c)(?=[A-Za-z])|(?P<b>\x08)(?=[A-Za-z])|(?P<r>\r)(?=[a-z])"
    r"|(?P<t>\t)(?=imes\b|heta\b|ilde\b|riangle|ext(?:bf|it|rm)?\{)|(?P<n>\n)(?=abla\b)"
)


@dataclass(frozen=True, slots=True)
class LooseJson:
    """A value read from a reply; `complete` is False when the reply ended inside it."""

    value: object
    complete: bool


@dataclass(frozen=True, slots=True)
class _Found:
    value: object
    complete: bool
    quoted: bool
    """False for an object whose keys are bare: it may be a mere brace in prose."""


def parse_loose_json(text: str) -> object:
    """The data of a model's reply: one value, or the list of the values when there are several.

    Tolerates prose, code fences, reasoning blocks, comments, trailing and missing commas, other quotes, Python
    literals, unescaped quotes and line breaks, wrong closers, repeated keys (lists are joined) and truncation
    (complete members are kept; a string or number cut short is dropped, never guessed).
    Strings come back without control characters and lone surrogates; NaN and infinities become None.
    Raises BadReply when the text holds no JSON, or JSON nested deeper than 100 levels. Linear in the text.
    """
    return read_loose_json(text).value


def read_loose_json(text: str) -> LooseJson:
    """`parse_loose_json`, together with whether the reply was complete."""
    try:
        chosen = _chosen(_values(text))
    except TooDeep:
        raise BadReply(f"JSON nested at most {MAX_DEPTH} levels deep", text) from None
    if not chosen:
        raise BadReply("JSON", text)
    value = chosen[0].value if len(chosen) == 1 else [each.value for each in chosen]
    return LooseJson(_clean(value), all(each.complete for each in chosen))


def _nesting(text: str) -> int:
    """The deepest nesting of brackets, those inside strings counted too: a cheap upper bound for JSON.

    `json.loads` must not meet more than `MAX_DEPTH`: in WebAssembly its recursion ends the whole interpreter.
    """
    depth = deepest = 0
    for match in _BRACKET.finditer(text):
        if match[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif depth:
            depth -= 1
    return deepest


def without_reasoning(text: str) -> str:
    """Prose without its reasoning blocks; empty when the reply ends inside one."""
    kept: list[str] = []
    position = 0
    reasoning = False
    for tag in _REASONING.finditer(text):
        if not tag["slash"] and not reasoning:
            kept.append(text[position : tag.start()])
        elif tag["slash"] and not reasoning:
            kept.clear()  # a lone closing tag: all before it was reasoning
        reasoning = not tag["slash"]
        position = tag.end()
    if not reasoning:
        kept.append(text[position:])
    return "".join(kept).strip()


def clean_reply(text: str) -> str:
    """*text* fit for storing and showing: no control characters, no lone surrogates, LaTeX commands whole."""
    if text.isascii() and text.isprintable() and "\\u" not in text:
        return text
    text = _ESCAPED_LETTER.sub(lambda match: chr(int(match[1], 16)), text)
    text = _SURROGATE_PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    text = _LATEX.sub(lambda match: f"\\{match.lastgroup}", _ANSI.sub("", text))
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def _values(text: str) -> list[_Found]:
    """Every JSON value that stands outside reasoning, in order."""
    strict = _nesting(text) <= MAX_DEPTH
    if strict and (whole := _whole(text)):
        return [whole]
    text = _unescaped(text)
    found: list[_Found] = []
    position = 0
    while landmark := _LANDMARK.search(text, position):
        position = landmark.end()
        if landmark["name"] and landmark["slash"]:
            found.clear()  # a lone closing tag: all before it was reasoning
        elif landmark["name"]:
            position = _after_reasoning(text, landmark)
        else:
            value, position = _value_at(text, landmark.start(), strict)
            if value and not value.complete and (resumed := _after_last_tag(text, landmark.start())):
                position = resumed  # a draft that was never finished
            elif value:
                found.append(value)
    return found


def _whole(text: str) -> _Found | None:
    """The whole text as strict JSON, if it is; a string that itself holds JSON is opened."""
    try:
        value = _DECODER.decode(text.strip())
    except ValueError:
        return None
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        inner = _chosen(_values(value))
        return inner[0] if len(inner) == 1 else None
    return _Found(value, complete=True, quoted=True)


def _value_at(text: str, start: int, strict: bool) -> tuple[_Found | None, int]:
    """The value that begins with the bracket at *start*, if it is one, and where to go on."""
    quoted = bool((_OBJECT if text[start] == "{" else _ARRAY).match(text, start))
    if not quoted and not _BARE_OBJECT.match(text, start):
        return None, start + 1
    if strict and quoted:
        try:
            value, end = _DECODER.raw_decode(text, start)
            return _Found(value, complete=True, quoted=True), end
        except ValueError:
            pass
    reader = LooseReader(text, start)
    return _Found(reader.read(), reader.complete, quoted), reader.position


_DECODER = json.JSONDecoder(object_pairs_hook=merge_pairs, parse_constant=lambda _: None)


def _after_reasoning(text: str, opened: re.Match[str]) -> int:
    closing = re.compile(f"</{opened['name']}>", re.IGNORECASE).search(text, opened.end())
    return closing.end() if closing else len(text)


def _after_last_tag(text: str, start: int) -> int | None:
    """Behind the last closing tag after *start*, if data may follow it. (Looked for once: a cut value is the last.)"""
    tags = [tag.end() for tag in _REASONING.finditer(text, start) if tag["slash"]]
    return tags[-1] if tags and _BRACKET.search(text, tags[-1]) else None


def _unescaped(text: str) -> str:
    """The text before somebody escaped the whole of it."""
    first = _FIRST_QUOTE.search(text)
    if first and first["quote"].startswith("&"):
        return html.unescape(text)
    if first and first["quote"].startswith("\\"):
        # A single backslash at the end is half of an escape.
        return _ESCAPED.sub(lambda match: {"n": "\n", "": ""}.get(match[1], match[1]), text)
    return text


def _chosen(values: list[_Found]) -> list[_Found]:
    """The values that carry data: objects before mere lists, quoted keys before bare ones."""
    ranks: tuple[Callable[[_Found], bool], ...] = (
        lambda each: each.quoted and _holds_members(each.value),
        lambda each: _holds_members(each.value),
        lambda each: each.value not in ({}, []),
    )
    for carries_data in ranks:
        if chosen := [each for each in values if carries_data(each)]:
            return chosen
    return values[:1]


def _holds_members(value: object) -> bool:
    if isinstance(value, dict):
        return bool(value)
    return isinstance(value, list) and any(isinstance(each, dict | list) and each for each in value)


def _clean(value: object) -> object:
    if isinstance(value, dict):
        return {clean_reply(str(key)): _clean(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_clean(each) for each in value]
    if isinstance(value, str):
        return clean_reply(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
