"""Typing facts without a model: by what carries the same name, by tags, and by the words of the manifest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from lorelite.ontology.manifest import Manifest, NodeType
from lorelite.ontology.names import alike_type
from lorelite.text.stem import light_stem
from lorelite.text.stopwords import ENGLISH

_WORD = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|[^\W\d_]+")
_DEFINES = re.compile(
    r"\b(?:is|was|are|were)\s+(?:an?|the|one\s+of\s+the|our|my|his|her|their)\s+([^.,;:()]{2,60}?)"
    r"(?=[.,;:()]|\s(?:that|which|who|whose|where|by|in|on|of|for|from|at|with|and|to|is|was)\b|$)",
    re.IGNORECASE,
)
_DESCRIPTION_CHARS = 600
_TITLED, _SAID = 3.0, 1.0
_ENOUGH = 2.0
"""The type's own name in the title, or two words of its description."""


def type_by_rules(
    manifest: Manifest, *, title: str, body: str, tags: Sequence[str], same_title: Sequence[str], about: Sequence[str]
) -> str | None:
    """The type of a fact as far as rules can tell; None when they cannot, or when two types are as likely.

    same_title: types of entities that go by the fact's title or have it as an alias; about: types of those it is about.
    In this order: what has the same title; a tag that names a type; what the body says that it is ("… is a novel by
    …"); and the words of title and body that a type's name and description hold, where being about something of the
    type counts as one such word.
    """
    for names in (same_title, tags):
        found = {known for name in names if (known := alike_type(manifest, name))}
        if len(found) == 1:
            return found.pop()
    return _by_definition(manifest, body) or _by_words(manifest, title, body, about)


def _by_definition(manifest: Manifest, body: str) -> str | None:
    """The type of the noun in "is a …": by name, the last word first, else by the one description that has it."""
    match = _DEFINES.search(body[:_DESCRIPTION_CHARS])
    words = list(_words(match[1])) if match else []
    named = next((known for word in reversed(words) if (known := alike_type(manifest, word))), None)
    stems = {light_stem(word) for word in words}
    described = [node.type for node in manifest.node_types if stems & _vocabulary(node)[1]]
    return named or (described[0] if len(described) == 1 else None)


def _by_words(manifest: Manifest, title: str, body: str, about: Sequence[str]) -> str | None:
    scores: dict[str, float] = {}
    headed = _stems(title)
    told = headed | _stems(body[:_DESCRIPTION_CHARS])
    for node in manifest.node_types:
        named, described = _vocabulary(node)
        by_name = _TITLED if named and named <= headed else _SAID if named and named <= told else 0
        scores[node.type] = by_name + _SAID * len(described & told)
    for name in about:
        if known := alike_type(manifest, name):
            scores[known] += _SAID
    ranked = sorted(scores.items(), key=lambda item: -item[1])[:2]
    if not ranked or ranked[0][1] < _ENOUGH or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


@lru_cache(maxsize=1024)
def _vocabulary(node: NodeType) -> tuple[frozenset[str], frozenset[str]]:
    names = frozenset(light_stem(part.casefold()) for part in _PARTS.findall(node.type))
    return names, _stems(node.description) - names


@lru_cache(maxsize=256)
def _stems(text: str) -> frozenset[str]:
    return frozenset(light_stem(word) for word in _words(text) if word not in ENGLISH)


def _words(text: str) -> Iterable[str]:
    return (match[0].casefold() for match in _WORD.finditer(text))
