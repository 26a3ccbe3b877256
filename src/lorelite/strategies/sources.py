"""The sentences of the passages found, with their place in the documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lorelite.graph_records import TextChunk
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text that can be quoted, and where it stands.

    Chunks and extracted facts stand in their document. A fact that a user stated stands for itself: its citation
    names the fact, and offsets count in its title, a blank line and its body.
    """

    id: str
    """Of the node or the chunk."""
    title: str
    document_id: str
    source_ref: str
    offset: int
    text: str
    is_stated: bool = False

    def citation(self, start: int, end: int) -> Citation:
        """The span `text[start:end]` of the passage, as a citation."""
        return Citation(self.document_id, self.source_ref, self.offset + start, self.offset + end, self.text[start:end])

    def sentences(self) -> list[Citation]:
        """The passage sentence by sentence; a table row by row, JSON object by object, a short stated fact whole."""
        if self.is_stated and len(self.text) <= _SHORT_FACT:
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


def passages(nodes: Iterable[Node]) -> list[Passage]:
    """The nodes as sources. What came from a document is quoted from it, what a user stated from the fact itself."""
    return [_from_document(node) if node.citations else _stated(node) for node in nodes]


def chunk_passages(chunks: Iterable[TextChunk]) -> list[Passage]:
    """The chunks as sources, in the first of their documents."""
    return [
        Passage(
            id=chunk.id,
            title=chunk.heading or chunk.document_ids[0],
            document_id=chunk.document_ids[0],
            source_ref=chunk.document_ids[0],
            offset=chunk.start,
            text=chunk.content,
        )
        for chunk in chunks
    ]


def _from_document(node: Node) -> Passage:
    place = node.citations[0]
    return Passage(
        id=node.id,
        title=node.title,
        document_id=place.document_id,
        source_ref=place.source_ref,
        offset=place.start,
        text=place.quote,
    )


def _stated(node: Node) -> Passage:
    # A blank line: the title is a sentence of its own.
    text = f"{node.title}\n\n{node.body}" if node.body else node.title
    ref = node.source_ref or node.id
    return Passage(
        id=node.id, title=node.title, document_id=node.id, source_ref=ref, offset=0, text=text, is_stated=True
    )
