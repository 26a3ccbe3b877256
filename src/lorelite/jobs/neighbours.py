"""What a namespace knows about the same as some statements: by title, by rare words, and by meaning where it can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from lorelite.engine import Engine
from lorelite.errors import ModelError
from lorelite.records import Node
from lorelite.search.query_plan import Clause
from lorelite.text.title_key import title_key
from lorelite.text.tokens import index_tokens

FACTS = ("fact",)
_WORDS = 12
"""Words of a text whose rarity is looked up: the longest, which are the rarest more often than not."""
_RARE_WORDS = 8
_ROWS = 10_000
"""Rows of the keyword index that are looked at for all texts together, beyond the two rarest words of each."""
_MANY = 10_000
"""A word that more nodes have tells nothing."""
_NEAR, _VERY_NEAR = 0.6, 0.8
"""Cosines from which two texts may be about the same, and from which they probably are."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The facts that may be about the same as a text: of its title first, then nearest."""

    nodes: tuple[Node, ...] = ()
    alike: frozenset[str] = frozenset()
    """Ids of those that mean much the same, whatever their words."""


async def neighbours(engine: Engine, namespace: str, texts: Sequence[tuple[str, str]], limit: int) -> list[Neighbours]:
    """For each (title, body) the facts held true now that may be about the same."""
    titled = engine.store.nodes.named(namespace, {title_key(title) for title, _ in texts}, kinds=FACTS, limit=limit)
    by_words = words_in_common(engine, namespace, [f"{title} {body}" for title, body in texts], limit)
    by_meaning = await _near_in_meaning(engine, namespace, texts, limit)
    found = []
    for (title, _), words, meaning in zip(texts, by_words, by_meaning, strict=True):
        nodes = [*titled.get(title_key(title), ()), *(node for node, _ in meaning), *words]
        nearest = list({node.id: node for node in nodes}.values())[: 2 * limit]
        found.append(Neighbours(tuple(nearest), frozenset(node.id for node, score in meaning if score >= _VERY_NEAR)))
    return found


def words_in_common(engine: Engine, namespace: str, texts: Sequence[str], limit: int) -> list[list[Node]]:
    """For each text the facts that share its rarest words, best first."""
    index = engine.store.keyword.index(namespace)
    if index is None:
        return [[] for _ in texts]
    words = [sorted(dict.fromkeys(index_tokens(text)), key=len, reverse=True)[:_WORDS] for text in texts]
    counts = index.frequencies({word for some in words for word in some})
    keys = [[key for key, _ in index.match(_rarest(some, counts, _ROWS // len(texts)), 4 * limit)] for some in words]
    nodes = engine.store.nodes.by_keys([key for some in keys for key in some], kinds=FACTS)
    return [[nodes[key] for key in some if key in nodes][:limit] for some in keys]


def _rarest(words: Sequence[str], counts: Mapping[str, int], room: int) -> list[Clause]:
    chosen: list[Clause] = []
    rows = 0
    for word in sorted((word for word in words if word in counts), key=lambda word: (counts[word], word)):
        rows += counts[word]
        if len(chosen) == _RARE_WORDS or counts[word] > _MANY or (len(chosen) >= 2 and rows > room):
            break
        chosen.append((word,))
    return chosen


async def _near_in_meaning(
    engine: Engine, namespace: str, texts: Sequence[tuple[str, str]], limit: int
) -> list[list[tuple[Node, float]]]:
    found: list[list[tuple[Node, float]]] = [[] for _ in texts]
    if engine.embedder is None or engine.store.db.in_transaction or not texts:
        return found
    if not engine.store.vectors.any(namespace, engine.embedder.model_id):
        return found
    # Words alone find most of it, so a failing embedder must not stop the librarian.
    with suppress(ModelError):
        wanted = await engine.embed(namespace, [f"{title}\n{body}" for title, body in texts], keep=True)
        block = engine.store.vectors.block(namespace, engine.embedder.model_id, FACTS, len(wanted[0]))
        near = [[hit for hit in block.nearest(vector, 2 * limit) if hit[1] >= _NEAR] for vector in wanted]
        nodes = engine.store.nodes.by_keys([key for hits in near for key, _ in hits], kinds=FACTS)
        found = [[(nodes[key], score) for key, score in hits if key in nodes][:limit] for hits in near]
    return found
