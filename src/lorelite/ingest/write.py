"""Writing an extraction into the graph: names become nodes, spans become citations, one transaction."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lorelite.engine import Engine
from lorelite.ids import content_id, edge_id
from lorelite.ingest.entities import merged_entity, refresh_entities
from lorelite.ingest.naming import Names, everything_named, names_used
from lorelite.ingest.told import Told, merged_edges, retold, settled
from lorelite.ingest.typed import late_edges, permitted_relations, typed_entities, typed_rows, waiting_among
from lorelite.memory.ontology import grown, taken_up, typed_by
from lorelite.ontology.manifest import Ontology
from lorelite.ontology.typing import DroppedEdge, Proposal, Typing
from lorelite.records import Confidence, Edge, Node, Origin, Verification
from lorelite.store.documents import Chunk, Document, Support
from lorelite.store.entity_graph import ABOUT, MENTIONS, STATES
from lorelite.store.statements import Statement
from lorelite.text.extraction import ExtractedEntity, ExtractedFact, ExtractedRelation, Extraction
from lorelite.text.grounding import CHECKED_BY
from lorelite.text.span import Span
from lorelite.text.title_key import title_key


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in a document."""

    document: Document
    chunks: Sequence[Chunk]
    """Those that were read: one, or all of the document in order."""
    extraction: Extraction
    ordinal: int
    """Of the one chunk; -1: of all."""

    def chunk_at(self, span: Span) -> str:
        """Of the chunks that were read the last that begins before the span does."""
        place = bisect_right(self.chunks, span.start, key=lambda chunk: chunk.start) - 1
        return self.chunks[max(0, place)].node_id


@dataclass(frozen=True, slots=True)
class Written:
    """New rows of one extraction."""

    facts: int = 0
    entities: int = 0
    edges: int = 0
    dropped: tuple[DroppedEdge, ...] = ()
    """Edges that the ontology does not permit."""

    def __add__(self, other: Written) -> Written:
        return Written(
            self.facts + other.facts,
            self.entities + other.entities,
            self.edges + other.edges,
            self.dropped + other.dropped,
        )


def write_extraction(
    engine: Engine, document: Document, chunks: Sequence[Chunk], extraction: Extraction, ordinal: int, origin: Origin
) -> Written:
    """Store *extraction*, which came from chunk *ordinal* of the document, or from all of it (-1).

    The same extraction always makes the same rows: ids name their content, so a repeated run changes nothing.
    """
    read = chunks if ordinal < 0 else chunks[ordinal : ordinal + 1]
    return write_readings(engine, document.namespace, [Reading(document, read, extraction, ordinal)], origin)[0]


def write_readings(
    engine: Engine,
    namespace: str,
    readings: Sequence[Reading],
    origin: Origin,
    *,
    links_all: bool = False,
    handed_back: Sequence[str] = (),
) -> tuple[Written, Told]:
    """Store what was found in several chunks, as if chunk by chunk, by few statements.

    links_all: a chunk mentions every entity that was found in it, whatever it is called there. handed_back: entities
    within others that what was said of them was given back to, see `hand_back`; it is handed over again.
    """
    readings = [reading for reading in readings if reading.extraction != Extraction()]
    with engine.store.atomic():
        if not readings:
            return Written(), settled(engine, namespace, Told(), handed_back)
        writer = _Writer(engine, namespace, readings, origin, links_all, handed_back)
        written = writer.write()
        told = settled(engine, namespace, writer.told(), writer.handed_back)
    return replace(written, entities=len(told.new_entities)), told


def write_waiting(engine: Engine, document: Document, *, is_complete: bool) -> Written:
    """The edges that waited for other parts of the document, as far as those are there by now.

    When the document is complete, what still leads nowhere is dropped; else it goes on waiting.
    """
    found = late_edges(engine, document)
    with engine.store.atomic():
        added = engine.store.edges.strengthen(found.edges)
        engine.store.ontology.end_waiting(document.id)
        if not is_complete:
            engine.store.ontology.add_waiting(document.id, found.waiting)
    return Written(edges=added, dropped=found.dropped if is_complete else ())


