"""What a search finds when it is asked once more, with the words of its best hit beside those of the query."""

from __future__ import annotations

import math
from collections import Counter

from lorelite.engine import Engine
from lorelite.records import Node
from lorelite.retrieve.candidates import best_passing
from lorelite.retrieve.hits import Filters, Hit
from lorelite.search.query_plan import resolve
from lorelite.store.nodes import Head
from lorelite.text.stopwords import stop_words_for
from lorelite.text.tokens import query_terms, word_tokens

_WORDS = 12
_SHORTEST = 3


def feedback_hits(
    engine: Engine, namespace: str, query: str, best: Node, filters: Filters, limit: int
) -> list[Hit[Head]]:
    """The best *limit* nodes for the query and the words that tell most of *best*, which is found again itself.

    Pseudo-relevance feedback (Rocchio 1971), the words by how often *best* has them times their rarity.
    """
    index = engine.store.keyword.index(namespace, filters.kinds)
    if index is None:
        return []
    asked = set(word_tokens(query))
    counts = Counter(word for word in word_tokens(best.body) if len(word) >= _SHORTEST and word not in asked)
    for word in stop_words_for(counts):
        counts.pop(word, None)
    # A word that no other node holds leads nowhere.
    held = {word: nodes for word, nodes in index.frequencies(counts).items() if nodes > 1}
    total = len(index)
    words = sorted(held, key=lambda word: (-counts[word] * math.log(total / held[word]), word))[:_WORDS]
    clauses = dict.fromkeys([(word,) for word in words] + resolve(query_terms(query), index))
    return best_passing(engine, lambda count: index.match(list(clauses), count), filters, limit)
