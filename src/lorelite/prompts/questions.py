"""Questions that a passage answers, as somebody who has not seen it would ask them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fenced, one_line
from lorelite.prompts.gather import first_of
from lorelite.text.loose_json import clean_reply, parse_loose_json, without_reasoning
from lorelite.text.title_key import title_key

INSTRUCTIONS = """You read one passage of a text and write questions that it answers, as people would ask who have not
seen it. Ask for what the passage is about, each question for something else. Use names in place of pronouns, and do
not speak of "the passage" or "the text": each question must make sense alone. Write in the language of the passage."""

_FORM = 'Reply with a JSON list of {count} questions and nothing else: ["…?"]. If it answers none, reply [].'

_QUESTION = ("question", "q", "text", "query", "title")
_MARK = re.compile(
    r"^(?:[-*•>]\s*|\W{0,2}(?:q|question|frage)?\s*\d{1,3}\s*[.):]\W{0,2}\s*|q\s*[:.]\s*)+", re.IGNORECASE
)
_ASKS = re.compile("(?:[?？؟\u037e⁇]|(?<=[\u0370-\u03ff\u1f00-\u1fff]);)\\W*$")
_OUTER = " \t\"'`*“”„«»「」『』,"
_MAX_CHARS = 400


def build(chunk_text: str, count: int, *, heading: str = "", instructions: str | None = None) -> ModelRequest:
    """The request for *count* questions. heading: where the passage stands. instructions: in place of ours."""
    parts = {"Section": one_line(heading)} if heading else {}
    return ModelRequest(
        system="\n\n".join([(instructions or INSTRUCTIONS).strip(), NOTICE, _FORM.format(count=count)]),
        user=fenced(parts | {"The passage": chunk_text}),
        purpose="hypothetical_questions",
    )


def parse(reply_text: str, limit: int) -> list[str]:
    """The first *limit* questions of a reply: a list of JSON, or lines; () when it holds none.

    Numbers, bullets and quotes are trimmed; blanks, and what was asked already in another case, are dropped. Of lines
    those that end in a question mark count, or where none does those that begin with a number or a bullet.
    """
    try:
        found = list(_of_json(parse_loose_json(reply_text)))
    except BadReply:
        found = []
    if not found:
        lines = clean_reply(without_reasoning(reply_text)).splitlines()
        found = [line for line in lines if _ASKS.search(line)] or [line for line in lines if _MARK.match(line)]
    questions: dict[str, str] = {}
    for text in found:
        question = cleaned(text)
        if any(char.isalnum() for char in question) and len(question) <= _MAX_CHARS:
            questions.setdefault(title_key(question), question)
    return list(questions.values())[:limit]


def cleaned(text: str) -> str:
    """A question on one line, without a number, a bullet or quotes around it."""
    bare = " ".join(text.split()).strip(_OUTER)
    return _MARK.sub("", bare, count=1).strip(_OUTER)


def _of_json(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _of_json(item)
    elif isinstance(value, dict):
        named = {keys.plain(key): item for key, item in value.items()}
        asked = first_of(named, _QUESTION)
        if isinstance(asked, str):
            yield asked
        else:
            for item in value.values():
                yield from _of_json(item) if not isinstance(item, str) or _ASKS.search(item) else ()
