"""What Markdown states exactly: front matter, links, code, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lorelite.text.headings import FRONT_MATTER
from lorelite.text.span import Span


@dataclass(frozen=True, slots=True)
class Field:
    """One `key: value` of a front matter; a list has one entry per item, each with its span."""

    key: str
    values: tuple[tuple[str, Span], ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another document: `target` as written, `label` as shown, `shown` its span, `span` the whole."""

    target: str
    label: str
    shown: Span
    span: Span
    is_wiki: bool


_FIELD = re.compile(r"^(?P<key>[^\W\d][\w .-]{0,40}?)[ \t]*:(?:[ \t]+(?P<value>[^\n]*))?$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*-[ \t]+(?P<value>[^\n]*)$", re.MULTILINE)
_LIST_VALUE = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^,\[\]]+")
_GUTENBERG = re.compile(
    r"^\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*$|^\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
_WIKI_LINK = re.compile(r"\[\[(?P<target>[^\[\]|#\n]{1,120})(?:#[^\[\]|\n]*)?(?:\|(?P<label>[^\[\]\n]{1,120}))?\]\]")
_LINK = re.compile(r"(?<!!)\[(?P<label>[^\[\]\n]{1,120})\]\((?P<target>[^()\s]{1,300})(?:[ \t]+\"[^\"\n]*\")?\)")
_FENCE = re.compile(
    r"^[ \t]{0,3}(?P<fence>```|~~~)[^\n]*\n.*?(?:^[ \t]{0,3}(?P=fence)[^\n]*$|\Z)", re.DOTALL | re.MULTILINE
)
_GAP = r"[ \t]{0,20}"
_TABLE_RULE = re.compile(rf"^{_GAP}\|?{_GAP}:?-{{2,}}:?{_GAP}(?:\|{_GAP}:?-{{2,}}:?{_GAP})+\|?{_GAP}$", re.MULTILINE)
_DOCUMENT_NAME = re.compile(
    r"(?:^|/)(?P<stem>[^/#?]+)\.(?:md|markdown|txt|rst|org|html?|ipynb)(?:#.*)?$", re.IGNORECASE
)


def front_matter(text: str) -> list[Field]:
    """The fields of a `---` block at the start, or of the header of a Project Gutenberg text."""
    block = FRONT_MATTER.match(text)
    if block:
        return list(_fields(text, block.start(1), block.end(1)))
    start, _ = book_bounds(text)
    return [field for field in _fields(text, 0, start) if field.key in ("Title", "Author", "Language", "Illustrator")]


def book_bounds(text: str) -> tuple[int, int]:
    """The span of the text proper: without the licence before and after a Project Gutenberg book."""
    start, end = 0, len(text)
    for match in _GUTENBERG.finditer(text):
        if "START" in match[0].upper():
            start = match.end()
        else:
            end = match.start()
            break
    return (start, end) if start <= end else (0, len(text))


def _fields(text: str, start: int, end: int) -> Iterator[Field]:
    matches = list(_FIELD.finditer(text, start, end))
    for number, match in enumerate(matches):
        following = matches[number + 1].start() if number + 1 < len(matches) else end
        if match["value"] and match["value"].strip():
            values = _inline_values(text, match.start("value"), match.end("value"))
        else:
            items = _ITEM.finditer(text, match.end(), following)
            values = [_unquoted(text, *item.span("value")) for item in items]
        values = [value for value in values if value[0]]
        if values:
            yield Field(match["key"].strip(), tuple(values))


def _inline_values(text: str, start: int, end: int) -> list[tuple[str, Span]]:
    value = text[start:end].strip()
    if value.startswith("[") and value.endswith("]") and not value.startswith("[["):
        return [_unquoted(text, *item.span()) for item in _LIST_VALUE.finditer(text, start, end)]
    return [_unquoted(text, start, end)]


def _unquoted(text: str, start: int, end: int) -> tuple[str, Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end - start >= 2 and text[start] == text[end - 1] and text[start] in "\"'":
        start, end = start + 1, end - 1
    return text[start:end], Span(start, end)


def document_links(text: str) -> list[Link]:
    """`[[target]]`, `[[target|label]]` and `[label](other.md)` in reading order; links to web pages are left out."""
    links = []
    for match in _WIKI_LINK.finditer(text):
        group = "label" if match["label"] else "target"
        shown = _trimmed(text, *match.span(group))
        links.append(Link(match["target"].strip(), shown.of(text), shown, Span(*match.span()), True))
    for match in _LINK.finditer(text):
        document = _DOCUMENT_NAME.search(match["target"])
        if document and "://" not in match["target"]:
            stem = " ".join(document["stem"].replace("%20", " ").replace("_", " ").replace("-", " ").split())
            shown = _trimmed(text, *match.span("label"))
            links.append(Link(stem, shown.of(text), shown, Span(*match.span()), False))
    return sorted((link for link in links if link.target and link.label), key=lambda link: link.span.start)


def _trimmed(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return Span(start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip())))


def code_fences(text: str) -> list[Span]:
    """The fenced code blocks."""
    return [Span(*match.span()) for match in _FENCE.finditer(text)]


def pipe_tables(text: str) -> list[Span]:
    """The tables written with `|` and a dashed line under the header."""
    tables: list[Span] = []
    for rule in _TABLE_RULE.finditer(text):
        start = text.rfind("\n", 0, max(0, rule.start() - 1)) + 1
        if rule.start() == 0 or "|" not in text[start : rule.start()] or (tables and start < tables[-1].end):
            continue
        end = rule.end()
        while end < len(text):
            line_end = text.find("\n", end + 1)
            line_end = len(text) if line_end < 0 else line_end
            if "|" not in text[end + 1 : line_end]:
                break
            end = line_end
        tables.append(Span(start, end))
    return tables


# Every quantifier is bounded or stops at its own opening character: linear on hostile text.
_SYNTAX = re.compile(
    # links, keeping their labels
    r"!?\[(?=[^\[\]\n]{0,300}\]\()|\]\([^()\s]{0,2000}(?:[ \t]+\"[^\"\n]{0,300}\")?\)|\[\[(?:[^\[\]|\n]{0,300}\|)?|\]\]"
    r"|</?[A-Za-z][^<>\n]{0,2000}>|https?://\S+|www\.\S+|`[^`\n]{1,500}`|\[Illustration[^\[\]]{0,2000}\]"
)


def _comments(text: str) -> list[Span]:
    spans, end = [], 0
    while (start := text.find("<!--", end)) >= 0 and (close := text.find("-->", start)) >= 0:
        end = close + 3
        spans.append(Span(start, end))
    return spans


def masked_prose(text: str, hidden: list[Span]) -> str:
    """The text with `hidden` spans and Markdown syntax blanked out, every other character in its old place."""
    return blanked(text, [*hidden, *_comments(text), *(Span(*match.span()) for match in _SYNTAX.finditer(text))])


def blanked(text: str, hidden: list[Span]) -> str:
    """The text with spaces for every character of the `hidden` spans; line breaks stay."""
    pieces: list[str] = []
    position = 0
    for span in sorted(hidden):
        if span.end > position:
            start = max(span.start, position)
            pieces += text[position:start], _blank(text[start : span.end])
            position = span.end
    return "".join([*pieces, text[position:]])


def _blank(part: str) -> str:
    return "\n".join(" " * len(line) for line in part.split("\n"))
