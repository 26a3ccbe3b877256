"""Rows of tables as entities, relations and facts: CSV, TSV and Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lorelite.text.gathering import MAX_NAME_CHARS, Gathering
from lorelite.text.span import Span
from lorelite.text.title_key import title_key
from lorelite.text.values import is_short_text, label, looks_like_name


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text, and where it stands."""

    value: str
    span: Span


Row = list[Cell]

NAME_COLUMNS = ("name", "title", "label", "entity", "subject", "term", "titel", "nom", "nombre", "名称", "姓名", "नाम")
ID_COLUMNS = ("id", "no", "nr", "number", "key", "code", "uid", "uuid", "index")
TYPE_COLUMNS = ("type", "kind", "category", "class", "typ", "art", "类型", "种类", "प्रकार")
TRIPLES = (
    ("source", "target", ("type", "relation", "label", "description")),
    ("from", "to", ("type", "relation", "label")),
    ("subject", "object", ("predicate", "relation", "type")),
)
_QUOTED = re.compile(r'"((?:[^"]|"")*)"[^\S\n]*')


def delimited_rows(text: str, delimiter: str) -> list[Row]:
    """The rows of a CSV or TSV text with the span of every cell; a blank line is no row."""
    rows: list[Row] = []
    row: Row = []
    position = 1 if text.startswith("\ufeff") else 0
    plain = re.compile(rf"[^{re.escape(delimiter)}\r\n]*")
    while position < len(text):
        quoted = _QUOTED.match(text, position) if text[position] == '"' else None
        if quoted:
            row.append(Cell(quoted[1].replace('""', '"').strip(), Span(*quoted.span(1))))
            position = quoted.end()
        else:
            row.append(_cell(text, position, position := plain.match(text, position).end()))  # type: ignore[union-attr]
        if text.startswith(delimiter, position):
            position += 1
            if position < len(text):
                continue
            row.append(Cell("", Span(position, position)))
        elif not text.startswith(("\r", "\n"), position) and position < len(text):
            continue
        if any(cell.value for cell in row):
            rows.append(row)
        row = []
        position += 2 if text.startswith("\r\n", position) else 1
    return rows


def pipe_rows(text: str, table: Span) -> list[Row]:
    """The rows of a Markdown table, header first, without the dashed line."""
    rows: list[Row] = []
    position = table.start
    for number, line in enumerate(table.of(text).split("\n")):
        start, end = position, position + len(line)
        position = end + 1
        if number == 1 or not line.strip():
            continue
        row, cell_start = [], start
        for match in re.finditer(r"(?<!\\)\|", text[start:end]):
            row.append(_undecorated(text, _cell(text, cell_start, start + match.start())))
            cell_start = start + match.end()
        row.append(_undecorated(text, _cell(text, cell_start, end)))
        if row and not row[0].value and line.lstrip().startswith("|"):
            row = row[1:]
        if row and not row[-1].value and line.rstrip().endswith("|"):
            row = row[:-1]
        rows.append(row)
    return rows


def _cell(text: str, start: int, end: int) -> Cell:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Cell(text[start:end], Span(start, end))


def _undecorated(text: str, cell: Cell) -> Cell:
    """The cell without the emphasis, code or link marks that enclose all of it."""
    for mark, closing in (("**", "**"), ("`", "`"), ("*", "*"), ("_", "_"), ("[[", "]]")):
        value = cell.value
        inside = value[len(mark) : -len(closing)]
        if len(value) > 2 * len(mark) and value.startswith(mark) and value.endswith(closing) and mark not in inside:
            cell = _cell(text, cell.span.start + len(mark), cell.span.end - len(closing))
    return cell


