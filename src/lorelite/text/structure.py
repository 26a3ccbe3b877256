"""What a document states by its form, exactly and in any language: links, fields, tables, records, headings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container
from dataclasses import dataclass

from lorelite.text.gathering import Gathering
from lorelite.text.headings import Heading, find_headings, plain_title
from lorelite.text.json_records import gather_json, long_strings, looks_like_json, parse_json
from lorelite.text.markdown import (
    Field,
    blanked,
    book_bounds,
    code_fences,
    document_links,
    front_matter,
    masked_prose,
    pipe_tables,
)
from lorelite.text.span import Span
from lorelite.text.stopwords import words_of
from lorelite.text.tables import delimited_rows, gather_table, pipe_rows
from lorelite.text.title_key import title_key
from lorelite.text.values import is_short_text, label, looks_like_name

_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,8})$")
_SEPARATORS = re.compile(r"[\s_\-]+")
_TITLE_KEYS = ("title", "titel", "titre", "título", "titolo", "标题", "शीर्षक")
_ALIAS_KEYS = ("alias", "aliases", "also_known_as")
_TAG_KEYS = ("tags", "tag", "keywords", "categories")
_TYPE_KEYS = ("type", "kind", "category")
_PROSE_WORDS = 4
# A line of a table of contents: wording, a gap or dots, a page number.
_CONTENTS_LINE = re.compile(r"^[^\n]{0,200}?\S(?: {3,100}|[ .]{4,100})\d{1,4}$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Structure:
    """The document's own name and headings; `prose` and `prose_and_code` have its length, the rest blanked out."""

    subject: str | None
    headings: list[Heading]
    prose: str
    prose_and_code: str


def gather_structure(text: str, source_ref: str, gathering: Gathering) -> Structure:
    """Add what the form of the document states, and return what is left to be read as prose."""
    extension = _EXTENSION.search(source_ref)
    kind = extension[1].lower() if extension else ""
    if kind in ("json", "jsonl", "ndjson") or (not kind and looks_like_json(text)):
        values = parse_json(text)
        if values is not None:
            gather_json(values, gathering)
            prose = _only(text, list(long_strings(values)))
            return Structure(None, [], prose, prose)
    if kind in ("csv", "tsv"):
        rows = delimited_rows(text, _delimiter(text, kind))
        gather_table(rows, gathering)
        cells = [cell.span for row in rows[1:] for cell in row if len(cell.value.split()) >= _PROSE_WORDS]
        prose = _only(text, cells)
        return Structure(None, [], prose, prose)
    return _gather_document(text, source_ref, gathering)


def _delimiter(text: str, kind: str) -> str:
    header = text.split("\n", 1)[0]
    return "\t" if kind == "tsv" else max(",;\t", key=header.count)


def _only(text: str, spans: list[Span]) -> str:
    """The text with everything but `spans` blanked out; each span is a paragraph of its own."""
    pieces: list[str] = []
    position = 0
    for span in sorted(spans):
        gap = span.start - position
        pieces += "\n" * min(gap, 2) + " " * max(gap - 2, 0), span.of(text)
        position = span.end
    return "".join([*pieces, " " * (len(text) - position)])


def _gather_document(text: str, source_ref: str, gathering: Gathering) -> Structure:
    fields = front_matter(text)
    headings = find_headings(text)
    subject = _gather_subject(text, source_ref, fields, headings, gathering)
    links = document_links(text)
    hidden = [Span(0, max(field.values[-1][1].end for field in fields) + 4)] if fields else []
    fences = code_fences(text)
    start, end = book_bounds(text)
    hidden += [Span(0, start), Span(end, len(text))]
    hidden += [Span(*match.span()) for match in _CONTENTS_LINE.finditer(text)]
    fence_starts = [fence.start for fence in fences]
    links = [link for link in links if not _lies_in(link.span.start, fences, fence_starts)]
    for link in links:
        gathering.entity(link.target if link.is_wiki else _as_title(link.target), mentions=(link.shown,))
    for table in pipe_tables(text):
        hidden.append(table)
        above = bisect_right(headings, table.start, key=lambda heading: heading.end) - 1
        caption = headings[above].title if above >= 0 else ""
        gather_table(pipe_rows(text, table), gathering, caption=caption)
    for link in links:
        target = link.target if link.is_wiki else _as_title(link.target)
        if link.is_wiki and title_key(link.label) != title_key(target) and looks_like_name(link.label):
            gathering.alias(target, link.label)
        source = _section_subject(link.span.start, headings, subject, gathering)
        if source is not None:
            gathering.relate(source, target, "links_to", evidence=(link.span,))
    return Structure(subject, headings, masked_prose(text, hidden + fences), blanked(text, hidden))


