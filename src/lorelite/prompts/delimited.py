"""Replies that are lines instead of JSON: delimited tuples, as GraphRAG prompts taught models, and Markdown tables."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lorelite.text.loose_json import clean_reply, without_reasoning

_SPECIAL_TOKEN = re.compile(r"<\|[A-Za-z_][A-Za-z_ ]*\|>")
_END_TOKEN = re.compile(r"<\|\s*COMPLETE\s*\|>", re.IGNORECASE)
_DELIMITER = re.compile(r"<[\s|#/]{0,8}[|#][\s|#/]{0,8}>")
_LOOSE_DELIMITER = re.compile(_DELIMITER.pattern + r"|<\||\|>")
"""Half a delimiter stands for one only where whole ones were seen."""
_RECORD_END = re.compile(r"""##|(?<=\))\s*(?=\(\s*["'`*“”]*(?:entity|relation))""", re.IGNORECASE)
_STARTS = re.compile(r"""[("'`*“”]*\s*(?:entity|relation)|```""", re.IGNORECASE)
_OPENING = re.compile(r"""\(\s*(?=["'`*“”]*(?:entity|relation))|\A\(""", re.IGNORECASE)
_TABLE_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?")
_CELL_END = re.compile(r"(?<!\\)\|")
_LIST_MARK = re.compile(r"(?:\d{1,4}[.)]|[-*•])\s+(?=[(\"])")
_LONGEST_TYPE = 3


Records = dict[str, list[dict[str, str]]]


def parse_delimited(text: str) -> tuple[Records, bool] | None:
    """The records of such a reply as `entities` and `relations`, None when it has none.

    The second member is False when the last record was cut off: of it only what stands before the cut field is taken,
    and nothing when that field is a name.
    """
    found = read_tuples(text)
    records, complete = _tuples(found) if found else (read_tables(text), True)
    return (records, complete) if records["entities"] or records["relations"] else None


@dataclass(frozen=True, slots=True)
class Tuples:
    """The records of a reply of delimited tuples, each a list of fields of which the first is its kind."""

    records: list[list[str]]
    complete: bool
    """Has the reply come to its end?"""
    is_cut: bool
    """Was the last record cut off?"""


def read_tuples(text: str) -> Tuples | None:
    """The lines of such a reply that hold delimiters, None when none does. Prose, fences and bullets do not count."""
    has_end = bool(_END_TOKEN.search(text))
    text = clean_reply(without_reasoning(_SPECIAL_TOKEN.sub("", text)))
    if not _DELIMITER.search(text):
        return None
    lines = _lines(text)
    is_open = not has_end and bool(lines) and not lines[-1].endswith((")", "```")) and not _is_sloppy(lines[:-1])
    complete = not (is_open or (not has_end and text.rstrip().endswith("##")))
    records = [
        [_unquoted(field.strip()) for field in _LOOSE_DELIMITER.split(_inside(line))]
        for line in lines
        if _LOOSE_DELIMITER.search(line)
    ]
    for record in records:
        record[0] = record[0].strip("`*“” ").lower()
    return Tuples(records, complete, is_open and bool(_LOOSE_DELIMITER.search(lines[-1])))


def _lines(text: str) -> list[str]:
    """One for each record. A line break inside of brackets is one inside of a description."""
    lines: list[str] = []
    for part in _RECORD_END.split(text):
        before: list[str] = []
        for line in filter(None, map(str.strip, part.split("\n"))):
            line = _LIST_MARK.sub("", line, count=1)
            if before and before[-1].startswith("(") and not before[-1].endswith(")") and not _STARTS.match(line):
                before[-1] += f" {line}"
            else:
                before.append(line)
        lines += before
    return lines


def _inside(line: str) -> str:
    """What stands between the outermost brackets of a record, else the whole line."""
    start = _OPENING.search(line)
    if start:
        return line[start.end() :].removesuffix(")")
    return line.removesuffix(")") if line.count(")") > line.count("(") else line


def _unquoted(field: str) -> str:
    """Without the quotes around it, or a stray one at an end; a quotation at the end of a sentence stays whole."""
    while len(field) > 1 and field[0] == field[-1] and field[0] in "\"'":
        field = field[1:-1].strip()
    return field.strip('"').strip() if field.count('"') % 2 else field.strip("'") if field[:1] == "'" else field


def _tuples(found: Tuples) -> tuple[Records, bool]:
    records: Records = {"entities": [], "relations": []}
    for number, fields in enumerate(found.records, 1):
        kind = fields[0]
        if found.is_cut and number == len(found.records):
            fields = fields[:-1]
        if kind.startswith("entity") and len(fields) > 1:
            records["entities"].append(dict(zip(("name", "type", "description"), fields[1:], strict=False)))
        elif kind.startswith("relation") and len(fields) > 2:
            records["relations"].append(_relation(fields[1:]))
    return records, found.complete


def _is_sloppy(lines: list[str]) -> bool:
    """Whether records lack one of their brackets, so that a missing one says nothing about an end."""
    records = (line for line in lines if _DELIMITER.search(line))
    return any(line.startswith("(") != line.endswith(")") for line in records)


def _relation(fields: list[str]) -> dict[str, str]:
    """source, target, then a type or a description, further words, and a number for the weight."""
    relation = {"source": fields[0], "target": fields[1]}
    rest = fields[2:]
    if rest and re.fullmatch(r"\d+(?:\.\d+)?", rest[-1]):
        relation["weight"] = rest.pop()
    if rest and len(rest[0].split()) <= _LONGEST_TYPE:
        relation["type"] = rest.pop(0)
    return relation | {"description": " ".join(rest)}


def read_tables(text: str) -> Records:
    """Rows of tables with a header: those with a source and a target are relations, the others entities."""
    records: Records = {"entities": [], "relations": []}
    text = clean_reply(without_reasoning(_SPECIAL_TOKEN.sub("", text)))
    header: list[str] = []
    previous = ""
    for line in text.split("\n"):
        if "|" in previous and _TABLE_RULE.fullmatch(line.strip()):
            header = [cell.lower() for cell in _cells(previous)]
        elif header and "|" in line:
            row = dict(zip(header, _cells(line), strict=False))
            if len(row) == len(header):
                is_relation = len(header) > 2 and {"target", "to", "object", "tail"} & set(header)
                records["relations" if is_relation else "entities"].append(row)
        else:
            header = []
        previous = line
    return records


def _cells(line: str) -> list[str]:
    line = line.strip().removeprefix("|").removesuffix("|")
    return [cell.replace("\\|", "|").strip().strip("*`").strip() for cell in _CELL_END.split(line)]
