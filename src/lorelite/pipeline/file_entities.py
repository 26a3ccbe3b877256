"""Entities and relations of a namespace: what chunks say merged into the one graph, and read from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

from lorelite.graph.weighted import summed
from lorelite.graph_records import GraphEntity, GraphRelation, TextChunk
from lorelite.ingest.entities import is_shared, merged_entity, refresh_entities, said_lines, summarised, summary_of
from lorelite.ingest.ownership import remove_nodes
from lorelite.ingest.told import Told
from lorelite.ingest.write import Reading, write_readings
from lorelite.pipeline.file_documents import CAUSE, FileDocuments
from lorelite.pipeline.knowledge import Merged, Parts, WeightedEdges
from lorelite.records import Edge, Origin
from lorelite.resolution.giving_back import hand_back
from lorelite.resolution.merge import wholes_of
from lorelite.store.chunks import PlacedChunk
from lorelite.store.documents import Support
from lorelite.store.entity_graph import RelationRow, StatedRow
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction
from lorelite.text.title_key import title_key

E = TypeVar("E", ExtractedEntity, ExtractedRelation)


class FileEntities(FileDocuments):
    """The part of `FileKnowledge` that keeps entities and what joins them."""

    async def add_extractions(
        self, found: Sequence[tuple[TextChunk, Extraction]], *, origin: Origin = "model", processor: str
    ) -> Merged:
        store, namespace = self._store, self._namespace
        with store.atomic(CAUSE):
            placed = store.chunks.placed(namespace, [chunk.id for chunk, _ in found])
            # A chunk that went while a model read it has nothing to say any more.
            said = [(placed[chunk.id], _cleaned(extraction)) for chunk, extraction in found if chunk.id in placed]
            again = [each for each, _ in said if each.chunk.state == "done"]
            documents = dict.fromkeys(each.document.id for each in again)
            handed = [id for document in documents for id in hand_back(self._engine, namespace, document)]
            lost, removed = self._retract(again)
            readings = [Reading(each.document, (each.chunk,), what, each.chunk.ordinal) for each, what in said]
            _, told = write_readings(self._engine, namespace, readings, origin, links_all=True, handed_back=handed)
            lost = wholes_of(self._engine, namespace, [*lost, *handed])
            self._tidy([id for id in lost if id not in told.ids.values()])
            store.chunks.mark_finished(namespace, processor, list(placed))
            pairs = {_pair(edge) for edge in told.new_relations}
            known = store.entities.related(namespace, pairs, [edge.id for edge in told.new_relations])
        return Merged(
            entities=len(told.new_entities),
            relations=len(pairs - known - {_pair(edge) for edge in removed}),
            touched=tuple(dict.fromkeys([*told.ids.values(), *lost])),
            unknown_ends=len(set(told.new_entities) - _listed(told, [what for _, what in said])),
        )

    def _retract(self, chunks: Sequence[PlacedChunk]) -> tuple[list[str], list[Edge]]:
        """Take away what these chunks said; gives the entities that they told of, and the relations that went."""
        store = self._store
        keys = [(each.document.id, each.chunk.ordinal) for each in chunks]
        store.chunks.drop_mentions(self._namespace, [each.node.id for each in chunks])
        lost = store.chunks.drop_support(keys)
        return lost, store.statements.retract(self._namespace, keys, self._engine.clock())

    def _tidy(self, ids: Sequence[str]) -> None:
        """Let entities be what is still said of them, and go when nothing is."""
        supported = {row.node_id for row in self._store.documents.support(ids)}
        nodes = self._store.nodes.by_ids(self._namespace, ids)
        orphans = [id for id, node in nodes.items() if id not in supported and is_shared(node)]
        remove_nodes(self._engine, self._namespace, orphans)
        refresh_entities(self._engine, self._namespace, [id for id in ids if id in supported], self._engine.clock())

    # -- descriptions -------------------------------------------------------------------------------------------

    async def descriptions(self, entity_ids: Sequence[str]) -> list[Parts]:
        said = self._said(entity_ids)
        nodes = self._store.nodes.by_ids(self._namespace, entity_ids)
        found = []
        for entity in await self.entities(entity_ids):
            # What a caller stated speaks for itself.
            parts = said_lines(said.get(entity.id, ())) or tuple(filter(None, [entity.description]))
            is_summarised = summary_of(nodes[entity.id], parts) is not None
            found.append(Parts(entity=entity, parts=parts, is_summarised=is_summarised))
        return found

    async def put_summaries(self, summaries: Mapping[str, str]) -> None:
        ids = list(summaries)
        with self._store.atomic(CAUSE):
            nodes, said = self._store.nodes.by_ids(self._namespace, ids), self._said(ids)
            changed = []
            for id, node in nodes.items():
                if id in said and is_shared(node):
                    told = summarised(node, said_lines(said[id]), summaries[id])
                    after = merged_entity(told, said[id])
                    if after != node:
                        changed.append(replace(after, updated_at=self._engine.clock()))
            self._store.nodes.put(changed, whole=True)

    def _said(self, ids: Sequence[str]) -> dict[str, list[Support]]:
        rows = self._store.documents.support(ids)
        return {id: list(each) for id, each in groupby(rows, key=lambda row: row.node_id)}

    # -- reading ------------------------------------------------------------------------------------------------

    async def entities(self, ids: Sequence[str]) -> list[GraphEntity]:
        store, namespace = self._store, self._namespace
        nodes = store.nodes.by_ids(namespace, ids)
        wanted = store.entities.among(namespace, list(nodes))
        chunks = by_first(store.chunks.telling_of(namespace, list(wanted)))
        degrees = store.entities.degrees(namespace, list(wanted))
        aliases = store.entities.aliases(list(wanted))
        return [
            GraphEntity(
                id=id,
                name=nodes[id].title,
                type=nodes[id].node_type or "",
                description=nodes[id].body,
                chunk_ids=tuple(chunks.get(id, ())),
                degree=degrees.get(id, 0),
                aliases=tuple(key for key in aliases.get(id, ()) if key != title_key(nodes[id].title)),
            )
            for id in ids
            if id in wanted
        ]

    async def entity_ids(self) -> list[str]:
        return self._store.entities.ids(self._namespace)

    async def relations_of(self, entity_ids: Sequence[str], among: Sequence[str] | None = None) -> list[GraphRelation]:
        entities = self._store.entities
        rows = entities.relations(self._namespace, entity_ids, among)
        stated: dict[str, list[StatedRow]] = {}
        for said in entities.stated([row.id for row in rows]):
            stated.setdefault(said.edge_id, []).append(said)
        cited = entities.cited([row.id for row in rows if row.id not in stated])
        pairs: dict[tuple[str, str], list[_Statement]] = {}
        for place, row in enumerate(rows):
            said_of = [_Statement.of(row, each, place) for each in stated.get(row.id, ())]
            pairs.setdefault(_pair(row), []).extend(said_of or [_Statement.whole(row, cited.get(row.id, ()), place)])
        found = [_relation(sorted(statements, key=lambda each: each.place)) for statements in pairs.values()]
        return sorted(found, key=lambda relation: (relation.source_id, relation.target_id))

    async def neighbours(self, entity_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        return self._store.entities.neighbours(self._namespace, entity_ids)

    async def degrees(self, entity_ids: Sequence[str]) -> dict[str, int]:
        return self._store.entities.degrees(self._namespace, entity_ids)

    async def entities_of(self, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        return self._store.chunks.told_by(self._namespace, chunk_ids)

    async def weighted_edges(self) -> WeightedEdges:
        return self._weighted_edges()

    def _weighted_edges(self) -> WeightedEdges:
        ids = self._store.entities.ids(self._namespace)
        there = set(ids)
        sums: dict[tuple[str, str], float] = {}
        for source, target, weight in self._store.entities.weights(self._namespace):
            if source in there and target in there:
                pair = (source, target) if source < target else (target, source)
                sums[pair] = sums.get(pair, 0.0) + weight
        return WeightedEdges(entity_ids=ids, edges=[(*pair, sums[pair]) for pair in sorted(sums)])


@dataclass(frozen=True, slots=True)
class _Statement:
    """What a chunk, or somebody else, says of a pair."""

    place: tuple[int, ...]
    """In the order of insertion."""
    row: RelationRow
    weight: float
    description: str
    chunk_ids: tuple[str, ...]

    @classmethod
    def of(cls, row: RelationRow, said: StatedRow, place: int) -> _Statement:
        chunks = () if said.chunk_id is None else (said.chunk_id,)
        order = (row.begun_at, row.document, said.ordinal, place)
        return cls(order, row, said.weight, said.description, chunks)

    @classmethod
    def whole(cls, row: RelationRow, chunk_ids: Sequence[str], place: int) -> _Statement:
        return cls((row.begun_at, row.document, -1, place), row, row.weight, row.description, tuple(chunk_ids))


def _relation(statements: Sequence[_Statement]) -> GraphRelation:
    """What is said of one pair, in order, as one relation."""
    starts = Counter(each.row.source_id for each in statements)
    source = starts.most_common(1)[0][0]
    first = next(each.row for each in statements if each.row.source_id == source)
    lines = dict.fromkeys(
        line for each in statements for line in (each.description or _spelled_out(each.row)).split("\n") if line
    )
    return GraphRelation(
        source_id=first.source_id,
        target_id=first.target_id,
        source=first.source,
        target=first.target,
        type=Counter(each.row.edge_type for each in statements).most_common(1)[0][0],
        description="\n".join(lines),
        weight=summed([each.weight for each in statements]),
        chunk_ids=tuple(dict.fromkeys(id for each in statements for id in each.chunk_ids)),
        is_directed=len(starts) == 1,
    )


def by_first(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The seconds of the pairs by their firsts."""
    found: dict[str, list[str]] = {}
    for first, second in pairs:
        found.setdefault(first, []).append(second)
    return found


def _spelled_out(row: RelationRow) -> str:
    return f"{row.source} {row.edge_type.replace('_', ' ')} {row.target}"


def _pair(edge: Edge | RelationRow) -> tuple[str, str]:
    return min(edge.source_id, edge.target_id), max(edge.source_id, edge.target_id)


def _listed(told: Told, extractions: Sequence[Extraction]) -> set[str]:
    """The nodes that the chunks list as entities."""
    keys = (title_key(entity.name) for extraction in extractions for entity in extraction.entities)
    return {told.ids[key] for key in keys if key}


def _cleaned(extraction: Extraction) -> Extraction:
    """Descriptions in one line each, and no relation twice word for word."""
    return replace(
        extraction,
        entities=tuple(map(_in_one_line, extraction.entities)),
        relations=tuple(dict.fromkeys(map(_in_one_line, extraction.relations))),
    )


def _in_one_line(each: E) -> E:
    line = " ".join(each.description.split())
    return each if line == each.description else replace(each, description=line)