def _lies_in(position: int, spans: list[Span], starts: list[int]) -> bool:
    number = bisect_right(starts, position) - 1
    return number >= 0 and position < spans[number].end


def _as_title(stem: str) -> str:
    return stem[:1].upper() + stem[1:]


def _gather_subject(
    text: str, source_ref: str, fields: list[Field], headings: list[Heading], gathering: Gathering
) -> str | None:
    by_key = {label(field.key): field for field in fields}
    title = next((by_key[key].values[0] for key in _TITLE_KEYS if key in by_key), None)
    if title is None:
        top = headings[0] if headings and headings[0].level == 1 else None
        if top is None or sum(heading.level == 1 for heading in headings) > 1:
            return None
        place = text.find(top.title, top.start, top.end)
        title = (top.title, Span(place, place + len(top.title)) if place >= 0 else Span(top.start, top.end))
    subject = plain_title(title[0])
    if not subject:
        return None
    kind = next((by_key[key].values[0][0] for key in _TYPE_KEYS if key in by_key), "")
    gathering.entity(subject, type=label(kind) if is_short_text(kind) else None, mentions=(title[1],))
    stem = _SEPARATORS.sub(" ", _EXTENSION.sub("", source_ref.replace("\\", "/").rsplit("/", 1)[-1]))
    if title_key(stem) != title_key(subject) and looks_like_name(stem):
        gathering.alias(subject, stem)
    tags = tuple(value for key in _TAG_KEYS if key in by_key for value, _ in by_key[key].values)
    said = []
    for key, field in by_key.items():
        if key in _ALIAS_KEYS:
            for value, _ in field.values:
                gathering.alias(subject, value)
        elif key not in _TITLE_KEYS:
            said.append(field)
            if key not in _TAG_KEYS + _TYPE_KEYS:
                _gather_named_values(subject, key, field, gathering)
    if said:
        body = "; ".join(f"{field.key}: {', '.join(value for value, _ in field.values)}" for field in said)
        span = Span(said[0].values[0][1].start, said[-1].values[-1][1].end)
        gathering.fact(subject, body, about=(subject,), tags=tags, evidence=(span,))
    return subject


def _gather_named_values(subject: str, key: str, field: Field, gathering: Gathering) -> None:
    for value, span in field.values:
        linked = value.startswith("[[") and value.endswith("]]")
        name = value.strip("[]").split("|")[0] if linked else value
        if linked or looks_like_name(name) or (key == "author" and is_short_text(name)):
            gathering.entity(name, mentions=(_inside(span, linked),))
            gathering.relate(subject, name, key, evidence=(span,))


def _inside(span: Span, linked: bool) -> Span:
    return Span(span.start + 2, span.end - 2) if linked else span


_GENERIC_HEADING = words_of(
    """
    about acknowledgements api appendix background changelog changes conclusion configuration contact contents
    contributing credits discussion documentation examples faq features functions getting guide history how
    information installation introduction issues key known learn license links materials methods more next notes
    objectives options overview points project questions quick reading references related release requirements
    resources results sources start started steps summary support table takeaways terms tips tutorial usage user
    """
)


def gather_heading_names(structure: Structure, lower_case_words: Container[str], gathering: Gathering) -> None:
    """Add the headings below the title that are names: capitalised words the document never writes in lower case."""
    for heading in structure.headings:
        words = [word.casefold() for word in heading.title.split()]
        place = structure.prose.find(heading.title, heading.start, heading.end)
        if heading.level < 2 or place < 0 or "'" in heading.title or not looks_like_name(heading.title):
            continue
        if not any(word in _GENERIC_HEADING or word in lower_case_words for word in words):
            gathering.entity(heading.title, mentions=(Span(place, place + len(heading.title)),))


def _section_subject(position: int, headings: list[Heading], subject: str | None, gathering: Gathering) -> str | None:
    """The name a position is about: its section's heading when that is a name, else the document."""
    number = bisect_right(headings, position, key=lambda heading: heading.start) - 1
    if number >= 0 and looks_like_name(headings[number].title):
        gathering.entity(headings[number].title)
        return headings[number].title
    return subject
