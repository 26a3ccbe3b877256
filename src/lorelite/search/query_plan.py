"""From the terms of a query to the clauses an index can answer: exact first, tolerant where exact finds nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from lorelite.search.spelling import edit_distance
from lorelite.text.stemmers import english_stem
from lorelite.text.tokens import QueryTerm

Clause = tuple[str, ...]
"""Tokens that must stand in a row; a single word is a clause of one. Clauses are joined by OR."""

_MAX_PREFIX_TOKENS = 40
_MAX_SIMILAR_TOKENS = 8
_MAX_CANDIDATES = 20_000
_MIN_PREFIX_LENGTH = 3
_MAX_FORMS = 2
_CUT_ENDINGS = ("g", "ng", "d", "ed", "ing")
"""What completes a word whose writer is still at its ending: stems are in the index, so runni begins no token."""


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
    known = vocabulary.frequencies({token for term in terms for token in _asked(term)})
    clauses: dict[Clause, None] = {}
    for term in terms:
        for clause in _clauses(term, known, vocabulary):
            clauses[clause] = None
    return list(clauses)


def _asked(term: QueryTerm) -> Iterator[str]:
    yield from term.alternatives
    yield from term.parts
    if term.inflected:
        yield from term.forms


def _clauses(term: QueryTerm, known: Mapping[str, int], vocabulary: Vocabulary) -> list[Clause]:
    if term.phrases:
        held = [phrase for phrase in term.phrases if vocabulary.holds_phrase(phrase)]
        return held or [(part,) for part in term.parts if part in known]
    if term.prefix:
        return _words(token for token, _ in vocabulary.starting_with(term.alternatives[0], _MAX_PREFIX_TOKENS))
    exact = [token for token in term.alternatives if token in known][:1]
    found = exact + _rarest(term.forms, known)
    if found or term.optional:
        return _words(found)
    if len(term.parts) > 1:
        whole = [token for token, _ in vocabulary.starting_with(term.alternatives[0], _MAX_PREFIX_TOKENS)]
        parts = [part for part in term.parts if part in known]
        if not whole and term.parts[-1] not in known:
            parts += _tolerant(term.parts[-1], vocabulary)
        if whole or parts:
            return _words(whole + parts)
    other_forms = _rarest(term.forms, vocabulary.frequencies(term.forms))
    return _words(other_forms or _tolerant(term.alternatives[0], vocabulary))


def _words(tokens: Iterable[str]) -> list[Clause]:
    return [(token,) for token in tokens]


def _rarest(forms: Sequence[str], known: Mapping[str, int]) -> list[str]:
    """Those of *forms* that tell most and cost least."""
    return sorted((form for form in forms if form in known), key=lambda form: (known[form], form))[:_MAX_FORMS]


def _tolerant(token: str, vocabulary: Vocabulary) -> list[str]:
    """Tokens that *token* begins, else tokens spelt like it, the commonest first."""
    longer: list[tuple[str, int]] = []
    if len(token) >= _MIN_PREFIX_LENGTH or not token.isascii():
        longer = list(vocabulary.starting_with(token, _MAX_PREFIX_TOKENS))
    if longer:
        return [found for found, _ in longer]
    completed = vocabulary.frequencies({english_stem(token + ending) for ending in _CUT_ENDINGS})
    if completed and len(token) > _MIN_PREFIX_LENGTH:
        return sorted(completed)
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
