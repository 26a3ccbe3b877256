"""Entities and relations of a passage as delimited tuples, and the rounds in which a model adds what it missed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lorelite.ports import ModelRequest
from lorelite.prompts.fence import NOTICE, fenced, one_line
from lorelite.prompts.graph_reply import GraphRecords, Joined, Named, Wanted
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction
from lorelite.text.loose_json import without_reasoning
from lorelite.text.quote import QuoteFinder
from lorelite.text.span import Span
from lorelite.text.title_key import title_key

MAX_MENTIONS = 20
"""Places recorded for an entity in one passage."""

INSTRUCTIONS = """You read one passage of a text and write down who and what it tells of, and how they are related, for
a knowledge graph that people will ask about the whole text.

First list the entities that matter in the passage. Then list each pair of them of which the passage clearly says how
they are related. Say only what the passage says; use names in place of pronouns."""

_FORM = """Write one record to a line, in exactly this form:
("entity"<|>NAME<|>TYPE<|>DESCRIPTION)##
("relationship"<|>SOURCE<|>TARGET<|>DESCRIPTION<|>STRENGTH)##
and after the last record:
<|COMPLETE|>

NAME: the fullest form that the passage uses, spelled alike each time. TYPE: {types}.
DESCRIPTION of an entity: all that the passage says of it, in one to three sentences.
SOURCE, TARGET: names from your list of entities. DESCRIPTION of a relationship: one sentence that says how they are
related. STRENGTH: a number from 1 to 10, how closely.
The signs <|> and ## stand nowhere inside of a field. {language}{limit}
If the passage tells of nothing, write <|COMPLETE|> alone.

