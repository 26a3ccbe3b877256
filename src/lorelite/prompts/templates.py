"""Prompts that a user may replace: what each must ask for, and how the data gets into it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lorelite.prompts.fence import NOTICE, fence_for
from lorelite.prompts.keys import plain

PromptName = Literal["ingest", "librarian", "heal", "ontology_backfill", "answer"]

_VARIABLE = re.compile(r"\{\{\s*([A-Za-z]\w*)\s*\}\}")
USER = "Do what the instructions say with the text between the lines of equals signs. Reply with nothing else."

GUIDANCE = ("ontology_mode_instructions", "ontology_manifest")
"""Variables that hold what we have to say about the ontology; a template without them gets it at its end."""


class LorelitePromptWarning(UserWarning):
    """A prompt of the caller's does not ask for what the reader of its replies needs; it is used all the same."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What a template for one purpose may and must hold. Names compare without case and underscores."""

    data: tuple[str, ...]
    """Variables for what others wrote; every one is fenced."""
    words: tuple[str, ...]
    """Members a reply needs: a template that does not name one will get replies without it."""
    guidance: tuple[str, ...] = GUIDANCE


CONTRACTS: Mapping[PromptName, Contract] = {
    "ingest": Contract(("document_chunk",), ("facts", "title", "body")),
    "librarian": Contract(("events", "current_facts"), ("facts", "title", "body")),
    "heal": Contract(
        ("heal_candidates", "document_anchors", "all_tasks", "recent_events"), ("downgraded", "deleted", "new_facts")
    ),
    "ontology_backfill": Contract(("facts",), ("classifications", "id", "type")),
    "answer": Contract(("question", "sources", "relations"), ("sentences", "citations", "quote"), guidance=()),
}


def contract_problems(name: PromptName, template: str) -> list[str]:
    """What is wrong with a template, in words; empty when nothing is."""
    contract = CONTRACTS[name]
    said = plain(template)
    known = {*map(plain, contract.data), *map(plain, contract.guidance)}
    missing = [word for word in contract.words if plain(word) not in said]
    unknown = [variable for variable in dict.fromkeys(_VARIABLE.findall(template)) if plain(variable) not in known]
    problems = []
    if missing:
        problems.append(f"it does not ask for {', '.join(map(repr, missing))} in the reply")
    if unknown:
        names = ", ".join(f"{{{{{name}}}}}" for name in (*contract.data, *contract.guidance))
        problems.append(f"it names {', '.join(f'{{{{{each}}}}}' for each in unknown)}, which is not one of {names}")
    return problems


def hydrated(
    template: str, values: Mapping[str, object], *, guidance: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """(system, user) for a model: *template* with *values* in the places it names, else with them in the user part.

    values: what others wrote, by variable name, text or anything JSON can say; each is fenced, and the notice about
    fences is added. guidance: what we say, by variable name; put where the template names it, else at its end.
    One pass: a {{name}} inside a value stays what it is, and so does an unknown one in the template.
    """
    texts = {plain(name): _text(value) for name, value in values.items()}
    fence = fence_for([template, *texts.values()])
    fenced = {name: f"\n{fence}\n{text}\n{fence}\n" for name, text in texts.items()}
    system = "\n\n".join([_filled(template, fenced, guidance or {}), NOTICE])
    if _named(template) & texts.keys():
        return system, USER
    blocks = [f"{_label(name)}:\n{fence}\n{texts[plain(name)]}\n{fence}" for name in values]
    return system, "\n\n".join(blocks)


def guided(template: str, guidance: Mapping[str, str]) -> str:
    """*template* with what we say where it names it, else at its end; variables for data stay."""
    return _filled(template, {}, guidance)


def _filled(template: str, texts: Mapping[str, str], guidance: Mapping[str, str]) -> str:
    own = {plain(name): text for name, text in guidance.items()}
    known = {**own, **texts}
    filled = _VARIABLE.sub(lambda variable: known.get(plain(variable[1]), variable[0]), template).strip()
    rest = [] if _named(template) & own.keys() else filter(None, own.values())
    return "\n\n".join([filled, *rest])


def _named(template: str) -> set[str]:
    return {plain(name) for name in _VARIABLE.findall(template)}


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