def fact_id(document: Document, fact: ExtractedFact) -> str:
    """The id that names what a version of a document states."""
    return content_id(
        "fact", document.namespace, document.source_ref, document.source_hash, title_key(fact.title), fact.body
    )


class _Writer:
    """The state of one write: who each name stands for."""

    def __init__(
        self,
        engine: Engine,
        namespace: str,
        readings: Sequence[Reading],
        origin: Origin,
        links_all: bool,
        handed_back: Sequence[str],
    ) -> None:
        self._engine = engine
        self._store = engine.store
        self._namespace = namespace
        self._readings = readings
        self._origin: Origin = origin
        self._links_all = links_all
        self._now = engine.clock()
        sources = [(each.document.source_ref, each.document.source_hash) for each in readings]
        self.handed_back = list(handed_back)
        self._names = Names(engine, namespace, sources, readings[0].document.id, self.handed_back)
        self._ids = self._names.ids
        self._new_entities: tuple[str, ...] = ()
        self._new_relations: tuple[Edge, ...] = ()

    def write(self) -> Written:
        ontology = taken_up(self._engine, self._namespace)
        for reading in self._readings:
            if reading.extraction.updates:
                ontology = grown(self._engine, self._namespace, reading.extraction.updates)
        self._readings = [
            replace(
                each,
                extraction=replace(
                    each.extraction, entities=typed_entities(ontology, each.extraction.entities, self._origin)
                ),
            )
            for each in self._readings
        ]
        typings = [(each, self._typing(ontology, each)) for each in self._readings if each.extraction.facts]
        facts = sum(self._write_facts(reading, typing.types) for reading, typing in typings)
        told = [everything_named(each.extraction) for each in self._readings]
        named = self._names.resolve(told)
        placed = [self._names.placed(each.extraction.unplaced) for each in self._readings]
        # What merges keep of the parts that were read is as if nothing were merged: it is said anew.
        for each in self._readings:
            told_of = [fact_id(each.document, fact) for fact in each.extraction.facts]
            chunk = None if each.ordinal < 0 else each.chunks[0]
            self.handed_back += retold(self._engine, each.document, chunk, told_of)
        self._write_entities(told, named)
        edges: list[Edge] = []
        related: list[tuple[Reading, Edge]] = []
        dropped: list[DroppedEdge] = []
        types = self._stored_types(ontology)
        for reading, found in zip(self._readings, placed, strict=True):
            relations = [*reading.extraction.relations, *found]
            permitted = permitted_relations(ontology, relations, self._ids, types)
            dropped += permitted.dropped
            edges += [*self._mention_edges(reading), *self._fact_edges(reading)]
            related += [(reading, edge) for edge in self._relation_edges(reading, permitted.relations)]
        for reading, typing in typings:
            edges += typed_rows(self._engine, reading.document, typing)
            self._store.ontology.add_waiting(reading.document.id, waiting_among(typing))
            dropped += (edge for edge in typing.dropped if edge.reason != "target_not_found")
        edges += [edge for reading, edge in related if reading.ordinal < 0]
        written = self._store.edges.strengthen(merged_edges(edges))
        self._state([(reading, edge) for reading, edge in related if reading.ordinal >= 0])
        return Written(facts, len(self._new_entities), written + len(self._new_relations), tuple(dropped))

    def told(self) -> Told:
        return Told(self._ids, self._new_entities, self._new_relations)

    def _stored_types(self, ontology: Ontology) -> dict[str, str | None]:
        """The types of what the names stand for; nobody asks for them when the ontology is off."""
        ids = set() if ontology.mode == "off" else set(self._ids.values())
        return self._store.ontology.types_of(self._namespace, ids) if ids else {}

    def _typing(self, ontology: Ontology, reading: Reading) -> Typing:
        document = reading.document
        proposals = [
            Proposal(id=fact_id(document, fact), title=fact.title, node_type=fact.node_type, edges=fact.edges)
            for fact in reading.extraction.facts
        ]
        return typed_by(
            self._engine,
            self._namespace,
            ontology,
            proposals,
            source_ref=document.source_ref,
            source_hash=document.source_hash,
        )

    # -- nodes --------------------------------------------------------------------------------------------------

    def _write_facts(self, reading: Reading, types: Mapping[str, str | None]) -> int:
        document, facts = reading.document, reading.extraction.facts
        made = [self._fact_node(document, fact) for fact in facts]
        nodes = {node.id: replace(node, node_type=types[node.id]) for node in made}
        known = self._store.nodes.by_ids(self._namespace, list(nodes))
        new = [node for id, node in nodes.items() if id not in known]
        # A fact that returns keeps who vouched for it; one whose quotes were found is no draft, whatever it was before.
        self._store.nodes.put([node for node in new if not node.verified])
        self._store.nodes.put([node for node in new if node.verified], whole=True)
        self._store.documents.add_citations(
            (fact_id(document, fact), document.id, span.start, span.end) for fact in facts for span in fact.evidence
        )
        return len(new)

    def _fact_node(self, document: Document, fact: ExtractedFact) -> Node:
        return Node(
            id=fact_id(document, fact),
            namespace=document.namespace,
            kind="fact",
            title=fact.title,
            body=fact.body,
            tags=fact.tags,
            confidence=fact.confidence,
            source_type="immutable_document",
            origin=self._origin,
            lifecycle="stable" if fact.grounding is None or fact.grounding.ok else "draft",
            verified=(Verification(CHECKED_BY, self._now),) if fact.grounding and fact.grounding.ok else (),
            source_ref=document.source_ref,
            source_hash=document.source_hash,
            created_at=self._now,
            updated_at=self._now,
        )

    def _write_entities(
        self, entities_told: Sequence[Mapping[str, ExtractedEntity]], named: Mapping[str, ExtractedEntity]
    ) -> None:
        told = list(zip(self._readings, entities_told, strict=True))
        nodes = {id: self._names.nodes[id] for id in named if id in self._names.nodes}
        self._new_entities = tuple(id for id in named if id not in nodes)
        support = [row for reading, entities in told for row in self._support(reading, entities)]
        said: defaultdict[str, list[Support]] = defaultdict(list)
        for row in support:
            said[row.node_id].append(row)
        new = {id: merged_entity(self._entity_node(id, named[id]), said[id]) for id in self._new_entities}
        self._store.nodes.put(list(new.values()))
        self._store.documents.add_support(support)
        self._store.documents.add_aliases(
            self._namespace,
            (
                (alias_key, self._ids[key], reading.document.id)
                for reading, entities in told
                for key, entity in entities.items()
                for alias in (entity.name, *entity.aliases)
                if (alias_key := title_key(alias))
            ),
        )
        self._store.documents.add_citations(
            (self._ids[key], reading.document.id, span.start, span.end)
            for reading, entities in told
            for key, entity in entities.items()
            for span in entity.mentions
        )
        refresh_entities(self._engine, self._namespace, list(named), self._now, nodes | new)

    def _entity_node(self, id: str, entity: ExtractedEntity) -> Node:
        return Node(
            id=id,
            namespace=self._namespace,
            kind="entity",
            title=entity.name,
            node_type=entity.type,
            confidence="inferred",
            source_type="immutable_document",
            origin=self._origin,
            created_at=self._now,
            updated_at=self._now,
        )

    def _support(self, reading: Reading, entities: Mapping[str, ExtractedEntity]) -> list[Support]:
        """One row for each node: what this reading says of it."""
        merged: dict[str, Support] = {}
        for key, entity in entities.items():
            id = self._ids[key]
            before = merged.get(id)
            bodies = [before.body if before else "", entity.description]
            merged[id] = Support(
                node_id=id,
                document_id=reading.document.id,
                ordinal=reading.ordinal,
                title=before.title if before else entity.name,
                node_type=(before.node_type if before else None) or entity.type,
                body="\n".join(dict.fromkeys(body for body in bodies if body)),
            )
        return list(merged.values())

    # -- edges --------------------------------------------------------------------------------------------------

    def _mention_edges(self, reading: Reading) -> list[Edge]:
        counts: Counter[tuple[str, str]] = Counter()
        for entity in reading.extraction.entities:
            key = title_key(entity.name)
            for span in entity.mentions if key else ():
                counts[reading.chunk_at(span), self._ids[key]] += 1
        if self._links_all and reading.ordinal >= 0:
            extraction = reading.extraction
            names = [*(entity.name for entity in extraction.entities), *names_used(extraction)]
            for id in dict.fromkeys(self._ids[key] for key in map(title_key, names) if key):
                counts.setdefault((reading.chunks[0].node_id, id), 1)
        return [self._edge(reading, chunk, MENTIONS, entity, weight=count) for (chunk, entity), count in counts.items()]

    def _fact_edges(self, reading: Reading) -> list[Edge]:
        edges = []
        for fact in reading.extraction.facts:
            id = fact_id(reading.document, fact)
            chunks = dict.fromkeys(reading.chunk_at(span) for span in fact.evidence)
            about = dict.fromkeys(self._ids[key] for key in map(title_key, fact.about) if key)
            edges += [self._edge(reading, chunk, STATES, id) for chunk in chunks]
            edges += [self._edge(reading, id, ABOUT, entity) for entity in about]
        return edges

    def _relation_edges(self, reading: Reading, relations: Sequence[ExtractedRelation]) -> list[Edge]:
        edges = []
        cited: list[tuple[str, str, int, int]] = []
        for relation in relations:
            source, target = title_key(relation.source), title_key(relation.target)
            if not source or not target or self._ids[source] == self._ids[target]:
                continue
            edge = self._edge(
                reading,
                self._ids[source],
                relation.type,
                self._ids[target],
                weight=relation.weight,
                description=relation.description,
                confidence="tentative" if relation.origin == "heuristic" else "certain",
                origin=relation.origin,
            )
            edges.append(edge)
            cited += ((edge.id, reading.document.id, span.start, span.end) for span in relation.evidence)
        self._store.documents.add_citations(cited)
        return edges

    def _state(self, related: Sequence[tuple[Reading, Edge]]) -> None:
        """Store relations as what their chunks say, so that a chunk can say something else later."""
        said: dict[tuple[str, int], Edge] = {}
        for reading, edge in related:
            key = (edge.id, reading.ordinal)
            said[key] = merged_edges([said[key], edge])[0] if key in said else edge
        documents = {edge.id: reading.document.id for reading, edge in related}
        statements = [
            Statement(id, documents[id], ordinal, edge.weight, edge.description) for (id, ordinal), edge in said.items()
        ]
        edges = merged_edges([edge for _, edge in related])
        self._new_relations = tuple(self._store.statements.put(edges, statements))

    def _edge(
        self,
        reading: Reading,
        source: str,
        edge_type: str,
        target: str,
        *,
        weight: float = 1.0,
        description: str = "",
        confidence: Confidence = "certain",
        origin: Origin | None = None,
    ) -> Edge:
        document = reading.document
        return Edge(
            id=edge_id(document.namespace, document.source_ref, document.source_hash, source, edge_type, target),
            namespace=document.namespace,
            source_id=source,
            edge_type=edge_type,
            target_id=target,
            weight=float(weight),
            description=description,
            confidence=confidence,
            origin=origin or self._origin,
            source_ref=document.source_ref,
            source_hash=document.source_hash,
            created_at=self._now,
            updated_at=self._now,
        )
