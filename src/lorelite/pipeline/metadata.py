"""Which pipeline built a graph: stored beside it, so that no other one adds to it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lorelite.errors import ConfigError, PipelineConfigMismatchError
from lorelite.ids import text_hash
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.processor import Processor

_KEY = "pipeline"
_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """The embedder that a graph's vectors come from."""

    id: str
    dimension: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineRecord:
    """What built a graph. processors: [{"name", "version", "options"}, …] in order."""

    processors: tuple[Mapping[str, Any], ...] = ()
    embedding: VectorSpace | None = None
    created_at: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(processor["name"] for processor in self.processors)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the processors as canonical JSON, 64 hexadecimal digits; "" where there are none."""
        return text_hash(_canonical(list(self.processors))) if self.processors else ""


def described(pipeline: Sequence[Processor]) -> tuple[Mapping[str, Any], ...]:
    """The processors as they are stored. Raises ConfigError for options that are no JSON."""
    return tuple(
        {"name": each.name, "version": each.version, "options": _plain(each.name, each.options())} for each in pipeline
    )


async def stored_pipeline(knowledge: Knowledge) -> PipelineRecord | None:
    """What built the graph so far; None where nothing did."""
    found = await knowledge.recall(_KEY)
    if found is None:
        return None
    embedding = found.get("embedding")
    return PipelineRecord(
        processors=tuple(found["processors"]),
        embedding=None if embedding is None else VectorSpace(embedding["id"], embedding["dimension"]),
        created_at=found["created_at"],
    )


async def settle(
    knowledge: Knowledge, pipeline: Sequence[Processor], embedding: VectorSpace | None, now: int
) -> PipelineRecord | None:
    """The record that an insert with this pipeline has to store first; None when what is stored stays.

    Reads alone. Raises PipelineConfigMismatchError when the graph has chunks and another pipeline or embedder made
    what it holds of them. An empty pipeline goes with any, and any with a graph that had none so far.
    """
    given = PipelineRecord(processors=described(pipeline), embedding=embedding, created_at=now)
    stored = await stored_pipeline(knowledge)
    if stored is None:
        return given
    merged = replace(
        stored,
        processors=given.processors or stored.processors,
        embedding=given.embedding or stored.embedding,
    )
    diff = _differences(stored, merged) if stored.processors else _other_embedding(stored, merged)
    if diff:
        if await knowledge.chunk_ids():
            raise PipelineConfigMismatchError(knowledge.namespace, _json(stored), _json(given), diff)
        return given
    return None if merged == stored else merged


async def store(knowledge: Knowledge, record: PipelineRecord) -> None:
    """Keep the record beside the graph."""
    await knowledge.remember(_KEY, _json(record))


async def vectors_were_made_anew(knowledge: Knowledge, embedder_id: str) -> None:
    """Let the next insert say from which embedder the vectors are, when it is no longer the one that is stored."""
    stored = await stored_pipeline(knowledge)
    if stored is not None and stored.embedding is not None and stored.embedding.id != embedder_id:
        await store(knowledge, replace(stored, embedding=None))


def _differences(stored: PipelineRecord, given: PipelineRecord) -> list[str]:
    found = []
    if stored.names != given.names:
        found.append(f"processors were {', '.join(stored.names)} and are {', '.join(given.names)}")
    before = {processor["name"]: processor for processor in stored.processors}
    for processor in given.processors:
        earlier = before.get(processor["name"])
        if earlier is not None:
            found += _changed_options(earlier, processor)
    return found + _other_embedding(stored, given)


def _changed_options(stored: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    name, before, now = given["name"], stored["options"], given["options"]
    found = (
        [] if stored["version"] == given["version"] else [_was(name, "version", stored["version"], given["version"])]
    )
    for option in sorted({*before, *now}):
        if before.get(option) != now.get(option):
            found.append(_was(name, option, before.get(option), now.get(option)))
    return found


def _other_embedding(stored: PipelineRecord, given: PipelineRecord) -> list[str]:
    before, now = stored.embedding, given.embedding
    if before is None or now is None:
        return []
    found = [] if before.id == now.id else [_was("embedding", "id", before.id, now.id)]
    if before.dimension != now.dimension:
        found.append(_was("embedding", "dimension", before.dimension, now.dimension))
    return found


def _was(owner: str, option: str, before: object, now: object) -> str:
    return f"{owner}.{option} was {json.dumps(before, ensure_ascii=False)} and is {json.dumps(now, ensure_ascii=False)}"


def _json(record: PipelineRecord) -> dict[str, Any]:
    space = record.embedding
    return {
        "schema": _SCHEMA,
        "processors": list(record.processors),
        "fingerprint": record.fingerprint,
        "created_at": record.created_at,
        "embedding": None if space is None else {"id": space.id, "dimension": space.dimension},
    }


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _plain(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(_canonical(dict(options)))
        return found
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{name}.options()", f"JSON values ({error})", dict(options)) from error
