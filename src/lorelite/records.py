"""The records that cross the public border: frozen, plain, one per row or result.

Timestamps are integer milliseconds UTC. Offsets are characters of the stored document text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lorelite.cost_records import Estimate as Estimate
from lorelite.cost_records import Usage as Usage

Kind = Literal["fact", "entity", "chunk", "question", "report"]
Confidence = Literal["certain", "inferred", "tentative"]
SourceType = Literal["user_stated", "user_confirmed", "librarian_inferred", "immutable_document"]
Lifecycle = Literal["draft", "stable", "deprecated"]
Origin = Literal["stated", "structure", "model", "heuristic"]
EventType = Literal["observation", "decision", "action", "outcome"]
TrustTier = Literal["human-reviewed", "machine-confirmed", "unverified"]
TaskStatus = Literal["pending", "in_progress", "done", "abandoned"]
Direction = Literal["inbound", "outbound", "both"]
OnDuplicate = Literal["skip", "throw", "ingest"]

CONFIDENCE_RANK: Mapping[str, int] = {"tentative": 0, "inferred": 1, "certain": 2}


@dataclass(frozen=True, slots=True)
class Citation:
    """A span of a document that supports a node or a sentence: `quote == text[start:end]`."""

    document_id: str
    source_ref: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Verification:
    """Somebody vouched for a fact: `by` is "human:anna", "process:import" or the like, `at` milliseconds."""

    by: str
    at: int


class _Checkable:
    """What nodes and tasks share: how far they were checked, and when to check them again."""

    __slots__ = ()
    verified: tuple[Verification, ...]
    stale_after: int | None

    @property
    def trust_tier(self) -> TrustTier:
        """human-reviewed when a verifier's name begins with "human:", else machine-confirmed when there is any."""
        if any(verification.by.startswith("human:") for verification in self.verified):
            return "human-reviewed"
        return "machine-confirmed" if self.verified else "unverified"

    def is_stale(self, now: int) -> bool:
        """Is it time to check it again? *now* is in milliseconds."""
        return self.stale_after is not None and now >= self.stale_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Node(_Checkable):
    """One node of the graph: a fact, entity, chunk, question or community report."""

    id: str
    namespace: str
    kind: Kind
    title: str
    body: str = ""
    node_type: str | None = None
    """Type in the ontology's sense, e.g. "person"; None when nobody said."""
    tags: tuple[str, ...] = ()
    confidence: Confidence = "inferred"
    source_type: SourceType = "librarian_inferred"
    origin: Origin = "stated"
    """Who made the node: a caller, document structure, a model, or heuristics without a model."""
    lifecycle: Lifecycle = "stable"
    source_ref: str | None = None
    source_hash: str | None = None
    created_at: int = 0
    updated_at: int = 0
    valid_from: int | None = None
    valid_to: int | None = None
    superseded_by: str | None = None
    superseded_at: int | None = None
    stale_after: int | None = None
    """From then on the node should be checked again; None: never."""
    generated_by: str | None = None
    verified: tuple[Verification, ...] = ()
    """Who vouched for it, oldest first."""
    sources: tuple[Mapping[str, Any], ...] = ()
    """What it rests on beside its own document, e.g. {"resource": "https://…", "title": "…"}."""
    usage_window: tuple[int | None, int | None] | None = None
    """(from, to) in which it was of use."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Fields that came with an import and mean nothing here, and `typed_by` "rules" where no model or person found the
    type; exports give them back."""
    last_accessed_at: int | None = None
    access_count: int = 0
    citations: tuple[Citation, ...] = ()


