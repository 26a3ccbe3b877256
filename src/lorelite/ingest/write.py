"""Writing an extraction into the graph: names become nodes, spans become citations, one transaction."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lorelite.engine import Engine
from lorelite.ids import content_id
from lorelite.ingest.entities import refresh_entities
from lorelite.ingest.naming import by_key, names_used
from lorelite.ingest.typed import late_edges, permitted_relations, typed_entities, typed_rows, waiting_among
from lorelite.memory.ontology import grown, typed_by
from lorelite.ontology.manifest import Ontology
from lorelite.ontology.typing import DroppedEdge, Proposal, Typing
from lorelite.records import Confidence, Edge, Node, Origin, Verification
from lorelite.store.documents import Chunk, Document, Support
from lorelite.text.extraction import ExtractedEntity, ExtractedFact, ExtractedRelation, Extraction
from lorelite.text.grounding import CHECKED_BY
from lorelite.text.span import Span
from lorelite.text.title_key import title_key

MENTIONS = "mentions"
STATES = "states"
ABOUT = "about"


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
    if extraction == Extraction():
        return Written()
    writer = _Writer(engine, document, chunks, ordinal, origin)
    with engine.store.atomic():
        return writer.write(extraction)


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
        self, engine: Engine, document: Document, chunks: Sequence[Chunk], ordinal: int, origin: Origin
    ) -> None:
        self._engine = engine
        self._store = engine.store
        self._document = document
        self._chunks = chunks
        self._starts = [chunk.start for chunk in chunks]
        self._ordinal = ordinal
        self._origin: Origin = origin
        self._now = engine.clock()
        self._ids: dict[str, str] = {}  # title key → node id

    def write(self, extraction: Extraction) -> Written:
        namespace = self._document.namespace
        ontology = grown(self._engine, namespace, extraction.updates)
        extraction = replace(extraction, entities=typed_entities(ontology, extraction.entities, self._origin))
        typing = self._typing(ontology, extraction.facts)
        facts = self._write_facts(extraction.facts, typing.types)
        entities = self._write_entities(extraction)
        relations = [*extraction.relations, *self._placed(extraction.unplaced)]
        permitted = permitted_relations(ontology, relations, self._ids, self._stored_types(ontology))
        edges = [
            *self._mention_edges(extraction.entities),
            *self._fact_edges(extraction.facts),
            *self._relation_edges(permitted.relations),
            *typed_rows(self._engine, self._document, typing),
        ]
        self._store.ontology.add_waiting(self._document.id, waiting_among(typing))
        dropped = (edge for edge in typing.dropped if edge.reason != "target_not_found")
        written = self._store.edges.strengthen(_merged(edges))
        return Written(facts, entities, written, (*permitted.dropped, *dropped))

    def _stored_types(self, ontology: Ontology) -> dict[str, str | None]:
        """The types of what the names stand for; nobody asks for them when the ontology is off."""
        ids = set() if ontology.mode == "off" else set(self._ids.values())
        return self._store.ontology.types_of(self._document.namespace, ids) if ids else {}

    def _typing(self, ontology: Ontology, facts: Sequence[ExtractedFact]) -> Typing:
        document = self._document
        proposals = [
            Proposal(id=fact_id(document, fact), title=fact.title, node_type=fact.node_type, edges=fact.edges)
            for fact in facts
        ]
        return typed_by(
            self._engine,
            document.namespace,
            ontology,
            proposals,
            source_ref=document.source_ref,
            source_hash=document.source_hash,
        )

    # -- nodes --------------------------------------------------------------------------------------------------

    def _write_facts(self, facts: Sequence[ExtractedFact], types: Mapping[str, str | None]) -> int:
        nodes = {node.id: replace(node, node_type=types[node.id]) for node in map(self._fact_node, facts)}
        known = self._store.nodes.by_ids(self._document.namespace, list(nodes))
        new = [node for id, node in nodes.items() if id not in known]
        # A fact that returns keeps who vouched for it; one whose quotes were found is no draft, whatever it was before.
        self._store.nodes.put([node for node in new if not node.verified])
        self._store.nodes.put([node for node in new if node.verified], whole=True)
        self._store.documents.add_citations(
            (fact_id(self._document, fact), self._document.id, span.start, span.end)
            for fact in facts
            for span in fact.evidence
        )
        return len(new)

    def _fact_node(self, fact: ExtractedFact) -> Node:
        document = self._document
        return Node(
            id=fact_id(self._document, fact),
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

    def _write_entities(self, extraction: Extraction) -> int:
        """Entities, and a bare one for every name that only a relation or a fact mentions."""
        entities = by_key((*extraction.entities, *(ExtractedEntity(name=name) for name in names_used(extraction))))
        self._resolve(entities)
        ids = list(dict.fromkeys(self._ids[key] for key in entities))
        known = self._store.nodes.by_ids(self._document.namespace, ids)
        new = {
            self._ids[key]: self._entity_node(self._ids[key], entity)
            for key, entity in entities.items()
            if self._ids[key] not in known
        }
        self._store.nodes.put(list(new.values()))
        self._store.documents.add_support(self._support(entities))
        self._store.documents.add_aliases(
            self._document.namespace,
            (
                (alias_key, self._ids[key], self._document.id)
                for key, entity in entities.items()
                for alias in (entity.name, *entity.aliases)
                if (alias_key := title_key(alias))
            ),
        )
        self._store.documents.add_citations(
            (self._ids[key], self._document.id, span.start, span.end)
            for key, entity in entities.items()
            for span in entity.mentions
        )
        refresh_entities(self._engine, self._document.namespace, ids, self._now)
        return len(new)

    def _resolve(self, entities: dict[str, ExtractedEntity]) -> None:
        """Find who each name stands for: a node of that title, the one node of that alias, else a new entity."""
        aliases = {title_key(alias) for entity in entities.values() for alias in entity.aliases}
        found = self._found({*entities, *aliases} - {""})
        for key, entity in entities.items():
            candidates = self._candidates(key, found.get(key, []))
            # An alias that several nodes share says nothing.
            self._ids[key] = candidates[0].id if len(candidates) == 1 else self._new_id(key)
            for alias in entity.aliases:
                self._ids.setdefault(title_key(alias), self._ids[key])

    def _found(self, keys: set[str]) -> dict[str, list[Node]]:
        document = self._document
        return self._store.nodes.find_titled(
            document.namespace, keys, source_ref=document.source_ref, source_hash=document.source_hash
        )

    def _candidates(self, key: str, found: Sequence[Node]) -> Sequence[Node]:
        """Who a name may stand for: of that title first what this source states, else the one of that alias."""
        titled = [node for node in found if _titled(node, key)]
        own = [node for node in titled if node.source_ref == self._document.source_ref]
        return (own or titled)[:1] or found

    def _new_id(self, key: str) -> str:
        """The id that names the title; where a node that once had the title goes by another one, an id of our own."""
        id = content_id("entity", self._document.namespace, key)
        if self._store.nodes.get(self._document.namespace, id) is None:
            return id
        return content_id("entity", self._document.namespace, key, self._document.id)

    def _entity_node(self, id: str, entity: ExtractedEntity) -> Node:
        return Node(
            id=id,
            namespace=self._document.namespace,
            kind="entity",
            title=entity.name,
            node_type=entity.type,
            confidence="inferred",
            source_type="immutable_document",
            origin=self._origin,
            created_at=self._now,
            updated_at=self._now,
        )

    def _support(self, entities: dict[str, ExtractedEntity]) -> list[Support]:
        """One row for each node: what this extraction says of it."""
        merged: dict[str, Support] = {}
        for key, entity in entities.items():
            id = self._ids[key]
            before = merged.get(id)
            bodies = [before.body if before else "", entity.description]
            merged[id] = Support(
                node_id=id,
                document_id=self._document.id,
                ordinal=self._ordinal,
                title=before.title if before else entity.name,
                node_type=(before.node_type if before else None) or entity.type,
                body="\n".join(dict.fromkeys(body for body in bodies if body)),
            )
        return list(merged.values())

    def _placed(self, relations: Sequence[ExtractedRelation]) -> list[ExtractedRelation]:
        """The relations both of whose ends the namespace knows, by title or by an alias of one node alone."""
        keys = {title_key(name) for relation in relations for name in (relation.source, relation.target)}
        found = self._found(keys - self._ids.keys() - {""})
        self._ids |= {key: nodes[0].id for key, nodes in found.items() if len(nodes) == 1 or _titled(nodes[0], key)}
        return [
            relation
            for relation in relations
            if title_key(relation.source) in self._ids and title_key(relation.target) in self._ids
        ]

    # -- edges --------------------------------------------------------------------------------------------------

    def _mention_edges(self, entities: Sequence[ExtractedEntity]) -> list[Edge]:
        counts: Counter[tuple[str, str]] = Counter()
        for entity in entities:
            key = title_key(entity.name)
            for span in entity.mentions if key else ():
                counts[self._chunk_at(span), self._ids[key]] += 1
        return [self._edge(chunk, MENTIONS, entity, weight=count) for (chunk, entity), count in counts.items()]

    def _fact_edges(self, facts: Sequence[ExtractedFact]) -> list[Edge]:
        edges = []
        for fact in facts:
            id = fact_id(self._document, fact)
            chunks = dict.fromkeys(self._chunk_at(span) for span in fact.evidence)
            about = dict.fromkeys(self._ids[key] for key in map(title_key, fact.about) if key)
            edges += [self._edge(chunk, STATES, id) for chunk in chunks]
            edges += [self._edge(id, ABOUT, entity) for entity in about]
        return edges

    def _relation_edges(self, relations: Sequence[ExtractedRelation]) -> list[Edge]:
        edges = []
        for relation in relations:
            source, target = title_key(relation.source), title_key(relation.target)
            if not source or not target or self._ids[source] == self._ids[target]:
                continue
            edge = self._edge(
                self._ids[source],
                relation.type,
                self._ids[target],
                weight=relation.weight,
                description=relation.description,
                confidence="tentative" if relation.origin == "heuristic" else "certain",
                origin=relation.origin,
            )
            edges.append(edge)
            self._store.documents.add_citations(
                (edge.id, self._document.id, span.start, span.end) for span in relation.evidence
            )
        return edges

    def _edge(
        self,
        source: str,
        edge_type: str,
        target: str,
        *,
        weight: float = 1.0,
        description: str = "",
        confidence: Confidence = "certain",
        origin: Origin | None = None,
    ) -> Edge:
        document = self._document
        return Edge(
            id=content_id(
                "edge", document.namespace, document.source_ref, document.source_hash, source, edge_type, target
            ),
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

    def _chunk_at(self, span: Span) -> str:
        """The chunk that was read, or, of a whole document, the last one that holds the start of the span."""
        if self._ordinal >= 0:
            return self._chunks[self._ordinal].node_id
        place = max(0, bisect_right(self._starts, span.start) - 1)
        return self._chunks[place].node_id


def _titled(node: Node, key: str) -> bool:
    return title_key(node.title) == key


def _merged(edges: Sequence[Edge]) -> list[Edge]:
    """Edges of one id joined, so that the store's weight for a pair is the sum whatever the batches were."""
    merged: dict[str, Edge] = {}
    for edge in edges:
        before = merged.get(edge.id)
        if before is None:
            merged[edge.id] = edge
            continue
        descriptions = dict.fromkeys(text for text in (before.description, edge.description) if text)
        merged[edge.id] = replace(before, weight=before.weight + edge.weight, description="\n".join(descriptions))
    return list(merged.values())
