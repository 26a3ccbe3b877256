"""Names in an extraction: which entity each one tells of."""

from __future__ import annotations

from collections.abc import Iterable

from lorelite.text.extraction import ExtractedEntity, Extraction
from lorelite.text.title_key import title_key


def by_key(entities: Iterable[ExtractedEntity]) -> dict[str, ExtractedEntity]:
    """Title key → entity; what is named twice is one entity that says both. A name without a key is left out."""
    found: dict[str, ExtractedEntity] = {}
    for entity in entities:
        key = title_key(entity.name)
        before = found.get(key)
        if before is None:
            found[key] = entity
            continue
        descriptions = dict.fromkeys(text for text in (before.description, entity.description) if text)
        found[key] = ExtractedEntity(
            name=before.name,
            type=before.type or entity.type,
            description="\n".join(descriptions),
            aliases=tuple(dict.fromkeys((*before.aliases, *entity.aliases))),
            mentions=tuple(dict.fromkeys((*before.mentions, *entity.mentions))),
        )
    found.pop("", None)
    return found


def names_used(extraction: Extraction) -> list[str]:
    """The names that only relations and facts use, as they are written there."""
    names = [name for relation in extraction.relations for name in (relation.source, relation.target)]
    names += [name for fact in extraction.facts for name in fact.about]
    named = (entity for entity in extraction.entities if title_key(entity.name))
    aliases = {title_key(alias) for entity in named for alias in entity.aliases}
    return [name for name in names if title_key(name) not in aliases]
