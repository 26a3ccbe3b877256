"""Names in extractions: which entity each one tells of, and which node that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lorelite.engine import Engine
from lorelite.ids import content_id
from lorelite.records import Node
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction
from lorelite.text.title_key import title_key


def by_key(entities: Iterable[ExtractedEntity]) -> dict[str, ExtractedEntity]:
    """Title key → entity; what is named twice is one entity that says both. A name without a key is left out."""
    found: dict[str, ExtractedEntity] = {}
    for entity in entities:
        key = title_key(entity.name)
        before = found.get(key)
        if before is None:
            found[key] = entity
            continue
        descriptions = dict.fromkeys(text for text in (before.description, entity.description) if text)
        found[key] = ExtractedEntity(
            name=before.name,
            type=before.type or entity.type,
            description="\n".join(descriptions),
            aliases=tuple(dict.fromkeys((*before.aliases, *entity.aliases))),
            mentions=tuple(dict.fromkeys((*before.mentions, *entity.mentions))),
        )
    found.pop("", None)
    return found


def names_used(extraction: Extraction) -> list[str]:
    """The names that only relations and facts use, as they are written there."""
    names = [name for relation in extraction.relations for name in (relation.source, relation.target)]
    names += [name for fact in extraction.facts for name in fact.about]
    named = (entity for entity in extraction.entities if title_key(entity.name))
    aliases = {title_key(alias) for entity in named for alias in entity.aliases}
    return [name for name in names if title_key(name) not in aliases]


def everything_named(extraction: Extraction) -> dict[str, ExtractedEntity]:
    """Title key → entity; a bare one for every name that only a relation or a fact uses."""
    used = [ExtractedEntity(name=name) for name in names_used(extraction)]
    return by_key((*extraction.entities, *used))


class Names:
    """Who each name stands for, for a reader of some sources; `ids` by title key grows with what is asked."""

    def __init__(
        self,
        engine: Engine,
        namespace: str,
        sources: Iterable[tuple[str, str]],
        document_id: str,
        handed_back: Sequence[str] = (),
    ) -> None:
        """sources: (source_ref, source_hash). document_id: of the first, to tell namesakes apart. handed_back: parts
        of others that are to be found by their own names for the while."""
        self.ids: dict[str, str] = {}
        self.nodes: dict[str, Node] = {}
        """Those that are there, as they were found."""
        self._nodes = engine.store.nodes
        self._merges = engine.store.merges
        self._namespace = namespace
        self._handed_back = self._merges.names_of(namespace, handed_back) if handed_back else {}
        self._sources = list(dict.fromkeys(sources))
        self._document_id = document_id

    def resolve(self, told: Sequence[Mapping[str, ExtractedEntity]]) -> dict[str, ExtractedEntity]:
        """Find who the names that chunks use, one after the other, stand for: a node of that title, the one node of
        that alias, else a new entity. What an earlier chunk called something counts as an alias.

        Gives node → what it is called first.
        """
        aliases = {title_key(alias) for entities in told for entity in entities.values() for alias in entity.aliases}
        keys = {key for entities in told for key in entities}
        found = self._found(keys | aliases)
        candidates = {key: self._candidates(key, found.get(key, [])) for key in keys}
        # An alias that several nodes share says nothing.
        new_ids = self._new_ids(key for key, nodes in candidates.items() if len(nodes) != 1)
        chosen = {key: new_ids.get(key) or nodes[0].id for key, nodes in candidates.items()}
        chosen |= {
            key: self._handed_back[key] for key, nodes in candidates.items() if not nodes and key in self._handed_back
        }
        chosen |= self._within(chosen)
        named: dict[str, ExtractedEntity] = {}
        for entities in told:
            earlier = set(self.ids)
            for key, entity in entities.items():
                if key not in earlier:
                    self.ids[key] = chosen[key]
                    self.nodes |= {node.id: node for node in candidates[key] if node.id == self.ids[key]}
                named.setdefault(self.ids[key], entity)
                for alias in entity.aliases:
                    self.ids.setdefault(title_key(alias), self.ids[key])
        return named

    def placed(self, relations: Sequence[ExtractedRelation]) -> list[ExtractedRelation]:
        """The relations both of whose ends the namespace knows, by title or by an alias of one node alone."""
        if not relations:
            return []
        keys = {title_key(name) for relation in relations for name in (relation.source, relation.target)}
        found = self._found(keys - self.ids.keys())
        known = {key: nodes[0].id for key, nodes in found.items() if len(nodes) == 1 or _titled(nodes[0], key)}
        self.ids |= known | self._within(known)
        return [
            relation
            for relation in relations
            if title_key(relation.source) in self.ids and title_key(relation.target) in self.ids
        ]

    def _within(self, ids: Mapping[str, str]) -> dict[str, str]:
        """Of keys that stand for a node which others were made part of: the part that bore the name. What is said of
        it is written as if it were still one of its own, and handed over at the end of the write."""
        # A title stands for its bearer, whoever else is called so.
        found = self._merges.titled_within(self._namespace, ids)
        waiting = {key: id for key, id in ids.items() if key not in found}
        while waiting:
            parts = self._merges.names(self._namespace, waiting.values())
            inner = {key: parts[id][key] for key, id in waiting.items() if key in parts.get(id, ())}
            waiting = {key: id for key, id in inner.items() if found.get(key) != id}
            found |= waiting
        return found

    def _found(self, keys: set[str]) -> dict[str, list[Node]]:
        return self._nodes.find_titled(self._namespace, keys - {""}, sources=self._sources)

    def _candidates(self, key: str, found: Sequence[Node]) -> Sequence[Node]:
        """Who a name may stand for: of that title first what these sources state, else the one of that alias."""
        titled = [node for node in found if _titled(node, key)]
        own = [node for node in titled if (node.source_ref, node.source_hash) in self._sources]
        return (own or titled)[:1] or found

    def _new_ids(self, keys: Iterable[str]) -> dict[str, str]:
        """Key → the id that names the title; where a node that once had the title goes by another one, an id of the
        document that says so."""
        ids = {key: content_id("entity", self._namespace, key) for key in sorted(keys)}
        taken = self._nodes.by_ids(self._namespace, list(ids.values()))
        return {
            key: content_id("entity", self._namespace, key, self._document_id) if id in taken else id
            for key, id in ids.items()
        }


def _titled(node: Node, key: str) -> bool:
    return title_key(node.title) == key
