"""Where the walks of a PageRank start: at the hits, at what the query names, and at what is like the best hit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lorelite.engine import Engine
from lorelite.records import Node
from lorelite.retrieve.candidates import best_passing
from lorelite.retrieve.feedback import feedback_hits
from lorelite.retrieve.hits import Filters
from lorelite.retrieve.passages import MOST_NAMESAKES, PassageLinks, names_a_kind
from lorelite.search.query_plan import resolve
from lorelite.text.normalise import normalise
from lorelite.text.title_key import title_key
from lorelite.text.title_phrases import query_phrases
from lorelite.text.tokens import query_terms

_FEEDBACK_MASS = 0.3
_FEEDBACK_HITS = 10
_CODE = re.compile(r"\d|\w[^\w\s'’-]\w")
"""Of a single word: a digit, or a sign within."""


def seed_masses(
    engine: Engine,
    namespace: str,
    query: str,
    passages: Sequence[Node],
    fits: Mapping[str, float],
    links: PassageLinks,
) -> dict[str, float]:
    """Passage → mass. passages: the best hits, best first; fits: how well each fits the query, the best 1.

    A hit has its fit over its rank; what the query names 1 a name; what is found only with the words of the best hit
    a little, by the same rule.
    """
    masses = {node.id: (fits[node.id] or 1e-3) / rank for rank, node in enumerate(passages, 1)}
    added = [_named(engine, namespace, query, links)]
    if passages:
        limit = len(passages) + _FEEDBACK_HITS
        found = feedback_hits(engine, namespace, query, passages[0], links.filters, limit)
        new = [hit for hit in found if hit.node.id not in masses][:_FEEDBACK_HITS]
        added.append({hit.node.id: _FEEDBACK_MASS * hit.score / new[0].score / rank for rank, hit in enumerate(new, 1)})
    for some in added:
        for id, mass in some.items():
            masses[id] = masses.get(id, 0.0) + mass
    return masses


def _named(engine: Engine, namespace: str, query: str, links: PassageLinks) -> dict[str, float]:
    """Passage → mass, for what the query names by its title: each name has 1 for its passages to share.

    Longer names first, each word used once. A name without a passage of its own is an entity's: then those count that
    mention it, unless it is a kind of things; a code, such as f(x) or C-47, is one of those that hold it. A name that
    many share counts nothing.
    """
    text = normalise(query)
    phrases = query_phrases(text)
    keys = {phrase.key for phrase in phrases}
    titled = links.titled(keys)
    entities = engine.store.nodes.find_titled(namespace, keys - titled.keys())
    ids = {key: [node.id for node in nodes if node.kind == "entity"][:1] for key, nodes in entities.items()}
    mentioning = links.mentioning(sorted({id for found in ids.values() for id in found}), MOST_NAMESAKES)
    renamed = links.titled({title_key(nodes[0].title) for nodes in entities.values()})
    entities = {
        key: nodes
        for key, nodes in entities.items()
        if title_key(nodes[0].title) in renamed or not names_a_kind(nodes[0].title, nodes[0].origin)
    }
    masses: dict[str, float] = {}
    taken: list[tuple[int, int]] = []
    for phrase in phrases:
        if any(phrase.start < end and start < phrase.end for start, end in taken):
            continue
        named = titled.get(phrase.key)
        if named is None and phrase.key in entities:
            named = renamed.get(title_key(entities[phrase.key][0].title))
            if named is None:
                named = [passage for id in ids[phrase.key] for passage in mentioning.get(id, ())]
        elif named is None and _is_a_code(name := text[phrase.start : phrase.end]):
            named = _holding(engine, namespace, name, links.filters)
        if named is None:
            continue
        taken.append((phrase.start, phrase.end))
        for passage in named:
            masses[passage] = masses.get(passage, 0.0) + 1 / len(named)
    return masses


def _is_a_code(name: str) -> bool:
    return len(name.split()) == 1 and bool(_CODE.search(name))


def _holding(engine: Engine, namespace: str, name: str, filters: Filters) -> list[str]:
    """The passages that hold the name word by word; none where they are many."""
    index = engine.store.keyword.index(namespace, filters.kinds)
    terms = query_terms(f'"{name}"')
    if index is None or len(terms) != 1:
        return []
    exact = {*terms[0].phrases, *((token,) for token in terms[0].alternatives)}
    clauses = [clause for clause in resolve(terms, index) if clause in exact]
    found = best_passing(engine, lambda count: index.match(clauses, count), filters, MOST_NAMESAKES + 1)
    return [hit.node.id for hit in found] if len(found) <= MOST_NAMESAKES else []
