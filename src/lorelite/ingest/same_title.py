"""One fact for each title of a document: the first that a model told, unless a later one is better grounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lorelite.records import Node
from lorelite.text.extraction import ExtractedFact
from lorelite.text.grounding import CHECKED_BY
from lorelite.text.title_key import title_key


@dataclass(frozen=True, slots=True)
class Sifted:
    """What is to be done with the facts of one reply."""

    kept: tuple[ExtractedFact, ...]
    """To be written. One that says what is stored already adds its citations."""
    outdone: tuple[str, ...]
    """Ids of stored facts to whose place a grounded one of `kept` comes."""
    left_out: tuple[int, ...]
    """Places in the reply of facts that are not written."""


def sifted(facts: Sequence[ExtractedFact], stored: Mapping[str, Node]) -> Sifted:
    """Choose among *facts* and what the document's earlier chunks gave; `stored` holds that by title key."""
    chosen: dict[str, list[int]] = {}
    outdone: list[str] = []
    left_out: list[int] = []
    for place, fact in enumerate(facts):
        key = title_key(fact.title) or fact.title
        mine, theirs = chosen.setdefault(key, []), stored.get(key)
        before: ExtractedFact | Node | None = facts[mine[0]] if mine else theirs
        if before is None:
            mine.append(place)
        elif _is_grounded(fact) and not _is_grounded(before):
            left_out += mine
            mine[:] = [place]
            if theirs is not None and theirs.id not in outdone:
                outdone.append(theirs.id)
        elif fact.body == before.body:
            mine.append(place)
        else:
            left_out.append(place)
    kept = sorted(place for places in chosen.values() for place in places)
    return Sifted(tuple(facts[place] for place in kept), tuple(outdone), tuple(sorted(left_out)))


def _is_grounded(fact: ExtractedFact | Node) -> bool:
    if isinstance(fact, ExtractedFact):
        return fact.grounding is not None and fact.grounding.ok
    return any(verification.by == CHECKED_BY for verification in fact.verified)
