"""From the terms of a query to the clauses an index can answer: exact first, tolerant where exact finds nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from lorelite.search.spelling import edit_distance
from lorelite.text.tokens import QueryTerm

Clause = tuple[str, ...]
"""Tokens that must stand in a row; a single word is a clause of one. Clauses are joined by OR."""

_MAX_PREFIX_TOKENS = 40
_MAX_SIMILAR_TOKENS = 8
_MAX_CANDIDATES = 20_000
_MIN_PREFIX_LENGTH = 3


class Vocabulary(Protocol):
    """What resolving needs to know of an index."""

    def frequencies(self, tokens: Iterable[str]) -> Mapping[str, int]:
        """How many nodes hold each token; tokens without any are left out."""
        ...

    def starting_with(self, prefix: str, limit: int) -> Sequence[tuple[str, int]]:
        """Tokens that begin with *prefix* and how many nodes hold each, in alphabetical order."""
        ...

    def holds_phrase(self, phrase: Clause) -> bool: ...


def resolve(terms: Sequence[QueryTerm], vocabulary: Vocabulary) -> list[Clause]:
    """The clauses for *terms*, without duplicates, in the order of the terms."""
    known = vocabulary.frequencies({token for term in terms for token in (*term.alternatives, *term.parts)})
    clauses: dict[Clause, None] = {}
    for term in terms:
        for clause in _clauses(term, known, vocabulary):
            clauses[clause] = None
    return list(clauses)


def _clauses(term: QueryTerm, known: Mapping[str, int], vocabulary: Vocabulary) -> list[Clause]:
    if term.phrase is not None:
        if vocabulary.holds_phrase(term.phrase):
            return [term.phrase]
        return [(part,) for part in term.parts if part in known]
    exact = next((token for token in term.alternatives if token in known), None)
    if term.prefix:
        beginning = vocabulary.starting_with(term.alternatives[0], _MAX_PREFIX_TOKENS)
        return [(token,) for token, _ in beginning]
    if exact is not None:
        return [(exact,)]
    if term.optional:
        return []
    if len(term.parts) > 1:
        begun = vocabulary.starting_with(term.alternatives[0], _MAX_PREFIX_TOKENS)
        whole: list[Clause] = [(token,) for token, _ in begun]
        parts: list[Clause] = [(part,) for part in term.parts if part in known]
        if not whole and term.parts[-1] not in known:
            parts += [(token,) for token in _tolerant(term.parts[-1], vocabulary)]
        if whole or parts:
            return whole + parts
    return [(token,) for token in _tolerant(term.alternatives[0], vocabulary)]


def _tolerant(token: str, vocabulary: Vocabulary) -> list[str]:
    """Tokens that *token* begins, else tokens spelt like it, the commonest first."""
    longer: list[tuple[str, int]] = []
    if len(token) >= _MIN_PREFIX_LENGTH or not token.isascii():
        longer = list(vocabulary.starting_with(token, _MAX_PREFIX_TOKENS))
    if longer:
        return [found for found, _ in longer]
    allowed = 0 if len(token) < 4 or any(map(str.isdigit, token)) else 1 if len(token) < 8 else 2
    if not allowed:
        return []
    # Misspellings seldom touch the first letter; looking at one letter's words keeps this cheap.
    candidates = vocabulary.starting_with(token[0], _MAX_CANDIDATES)
    near = [
        (distance, -count, found)
        for found, count in candidates
        if abs(len(found) - len(token)) <= allowed and (distance := edit_distance(token, found, allowed)) <= allowed
    ]
    return [found for _, _, found in sorted(near)[:_MAX_SIMILAR_TOKENS]]
