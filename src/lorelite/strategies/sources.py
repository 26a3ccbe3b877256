"""The sentences of the passages found, with their place in the documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lorelite.records import Citation, Node
from lorelite.text.clean import plain_line_ends
from lorelite.text.sentences import split_sentences
from lorelite.text.span import Span

_ROWS = (".csv", ".tsv", ".jsonl", ".ndjson")
_LINE = re.compile(r"\S(?:[^\n]*\S)?")
_SHORT_FACT = 300
"""Characters. What a user titled "Lock keeper" and described as "Ada Marsh keeps it." says so with both together."""
_RECORD = re.compile(r"\{[^{}]{1,1000}\}|[^\s{](?:[^\n{]*[^\s{])?")
"""An object without others inside it, else what stands on a line."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A node as a source: its text, and where that text stands.

    Chunks and extracted facts stand in their document. A fact that a user stated stands for itself: its citation
    names the fact, and offsets count in its title, a blank line and its body.
    """

    node: Node
    document_id: str
    source_ref: str
    offset: int
    text: str

    def citation(self, start: int, end: int) -> Citation:
        """The span `text[start:end]` of the passage, as a citation."""
        return Citation(self.document_id, self.source_ref, self.offset + start, self.offset + end, self.text[start:end])

    def sentences(self) -> list[Citation]:
        """The passage sentence by sentence; a table row by row, JSON object by object, a short stated fact whole."""
        if not self.node.citations and len(self.text) <= _SHORT_FACT:
            return [self.citation(0, len(self.text))]
        text = plain_line_ends(self.text)
        if self.source_ref.lower().endswith(".json"):
            return [self.citation(span.start, span.end) for span in _records(text)]
        if self.source_ref.lower().endswith(_ROWS):
            return [self.citation(*line.span()) for line in _LINE.finditer(text)]
        return [self.citation(span.start, span.end) for span in split_sentences(text)]


def _records(text: str) -> Iterator[Span]:
    for record in _RECORD.finditer(text):
        if record[0].startswith("{"):
            yield Span(*record.span())
        else:
            yield from split_sentences(text, *record.span())


def passages(nodes: Sequence[Node]) -> list[Passage]:
    """The nodes as sources. What came from a document is quoted from it, what a user stated from the fact itself."""
    found = []
    for node in nodes:
        if node.citations:
            place = node.citations[0]
            found.append(Passage(node, place.document_id, place.source_ref, place.start, place.quote))
        else:
            # A blank line: the title is a sentence of its own.
            text = f"{node.title}\n\n{node.body}" if node.body else node.title
            found.append(Passage(node, node.id, node.source_ref or node.id, 0, text))
    return found
