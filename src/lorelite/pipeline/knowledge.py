"""What the pipeline and the strategies ask of wherever a knowledge graph is kept.

Two things answer: a namespace of a Lorelite file (`FileKnowledge`), where all of it is rows of the one graph, and three
stores of a caller's choice (`StoreKnowledge`). One contract suite runs on both. Every writing method is one step: done
wholly or not at all, and doing it twice is doing it once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lorelite.graph_records import (
    ChunkQuestion,
    Community,
    CommunityReport,
    DeleteReport,
    GraphDocument,
    GraphEntity,
    GraphHit,
    GraphRelation,
    GraphStats,
    Similarity,
    TextChunk,
    VectorIndex,
)
from lorelite.ports import Embedder
from lorelite.records import Origin
from lorelite.text.chunking import ChunkSpan
from lorelite.text.extraction import Extraction


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedEdges:
    """The entity graph as what is clustered: ids, and unordered pairs of them with the summed weight."""

    entity_ids: Sequence[str] = ()
    """Sorted; entities without relations are among them."""
    edges: Sequence[tuple[str, str, float]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What `add_extractions` changed."""

    entities: int = 0
    """New ones."""
    relations: int = 0
    """New pairs."""
    touched: tuple[str, ...] = ()
    """Ids of entities whose description may have changed."""
    unknown_ends: int = 0
    """Entities made, or relations left out, since an end of a relation was not listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The descriptions of an entity as they were said, before anybody sums them up."""

    entity: GraphEntity
    parts: tuple[str, ...] = field(default=())
    """In the order in which they were said, each once."""
    is_summarised: bool = False
    """Is a summary of exactly these parts stored?"""


