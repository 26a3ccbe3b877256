"""Replies of a model that names entities, and what of them is in a graph."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.pipeline.graphs import PLACES, Place, documents, insert_into

from lorelite._drive import drive
from lorelite.graph_records import GraphEntity, GraphRelation, InsertReport
from lorelite.models.scripted import Reply, Script, ScriptedModel
from lorelite.pipeline.entities import chunk_entity_generation
from lorelite.pipeline.processor import Processor
from lorelite.pipeline.run import OnError
from lorelite.ports import ModelRequest

END = "<|COMPLETE|>"


def reply(*entities: str | tuple[str, str, str]) -> str:
    rows = [(each, "person", f"{each} is there.") if isinstance(each, str) else each for each in entities]
    return (
        "".join(f'("entity"<|>{name}<|>{kind}<|>{description.strip()})##\n' for name, kind, description in rows) + END
    )


def relation(source: str, target: str, weight: float, description: str = "Related.") -> str:
    return f'\n("relationship"<|>{source}<|>{target}<|>{description}<|>{weight})##\n{END}'


def by_text(replies: dict[str, Reply]) -> Callable[[ModelRequest], Reply]:
    """The reply for the passage, which is the last fenced part of the request."""
    return lambda request: replies[re.findall(r"={8,}\n(.*?)\n={8,}", request.user, re.DOTALL)[-1]]


def model_of(replies: dict[str, str], **script: Script) -> ScriptedModel:
    return ScriptedModel({"extract_graph": by_text(dict(replies)), "glean": END, "glean_more": "no", **script})


def insert_by(
    place: Place,
    model: ScriptedModel | None,
    processor: Processor | None = None,
    on_error: OnError = "raise",
    **texts: str,
) -> InsertReport:
    pipeline = [processor or chunk_entity_generation()]
    return insert_into(place, documents(**texts), pipeline, model=model, on_error=on_error)


def another(place: Place) -> Place:
    kind = "file" if "File" in type(place.knowledge).__name__ else "stores"
    return PLACES[kind]()


def entities_in(place: Place) -> dict[str, GraphEntity]:
    return {each.name: each for each in drive(place.knowledge.entities(drive(place.knowledge.entity_ids())))}


def relations_in(place: Place) -> list[GraphRelation]:
    return drive(place.knowledge.relations_of(drive(place.knowledge.entity_ids())))
