"""A document's text as HTML: headings, lists, tables, code, names that lead to their pages, places to jump to."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lorelite.graph.drawing import xml_text as escaped
from lorelite.text.headings import FRONT_MATTER, find_headings
from lorelite.text.markdown import code_fences, front_matter, pipe_tables
from lorelite.text.span import Span
from lorelite.text.tables import Cell, delimited_rows, pipe_rows

_ITEM = re.compile(r"[ \t]{0,20}(?:[-*+•]|\d{1,4}[.)])[ \t]+")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
_HEADING = re.compile(r"[^\S\n]{0,3}#{1,6}[^\S\n]+|[^\S\n]+#+[^\S\n]*$")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_INLINE = re.compile(
    r"`(?P<code>[^`\n]{1,500})`"
    r"|\*\*(?P<strong>[^*\n]{1,500})\*\*"
    r"|(?<![\w*])\*(?P<em>[^*\s][^*\n]{0,500})\*(?![\w*])"
    r"|(?<!\w)_(?P<under>[^_\s][^_\n]{0,500})_(?!\w)"
    r"|\[\[(?:[^\[\]|\n]{1,300}\|)?(?P<wiki>[^\[\]|\n]{1,300})\]\]"
    r"|(?<!!)\[(?P<label>[^\[\]\n]{1,300})\]\((?P<url>[^()\s]{1,2000})(?:[ \t]+\"[^\"\n]{0,300}\")?\)"
)
_ELEMENTS = {"code": "code", "strong": "strong", "em": "em", "under": "em"}
_SAFE = re.compile(r"https?://", re.IGNORECASE)
_TABLE_ROWS = 2000
"""Of a longer CSV the first are shown as a table, the rest as the lines they are."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is marked in a text: `names` lead to pages, `places` can be jumped to."""

    text: str
    names: Sequence[tuple[Span, str]] = ()
    """(span, address) of names, not overlapping, in reading order."""
    places: Sequence[int] = ()
    """Offsets, in order; the one at offset n has the id "at-n"."""
    starts: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", [span.start for span, _ in self.names])


def as_html(reading: Reading, name: str) -> str:
    """The text of a document called *name*; CSV and TSV are one table."""
    text = reading.text
    ending = name.rpartition(".")[2].lower()
    if ending in ("csv", "tsv"):
        delimiter = "\t" if ending == "tsv" else max(",;\t", key=text.split("\n", 1)[0].count)
        rows = delimited_rows(text, delimiter)
        if rows and len(rows) <= _TABLE_ROWS:
            return _table(reading, rows)
    if ending in ("csv", "tsv", "json", "jsonl", "ndjson", "ipynb", "xml"):
        return _code(reading, Span(0, len(text)))
    return "\n".join(_blocks(reading))


def anchors(reading: Reading, start: int, end: int) -> str:
    """Every place from *start* up to, but without, *end*."""
    first, last = bisect_left(reading.places, start), bisect_left(reading.places, end)
    return "".join(f'<span id="at-{at}" class="at"></span>' for at in reading.places[first:last])


def _blocks(reading: Reading) -> Iterator[str]:
    """Everything in reading order: what is told apart by its marks, and the prose between."""
    text = reading.text
    marked: list[tuple[Span, Callable[[Span], str]]] = []
    matter = FRONT_MATTER.match(text)
    if matter:
        marked.append((Span(*matter.span()), lambda span: _front_matter(reading, span)))
    marked += [(span, lambda span: _code(reading, span)) for span in code_fences(text)]
    marked += [(span, lambda span: _table(reading, pipe_rows(text, span))) for span in pipe_tables(text)]
    for heading in find_headings(text):
        level = min(heading.level + 1, 6)
        marked.append((Span(heading.start, heading.end), lambda span, level=level: _heading(reading, span, level)))  # type: ignore[misc]
    position = 0
    for span, shown in sorted(marked, key=lambda found: (found[0].start, -found[0].end)):
        if span.start >= position:
            yield from _prose(reading, position, span.start)
            yield shown(span)
            position = span.end
    yield from _prose(reading, position, len(text))


def _prose(reading: Reading, start: int, end: int) -> Iterator[str]:
    position = start
    for gap in [*_BLANK_LINES.finditer(reading.text, start, end), None]:
        until = gap.start() if gap else end
        if reading.text[position:until].strip():
            yield _paragraph(reading, position, until)
        else:
            yield anchors(reading, position, until)
        position = gap.end() if gap else end
        if gap:
            yield anchors(reading, gap.start(), gap.end())


