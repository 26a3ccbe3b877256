"""The records of GraphRAG: what goes into a knowledge graph and comes out of it, wherever it is kept.

Ids are opaque: in a Lorelite file they are node ids, in other stores hashes and names. Offsets are characters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lorelite.records import AnswerSentence, Origin, Usage

VectorIndex = Literal["chunks", "entities", "questions", "communities"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphDocument:
    """A text to insert. id: "" for a hash of the text; in a file it is the `source_ref`."""

    content: str
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChunk:
    """A slice `text[start:end]` of a document; `content` is exactly that."""

    id: str
    content: str
    document_ids: tuple[str, ...]
    """Documents that hold it, the first inserted first: usually one."""
    order: int
    """Its place in the first of them, from 0."""
    start: int
    end: int
    heading: str = ""
    """Path of the headings above it, as far as known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEntity:
    """A thing of the graph, as all chunks together describe it."""

    id: str
    name: str
    type: str = ""
    """"" when nobody said."""
    description: str = ""
    chunk_ids: tuple[str, ...] = ()
    """Chunks that tell of it, in the order in which they were inserted."""
    degree: int = 0
    """How many entities it is related to."""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRelation:
    """All that joins two entities, once per unordered pair; `source_id` is the end that most statements start from."""

    source_id: str
    target_id: str
    source: str
    target: str
    type: str = ""
    description: str = ""
    weight: float = 1.0
    """Sum over the statements."""
    chunk_ids: tuple[str, ...] = ()
    is_directed: bool = True
    """False when statements of both directions were seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Community:
    """A cluster of entities. Level 0 is the coarsest; children are on the next level."""

    id: str
    level: int
    entity_ids: tuple[str, ...]
    """Sorted."""
    parent: str | None = None
    children: tuple[str, ...] = ()
    is_final: bool = True
    """False when it was clustered again on the next level."""
    occurrence: float = 0.0
    """Its chunks as a share of those of the community that has most: 0 … 1."""
    chunk_ids: tuple[str, ...] = ()
    """Chunks that tell of its entities."""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """A finding of a report."""

    summary: str
    explanation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunityReport:
    """What is written of a community."""

    community_id: str
    level: int
    title: str
    summary: str
    rating: float = 0.0
    """Importance, 0 … 10."""
    rating_explanation: str = ""
    findings: tuple[Insight, ...] = ()
    content_hash: str = ""
    """Of the members, their descriptions and relations: an equal hash needs no new report."""
    origin: Origin = "model"
    """heuristic: put together without a model."""
    is_fallback: bool = False
    """The model's reply could not be used, and the report was put together in its place."""

    @property
    def text(self) -> str:
        """The report as Markdown: title, summary, findings."""
        parts = [f"# {self.title}", self.summary]
        for finding in self.findings:
            parts += [f"## {finding.summary}", finding.explanation]
        return "\n\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkQuestion:
    """A question that a chunk answers."""

    id: str
    question: str
    chunk_id: str


@dataclass(frozen=True, slots=True)
class GraphHit:
    """An item of an index and how well it fits; higher is better."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Similarity:
    """Two chunks that are alike, once per unordered pair; weight: cosine."""

    first_id: str
    second_id: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertFailure:
    """What a processor could not do with one chunk (or community); the next insert tries again."""

    item_id: str
    processor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertReport:
    """What one insert did."""

    documents: int = 0
    """Added; known ones do not count."""
    skipped: int = 0
    """Documents that were there already, or empty."""
    chunks: int = 0
    """Added."""
    counters: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Processor → what it counted: entities, relations, gleanings, summaries, communities, reports, reports_reused,
    similar_edges, questions, model_calls."""
    failures: tuple[InsertFailure, ...] = ()
    warnings: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteReport:
    """What `delete_documents` took away."""

    documents: int = 0
    chunks: int = 0
    entities: int = 0
    relations: int = 0
    questions: int = 0
    unknown: tuple[str, ...] = ()
    """Ids that name no document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphImport:
    """What a graph holds after the index of another program was taken in."""

    documents: int = 0
    chunks: int = 0
    entities: int = 0
    relations: int = 0
    communities: int = 0
    reports: int = 0
    problems: tuple[str, ...] = ()
    """What did not go as it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStats:
    """How much a graph holds."""

    documents: int = 0
    chunks: int = 0
    entities: int = 0
    relations: int = 0
    communities: int = 0
    levels: int = 0
    reports: int = 0
    similar_pairs: int = 0
    questions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewNode:
    """An entity as it is drawn."""

    id: str
    name: str
    type: str = ""
    degree: int = 0
    """How many entities it is related to, those that are not shown included."""
    communities: tuple[str, ...] = ()
    """Ids of its communities, from level 0 down."""
    community: str | None = None
    """That of the view's level, or one above it that is not divided further; None: it is in none."""
    colour: int | None = None
    """Number of that community, from 0; take it modulo the colours you have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewEdge:
    """What joins two nodes of a view."""

    source_id: str
    target_id: str
    type: str = ""
    weight: float = 1.0
    is_directed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewCommunity:
    """A community of which a view shows somebody."""

    id: str
    title: str
    """Of its report, where there is one."""
    level: int
    size: int
    """How many entities it has, shown or not."""
    colour: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphView:
    """A knowledge graph to be drawn; `dataclasses.asdict` gives what JSON can hold."""

    level: int
    nodes: tuple[ViewNode, ...] = ()
    """The most connected first, ties by id."""
    edges: tuple[ViewEdge, ...] = ()
    """Between nodes that are shown, ordered by the ids of their ends."""
    communities: tuple[ViewCommunity, ...] = ()
    """In the order of their colours."""
    entities: int = 0
    """How many the graph holds."""

    @property
    def truncated(self) -> bool:
        return len(self.nodes) < self.entities


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchContext:
    """What a strategy found, as it is shown to a model.

    tables: name ("Reports", "Entities", "Relationships", "Sources", "Points", …) → rows, in the order shown.
    """

    strategy: str
    text: str
    """"" when nothing was found."""
    tables: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    chunks: tuple[TextChunk, ...] = ()
    """Sources in the order shown: what sentences of an answer may cite."""
    tokens: int = 0
    usage: Usage = field(default_factory=Usage)
    """Of model calls made while searching."""

    @property
    def is_empty(self) -> bool:
        return not self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """An answer from a graph. Each citation's quote was found in its chunk; offsets are of the document."""

    text: str
    answered: bool
    strategy: str
    context: SearchContext
    origin: Origin = "model"
    sentences: tuple[AnswerSentence, ...] = ()
    unsupported: tuple[str, ...] = ()
    """Sentences whose source is a report, an entity or a relation, not a passage that can be quoted, or that cite
    nothing that can be found. Unlike in `Answer` they are part of `text` when the context holds such tables."""
    sources: tuple[str, ...] = ()
    """Ids of chunks, in the order used."""
    usage: Usage = field(default_factory=Usage)
