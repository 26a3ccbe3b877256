"""Which passages lead to which: chunks and facts, joined by what they mention and by edges of their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from lorelite.engine import Engine
from lorelite.records import Node, Origin
from lorelite.retrieve.hits import Filters
from lorelite.store.edges import WalkFilter
from lorelite.text.title_key import title_key
from lorelite.text.title_phrases import capitalised_phrases

MENTION_TYPES = ("mentions", "about")
MOST_NAMESAKES = 8
"""Passages that may share a title, or mention an entity, for it to join them."""
MOST_MENTIONS = 50
"""Passages that may mention a title for its own passage to lead back to them."""
MOST_EDGES = 200
"""Edges of a passage; one with more leads nowhere by its edges."""
TITLE_WEIGHT, BACK_SHARE = 1.0, 0.5
SHARED_WEIGHT = 0.3

Weights = dict[str, float]


class PassageLinks:
    """The links around some passages, read from the store as they are asked for.

    A passage leads to those whose title it mentions and, half as strongly, back from there; to those among *fits* that
    mention what few others do, as far as they fit; and along its own edges, half as strongly against them. What many
    share joins nobody, and is not read; nor does a kind of things that a model named.
    """

    def __init__(self, engine: Engine, namespace: str, filters: Filters, fits: Mapping[str, float]) -> None:
        self._engine = engine
        self._namespace = namespace
        self.filters = filters
        self._fits = fits
        everything = (*filters.kinds, "entity")
        self._where = WalkFilter(
            kinds=everything, exclude_drafts=filters.exclude_drafts, as_of=filters.as_of, max_degree=MOST_EDGES
        )
        self._titles: dict[str, str] = {}
        """Passage → title key."""
        self._mentions: dict[str, dict[str, str]] = {}
        """Passage → entity → title key."""
        self._kinds: set[str] = set()
        """Entities that `names_a_kind`."""
        self._direct: dict[str, Weights] = {}
        """Passage → passage → weight, along its own edges."""
        self._by_text: defaultdict[str, Weights] = defaultdict(dict)
        self._fitting: defaultdict[str, list[str]] = defaultdict(list)
        """Entity → passages among those that fit which mention it."""
        self._read(fits)
        for passage in fits:
            for entity in self._mentions[passage].keys() - self._kinds:
                self._fitting[entity].append(passage)

    def titled(self, keys: Iterable[str]) -> dict[str, list[str]]:
        """Title key → the passages so titled; a key of none is left out, one of too many has an empty list."""
        found = self._engine.store.nodes.titled(
            self._namespace,
            keys,
            kinds=self.filters.kinds,
            most=MOST_NAMESAKES + 1,
            exclude_drafts=self.filters.exclude_drafts,
            as_of=self.filters.as_of,
        )
        self._titles |= dict(item for items in found.values() for item in items)
        return {key: _if_few([id for id, _ in items]) for key, items in found.items()}

    def mentioning(self, entities: Sequence[str], most: int) -> dict[str, list[str]]:
        """Entity → the passages that mention it, where they are at most *most*."""
        where = replace(self._where, kinds=self.filters.kinds, edge_types=MENTION_TYPES, max_degree=most)
        found: dict[str, dict[str, None]] = {}
        for link in self._engine.store.edges.links(self._namespace, entities, False, where) if entities else ():
            self._titles[link.id] = link.title_key
            found.setdefault(link.origin, {})[link.id] = None
        return {entity: list(passages) for entity, passages in found.items()}

    def add_text_links(self, passages: Sequence[Node]) -> None:
        """Let these passages lead to those whose titles stand in their text, though no edge says so."""
        named = {node.id: _names_in(node.body) for node in passages}
        for node in passages:
            self._titles[node.id] = title_key(node.title)
            named[node.id] -= {*self._mentions.get(node.id, {}).values(), self._titles[node.id]}
        targets = self.titled({key for keys in named.values() for key in keys})
        for passage, keys in named.items():
            for key in sorted(keys & targets.keys()):
                for target in targets[key]:
                    if target != passage:
                        _add(self._by_text[passage], target, TITLE_WEIGHT)
                        _add(self._by_text[target], passage, TITLE_WEIGHT * BACK_SHARE)

    def neighbours(self, passages: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
        """For each of these where it leads and how strongly."""
        self._read(passages)
        links = {passage: dict(self._direct[passage]) for passage in passages}
        for passage in passages:
            for target, weight in self._by_text.get(passage, {}).items():
                _add(links[passage], target, weight)
        self._add_title_links(links)
        self._add_shared_entities(links)
        return {passage: sorted(found.items()) for passage, found in links.items()}

    def _read(self, passages: Iterable[str]) -> None:
        """The edges of these, unless they were read."""
        new = [passage for passage in passages if passage not in self._direct]
        if not new:
            return
        edges = self._engine.store.edges
        for passage in new:
            self._mentions[passage], self._direct[passage] = {}, {}
        for link in edges.links(self._namespace, new, True, self._where):
            if link.kind == "entity":
                self._mentions[link.origin][link.id] = link.title_key
                if names_a_kind(link.title, link.made_by):
                    self._kinds.add(link.id)
            else:
                self._titles[link.id] = link.title_key
                _add(self._direct[link.origin], link.id, min(1.0, link.weight))
        for link in edges.links(self._namespace, new, False, replace(self._where, kinds=self.filters.kinds)):
            self._titles[link.id] = link.title_key
            _add(self._direct[link.origin], link.id, min(1.0, link.weight) * BACK_SHARE)

    def _add_title_links(self, links: Mapping[str, Weights]) -> None:
        own = {passage: self._names(passage) for passage in links}
        mentioned = {passage: set(self._mentions[passage].values()) for passage in links}
        titled = self.titled({key for keys in (*own.values(), *mentioned.values()) for key in keys})
        for passage, keys in mentioned.items():
            for key in sorted(keys & titled.keys()):
                for target in titled[key]:
                    _add_other(links, passage, target, TITLE_WEIGHT)
        bearers: dict[str, list[str]] = {}
        for passage, names in own.items():
            for key in names:
                if titled.get(key):
                    bearers.setdefault(key, []).append(passage)
        entities = {entity: key for key, found in self._entities(bearers).items() for entity in found}
        for entity, sources in self.mentioning(sorted(entities), MOST_MENTIONS).items():
            for passage in bearers[entities[entity]]:
                for source in sources:
                    _add_other(links, passage, source, TITLE_WEIGHT * BACK_SHARE)

    def _add_shared_entities(self, links: Mapping[str, Weights]) -> None:
        shared = {entity for passage in links for entity in self._mentions[passage] if entity in self._fitting}
        holders = self.mentioning(sorted(shared), MOST_NAMESAKES)
        for passage in links:
            for entity in self._mentions[passage]:
                held = len(holders.get(entity, ()))
                for target in self._fitting[entity] if held > 1 else ():
                    _add_other(links, passage, target, SHARED_WEIGHT * self._fits[target] / (held - 1))

    def _names(self, passage: str) -> list[str]:
        """The keys under which a passage's title is mentioned: as it is, and without what stands in brackets."""
        key = self._titles.get(passage, "")
        bare = key.rpartition(" (")[0] if key.endswith(")") else ""
        return [name for name in (key, bare) if name]

    def _entities(self, keys: Iterable[str]) -> dict[str, list[str]]:
        found = self._engine.store.nodes.titled(
            self._namespace, keys, kinds=("entity",), most=MOST_NAMESAKES, as_of=self.filters.as_of
        )
        return {key: [id for id, full in items if full == key] for key, items in found.items()}


def names_a_kind(title: str, made_by: Origin) -> bool:
    """Does an entity stand for a kind of things, such as "county", rather than for one of them?

    A model lists both; a kind it writes without a capital, where the script has capitals. What rules found so is marked
    in the text as a thing of its own: by a link, a heading, or because it returns.
    """
    return made_by == "model" and title.islower()


def _if_few(passages: list[str]) -> list[str]:
    return passages if len(passages) <= MOST_NAMESAKES else []


def _add(weights: Weights, target: str, weight: float) -> None:
    if weight > 0:
        weights[target] = weights.get(target, 0.0) + weight


def _add_other(links: Mapping[str, Weights], passage: str, target: str, weight: float) -> None:
    if target != passage:
        _add(links[passage], target, weight)


@lru_cache(maxsize=512)  # passages that were found once are found again
def _names_in(body: str) -> frozenset[str]:
    """Title keys of what a passage may name."""
    return frozenset(capitalised_phrases(body))
