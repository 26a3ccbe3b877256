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
_DESCRIPTION_CHARS = 600
_NAMED, _DESCRIBED = 3.0, 1.0
_ENOUGH = 2.0
"""Two words of a description, or the type's own name."""


def type_by_rules(
    manifest: Manifest, *, title: str, body: str, tags: Sequence[str], same_title: Sequence[str], about: Sequence[str]
) -> str | None:
    """The type of a fact as far as rules can tell; None when they cannot, or when two types are as likely.

    same_title: types of entities that go by the fact's title or have it as an alias; about: types of those it is about.
    In this order: what has the same title, a tag that names a type, and the words of title and body that a type's name
    and description hold, where being about something of the type counts as one such word.
    """
    for names in (same_title, tags):
        found = {known for name in names if (known := alike_type(manifest, name))}
        if len(found) == 1:
            return found.pop()
    scores: dict[str, float] = {}
    told = _stems(title) | _stems(body[:_DESCRIPTION_CHARS])
    for node in manifest.node_types:
        named, described = _vocabulary(node)
        scores[node.type] = (_NAMED if named and named <= told else 0) + _DESCRIBED * len(described & told)
    for name in about:
        if known := alike_type(manifest, name):
            scores[known] += _DESCRIBED
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
