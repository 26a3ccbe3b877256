"""Which entities of a namespace may be one under two names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from lorelite.engine import Engine
from lorelite.merge_records import MergeEvidence, MergeSuggestion
from lorelite.resolution.evidence import (
    by_meaning,
    by_neighbours,
    by_relations,
    by_sentences,
    combined,
    have_conflicting_types,
)
from lorelite.resolution.merge import rejected_pairs
from lorelite.search.vectors import unpacked
from lorelite.store.merges import Candidate
from lorelite.text.same_name import NAMESAKES, PART, Likeness, letters_key, likeness_keys, name_likeness, plain_words
from lorelite.text.title_key import title_key

MAX_BLOCK = 40
"""Entities that share a key, at most: a word that more names hold tells none from another."""
_LEAST_NAME = 0.5
_ALIAS_SCORE = 0.9
_OUTSTANDING = 0.5
"""Neighbours in common, as `by_neighbours` counts, of the one of several that a short name stands for."""

Pair = tuple[str, str]
"""Two entity ids, sorted."""


@dataclass(frozen=True, slots=True)
class _Named:
    """What makes a pair worth looking at."""

    likeness: Likeness
    alias: MergeEvidence | None


def suggest_merges(
    engine: Engine, namespace: str, *, min_score: float = 0.6, limit: int = 50, types: Collection[str] | None = None
) -> list[MergeSuggestion]:
    """Pairs of entities that may be one, likeliest first, each with what speaks for it and against it.

    Only pairs whose names or aliases are alike are looked at. Entities of different known types are two, and so are
    pairs that were rejected.
    """
    store = engine.store
    every = store.merges.candidates(namespace, engine.clock())
    wanted = None if types is None else {title_key(kind) for kind in types}
    entities = {each.id: each for each in every if wanted is None or title_key(each.node_type or "") in wanted}
    aliases = store.entities.aliases(list(entities))
    rejected = rejected_pairs(engine, namespace)
    pairs = {
        pair: named
        for pair, named in _named_alike(entities, aliases).items()
        if pair not in rejected and not _are_kinds_apart(entities, pair)
    }
    return _weighed(engine, namespace, entities, pairs, min_score, limit)


def _are_kinds_apart(entities: Mapping[str, Candidate], pair: Pair) -> bool:
    return have_conflicting_types(entities[pair[0]].node_type, entities[pair[1]].node_type)


# -- which pairs ------------------------------------------------------------------------------------------------


def _named_alike(entities: Mapping[str, Candidate], aliases: Mapping[str, Sequence[str]]) -> dict[Pair, _Named]:
    """The pairs that share a key of their names, as far as the names are alike."""
    blocks: defaultdict[str, list[str]] = defaultdict(list)
    # By type, so that of many namesakes those of one type are beside each other.
    for id, entity in sorted(entities.items(), key=lambda item: (title_key(item[1].node_type or ""), item[0])):
        for key in likeness_keys(entity.title):
            blocks[key].append(id)
    likeness: dict[Pair, Likeness] = {}
    for pair in _pairs(blocks):
        if pair not in likeness:
            likeness[pair] = name_likeness(entities[pair[0]].title, entities[pair[1]].title)
    called = _called_alike(entities, aliases)
    return {
        pair: _Named(likeness.get(pair, Likeness(0.0, "")), called.get(pair))
        for pair in sorted(likeness.keys() | called.keys())
        if pair in called or likeness[pair].score >= _LEAST_NAME
    }


def _called_alike(entities: Mapping[str, Candidate], aliases: Mapping[str, Sequence[str]]) -> dict[Pair, MergeEvidence]:
    """The pairs of which documents call one by a name of the other."""
    bearers: defaultdict[str, list[str]] = defaultdict(list)
    spelt: dict[str, str] = {}
    own = {id: letters_key(entity.title) for id, entity in entities.items()}
    for id in entities:
        for key, name in dict(
            [(own[id], entities[id].title), *((letters_key(a), a) for a in aliases.get(id, ()))]
        ).items():
            if key:
                bearers[key].append(id)
                spelt.setdefault(key, name)
    found: dict[Pair, MergeEvidence] = {}
    for key, ids in bearers.items():
        # A name that many bear says nothing of any of them.
        share = 1 / (len(ids) - 1) if len(ids) > 1 else 0.0
        for pair in _pairs({key: ids}):
            whose = [id for id in pair if own[id] == key]
            if len(whose) == 2:
                continue
            score = round(_ALIAS_SCORE * share if whose else 0.75 * share, 4)
            said = (
                f"{entities[pair[0] if pair[1] in whose else pair[1]].title} is also called {entities[whose[0]].title}"
                if whose
                else f"both are called {spelt[key]}"
            )
            if pair not in found or found[pair].score < score:
                found[pair] = MergeEvidence("alias", score, said)
    return found


def _pairs(blocks: Mapping[str, Sequence[str]]) -> Iterable[Pair]:
    """The pairs of each block. Of a block that is too large only namesakes are looked at, each with the next."""
    for key, ids in blocks.items():
        if 1 < len(ids) <= MAX_BLOCK:
            for place, first in enumerate(ids):
                for second in ids[place + 1 :]:
                    yield (first, second) if first < second else (second, first)
        elif key.startswith(NAMESAKES):
            yield from ((min(pair), max(pair)) for pair in pairwise(ids))


def _fitting_alone(
    pairs: Mapping[Pair, _Named], entities: Mapping[str, Candidate], shared: Mapping[Pair, float]
) -> dict[Pair, _Named]:
    """Without pairs of which all that is alike is a part of the name, where the shorter name fits others as well:
    "Cratchit" is none of several Cratchits. Of several the one counts that has far more neighbours in common."""
    fits: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair, named in pairs.items():
        if named.likeness.reason == PART:
            fits[_shorter(pair, entities)].append(pair)
    chosen = set()
    for several in fits.values():
        best, *others = sorted(several, key=lambda pair: (-shared.get(pair, 0.0), pair))
        if not others or shared.get(best, 0.0) >= max(_OUTSTANDING, 2 * shared.get(others[0], 0.0)):
            chosen.add(best)
    return {
        pair: named
        for pair, named in pairs.items()
        if named.alias is not None or named.likeness.reason != PART or pair in chosen
    }


def _shorter(pair: Pair, entities: Mapping[str, Candidate]) -> str:
    return min(pair, key=lambda id: (len(plain_words(entities[id].title)), id))


# -- how likely -------------------------------------------------------------------------------------------------


def _weighed(
    engine: Engine,
    namespace: str,
    entities: Mapping[str, Candidate],
    pairs: Mapping[Pair, _Named],
    min_score: float,
    limit: int,
) -> list[MergeSuggestion]:
    store = engine.store
    ids = sorted({id for pair in pairs for id in pair})
    vectors = {
        id: unpacked(data)
        for id, data in store.merges.vectors(ids, engine.embedder.model_id if engine.embedder else None).items()
    }
    near = {id: dict(found) for id, found in store.entities.neighbours(namespace, ids).items()}
    degrees = store.entities.degrees(namespace, sorted({id for found in near.values() for id in found}))
    names = {id: entity.title for id, entity in entities.items()}
    alike = {
        pair: by_neighbours(_but(near.get(pair[0]), pair[1]), _but(near.get(pair[1]), pair[0]), degrees, names)
        for pair in pairs
    }
    pairs = _fitting_alone(pairs, entities, {pair: each.score for pair, each in alike.items() if each is not None})
    related = store.merges.relation_types(namespace, ids)
    spans = store.merges.spans(ids)
    texts = _Texts(engine)
    found = []
    for pair, named in pairs.items():
        first, second = pair
        evidence = [
            MergeEvidence("name", named.likeness.score, named.likeness.reason) if named.likeness.score else None,
            named.alias,
            by_relations(related.get(pair, ())),
            alike[pair],
            by_meaning(_cosine(vectors[first], vectors[second])) if first in vectors and second in vectors else None,
        ]
        told = [each for each in evidence if each is not None]
        if combined(told).score < min_score:
            continue
        beside = by_sentences(spans.get(first, ()), spans.get(second, ()), texts)
        compared = combined([*told, beside] if beside else told)
        if compared.score >= min_score:
            found.append(_suggestion(entities, pair, near, compared.score, compared.evidence))
    found.sort(key=lambda each: (-each.score, each.into, each.other, each.into_id, each.other_id))
    return found[:limit]


def _suggestion(
    entities: Mapping[str, Candidate],
    pair: Pair,
    near: Mapping[str, Mapping[str, float]],
    score: float,
    evidence: tuple[MergeEvidence, ...],
) -> MergeSuggestion:
    def weight(id: str) -> tuple[bool, int, int, int, int, str]:
        entity = entities[id]
        words = len(entity.title.split())
        return (not entity.is_stated, -entity.documents, -len(near.get(id, ())), -words, entity.created_at, id)

    into, other = (entities[id] for id in sorted(pair, key=weight))
    return MergeSuggestion(
        into_id=into.id,
        other_id=other.id,
        into=into.title,
        other=other.title,
        type=into.node_type or other.node_type or "",
        score=score,
        evidence=evidence,
    )


class _Texts(dict[str, str]):
    """The documents' texts, each read when it is first looked into."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._documents = engine.store.documents

    def __missing__(self, document_id: str) -> str:
        self[document_id] = text = self._documents.text(document_id)
        return text


def _but(near: Mapping[str, float] | None, id: str) -> dict[str, float]:
    return {other: weight for other, weight in (near or {}).items() if other != id}


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    if len(one) != len(other):
        return 0.0
    lengths = sqrt(sum(x * x for x in one)) * sqrt(sum(x * x for x in other))
    return sum(x * y for x, y in zip(one, other, strict=True)) / lengths if lengths else 0.0
