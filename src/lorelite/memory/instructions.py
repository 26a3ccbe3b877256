"""`get_instructions`: what a model is told in a namespace."""

from __future__ import annotations

from lorelite.engine import Engine
from lorelite.findings import Instructions
from lorelite.instructions import effective_prompt
from lorelite.memory.ontology import effective
from lorelite.ontology.guidance import guidance
from lorelite.prompts import answer, backfill, extract, heal, librarian
from lorelite.prompts.templates import PromptName, guided


def get_instructions(engine: Engine, namespace: str) -> Instructions:
    """The prompts in force, those of the settings before the built-in ones, with what they say of the ontology."""
    own = guidance(effective(engine, namespace))

    def told(name: PromptName, built_in: str) -> str:
        return guided(effective_prompt(engine, name, None) or built_in, own)

    return Instructions(
        ingest=told("ingest", extract.SYSTEM),
        librarian=told("librarian", librarian.SYSTEM),
        heal=told("heal", heal.SYSTEM),
        ontology_backfill=told("ontology_backfill", backfill.SYSTEM),
        answer=effective_prompt(engine, "answer", None) or answer.SYSTEM,
    )