def _paragraph(reading: Reading, start: int, end: int) -> str:
    lines = list(_lines(reading.text, start, end))
    if any(_ITEM.match(reading.text, *line) for line in lines):
        return _list(reading, lines)
    if all(_QUOTE.match(reading.text, *line) for line in lines):
        quoted = "\n".join(_inline(reading, _QUOTE.match(reading.text, *line).end(), line[1]) for line in lines)  # type: ignore[union-attr]
        return f'<blockquote dir="auto">{anchors(reading, start, start + 1)}{quoted}</blockquote>'
    return f'<p dir="auto">{_inline(reading, start, end)}</p>'


def _list(reading: Reading, lines: Sequence[tuple[int, int]]) -> str:
    """Lines with a mark are items; those without go on with the one before."""
    items: list[str] = []
    before: list[str] = []
    for start, end in lines:
        mark = _ITEM.match(reading.text, start, end)
        if mark:
            items.append(anchors(reading, start, mark.end()) + _inline(reading, mark.end(), end))
        elif items:
            items[-1] += "\n" + _inline(reading, start, end)
        else:
            before.append(_inline(reading, start, end))
    shown = "".join(f'<li dir="auto">{item}</li>' for item in items)
    return "".join(f'<p dir="auto">{line}</p>' for line in before) + f"<ul>{shown}</ul>"


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if stop > start:
            yield start, stop
        start = stop + 1


def _heading(reading: Reading, span: Span, level: int) -> str:
    text = reading.text
    line = span.of(text).split("\n", 1)[0]  # what underlines a title is no part of it
    opening = _HEADING.match(line)
    start = span.start + (opening.end() if opening else 0)
    shown = anchors(reading, span.start, start) + _inline(reading, start, span.start + len(line))
    return f'<h{level} dir="auto">{shown}</h{level}>'


def _front_matter(reading: Reading, span: Span) -> str:
    rows = "".join(
        f"<dt>{escaped(found.key)}</dt>"
        + "".join(f'<dd dir="auto">{_inline(reading, *_ends(at))}</dd>' for _, at in found.values)
        for found in front_matter(reading.text)
    )
    return f'{anchors(reading, span.start, span.start + 3)}<dl class="matter">{rows}</dl>'


def _ends(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _code(reading: Reading, span: Span) -> str:
    return f"<pre>{_named(reading, span.start, span.end)}</pre>"


def _table(reading: Reading, rows: Sequence[Sequence[Cell]]) -> str:
    def row(cells: Iterable[Cell], element: str) -> str:
        return "".join(f'<{element} dir="auto">{_inline(reading, *_ends(cell.span))}</{element}>' for cell in cells)

    head, *body = rows
    lines = "\n".join(f"<tr>{row(cells, 'td')}</tr>" for cells in body)
    return f'<div class="wide"><table><thead><tr>{row(head, "th")}</tr></thead><tbody>\n{lines}\n</tbody></table></div>'


def _inline(reading: Reading, start: int, end: int) -> str:
    """A stretch of text with its emphasis, code and links."""
    parts: list[str] = []
    position = start
    for found in _INLINE.finditer(reading.text, start, end):
        kind = str(found.lastgroup)
        group = "label" if kind == "url" else kind
        inner = _named(reading, *found.span(group))
        parts.append(_named(reading, position, found.start()))
        parts.append(anchors(reading, found.start(), found.start(group)))
        if kind in _ELEMENTS:
            parts.append(f"<{_ELEMENTS[kind]}>{inner}</{_ELEMENTS[kind]}>")
        elif kind == "url" and _SAFE.match(found["url"]) and "<a " not in inner:
            parts.append(f'<a class="out" href="{escaped(found["url"])}" rel="noreferrer">{inner}</a>')
        else:
            parts.append(inner)
        parts.append(anchors(reading, found.end(group), found.end()))
        position = found.end()
    return "".join([*parts, _named(reading, position, end)])


def _named(reading: Reading, start: int, end: int) -> str:
    """A stretch of plain text in which names are links."""
    parts: list[str] = []
    position = start
    for span, address in reading.names[bisect_left(reading.starts, start) :]:
        if span.start >= end:
            break
        if span.end <= end and span.start >= position:
            parts.append(_placed(reading, position, span.start))
            parts.append(f'<a href="{escaped(address)}">{_placed(reading, span.start, span.end)}</a>')
            position = span.end
    return "".join([*parts, _placed(reading, position, end)])


def _placed(reading: Reading, start: int, end: int) -> str:
    """A stretch of text as it is, with the places in it."""
    first, last = bisect_left(reading.places, start), bisect_left(reading.places, end)
    parts: list[str] = []
    position = start
    for at in reading.places[first:last]:
        parts.append(f'{escaped(reading.text[position:at])}<span id="at-{at}" class="at"></span>')
        position = at
    return "".join([*parts, escaped(reading.text[position:end])])
