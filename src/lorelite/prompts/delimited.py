"""Replies that are lines instead of JSON: delimited tuples, as GraphRAG prompts taught models, and Markdown tables."""

from __future__ import annotations

import re

from lorelite.text.loose_json import clean_reply, without_reasoning

_SPECIAL_TOKEN = re.compile(r"<\|[A-Za-z_][A-Za-z_ ]*\|>")
_END_TOKEN = re.compile(r"<\|\s*COMPLETE\s*\|>", re.IGNORECASE)
_DELIMITER = re.compile(r"<[\s|#]{0,8}[|#][\s|#]{0,8}>")
_RECORD_END = re.compile(r"##|\n|(?<=\))\s*(?=\()")
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
    has_end = bool(_END_TOKEN.search(text))
    text = clean_reply(without_reasoning(_SPECIAL_TOKEN.sub("", text)))
    records, complete = _tuples(text, has_end) if _DELIMITER.search(text) else (_tables(text), True)
    return (records, complete) if records["entities"] or records["relations"] else None


def _tuples(text: str, has_end: bool) -> tuple[Records, bool]:
    records: Records = {"entities": [], "relations": []}
    lines = [_LIST_MARK.sub("", line.strip(), count=1) for line in _RECORD_END.split(text) if line.strip()]
    is_open = not has_end and bool(lines) and not lines[-1].endswith((")", "```")) and not _is_sloppy(lines[:-1])
    complete = not (is_open or (not has_end and text.rstrip().endswith("##")))
    for number, line in enumerate(lines, 1):
        fields = [field.strip(" \t\"'") for field in _DELIMITER.split(line.removeprefix("(").removesuffix(")"))]
        kind = fields[0].lower()
        if is_open and number == len(lines) and kind.startswith(("entity", "relation")):
            fields.pop()
        if kind.startswith("entity") and len(fields) > 1:
            records["entities"].append(dict(zip(("name", "type", "description"), fields[1:], strict=False)))
        elif kind.startswith("relation") and len(fields) > 2:
            records["relations"].append(_relation(fields[1:]))
    return records, complete


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


def _tables(text: str) -> Records:
    """Rows of tables with a header: those with a source and a target are relations, the others entities."""
    records: Records = {"entities": [], "relations": []}
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
