"""Communities found by the names of their members and the words of their reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lorelite import options
from lorelite.text.stem import light_stem
from lorelite.text.tokens import word_tokens
from lorelite.toolkit import checks
from lorelite.toolkit.entity_names import NAME_IN_QUERY, AskedName, remembered_form, without_stop_words
from lorelite.toolkit.records import EntityCommunity, KitEntity, SearchResult

_NAME, _TITLE, _SUMMARY = 2.0, 1.5, 1.0
_NAMES_IN_A_TITLE = 3


@dataclass(frozen=True, slots=True)
class _Indexed:
    community: EntityCommunity
    names: tuple[str, ...]
    title: frozenset[str]
    summary: frozenset[str]


class CommunityRetriever:
    """Finds communities for a query. *entities* give the members' names."""

    def __init__(
        self, communities: Sequence[EntityCommunity], entities: Sequence[KitEntity], *, top_k: int = 5
    ) -> None:
        names = {entity.id: entity.name for entity in checks.all_of("entities", entities, KitEntity)}
        self._top_k = options.whole_number("top_k", top_k, 1)
        self._indexed = [
            _Indexed(
                community,
                tuple(names[id] for id in community.entity_ids if id in names),
                frozenset(_stems(community.title)),
                frozenset(_stems(community.summary)),
            )
            for community in checks.all_of("communities", communities, EntityCommunity)
        ]

    async def retrieve(self, query: str, top_k: int | None = None) -> list[SearchResult]:
        """The communities that match, best first; the best has the score 1.

        A community matches when the query holds a member's name, or one of its words, stop words aside, stands in the
        title or summary. A name counts 2, a word of the title 1.5 and one of the summary 1 times its rarity (idf).
        metadata: community_id, size, matched_entities, matched_terms.
        """
        asked = AskedName(options.text("query", query))
        terms = set(_stems(query))
        scored = []
        for item in self._indexed:
            named = [name for name in item.names if asked.score(remembered_form(name)) >= NAME_IN_QUERY]
            titled, told = sorted(terms & item.title), sorted(terms & item.summary)
            score = _NAME * len(named) + _TITLE * self._rarity(titled) + _SUMMARY * self._rarity(told)
            if score > 0:
                scored.append((score, item, named, sorted({*titled, *told})))
        scored.sort(key=lambda found: (-found[0], -found[1].community.size, found[1].community.id))
        limit = self._top_k if top_k is None else options.whole_number("top_k", top_k, 1)
        best = scored[0][0] if scored else 1.0
        return [
            SearchResult(
                id=item.community.id,
                content=_content(item),
                score=score / best,
                metadata={
                    "community_id": item.community.id,
                    "size": item.community.size,
                    "matched_entities": tuple(named),
                    "matched_terms": tuple(matched),
                },
            )
            for score, item, named, matched in scored[:limit]
        ]

    def _rarity(self, terms: Sequence[str]) -> float:
        total = len(self._indexed)
        return sum(math.log(1 + total / self._frequency(term)) for term in terms)

    def _frequency(self, term: str) -> int:
        return sum(term in item.title or term in item.summary for item in self._indexed)


def _stems(text: str) -> list[str]:
    return [light_stem(word) for word in without_stop_words(word_tokens(text))]


def _content(item: _Indexed) -> str:
    title = item.community.title or ", ".join(item.names[:_NAMES_IN_A_TITLE]) or item.community.id
    return f"# {title}\n{item.community.summary}".rstrip()
