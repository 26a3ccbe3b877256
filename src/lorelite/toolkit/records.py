"""What the kit's parts hand to one another, and what they ask of a store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

from lorelite.ids import content_id


@dataclass(frozen=True, slots=True, kw_only=True)
class KitEntity:
    """A thing of the graph."""

    id: str
    name: str
    type: str = "unknown"
    properties: Mapping[str, Any] = field(default_factory=dict)
    """`description` and `aliases` are used where they are there."""
    source_ids: tuple[str, ...] = ()
    """Documents that tell of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KitRelation:
    """A typed relation. id: "" for one that names its ends and type."""

    source_id: str
    target_id: str
    type: str
    id: str = ""
    properties: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0
    source_ids: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The id, or the one that names content."""
        return self.id or relation_id(self.source_id, self.type, self.target_id)


@lru_cache(maxsize=1 << 14)  # a walk meets each relation at both its ends
def relation_id(source_id: str, type: str, target_id: str) -> str:
    """The id of a relation that was given none."""
    return content_id("rel", source_id, type, target_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple:
    """A statement in three words; subject and object are ids or names."""

    subject: str
    predicate: str
    object: str
    source_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Something a retriever found. `metadata` names what it is (entity_id, community_id, chunk_id …)."""

    id: str
    content: str
    score: float
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCommunity:
    """A cluster of entities, with a title and summary once somebody wrote them."""

    id: str
    entity_ids: tuple[str, ...]
    title: str = ""
    summary: str = ""
    error: str = ""
    """Why a report could not be written by the model."""

    @property
    def size(self) -> int:
        """How many entities it has."""
        return len(self.entity_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class KitExtraction:
    """What was found in a document. `warning`: why it is empty although something was asked."""

    entities: tuple[KitEntity, ...] = ()
    relations: tuple[KitRelation, ...] = ()
    warning: str = ""


class EntityStore(Protocol):
    """Where entities, relations and triples are kept."""

    async def add_entity(self, entity: KitEntity) -> None:
        """Add, or merge into the one of that id: a new name and type win, properties and sources are united."""
        ...

    async def add_relation(self, relation: KitRelation) -> None:
        """Add, or replace the one of that id. Raises NotFound when an end is not there."""
        ...

    async def get_entity(self, id: str) -> KitEntity | None: ...

    async def get_relations(self, entity_id: str) -> list[KitRelation]:
        """Outgoing, then incoming, each in the order in which they were added; of an unknown entity none."""
        ...

    async def search_entities(self, query: str, top_k: int = 10) -> list[tuple[KitEntity, float]]:
        """Entities whose names overlap the query, and how well (above 0, at most 1), best first."""
        ...

    async def add_triple(self, triple: Triple) -> None: ...

    async def get_triples(self, entity_id: str) -> list[Triple]:
        """Those whose subject or object is the entity, by id or by name."""
        ...

    async def size(self) -> int:
        """How many entities there are."""
        ...


@runtime_checkable
class Enumerable(Protocol):
    """A store that can list what it holds: clustering and resolution need it."""

    async def all_entities(self) -> list[KitEntity]:
        """Ordered by id."""
        ...

    async def all_relations(self) -> list[KitRelation]:
        """Ordered by id."""
        ...


@runtime_checkable
class BatchReader(Protocol):
    """A store that gives many things at once: a walk reads each hop in one go then."""

    async def get_entities(self, ids: Sequence[str]) -> list[KitEntity | None]:
        """In the order of *ids*."""
        ...

    async def get_names(self, ids: Sequence[str]) -> list[str | None]:
        """What entities are called, in the order of *ids*."""
        ...

    async def get_relations_of(self, entity_ids: Sequence[str]) -> list[list[KitRelation]]:
        """Of each entity what `get_relations` gives."""
        ...


@runtime_checkable
class Merger(Protocol):
    """A store that can make several entities one."""

    async def merge_entities(self, canonical_id: str, duplicate_ids: Sequence[str]) -> int:
        """Point all that names the duplicates to the canonical one and delete them; gives how many went.

        Relations of an entity to itself are dropped, equal ones united with their weights summed; properties are
        united, the canonical's win; the duplicates' names become its aliases. Unknown duplicates are passed over;
        raises NotFound for an unknown canonical.
        """
        ...


class Retriever(Protocol):
    """Anything that finds results for a query."""

    async def retrieve(self, query: str) -> list[SearchResult]: ...
