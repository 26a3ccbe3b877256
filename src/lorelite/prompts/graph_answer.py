"""A question answered from what a search strategy found in a graph: numbered sources, and tables beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts import answer, keys
from lorelite.prompts.answer import Citation, Source
from lorelite.prompts.fence import NOTICE, fence_for, one_line
from lorelite.text.loose_json import parse_loose_json, without_reasoning

Sentence = tuple[str, tuple[Citation, ...]]
Turn = tuple[str, str]
"""Who spoke ("user" or "assistant"), and what was said."""

INSTRUCTIONS = """You answer a question from what was found in a knowledge graph and from nothing else. There are
numbered sources, which are passages of documents, and tables of what the graph knows: reports on groups of entities,
entities, relations, points that others have noted. Where they help, put together what different parts say. Leave out
what does not bear on the question."""

_FORM = """Reply with one JSON object and nothing else:
{"answered": true, "paragraphs": [{"sentences": [{"text": "…", "citations": [{"source": 1, "quote": "…"}]}]}]}
paragraphs: as many as the form of the answer asks for; a heading ("## …") or an item of a list ("- …") is a paragraph
of its own. text: one sentence in the language of the question, without numbers of sources in it.
citations: for what a source says. source: its number. quote: words copied exactly, character by character, from it, in
its own language; they prove the sentence. For what only a table says: an empty list.
If nothing that is given answers the question, reply {"answered": false, "paragraphs": []}."""

_KNOWLEDGE = """You may add what you know otherwise, in sentences of their own that say so ("Beyond the documents: …"),
with an empty list of citations."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answered": {"type": "boolean"},
        "paragraphs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"sentences": answer.SCHEMA["properties"]["sentences"]},
                "required": ["sentences"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["answered", "paragraphs"],
    "additionalProperties": False,
}

_PARAGRAPHS = ("paragraphs", "paragraph", "sections")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def build(
    question: str,
    sources: Sequence[Source],
    tables: str,
    *,
    response_type: str,
    instructions: str | None = None,
    history: Sequence[Turn] = (),
    general_knowledge: bool = False,
) -> ModelRequest:
    """The request to answer *question*.

    tables: CSV or text beside the sources. instructions: in place of ours; the notice about fences and the form of
    the reply follow in any case. history: earlier turns, oldest first.
    """
    spoken = [f"{speaker}: {text}" for speaker, text in history]
    fence = fence_for([tables, *spoken, *(part for _, heading, text in sources for part in (heading, text))])
    lines: list[str] = []
    if sources:
        lines.append("Sources:")
    for number, heading, text in sources:
        lines += [f"Source {number}", fence, one_line(heading), text, fence, ""]
    if tables.strip():
        lines += ["Tables:", fence, tables.strip("\n"), fence, ""]
    if spoken:
        lines += ["The conversation so far:", fence, *spoken, fence, ""]
    lines += [f"Question: {question.strip()}", f"Form of the answer: {one_line(response_type)}", ""]
    system = [(instructions or INSTRUCTIONS).strip(), NOTICE, *([_KNOWLEDGE] if general_knowledge else []), _FORM]
    return ModelRequest(
        system="\n\n".join(system),
        user="\n".join([*lines, "Reply with the JSON object."]),
        schema=SCHEMA,
        purpose="graph_answer",
    )


def parse(reply: str, sources: Sequence[Source]) -> list[list[Sentence]]:
    """The paragraphs of an answer, each a list of sentences with the sources they claim; [] when it answers nothing.

    Takes the JSON asked for, that of `prompts.answer`, and prose with [1] markers. Raises BadReply when the reply says
    nothing.
    """
    try:
        value = parse_loose_json(reply)
    except BadReply:
        value = None
    record = {keys.plain(key): member for key, member in value.items()} if isinstance(value, dict) else {}
    listed = next((record[name] for name in _PARAGRAPHS if name in record), None)
    if isinstance(listed, list):
        return [] if answer.denied(record) else _paragraphs(map(_as_reply, listed), sources)
    whole = list(answer.parse(reply, sources).sentences)
    # In prose [1] alone reads as JSON.
    is_prose = not any(isinstance(each, dict) for each in (value if isinstance(value, list) else [value]))
    if not is_prose or not whole:
        return [whole] if whole else []
    return _paragraphs(_BLANK_LINE.split(without_reasoning(reply)), sources)


def _paragraphs(parts: Iterable[str], sources: Sequence[Source]) -> list[list[Sentence]]:
    """Those of the parts that say something, each read as an answer of its own."""
    found = []
    for part in parts:
        with suppress(BadReply):
            found.append(list(answer.parse(part, sources).sentences))
    return [sentences for sentences in found if sentences]


def _as_reply(item: object) -> str:
    return item if isinstance(item, str) else json.dumps({"sentences": item} if isinstance(item, list) else item)
