"""A community of entities told by a language model: a title, a summary, how much it matters, and findings."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lorelite.errors import BadReply
from lorelite.graph_records import Insight
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced
from lorelite.prompts.gather import first_of
from lorelite.text.loose_json import parse_loose_json

INSTRUCTIONS = """You are given a part of a knowledge graph: entities that belong together, and how they are related.
Write a report from which somebody who has not seen the sources learns what this part is about, who or what matters in
it, how its members are tied to one another, and what follows from that.

Say only what the tables say. A table of reports, where there is one, tells of smaller parts of the same whole: build
on it, and do not repeat it. Write in the language of the descriptions."""

_FORM = """Reply with one JSON object and nothing else:
{"title": "…", "summary": "…", "rating": 0.0, "rating_explanation": "…",
 "findings": [{"summary": "…", "explanation": "…"}]}
title: short and particular, with the names that matter most. summary: one paragraph about the whole.
rating: from 0 to 10, how much this part matters to somebody who wants to understand all of it.
rating_explanation: one sentence. findings: five to ten, fewer when there is little to say; summary: one sentence,
explanation: one paragraph."""


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "summary": {"type": "string"},
        "rating": {"type": "number"},
        "rating_explanation": {"type": "string"},
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"summary": {"type": "string"}, "explanation": {"type": "string"}},
                "required": ["summary", "explanation"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["title", "summary", "rating", "rating_explanation", "findings"],
    "additionalProperties": False,
}

MAX_RATING = 10.0
_TITLE = ("title", "name", "heading", "reporttitle")
_SUMMARY = ("summary", "executivesummary", "reportsummary", "overview", "abstract", "description")
_RATING = ("rating", "impactseverityrating", "importance", "impact", "score", "reportrating")
_WHY = ("ratingexplanation", "ratingreason", "explanation", "reason")
_FINDINGS = ("findings", "detailedfindings", "keyfindings", "insights", "keyinsights")
_FINDING = ("summary", "title", "heading", "finding", "insight", "name")
_EXPLANATION = ("explanation", "description", "details", "detail", "text", "body")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class ReportText:
    """What a reply says of a community. rating: 0 … 10, 0 where none can be read."""

    title: str
    summary: str
    rating: float = 0.0
    rating_explanation: str = ""
    findings: tuple[Insight, ...] = ()


def build(tables: Mapping[str, str], max_tokens: int, instructions: str | None = None) -> ModelRequest:
    """The request about a community.

    tables: name ("Reports", "Entities", "Relationships") → CSV. max_tokens: how long the report may be.
    instructions: in place of ours; the form of the reply and the notice about fences follow in any case.
    """
    length = f"The whole report may take about {max_tokens * 3 // 4} words at most."
    return ModelRequest(
        system="\n\n".join([(instructions or INSTRUCTIONS).strip(), NOTICE, _FORM, length]),
        user=fenced({name: table.rstrip("\n") for name, table in tables.items()}),
        schema=SCHEMA,
        purpose="community_report",
    )


def parse(reply_text: str) -> ReportText:
    """What a reply says. Raises BadReply when it has no title or no summary.

    Tolerates other names of members, a report wrapped in others, ratings as whole numbers or text ("7/10"), findings
    that are mere text, and none at all. Ratings are moved into 0 … 10.
    """
    for record in _records(parse_loose_json(reply_text), _MAX_DEPTH):
        title, summary = _text(first_of(record, _TITLE)), _paragraphs(first_of(record, _SUMMARY))
        if title and summary:
            return ReportText(
                title,
                summary,
                _rating(first_of(record, _RATING)),
                _text(first_of(record, _WHY)),
                tuple(_findings(first_of(record, _FINDINGS))),
            )
    raise BadReply("a report with a title and a summary", reply_text)


def _records(value: object, depth: int) -> Iterator[dict[str, object]]:
    """Every object, the outer before the inner, with plain keys."""
    if depth <= 0:
        return
    if isinstance(value, dict):
        yield {keys.plain(key): member for key, member in value.items()}
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for member in members:
        yield from _records(member, depth - 1)


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _paragraphs(value: object) -> str:
    """Text, or a list of texts, as paragraphs."""
    parts = value if isinstance(value, list) else [value]
    return "\n\n".join(part.strip() for part in parts if isinstance(part, str) and part.strip())


def _rating(value: object) -> float:
    if isinstance(value, str):
        found = _NUMBER.search(value)
        value = float(found[0].replace(",", ".")) if found else 0.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(MAX_RATING, max(0.0, float(value)))


def _findings(value: object) -> Iterator[Insight]:
    if isinstance(value, str):
        value = value.splitlines()
    elif isinstance(value, dict):
        named = {keys.plain(key) for key in value}
        value = [value] if named & {*_FINDING, *_EXPLANATION} else [_pair(*item) for item in value.items()]
    for item in value if isinstance(value, list) else ():
        if isinstance(item, str) and item.strip(" -*•\t"):
            yield Insight(summary=_text(item.strip(" -*•\t")))
        elif isinstance(item, dict):
            record = {keys.plain(key): member for key, member in item.items()}
            summary, explanation = _text(first_of(record, _FINDING)), _paragraphs(first_of(record, _EXPLANATION))
            if summary or explanation:
                yield Insight(summary=summary or explanation, explanation=explanation if summary else "")


def _pair(summary: str, explanation: object) -> object:
    """A finding under its own summary: {"Mole digs": "He digs all day"}."""
    return {"summary": summary, "explanation": explanation} if isinstance(explanation, str) else explanation