def gather_table(rows: Sequence[Row], gathering: Gathering, *, caption: str = "") -> None:
    """Add a table: its first row names the columns, its first column (or its name column) the things it is about.

    A value that is a name, or names another row, becomes a relation labelled by its column; the other values of a row
    become one fact. Columns source/target (subject/object, from/to) make every row a relation.
    """
    if len(rows) < 2 or len(rows[0]) < 2:
        return
    header = [label(cell.value) for cell in rows[0]]
    body = [row for row in rows[1:] if row and len(row) <= len(header) + 1]
    if _gather_triples(header, body, gathering):
        return
    subject = _subject_column(header, body)
    subjects = {title_key(row[subject].value) for row in body if len(row) > subject and row[subject].value}
    for row in body:
        if len(row) > subject and is_short_text(row[subject].value):
            _gather_subject(header, row, subject, gathering)
    for row in body:
        if len(row) > subject and is_short_text(row[subject].value):
            _gather_row(rows[0], header, row, subject, subjects, gathering, caption)


def _subject_column(header: Sequence[str], body: Sequence[Row]) -> int:
    if header[0] in ID_COLUMNS or not any(is_short_text(row[0].value) for row in body):
        for number, column in enumerate(header[1:], start=1):
            if column in NAME_COLUMNS:
                return number
        return 1 if all(len(row) > 1 and is_short_text(row[1].value) for row in body) else 0
    return 0


def _gather_triples(header: Sequence[str], body: Sequence[Row], gathering: Gathering) -> bool:
    for source, target, types in TRIPLES:
        if source in header and target in header:
            columns = [header.index(source), header.index(target)]
            kinds = [header.index(name) for name in types if name in header]
            for row in body:
                cells = [row[column] for column in columns if column < len(row) and row[column].value]
                if len(cells) == 2:
                    kind = next((row[c].value for c in kinds if c < len(row) and row[c].value), "")
                    gather_triple(cells[0], cells[1], kind, _row_span(row), gathering)
            return True
    return False


def gather_triple(source: Cell, target: Cell, kind: str, span: Span, gathering: Gathering) -> None:
    """Add the relation `source - kind - target`; a kind of many words describes a plain `related_to`."""
    for end in (source, target):
        gathering.entity(end.value[:MAX_NAME_CHARS], mentions=(end.span,))
    short = is_short_text(kind) and len(kind.split()) <= 4
    gathering.relate(
        source.value[:MAX_NAME_CHARS],
        target.value[:MAX_NAME_CHARS],
        (label(kind) if short else "") or "related_to",
        description="" if short else kind,
        evidence=(span,),
    )


def _gather_subject(header: Sequence[str], row: Row, subject: int, gathering: Gathering) -> None:
    kind = next((row[number].value for number in _columns(header, row, TYPE_COLUMNS) if number != subject), "")
    gathering.entity(
        row[subject].value,
        type=label(kind) if kind and is_short_text(kind) and len(kind.split()) <= 3 else None,
        mentions=(row[subject].span,),
    )
    if subject and header[0] in ID_COLUMNS and row[0].value and any(map(str.isalpha, row[0].value)):
        gathering.alias(row[subject].value, row[0].value)


def _columns(header: Sequence[str], row: Row, names: Sequence[str]) -> list[int]:
    return [number for number, column in enumerate(header) if column in names and number < len(row)]


def _gather_row(
    columns: Row,
    header: Sequence[str],
    row: Row,
    subject: int,
    subjects: set[str],
    gathering: Gathering,
    caption: str,
) -> None:
    name = row[subject].value
    said = []
    for number, cell in enumerate(row[: len(header)]):
        if number == subject or not cell.value:
            continue
        said.append(f"{columns[number].value}: {cell.value}")
        known = title_key(cell.value) in subjects or gathering.knows(cell.value)
        is_relation = header[number] and header[number] not in TYPE_COLUMNS + ID_COLUMNS
        if is_relation and (known or looks_like_name(cell.value)):
            gathering.entity(cell.value, mentions=(cell.span,))
            gathering.relate(name, cell.value, header[number], evidence=(_row_span(row),))
    if said:
        title = f"{name} ({caption})" if caption else name
        gathering.fact(title, "; ".join(said), about=(name,), evidence=(_row_span(row),))


def _row_span(row: Row) -> Span:
    return Span(row[0].span.start, row[-1].span.end)