Fact = Node
"""What `read` returns. Facts, entities and chunks are nodes that differ in `kind` alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode(Node):
    """A node met on a walk: how far from the anchor, and over which node it was first reached."""

    depth: int = 0
    parent: str | None = None
    path: tuple[str, ...] = ()
    """Node ids from the anchor to this node, both included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactVersion(Node):
    """What a fact said at a time: a wording of it, and from when until when it was held true."""

    held_from: int = 0
    """Milliseconds: where its window begins, or when it took the place of an earlier wording."""
    held_to: int | None = None
    """Where its window ends, or when another wording took its place; None: it is held true still. Not later than
    `held_from`: it never was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A typed, directed, weighted relation between two nodes."""

    id: str
    namespace: str
    source_id: str
    target_id: str
    edge_type: str
    weight: float = 1.0
    description: str = ""
    confidence: Confidence = "certain"
    origin: Origin = "stated"
    source_ref: str | None = None
    source_hash: str | None = None
    created_at: int = 0
    updated_at: int = 0
    valid_from: int | None = None
    valid_to: int | None = None
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(_Checkable):
    """Something to be done."""

    id: str
    namespace: str
    description: str
    status: TaskStatus = "pending"
    priority: int = 0
    """0 (whenever) to 10 (now)."""
    body: str = ""
    related_node_id: str | None = None
    node_type: str | None = None
    lifecycle: Lifecycle = "stable"
    created_at: int = 0
    updated_at: int = 0
    resolved_at: int | None = None
    """When it was done or abandoned."""
    stale_after: int | None = None
    generated_by: str | None = None
    verified: tuple[Verification, ...] = ()
    sources: tuple[Mapping[str, Any], ...] = ()
    usage_window: tuple[int | None, int | None] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened."""

    id: str
    namespace: str
    event_type: EventType
    summary: str
    related_node_id: str | None = None
    created_at: int = 0


@dataclass(frozen=True, slots=True)
class Highlight:
    """Where a node's title or body holds what was asked for: `getattr(node, field)[start:end]`."""

    field: Literal["title", "body"]
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why a node is in a result: the place (1 is the best) and score that each retriever gave it; None: it gave none.

    Keyword scores are BM25, semantic ones cosines, graph ones shares of the PageRank.
    """

    keyword_rank: int | None = None
    keyword_score: float | None = None
    semantic_rank: int | None = None
    semantic_score: float | None = None
    graph_rank: int | None = None
    graph_score: float | None = None
    matched_terms: tuple[str, ...] = ()
    """Terms of the query that the node holds, as the query wrote them."""
    highlights: tuple[Highlight, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBundle:
    """What a namespace remembers about a query, best first."""

    facts: tuple[Node, ...] = ()
    tasks: tuple[Task, ...] = ()
    """Most urgent first; `read` gives open ones, `get_memory_bundle` all."""
    events: tuple[Event, ...] = ()
    """Newest events, oldest of them first."""
    edges: tuple[Edge, ...] = ()
    """Edges among `facts`."""
    fact_scores: Mapping[str, float] = field(default_factory=dict)
    """Node id to score; higher is better; empty for an empty query."""
    explanations: Mapping[str, Explanation] = field(default_factory=dict)
    """Node id to why it is here; only where `explain=True` asked for it."""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """A connected part of the graph: anchor first, then by depth, newest, id."""

    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[Edge, ...] = ()
    """Edges whose two ends are both in `nodes`."""
    truncated: bool = False
    """True when `max_nodes` or `token_budget` cut the walk short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSentence:
    """One sentence of an answer and the spans it rests on; each quote was found in its document."""

    text: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer whose citations were checked by machine.

    `answered` is False when the documents do not say; `sentences` is then empty. `unsupported` holds what a model
    wrote without a citation that could be found; it is not part of `text`. Only where a strategy found community
    reports and no passages, sentences rest on these: they are part of `text`, and `unsupported` names those uncited.
    `origin` is "model" for a written answer, "heuristic" for the best sentences found without a model.
    """

    question: str
    text: str
    answered: bool
    origin: Origin
    sentences: tuple[AnswerSentence, ...] = ()
    unsupported: tuple[str, ...] = ()
    sources: tuple[Node, ...] = ()
    graph: Graph = field(default_factory=Graph)
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkFailure:
    """A chunk from which nothing could be extracted: the call failed, or the reply could not be read."""

    index: int
    start: int
    end: int
    reason: str
    cause: Literal["call", "reply", "empty"] = "reply"
    """call: the model gave no answer; reply: it cannot be read; empty: it holds none of what was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What one `ingest_document` call did. Counts are of this call."""

    document_id: str
    source_ref: str
    source_hash: str
    status: Literal["ingested", "unchanged", "partial", "duplicate", "empty"]
    """unchanged: the same (source_ref, source_hash) was there already; partial: some chunks failed, call again
    to retry them; duplicate: another source_ref holds the same hash, nothing was written; empty: the model found
    nothing where it had found something in the earlier version, which therefore stands."""
    origin: Origin
    chunks: int = 0
    resumed: int = 0
    """Chunks that an earlier, interrupted call had finished already."""
    facts: int = 0
    entities: int = 0
    edges: int = 0
    drafts: int = 0
    """Of `facts`, those kept as drafts since their quotes are not in the text (`WikiConfig.grounding`)."""
    facts_left_out: int = 0
    """Facts of the model that say nothing, or whose title the document has already; diagnostics name them."""
    edges_left_out: int = 0
    """Edges that the ontology does not permit, or that lead to what is not there; diagnostics name them."""
    replaced: int = 0
    """Nodes and edges of an earlier version of the document that were removed."""
    duplicate_of: str | None = None
    failures: tuple[ChunkFailure, ...] = ()
    cut_replies: int = 0
    """Replies that ended too early; what they held was kept. A larger token limit of the model helps."""
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpsertReport:
    """What one `upsert_graph` call did."""

    nodes_written: int = 0
    edges_written: int = 0
    superseded: int = 0
    """Nodes and edges of the source's earlier version that were retired."""
    untyped: int = 0
    """Nodes that are kept without their type, which the manifest of an emergent ontology does not have."""
    edges_dropped: int = 0
    """Edges that an emergent ontology does not permit, left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport:
    """How much one `forget` call deleted, or would delete when `dry_run`."""

    nodes: int = 0
    edges: int = 0
    tasks: int = 0
    events: int = 0
    documents: int = 0
    calls: int = 0
    """Recorded model calls that quote what was forgotten, or may."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentInfo:
    """A document without its text."""

    id: str
    source_ref: str
    source_hash: str
    characters: int
    chunks: int
    facts: int
    status: Literal["complete", "partial"]
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a long call, handed to `on_progress`."""

    stage: str
    done: int
    total: int
    detail: str = ""