An example. From "Ada Okoro has run the Lindau ferry since the flood. Her brother Tom sells the tickets." come
("entity"<|>Ada Okoro<|>person<|>Ada Okoro has run the Lindau ferry since the flood; Tom is her brother.)##
("entity"<|>Lindau ferry<|>organization<|>The Lindau ferry is run by Ada Okoro, and Tom sells its tickets.)##
("entity"<|>Tom<|>person<|>Tom, Ada Okoro's brother, sells the tickets of the Lindau ferry.)##
("relationship"<|>Ada Okoro<|>Lindau ferry<|>Ada Okoro runs the Lindau ferry.<|>9)##
("relationship"<|>Tom<|>Ada Okoro<|>Tom is Ada Okoro's brother.<|>8)##
("relationship"<|>Tom<|>Lindau ferry<|>Tom sells the tickets of the Lindau ferry.<|>7)##
<|COMPLETE|>"""

_GLEAN = (
    "Many entities and relationships of the passage are missing from what you wrote. Add the missing ones now, in the "
    "same form, without repeating what is there. End with <|COMPLETE|>."
)
_MORE = (
    "Are there still entities or relationships in the passage that are missing from what you wrote? "
    "Reply with one word: yes or no."
)


@dataclass(frozen=True, slots=True)
class GraphReply:
    """What the replies about one passage say."""

    extraction: Extraction
    complete: bool = True
    """False when a reply ended too early."""
    dropped: int = 0
    """Records that could not be used."""


def build(
    chunk_text: str,
    wanted: Wanted,
    *,
    heading: str = "",
    language: str | None = None,
    record_limit: int | None = None,
    instructions: str | None = None,
) -> ModelRequest:
    """The request about a passage.

    heading: where it stands. language: of the descriptions, None for the passage's own. record_limit: how many
    records may come. instructions: in place of ours; the form of the reply and the notice about fences follow.
    """
    types = ", ".join(one_line(each) for each in wanted.types)
    form = _FORM.format(
        types=f"one of {types}{', or other' if wanted.others else ''}" if types else "one lower-case word",
        language=f"Write descriptions in {one_line(language)}."
        if language
        else "Write descriptions in the language of the passage.",
        limit=f" Write at most {record_limit} records, those that matter most." if record_limit else "",
    )
    parts = {"Section": one_line(heading)} if heading else {}
    return ModelRequest(
        system="\n\n".join([(instructions or INSTRUCTIONS).strip(), NOTICE, form]),
        user=fenced(parts | {"The passage": chunk_text}),
        purpose="extract_graph",
    )


def glean(request: ModelRequest, chunk_text: str, replies: Sequence[str]) -> ModelRequest:
    """The request for what *replies*, so far in that order, missed."""
    return _going_on(request, chunk_text, replies, _GLEAN, "glean")


def glean_more(request: ModelRequest, chunk_text: str, replies: Sequence[str]) -> ModelRequest:
    """The request to say whether something is still missing."""
    return _going_on(request, chunk_text, replies, _MORE, "glean_more")


def wants_more(reply_text: str) -> bool:
    """Is the answer to `glean_more` a yes?"""
    return re.sub(r"\W+", "", without_reasoning(reply_text)).lower().startswith(("y", "ja", "si", "oui", "はい", "是"))


def _going_on(request: ModelRequest, chunk_text: str, replies: Sequence[str], task: str, purpose: str) -> ModelRequest:
    parts = {"The passage": chunk_text, "What you wrote so far": "\n".join(replies)}
    return replace(request, user=f"{fenced(parts)}\n\n{task}", schema=None, purpose=purpose)


def placed(read: Sequence[GraphRecords], *, text: str, start: int = 0, record_limit: int | None = None) -> GraphReply:
    """The records of replies about a passage, with the places of what they name.

    text: the passage. start: its place in the document, to which the spans refer. record_limit: records beyond it are
    dropped. Each record stays one of its own, so the same name may come several times; relations keep the strength
    that the reply gives, and their ends need not be listed.
    """
    records = list(dict.fromkeys(record for each in read for record in (*each.entities, *each.relations)))
    kept = records[:record_limit]
    finder = _Finder(text, start)
    extraction = Extraction(
        entities=tuple(_entity(record, finder) for record in kept if isinstance(record, Named)),
        relations=tuple(_relation(record, finder) for record in kept if isinstance(record, Joined)),
    )
    dropped = sum(each.dropped for each in read) + len(records) - len(kept)
    return GraphReply(extraction, all(each.complete for each in read), dropped)


class _Finder:
    """Where names stand in a passage, each looked for once."""

    def __init__(self, text: str, start: int) -> None:
        self._finder = QuoteFinder(text, 0, len(text))
        self._start = start
        self._found: dict[str, tuple[Span, ...]] = {}

    def mentions(self, name: str, aliases: Sequence[str] = ()) -> tuple[Span, ...]:
        """In order of place; of a name inside a longer one only the longer."""
        spans: list[Span] = []
        found = (span for each in (name, *aliases) for span in self._mentions(each))
        for span in sorted(found, key=lambda span: (span.start, -span.end)):
            if not spans or span.start >= spans[-1].end:
                spans.append(span)
        return tuple(map(self._moved, spans[:MAX_MENTIONS]))

    def evidence(self, source: str, target: str) -> tuple[Span, ...]:
        """The first sentence that names both."""
        sentence = self._finder.sentence_with(self._mentions(source), self._mentions(target))
        return (self._moved(sentence),) if sentence else ()

    def _mentions(self, name: str) -> tuple[Span, ...]:
        key = title_key(name)
        if key not in self._found:
            self._found[key] = tuple(self._finder.mentions(name, MAX_MENTIONS))
        return self._found[key]

    def _moved(self, span: Span) -> Span:
        return Span(span.start + self._start, span.end + self._start)


def _entity(record: Named, finder: _Finder) -> ExtractedEntity:
    return ExtractedEntity(
        name=record.name,
        type=record.type,
        description=record.description,
        aliases=record.aliases,
        mentions=finder.mentions(record.name, record.aliases),
    )


def _relation(record: Joined, finder: _Finder) -> ExtractedRelation:
    return ExtractedRelation(
        source=record.source,
        target=record.target,
        type=record.type,
        description=record.description,
        weight=record.weight,
        evidence=finder.evidence(record.source, record.target),
        keywords=record.keywords,
    )
