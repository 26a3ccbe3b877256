"""What many chunks say of an entity or a relation, put together; and taken apart again, exactly.

Each chunk's contribution is kept as it was made. What an entity is (its name, type, description, weight) is worked
out from them, so a chunk that says something else, or goes, leaves no trace. The rules are those of GraphRAG systems:
the type that was said most, descriptions in the order in which they were said and each once, weights summed once per
record of a chunk, and one relation per unordered pair that remembers its direction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorelite.graph.weighted import summed
from lorelite.graph_records import TextChunk
from lorelite.text.extraction import Extraction
from lorelite.text.title_key import title_key


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitySaid:
    """What one chunk says of one entity, in the order in which it says it."""

    chunk_id: str
    names: tuple[str, ...]
    """The spelling of each record: as many as there are records."""
    types: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    """Descriptions, each once."""
    aliases: tuple[str, ...] = ()
    implied: bool = False
    """Only relations name it: what they say describes it as long as nobody does better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationSaid:
    """What one chunk says of one unordered pair of entities; *first* < *second* are keys."""

    chunk_id: str
    order: int
    """Of the chunk in its document."""
    first: str
    second: str
    forward: int
    """Records that go from first to second."""
    backward: int
    starts_forward: bool
    """Does the first record?"""
    weight: float
    types: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkSaid:
    """All that a chunk says: each entity and each pair once, in the order in which they come up."""

    entities: Mapping[str, EntitySaid]
    relations: Mapping[tuple[str, str], RelationSaid]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedEntity:
    """An entity as all its chunks together tell of it."""

    name: str
    type: str
    """"" when nobody said."""
    parts: tuple[str, ...]
    aliases: tuple[str, ...]
    weights: Mapping[str, int]
    """Chunk id → records of the entity in it."""
    implied: bool
    """Do only relations name it?"""

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        return tuple(self.weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedRelation:
    """A pair of entities as all their chunks together tell of it; source and target are keys."""

    source: str
    target: str
    type: str
    parts: tuple[str, ...]
    keywords: tuple[str, ...]
    weight: float
    order: int
    """The lowest of its chunks."""
    direction: int
    """1: from the smaller key to the larger, -1: the other way, 0: both were said."""
    chunk_ids: tuple[str, ...]

    @property
    def is_directed(self) -> bool:
        return self.direction != 0


def entity_key(name: str) -> str:
    """What two spellings of a name have in common, in capitals; "" for no name."""
    return title_key(name).upper()


def said_by(chunk: TextChunk, extraction: Extraction) -> ChunkSaid:
    """What a chunk says, by the keys of entities and the sorted pairs of them.

    A record that stands there twice, word for word, counts once. Relations of a thing to itself are left out. Ends of
    relations that the chunk does not list come last, as implied.
    """
    entities: dict[str, EntitySaid] = {}
    for entity in dict.fromkeys(
        (each.name, each.type or "", each.description, each.aliases) for each in extraction.entities
    ):
        name, kind, description, aliases = entity
        if key := entity_key(name):
            _say(entities, key, chunk.id, name, kind, description, aliases)
    relations: dict[tuple[str, str], RelationSaid] = {}
    implied: dict[str, EntitySaid] = {}
    for relation in dict.fromkeys(
        (each.source, each.target, each.type, each.description, each.weight, each.keywords)
        for each in extraction.relations
    ):
        source_name, target_name, kind, description, weight, keywords = relation
        source, target = entity_key(source_name), entity_key(target_name)
        if not source or not target or source == target:
            continue
        pair = (min(source, target), max(source, target))
        forward = pair[0] == source
        before = relations.get(pair)
        relations[pair] = RelationSaid(
            chunk_id=chunk.id,
            order=chunk.order,
            first=pair[0],
            second=pair[1],
            forward=(before.forward if before else 0) + forward,
            backward=(before.backward if before else 0) + (not forward),
            starts_forward=before.starts_forward if before else forward,
            weight=(before.weight if before else 0.0) + weight,
            types=(*(before.types if before else ()), *_said(kind)),
            parts=united((before.parts if before else (), _said(description))),
            keywords=united((before.keywords if before else (), keywords)),
        )
        for key, name in ((source, source_name), (target, target_name)):
            if key not in entities:
                _say(implied, key, chunk.id, name, "", description, (), implied=True)
    return ChunkSaid(entities | implied, relations)


def merged_entity(said: Sequence[EntitySaid]) -> MergedEntity:
    """The entity that at least one contribution, in order of insertion, makes."""
    told = [each for each in said if not each.implied] or list(said)
    name = _most_frequent(name for each in told for name in each.names)
    aliases = united([*(each.names for each in told), *(each.aliases for each in told)])
    key = entity_key(name)
    return MergedEntity(
        name=name,
        type=_most_frequent(kind for each in said for kind in each.types),
        parts=united(each.parts for each in told),
        aliases=tuple(alias for alias in aliases if entity_key(alias) != key),
        weights={each.chunk_id: len(each.names) for each in said},
        implied=all(each.implied for each in said),
    )


def merged_relation(said: Sequence[RelationSaid]) -> MergedRelation:
    """The relation that at least one contribution, in order of insertion, makes; it starts where most records do."""
    forward, backward = sum(each.forward for each in said), sum(each.backward for each in said)
    is_forward = said[0].starts_forward if forward == backward else forward > backward
    first, second = said[0].first, said[0].second
    return MergedRelation(
        source=first if is_forward else second,
        target=second if is_forward else first,
        type=_most_frequent(kind for each in said for kind in each.types),
        parts=united(each.parts for each in said),
        keywords=united(each.keywords for each in said),
        weight=summed([each.weight for each in said]),
        order=min(each.order for each in said),
        direction=0 if forward and backward else 1 if forward else -1,
        chunk_ids=tuple(each.chunk_id for each in said),
    )


def united(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Every text once, where it comes first."""
    return tuple(dict.fromkeys(text for group in groups for text in group))


def entity_json(said: EntitySaid) -> dict[str, Any]:
    """A contribution as JSON; what is empty is left out."""
    return _filled(
        chunk=said.chunk_id,
        names=list(said.names),
        types=list(said.types),
        parts=list(said.parts),
        aliases=list(said.aliases),
        implied=said.implied,
    )


def entity_from_json(value: Mapping[str, Any]) -> EntitySaid:
    """What `entity_json` made."""
    return EntitySaid(
        chunk_id=value["chunk"],
        names=tuple(value["names"]),
        types=tuple(value.get("types", ())),
        parts=tuple(value.get("parts", ())),
        aliases=tuple(value.get("aliases", ())),
        implied=value.get("implied", False),
    )


def relation_json(said: RelationSaid) -> dict[str, Any]:
    """A contribution as JSON without the two keys, which its edge holds; what is empty is left out."""
    return _filled(
        chunk=said.chunk_id,
        order=said.order,
        forward=said.forward,
        backward=said.backward,
        starts_forward=said.starts_forward,
        weight=said.weight,
        types=list(said.types),
        parts=list(said.parts),
        keywords=list(said.keywords),
    )


def relation_from_json(value: Mapping[str, Any], first: str, second: str) -> RelationSaid:
    """What `relation_json` made, of the pair *first* < *second*."""
    return RelationSaid(
        chunk_id=value["chunk"],
        order=value.get("order", 0),
        first=first,
        second=second,
        forward=value.get("forward", 0),
        backward=value.get("backward", 0),
        starts_forward=value.get("starts_forward", False),
        weight=value.get("weight", 0.0),
        types=tuple(value.get("types", ())),
        parts=tuple(value.get("parts", ())),
        keywords=tuple(value.get("keywords", ())),
    )


def _say(
    entities: dict[str, EntitySaid],
    key: str,
    chunk_id: str,
    name: str,
    kind: str,
    description: str,
    aliases: Iterable[str],
    implied: bool = False,
) -> None:
    before = entities.get(key)
    entities[key] = EntitySaid(
        chunk_id=chunk_id,
        names=(*(before.names if before else ()), name),
        types=(*(before.types if before else ()), *_said(kind)),
        parts=united((before.parts if before else (), _said(description))),
        aliases=united((before.aliases if before else (), aliases)),
        implied=implied,
    )


def _said(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _most_frequent(texts: Iterable[str]) -> str:
    """Of equally frequent ones the first."""
    counts = Counter(texts)
    return max(counts, key=counts.__getitem__, default="")


def _filled(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value not in ([], False, 0)}
