"""Common words for the same type, so that what was found without a model meets the manifest's own words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from lorelite.ontology.check import check_edge, resolve_type
from lorelite.ontology.manifest import EdgeType, Manifest

_ALIKE: tuple[tuple[str, str], ...] = (
    ("person people human individual character", ""),
    ("organisation organization org institution", ""),
    ("company business corporation firm", "organization"),
    ("place location", ""),
    ("city town village", "place"),
    ("country nation state", "place"),
    ("event occasion", ""),
    ("creative_work creativework work", ""),
    ("book novel", "creative_work"),
    ("film movie", "creative_work"),
    ("article paper essay", "creative_work"),
    ("software softwareapplication program application", "creative_work"),
    ("product item good", ""),
    ("task todo", "action"),
    ("concept idea topic definedterm term", ""),
    ("date day", ""),
    ("function method procedure", ""),
    ("project initiative", ""),
)
"""Words for one type, then a word for the wider type that it may be filed under."""
_GROUPS = {word: (tuple(words.split()), wider) for words, wider in _ALIKE for word in words.split()}


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
    """The name, its plain forms (no spaces, no plural), words for the same, then words for what is wider."""
    plain = name.strip().casefold().replace(" ", "_").replace("-", "_")
    forms = dict.fromkeys((name, plain, plain.replace("_", ""), plain.removesuffix("s")))
    yield from forms
    for form in forms:
        same, wider = _GROUPS.get(form, ((), ""))
        yield from same
        yield from _GROUPS[wider][0] if wider in _GROUPS else (wider,) if wider else ()
