"""Questions with the evidence that answers them, and how they are read from JSON Lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorelite.errors import InvalidOption, UnreadableDocument
from lorelite.text.strict_json import read_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and its gold: pieces of evidence, each named by the source_refs or node ids any of which will do."""

    id: str
    text: str
    gold: tuple[tuple[str, ...], ...]
    tag: str = ""
    """Groups questions in the result, for example "2 hops"."""


def questions_in(path: str | os.PathLike[str]) -> list[Question]:
    """The questions of a JSON Lines file: see `questions_from_lines`. Raises UnreadableDocument and InvalidOption."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise UnreadableDocument(str(path), error.strerror or str(error)) from error
    except ValueError as error:
        raise UnreadableDocument(str(path), f"it is no UTF-8 text ({error})") from error
    return questions_from_lines(text, Path(path).name)


def questions_from_lines(text: str, name: str) -> list[Question]:
    """The questions of a JSON Lines text; *name* stands for it in errors, which name the line.

    Each line: {"question": text, "gold": [source_ref or node id, …], "id"?: text or number, "tag"?: the same}. A piece
    of gold that is a list is found when any of its names is. Raises InvalidOption.
    """
    rows = []
    for number, line in json_lines(text):
        try:
            rows.append((f"{name}, line {number}", read_json(line)))
        except ValueError as error:
            raise InvalidOption(f"{name}, line {number}", f"a JSON object ({error})", line) from error
    if not rows:
        raise InvalidOption(name, 'lines like {"question": "…", "gold": ["…"]}', "none")
    return _distinct([_question(place, row, number) for number, (place, row) in enumerate(rows, 1)])


def json_lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers. JSON may hold every other character that ends a line."""
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def checked_questions(given: Iterable[Question | Mapping[str, Any]]) -> list[Question]:
    """Questions as they are, and those that mappings describe as a line of JSON Lines does. Raises InvalidOption."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InvalidOption("questions", "a list of questions", given)
    found = [
        _question(f"questions[{place}]", _fields(each) if isinstance(each, Question) else each, place + 1)
        for place, each in enumerate(given)
    ]
    if not found:
        raise InvalidOption("questions", "at least one question", "none")
    return _distinct(found)


def _question(place: str, row: object, number: int) -> Question:
    if not isinstance(row, Mapping):
        raise InvalidOption(place, 'an object like {"question": "…", "gold": ["…"]}', row)
    text = row.get("question")
    if not isinstance(text, str) or not text.strip():
        raise InvalidOption(f"{place}, question", "some text", text)
    return Question(
        id=_label(f"{place}, id", row.get("id")) or str(number),
        text=text,
        gold=_gold(f"{place}, gold", row.get("gold")),
        tag=_label(f"{place}, tag", row.get("tag")),
    )


def _fields(question: Question) -> Mapping[str, Any]:
    return {"id": question.id, "question": question.text, "gold": question.gold, "tag": question.tag}


def _label(place: str, value: object) -> str:
    """As text; "" of None."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidOption(place, "text or a number", value)
    return str(value)


def _gold(place: str, value: object) -> tuple[tuple[str, ...], ...]:
    pieces = _names(value)
    gold = [(piece,) if isinstance(piece, str) else tuple(_names(piece)) for piece in pieces]
    if not gold or not all(piece and all(isinstance(name, str) and name for name in piece) for piece in gold):
        raise InvalidOption(place, "a list of source_refs or node ids (lists of them where any will do)", value)
    return tuple(dict.fromkeys(gold))


def _names(value: object) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else ()


def _distinct(questions: list[Question]) -> list[Question]:
    """The same, when every id is there once: two runs are compared by id."""
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise InvalidOption("questions, id", "an id of its own for each question", question.id)
        seen.add(question.id)
    return questions
