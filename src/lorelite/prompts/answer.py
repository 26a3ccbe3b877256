"""A question answered from numbered sources, every sentence with quotes that can be checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lorelite.errors import BadReply
from lorelite.ports import ModelRequest
from lorelite.prompts import keys
from lorelite.prompts.fence import NOTICE, fence_for, one_line
from lorelite.prompts.gather import first_of
from lorelite.prompts.templates import hydrated
from lorelite.text.loose_json import clean_reply, parse_loose_json, without_reasoning
from lorelite.text.sentences import split_sentences

Source = tuple[int, str, str]
"""Number, heading or source_ref, text."""

Citation = tuple[int, str]
"""The number of a source, and the words quoted from it: "" when the model gave none."""

SYSTEM = f"""You answer a question from numbered sources and from nothing else.

{NOTICE}

Reply with one JSON object and nothing else:
{{"answered": true, "sentences": [{{"text": "…", "citations": [{{"source": 1, "quote": "…"}}]}}]}}

text: one sentence of the answer, in the language of the question, without source numbers in it.
citations: for every sentence at least one. source: the number of a source. quote: words copied exactly,
character by character, from that source, in its own language; they prove the sentence.
Use only what the sources say, not what you know otherwise. The relations, where given, help you to connect the
sources, but only sources are cited.
If the sources do not answer the question, reply {{"answered": false, "sentences": []}}."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answered": {"type": "boolean"},
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "citations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"source": {"type": "integer"}, "quote": {"type": "string"}},
                            "required": ["source", "quote"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["text", "citations"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["answered", "sentences"],
    "additionalProperties": False,
}

_MARKER = re.compile(
    r"\s{0,3}(?:\[|【)\s*(?:sources?\s*)?(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)[^\]】\n]{0,20}(?:\]|】)", re.IGNORECASE
)
_NOT_SAID = re.compile(
    r"\b(?:documents?|sources?|passages?|context|texts?|information)\b[^.\n]{0,60}"
    r"\b(?:do(?:es)?\s?(?:not|n['’]t)|is\s?(?:not|n['’]t)|are\s?(?:not|n['’]t)|cannot|contains?\s+no|say\s+nothing)\b"
    r"|\b(?:no|not)\b[^.\n]{0,40}\b(?:in|by|from) the (?:documents?|sources?|passages?|context|text)"
    r"|\b(?:dokumente?|quellen?|texte?|textstellen?)\b[^.\n]{0,60}\b(?:nicht|keine?n?|nichts)\b"
    r"|\b(?:documents?|sources?|textes?)\b[^.\n]{0,60}\bne\b[^.\n]{0,40}\b(?:pas|rien|aucune?)\b"
    r"|\b(?:documentos?|fuentes?|textos?|fontes?)\b[^.\n]{0,20}\b(?:no|não)\b",
    re.IGNORECASE,
)
_ANSWERED = ("answered", "isanswered", "answerable", "found")
_SENTENCES = ("sentences", "sentence", "statements", "answers")
_ANSWER = ("answer", "response", "reply", "result", "text", "output")
_TEXT = ("text", "sentence", "statement", "content", "answer", "claim")
_CITATIONS = ("citations", "citation", "sources", "source", "references", "evidence", "cites")
_NUMBER = ("source", "sourcenumber", "number", "id", "sourceid", "index", "ref", "document")
_NO = frozenset({"false", "no", "0", "not answered", "unanswered", "none"})


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What a reply says: sentences with the sources they claim. `sentences` is empty when `answered` is False."""

    answered: bool
    sentences: tuple[tuple[str, tuple[Citation, ...]], ...] = ()


def build(
    question: str, sources: Sequence[Source], graph_context: str = "", template: str | None = None
) -> ModelRequest:
    """The request to answer *question*. `graph_context` describes relations between what the sources name.

    template: the caller's instructions in place of ours, with {{question}}, {{sources}} and {{relations}} where the
    texts are to stand; they ask for a shape of their own, so no schema is given.
    """
    fence = fence_for([graph_context, *(part for _, heading, text in sources for part in (heading, text))])
    listed: list[str] = []
    for number, heading, text in sources:
        listed += [f"Source {number}", fence, one_line(heading), text, fence, ""]
    if template is not None:
        values = {"question": question.strip(), "sources": "\n".join(listed), "relations": graph_context.strip()}
        system, user = hydrated(template, values)
        return ModelRequest(system=system, user=user, purpose="answer")
    parts = ["Sources:", *listed]
    if graph_context.strip():
        parts += ["Relations:", fence, graph_context.strip(), fence, ""]
    parts += [f"Question: {question.strip()}", "", "Reply with the JSON object."]
    return ModelRequest(system=SYSTEM, user="\n".join(parts), schema=SCHEMA, purpose="answer")


def parse(reply: str, sources: Sequence[Source]) -> ParsedAnswer:
    """The answer in *reply*: the JSON asked for in any spelling, or prose with [1] markers.

    Citations of sources that do not exist are left out. Raises BadReply when the reply says nothing.
    """
    numbers = {number for number, _, _ in sources}
    try:
        value = parse_loose_json(reply)
    except BadReply:
        return _of_prose(without_reasoning(reply), numbers, reply)
    records = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]
    if not records:
        return _of_prose(without_reasoning(reply), numbers, reply)
    parsed = [_of_record(_plain(record), numbers, reply) for record in _flat(records)]
    sentences = tuple(sentence for each in parsed for sentence in each.sentences)
    return ParsedAnswer(bool(sentences), sentences)


def _flat(records: list[dict[str, object]]) -> list[dict[str, object]]:
    """A bare list of sentences as one record of them."""
    if all(first_of(_plain(record), (*_ANSWERED, *_SENTENCES)) is None for record in records) and len(records) > 1:
        return [{"sentences": records}]
    return records


def _of_record(record: dict[str, object], numbers: set[int], reply: str) -> ParsedAnswer:
    if denied(record):
        return ParsedAnswer(False)
    sentences = record.get("sentences", first_of(record, _SENTENCES))
    if isinstance(sentences, list):
        found = [sentence for each in sentences for sentence in _sentences(each, numbers)]
        if found or not sentences:
            return ParsedAnswer(bool(found), tuple(found))
    answer = sentences if isinstance(sentences, str) else first_of(record, _ANSWER)
    if isinstance(answer, dict):
        return _of_record(_plain(answer), numbers, reply)
    if isinstance(answer, list):
        return _of_record({"sentences": answer}, numbers, reply)
    if not isinstance(answer, str):
        raise BadReply("an answer with sentences", reply)
    shared = _citations(first_of(record, _CITATIONS), numbers)
    parsed = _of_prose(answer, numbers, reply)
    return ParsedAnswer(parsed.answered, tuple((text, cited or shared) for text, cited in parsed.sentences))


def _sentences(item: object, numbers: set[int]) -> list[tuple[str, tuple[Citation, ...]]]:
    """One item of `sentences`: a record, or text that may hold markers."""
    if isinstance(item, str):
        return _marked_sentences(item, numbers)
    if not isinstance(item, dict):
        return []
    record = _plain(item)
    text = first_of(record, _TEXT)
    if not isinstance(text, str) or not text.strip():
        return []
    marked = [number for match in _MARKER.finditer(text) for number in _numbers(match[1], numbers)]
    quotes = _quoted(record, numbers) or tuple((number, "") for number in dict.fromkeys(marked))
    return [(" ".join(_MARKER.sub("", text).split()), quotes)]


def _quoted(record: dict[str, object], numbers: set[int]) -> tuple[Citation, ...]:
    citations = _citations(first_of(record, _CITATIONS), numbers)
    quote = first_of(record, keys.QUOTE)
    if isinstance(quote, str) and len(citations) == 1 and not citations[0][1]:
        return ((citations[0][0], quote.strip()),)  # {"text", "source", "quote"}: a citation not nested
    return citations


def _citations(value: object, numbers: set[int]) -> tuple[Citation, ...]:
    found: dict[Citation, None] = {}
    for item in value if isinstance(value, list) else [value]:
        quote: object = ""
        given: object = item
        if isinstance(item, dict):
            record = _plain(item)
            given, quote = first_of(record, _NUMBER), first_of(record, (*keys.QUOTE, "text"))
        for number in _numbers(given, numbers):
            found[number, quote.strip() if isinstance(quote, str) else ""] = None
    return tuple(found)


def _numbers(value: object, known: set[int]) -> list[int]:
    """The source numbers in 1, "1", "[1]", "Source 1" or "1, 2"."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return []
    given = [int(value)] if not isinstance(value, str) else [int(each) for each in re.findall(r"\d{1,4}", value)]
    return [number for number in given if number in known]


def denied(record: dict[str, object]) -> bool:
    """Does a reply (with plain keys) say that the sources do not answer?"""
    answered = next((record[name] for name in _ANSWERED if name in record), None)
    return answered is False or (isinstance(answered, str) and answered.strip().lower() in _NO)


def _of_prose(text: str, numbers: set[int], reply: str) -> ParsedAnswer:
    text = clean_reply(re.sub(r"<\|[A-Za-z_]{1,40}\|>|^\s*```\w*\s*$", "", text, flags=re.MULTILINE)).strip()
    if not re.search(r"\w", text):
        raise BadReply("an answer", reply)
    sentences = _marked_sentences(text, numbers)
    if not any(cited for _, cited in sentences) and _NOT_SAID.search(text):
        return ParsedAnswer(False)
    return ParsedAnswer(bool(sentences), tuple(sentences))


def _marked_sentences(text: str, numbers: set[int]) -> list[tuple[str, tuple[Citation, ...]]]:
    """The sentences of prose with the sources whose markers stand in them or right behind them."""
    # A marker behind the full stop belongs to the sentence before: it is moved in front of the stop.
    text = re.sub(rf"([.!?。！？]+[\"'”’»]?)((?:{_MARKER.pattern})+)", r"\2\1", text, flags=re.IGNORECASE)
    found = []
    for span in split_sentences(text):
        sentence = span.of(text)
        cited = [number for match in _MARKER.finditer(sentence) for number in _numbers(match[1], numbers)]
        plain = " ".join(_MARKER.sub("", sentence).split()).lstrip("#*- ").strip()
        if re.search(r"\w", plain):
            found.append((plain, tuple((number, "") for number in dict.fromkeys(cited))))
    return found


def _plain(record: dict[str, object]) -> dict[str, object]:
    return {keys.plain(key): value for key, value in record.items()}
