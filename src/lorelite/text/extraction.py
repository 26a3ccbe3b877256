"""What an extractor finds in a document, whoever the extractor is: a model, structure, or heuristics.

Spans are offsets in the whole document; names stand for entities until they are resolved to nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

from lorelite.ontology.merge import NO_UPDATES, OntologyUpdates
from lorelite.ontology.typing import EdgeProposal
from lorelite.records import Confidence, Origin
from lorelite.text.grounding import Grounding
from lorelite.text.span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedEntity:
    name: str
    type: str | None = None
    description: str = ""
    aliases: tuple[str, ...] = ()
    mentions: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedRelation:
    source: str
    target: str
    type: str
    description: str = ""
    weight: float = 1.0
    origin: Origin = "model"
    evidence: tuple[Span, ...] = ()
    keywords: tuple[str, ...] = ()
    """What the relation is about, in a few words, when an extractor says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedFact:
    title: str
    body: str
    about: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    confidence: Confidence = "inferred"
    evidence: tuple[Span, ...] = ()
    quotes: tuple[str, ...] = ()
    """What a model says it quotes, found in the text or not."""
    grounding: Grounding | None = None
    """What a check of the quotes gave; None when nobody asked for one."""
    node_type: str | None = None
    """As the extractor names it; the ontology says whether it counts."""
    edges: tuple[EdgeProposal | None, ...] = ()
    """To other facts or entities, by title; None for one of a shape that cannot be understood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
    facts: tuple[ExtractedFact, ...] = ()
    unplaced: tuple[ExtractedRelation, ...] = ()
    """Relations to something that neither the text nor the extractor names otherwise: true only of a node that the
    namespace has already."""
    updates: OntologyUpdates = NO_UPDATES
    """Types that the extractor would add to an emergent ontology."""
