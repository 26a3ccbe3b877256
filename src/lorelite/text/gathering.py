"""Collects what several extractors find, under one name per thing."""

from __future__ import annotations

from dataclasses import dataclass, field

from lorelite.records import Confidence, Origin
from lorelite.text.extraction import ExtractedEntity, ExtractedFact, ExtractedRelation, Extraction
from lorelite.text.name_words import type_of_name
from lorelite.text.span import Span
from lorelite.text.title_key import title_key

MAX_EVIDENCE = 3
MAX_NAME_CHARS = 120


@dataclass(slots=True)
class _Draft:
    name: str
    type: str | None = None
    description: str = ""
    aliases: dict[str, str] = field(default_factory=dict)
    mentions: set[Span] = field(default_factory=set)


@dataclass(slots=True)
class _Edge:
    description: str
    weight: float
    origin: Origin
    evidence: dict[Span, None]


class Gathering:
    """Entities, relations and facts of one document, merged by the title key of their names."""

    def __init__(self) -> None:
        self._drafts: dict[str, _Draft] = {}
        self._alias_of: dict[str, str] = {}
        self._edges: dict[tuple[str, str, str], _Edge] = {}
        self._joined: set[tuple[str, str]] = set()
        self._facts: list[ExtractedFact] = []

    def knows(self, name: str) -> bool:
        """Whether an entity has this name or alias."""
        key = title_key(name)
        return key in self._drafts or key in self._alias_of

    def entity(
        self,
        name: str,
        *,
        type: str | None = None,
        description: str = "",
        mentions: tuple[Span, ...] = (),
    ) -> None:
        """Add an entity, or what is new about one that is known by this name or alias."""
        key = self._key(name)
        draft = self._drafts.setdefault(key, _Draft(name))
        draft.type = draft.type or type
        draft.description = draft.description or description
        draft.mentions.update(mentions)

    def alias(self, name: str, alias: str) -> None:
        """Let `alias` stand for the entity `name`, unless it already names another one."""
        key, alias_key = self._key(name), title_key(alias)
        if key in self._drafts and alias_key not in self._drafts and alias_key not in self._alias_of:
            self._alias_of[alias_key] = key
            self._drafts[key].aliases[alias_key] = alias

    def relate(
        self,
        source: str,
        target: str,
        type: str,
        *,
        description: str = "",
        weight: float = 1.0,
        origin: Origin = "structure",
        evidence: tuple[Span, ...] = (),
    ) -> None:
        """Join two entities; the same relation stated again only adds its evidence."""
        ends = self._key(source), self._key(target)
        if ends[0] == ends[1] or not all(end in self._drafts for end in ends):
            return
        self._joined.add(ends)
        edge = self._edges.setdefault((*ends, type), _Edge(description, weight, origin, {}))
        edge.weight = max(edge.weight, weight)
        edge.evidence |= dict.fromkeys(evidence)

    def joined(self, source: str, target: str) -> bool:
        """Whether some relation leads from `source` to `target`."""
        return (self._key(source), self._key(target)) in self._joined

    def fact(
        self,
        title: str,
        body: str,
        *,
        about: tuple[str, ...] = (),
        tags: tuple[str, ...] = (),
        confidence: Confidence = "certain",
        evidence: tuple[Span, ...] = (),
    ) -> None:
        """State something about entities."""
        self._facts.append(
            ExtractedFact(title=title, body=body, about=about, tags=tags, confidence=confidence, evidence=evidence)
        )

    def finish(self) -> Extraction:
        """Everything gathered; entities with the most mentions first, then in order of appearance."""
        drafts = sorted(self._drafts.values(), key=lambda draft: -len(draft.mentions))
        return Extraction(
            entities=tuple(
                ExtractedEntity(
                    name=draft.name,
                    type=draft.type or type_of_name(draft.name),
                    description=draft.description,
                    aliases=tuple(draft.aliases.values()),
                    mentions=tuple(sorted(draft.mentions)),
                )
                for draft in drafts
            ),
            relations=tuple(
                ExtractedRelation(
                    source=self._drafts[source].name,
                    target=self._drafts[target].name,
                    type=type,
                    description=edge.description,
                    weight=edge.weight,
                    origin=edge.origin,
                    evidence=tuple(edge.evidence)[:MAX_EVIDENCE],
                )
                for (source, target, type), edge in self._edges.items()
            ),
            facts=tuple(self._facts),
        )

    def _key(self, name: str) -> str:
        key = title_key(name)
        return self._alias_of.get(key, key)
