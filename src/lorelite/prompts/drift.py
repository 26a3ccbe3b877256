"""Searching in steps (DRIFT, Microsoft GraphRAG): a first answer from reports, then questions that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced
from lorelite.prompts.gather import first_of
from lorelite.prompts.global_map import number_in
from lorelite.text.loose_json import parse_loose_json

_FORM = """Reply with one JSON object and nothing else: {"answer": "…", "score": 0, "follow_up_questions": ["…"]}
answer: what can be said so far, from the given text alone, one or two paragraphs in the language of the question.
score: from 0 to 100, how far it answers the question.
follow_up_questions: what is to be looked up next, each a question complete in itself that names what it is about."""

_PRIMER = f"""You begin to answer a question about a body of documents from reports on parts of it.

{NOTICE}

{_FORM}"""

_FOLLOW_UP = f"""You help to answer a question about a body of documents by answering a smaller one, from what was found
on it.

{NOTICE}

{_FORM}"""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string"},
        "score": {"type": "integer"},
        "follow_up_questions": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["answer", "score", "follow_up_questions"],
    "additionalProperties": False,
}
_ANSWER = ("answer", "intermediateanswer", "response", "text")
_SCORE = ("score", "rating", "confidence")
_FOLLOW_UPS = ("followupquestions", "followupqueries", "followups", "questions", "nextquestions")
_MAX_SCORE = 100.0


@dataclass(frozen=True, slots=True)
class Step:
    """What one step found out, how far it answers (0 … 100), and what to ask next."""

    answer: str
    score: float
    follow_ups: tuple[str, ...] = ()


def build_primer(question: str, reports: str, follow_ups: int) -> ModelRequest:
    """The first step: *reports* is a table of those that fit best."""
    asked = f"Question: {question.strip()}\n\nGive at most {follow_ups} follow-up questions."
    user = f"{fenced({'Reports': reports.rstrip()})}\n\n{asked} Reply with the JSON object."
    return ModelRequest(system=_PRIMER, user=user, schema=SCHEMA, purpose="drift_primer")


def build_follow_up(question: str, follow_up: str, context: str, follow_ups: int) -> ModelRequest:
    """A further step: *context* is what a search for the follow-up question found."""
    given = fenced({"The smaller question": follow_up.strip(), "What was found on it": context.rstrip()})
    asked = f"The whole question: {question.strip()}\n\nGive at most {follow_ups} follow-up questions."
    user = f"{given}\n\n{asked} Reply with the JSON object."
    return ModelRequest(system=_FOLLOW_UP, user=user, schema=SCHEMA, purpose="drift_follow_up")


def parse(reply: str) -> Step:
    """The step in a reply. Raises BadReply when it has no answer."""
    value = parse_loose_json(reply)
    record = {keys.plain(key): member for key, member in value.items()} if isinstance(value, dict) else {}
    answer = first_of(record, _ANSWER)
    if not isinstance(answer, str) or not answer.strip():
        raise BadReply("an answer with a score and follow-up questions", reply)
    score = number_in(first_of(record, _SCORE)) or 0.0
    follow_ups = first_of(record, _FOLLOW_UPS)
    texts = [item for item in follow_ups if isinstance(item, str)] if isinstance(follow_ups, list) else []
    asked = tuple(dict.fromkeys(text for text in (" ".join(each.split()) for each in texts) if text))
    return Step(answer.strip(), max(0.0, min(_MAX_SCORE, score)), asked)
