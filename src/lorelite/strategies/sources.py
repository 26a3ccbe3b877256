"""The sentences of the passages found, with their place in the documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorelite.records import Citation, Node
from lorelite.text.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class Passage:
    """A node as a source: its text, and where that text stands.

    A chunk stands in its document. A fact stands for itself: its citation names the fact, and offsets count in its
    title, a line break and its body.
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
        return [self.citation(span.start, span.end) for span in split_sentences(self.text)]


def passage(node: Node) -> Passage:
    if node.kind == "chunk" and node.citations:
        place = node.citations[0]
        return Passage(node, place.document_id, place.source_ref, place.start, place.quote)
    return Passage(node, node.id, node.source_ref or node.id, 0, fact_text(node))


def fact_text(node: Node) -> str:
    return f"{node.title}\n{node.body}" if node.body else node.title


def passages(nodes: Sequence[Node]) -> list[Passage]:
    return [passage(node) for node in nodes]