class Knowledge(Protocol):
    """A knowledge graph of one namespace."""

    @property
    def namespace(self) -> str: ...

    @property
    def has_vectors(self) -> bool:
        """Does `nearest` go by meaning? Without an embedder it goes by words."""
        ...

    # -- what the pipeline remembers ----------------------------------------------------------------------------

    async def recall(self, key: str) -> Any | None:
        """A JSON value that `remember` stored, None when there is none."""
        ...

    async def remember(self, key: str, value: Any) -> None:
        """Store a JSON value; None takes it away."""
        ...

    async def unfinished(self, processor: str) -> list[str]:
        """Ids of the chunks that the processor has not finished, in the order of insertion."""
        ...

    async def mark_finished(self, processor: str, chunk_ids: Sequence[str]) -> None: ...

    # -- documents and chunks -----------------------------------------------------------------------------------

    async def known(self, documents: Sequence[GraphDocument]) -> list[bool]:
        """Of each: was exactly this text inserted under this id, to the end?"""
        ...

    async def add_document(self, document: GraphDocument, spans: Sequence[ChunkSpan]) -> list[TextChunk]:
        """Store the document as begun, its chunks, their nodes and vectors. Gives the chunks that are new.

        Another text under the same id replaces the earlier one when it is completed.
        """
        ...

    async def add_documents(
        self, documents: Sequence[tuple[GraphDocument, Sequence[ChunkSpan]]]
    ) -> list[list[TextChunk]]:
        """`add_document` of many, each id once; where the home has transactions all of them or, on an error, none."""
        ...

    async def complete_documents(self, ids: Sequence[str]) -> None:
        """Mark as inserted to the end; earlier versions go."""
        ...

    async def delete_documents(self, ids: Sequence[str]) -> DeleteReport:
        """Take away exactly what only these documents support."""
        ...

    async def chunks(self, ids: Sequence[str]) -> list[TextChunk]:
        """In the order of *ids*; what is not there is left out."""
        ...

    async def chunk_ids(self) -> list[str]:
        """All, in the order of insertion."""
        ...

    async def chunks_of(self, document_ids: Sequence[str]) -> list[str]:
        """Ids of the chunks that these documents hold and no other does."""
        ...

    # -- entities and relations ---------------------------------------------------------------------------------

    async def add_extractions(
        self, found: Sequence[tuple[TextChunk, Extraction]], *, origin: Origin = "model", processor: str
    ) -> Merged:
        """Merge what chunks say into the graph, and mark the chunks as finished by *processor*, all in one step.

        Per chunk: replaces what the same chunk said before. Relations' ends that are no entities become entities
        without a type.
        """
        ...

    async def descriptions(self, entity_ids: Sequence[str]) -> list[Parts]:
        """What was said of entities; of those not there nothing."""
        ...

    async def put_summaries(self, summaries: Mapping[str, str]) -> None:
        """Entity id → what stands for its parts until another part is said."""
        ...

    async def entities(self, ids: Sequence[str]) -> list[GraphEntity]:
        """In the order of *ids*, degrees included; what is not there is left out."""
        ...

    async def entity_ids(self) -> list[str]:
        """All, sorted."""
        ...

    async def relations_of(self, entity_ids: Sequence[str], among: Sequence[str] | None = None) -> list[GraphRelation]:
        """Relations with at least one end among *entity_ids*, each once, ordered by (source_id, target_id).

        among: only those whose other end is one of these (or of *entity_ids* too); None: all.
        """
        ...

    async def neighbours(self, entity_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """Entity id → (id of one that it is related to, weight of the relation), strongest first, then by id: what
        `relations_of` tells at length, cheap for many."""
        ...

    async def degrees(self, entity_ids: Sequence[str]) -> dict[str, int]:
        """Entity id → how many entities it is related to; without those that are related to none."""
        ...

    async def entities_of(self, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """Chunk id → (entity id, how often it tells of it), strongest first, then by id."""
        ...

    async def weighted_edges(self) -> WeightedEdges:
        """The whole entity graph."""
        ...

    # -- communities --------------------------------------------------------------------------------------------

    async def put_communities(self, communities: Sequence[Community]) -> None:
        """Replace all communities; reports stay until `drop_reports`."""
        ...

    async def communities(self, ids: Sequence[str] | None = None) -> list[Community]:
        """All, or those asked for, ordered by level, then id."""
        ...

    async def communities_of(self, entity_ids: Sequence[str]) -> dict[str, list[str]]:
        """Entity id → ids of its communities, from level 0 down."""
        ...

    async def put_reports(self, reports: Sequence[CommunityReport]) -> None:
        """Add, or replace by community id."""
        ...

    async def reports(self, community_ids: Sequence[str] | None = None) -> list[CommunityReport]:
        """All, or those asked for, ordered by level, then community id."""
        ...

    async def drop_reports(self, community_ids: Sequence[str]) -> None: ...

    # -- similar chunks and questions ---------------------------------------------------------------------------

    async def add_similarities(self, pairs: Sequence[Similarity]) -> int:
        """Add pairs; of a pair that is there the larger weight stays. Gives how many are new."""
        ...

    async def similar_to(self, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """Chunk id → (chunk id, weight), strongest first, then by id."""
        ...

    async def add_questions(self, questions: Sequence[ChunkQuestion]) -> int:
        """Add, with their vectors; gives how many are new."""
        ...

    async def questions(self, ids: Sequence[str] | None = None) -> list[ChunkQuestion]:
        """All ordered by id, or those asked for in that order."""
        ...

    # -- search -------------------------------------------------------------------------------------------------

    def with_embedder(self, embedder: Embedder) -> Knowledge:
        """The same graph, whose `nearest` embeds what is looked for by *embedder* (of the same vector space)."""
        ...

    async def embed_new(self) -> None:
        """Make the vectors that entities, questions and reports lack, or whose text changed. Nothing without an
        embedder."""
        ...

    async def nearest(
        self, index: VectorIndex, text: str, top_k: int, min_score: float | None = None
    ) -> list[GraphHit]:
        """What fits a text best, ordered by (-score, id): cosines, or where there are no vectors shares of the best
        BM25 score, to which *min_score* does not apply."""
        ...

    async def nearest_to_chunk(self, chunk_id: str, top_k: int) -> list[GraphHit]:
        """Chunks most like this one, itself left out: cosine of the vectors, or of the weighted words."""
        ...

    # -- the whole ----------------------------------------------------------------------------------------------

    async def stats(self) -> GraphStats: ...

    async def drop(self) -> None:
        """Take everything of the namespace away."""
        ...

    async def close(self) -> None: ...
