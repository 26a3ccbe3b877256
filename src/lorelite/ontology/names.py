"""Common words for the same type, so that what was found without a model meets the manifest's own words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from lorelite.ontology.check import check_edge, resolve_type
from lorelite.ontology.manifest import EdgeType, Manifest

_ALIKE: tuple[frozenset[str], ...] = tuple(
    frozenset(words.split())
    for words in (
        "person people human individual character",
        "organisation organization org company institution business corporation",
        "place location geo site area",
        "city town village",
        "country nation state",
        "event occasion incident",
        "creative_work creativework work document",
        "book novel",
        "film movie",
        "product item good",
        "task action todo",
        "concept idea topic term",
        "thing object",
        "date day",
        "function method procedure",
        "project initiative",
    )
)


def alike_type(manifest: Manifest, name: str | None) -> str | None:
    """The manifest's type for *name*: of that name, or of a word that means the same; None when there is none."""
    if name is None:
        return None
    return next((found for word in _words(name) if (found := resolve_type(manifest, word))), None)


def alike_edge(
    manifest: Manifest, edge_type: str, source_type: str | None, target_type: str | None
) -> EdgeType | Literal["no_source_type", "type_not_in_manifest", "target_type_mismatch"]:
    """`check_edge`, where "works_for", "works for" and "worksFor" are one edge type."""
    wanted = _letters(edge_type)
    names = dict.fromkeys((edge_type, *(row.type for row in manifest.edge_types if _letters(row.type) == wanted)))
    found = [check_edge(manifest, name, source_type, target_type) for name in names]
    return next((row for row in found if not isinstance(row, str)), found[-1])


def _letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _words(name: str) -> Iterator[str]:
    """The name, its plain forms (no spaces, no plural), then words for the same in a fixed order."""
    plain = name.strip().casefold().replace(" ", "_").replace("-", "_")
    forms = dict.fromkeys((name, plain, plain.replace("_", ""), plain.removesuffix("s")))
    yield from forms
    for alike in _ALIKE:
        if alike & forms.keys():
            yield from sorted(alike)
