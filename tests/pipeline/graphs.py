"""What tests of pipelines start from: places to keep a graph, processors that are quickly understood, dumps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar

from lorelite._drive import drive
from lorelite.adapters.in_memory import in_memory_graph, in_memory_kv, in_memory_vector
from lorelite.engine import Engine
from lorelite.graph_records import Community, GraphDocument, InsertReport, TextChunk
from lorelite.models.hash_embedder import HashEmbedder
from lorelite.models.scripted import Script, ScriptedModel
from lorelite.pipeline.chunking import Chunking
from lorelite.pipeline.file_knowledge import FileKnowledge
from lorelite.pipeline.insert import Plan, insert
from lorelite.pipeline.knowledge import Knowledge
from lorelite.pipeline.metadata import VectorSpace
from lorelite.pipeline.processor import CHUNK_ENTITIES, ENTITY_COMMUNITIES, Processor
from lorelite.pipeline.run import GraphEngine
from lorelite.pipeline.store_knowledge import StoreKnowledge
from lorelite.ports import ModelRequest
from lorelite.settings import WikiConfig
from lorelite.store.store import Store
from lorelite.text.chunking import ChunkSpan
from lorelite.text.extraction import ExtractedEntity, ExtractedRelation, Extraction
from lorelite.text.span import Span

NOW = 1_700_000_000_000
HISTORY = ("call", "change", "keyword_", "sqlite_sequence")
"""How tables are called that tell how a file came to be what it is, and those of its index."""


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere a graph is kept."""

    knowledge: Knowledge
    dump: Callable[[], str]


def in_a_file() -> Place:
    store = Store(":memory:", clock=lambda: NOW)
    engine = Engine(store, None, HashEmbedder(64), WikiConfig(), store.clock)

    def dump() -> str:
        names = [row[0] for row in store.db.rows("select name from sqlite_master where type = 'table' order by name")]
        tables = [name for name in names if not name.startswith(HISTORY)]
        rows = {name: sorted(repr(tuple(row)) for row in store.db.rows(f'select * from "{name}"')) for name in tables}
        return json.dumps(rows, indent=1)

    return Place(FileKnowledge(engine, "class"), dump)


def in_stores() -> Place:
    stores = in_memory_graph("class"), in_memory_vector("class"), in_memory_kv("class")
    knowledge = StoreKnowledge("class", *stores, HashEmbedder(64))
    return Place(knowledge, lambda: "\n".join(map(_frozen, stores)))


PLACES: Mapping[str, Callable[[], Place]] = {"file": in_a_file, "stores": in_stores}


def _frozen(value: object) -> str:
    """All that an object holds, mappings in the order of their keys."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(sorted(f"{key!r}: {_frozen(each)}" for key, each in value.items())) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_frozen, value)) + "]"
    if is_dataclass(value):
        return f"{type(value).__name__}{[_frozen(getattr(value, each.name)) for each in fields(value)]}"
    return f"{type(value).__name__}{_frozen(vars(value))}" if hasattr(value, "__dict__") else repr(value)


def lines(text: str) -> list[ChunkSpan]:
    """One chunk for each line."""
    found, start = [], 0
    for line in text.split("\n"):
        if line.strip():
            found.append(ChunkSpan(start, start + len(line), ""))
        start += len(line) + 1
    return found


@dataclass
class Names:
    """Asks a model for the names in each chunk, "a, b"; those of one chunk are related."""

    limit: int = 10
    concurrency: int = 4
    batch: int = 2
    seen: list[str] = field(default_factory=list)
    name: ClassVar[str] = CHUNK_ENTITIES
    version: ClassVar[int] = 1
    requires: ClassVar[tuple[str, ...]] = ()

    def options(self) -> Mapping[str, Any]:
        return {"limit": self.limit}

    async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
        entities = 0
        for place in range(0, len(chunk_ids), self.batch):
            chunks = await run.knowledge.chunks(chunk_ids[place : place + self.batch])
            self.seen += [chunk.content for chunk in chunks]
            replies = await run.complete([asked(chunk) for chunk in chunks])
            good = [
                (chunk, found_in(chunk, reply.text))
                for chunk, reply in zip(chunks, replies, strict=True)
                if not reply.error
            ]
            entities += (await run.knowledge.add_extractions(good, processor=self.name)).entities
            for chunk, reply in zip(chunks, replies, strict=True):
                if reply.error:
                    run.failed(chunk.id, self.name, reply.error)
        return {"entities": entities}

    async def remove(self, run: GraphEngine, chunk_ids: Sequence[str]) -> None:
        """Nothing is kept beside the knowledge."""


def asked(chunk: TextChunk) -> ModelRequest:
    return ModelRequest(system="", user=chunk.content, purpose="names")


def found_in(chunk: TextChunk, reply: str) -> Extraction:
    names = [name for name in reply.split(", ") if name]
    return Extraction(
        entities=tuple(
            ExtractedEntity(
                name=name, type="person", description=f"{name} is in it.", mentions=(Span(chunk.start, chunk.end),)
            )
            for name in names
        ),
        relations=tuple(
            ExtractedRelation(source=names[0], target=name, type="related", description="Together.", weight=1.5)
            for name in names[1:]
        ),
    )


@dataclass
class Everybody:
    """One community of all entities."""

    name: ClassVar[str] = ENTITY_COMMUNITIES
    version: ClassVar[int] = 1
    requires: ClassVar[tuple[str, ...]] = (CHUNK_ENTITIES,)
    works_on: ClassVar[str] = "graph"
    runs: int = 0

    def options(self) -> Mapping[str, Any]:
        return {}

    async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
        self.runs += 1
        ids = await run.knowledge.entity_ids()
        await run.knowledge.put_communities([Community(id="0", level=0, entity_ids=tuple(ids))] if ids else [])
        return {"communities": 1}

    async def remove(self, run: GraphEngine, chunk_ids: Sequence[str]) -> None:
        """Found anew from what is left."""


def capitals(request: ModelRequest) -> str:
    """The words in capitals, as a model would name them."""
    return ", ".join(dict.fromkeys(word.strip(".,") for word in request.user.split() if word[:1].isupper()))


def scripted(script: Script = capitals) -> ScriptedModel:
    return ScriptedModel({"names": script})


def insert_into(
    place: Place,
    documents: Iterable[GraphDocument],
    pipeline: Sequence[Processor] = (),
    *,
    space: VectorSpace | None = None,
    **options: Any,
) -> InsertReport:
    """Insert by lines with a model that knows names, unless a chunking or a model is given."""
    chunking: Chunking | None = options.pop("chunking", None)
    plan = Plan(pipeline=tuple(pipeline), spans_of=chunking.spans if chunking else lines, embedding=space)
    run = GraphEngine(
        knowledge=options.pop("knowledge", place.knowledge),
        model=options.pop("model") if "model" in options else scripted(),
        clock=lambda: NOW,
        **options,
    )
    return drive(insert(run, plan, documents))


def documents(**texts: str) -> list[GraphDocument]:
    return [GraphDocument(id=id, content=text) for id, text in texts.items()]


WRITES = (
    "remember",
    "mark_finished",
    "add_documents",
    "complete_documents",
    "add_extractions",
    "put_summaries",
    "put_communities",
    "put_reports",
    "drop_reports",
    "add_similarities",
    "add_questions",
    "embed_new",
)


class Killed(BaseException):
    """The process ended here."""


class Mortal:
    """A knowledge whose process ends at the n-th write: before it, or just after."""

    def __init__(self, knowledge: Any, ends_at: int, *, after: bool) -> None:
        self._knowledge = knowledge
        self._ends_at = ends_at
        self._after = after
        self.writes = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._knowledge, name)
        if name not in WRITES:
            return method

        async def counted(*args: Any, **options: Any) -> Any:
            self.writes += 1
            if self.writes == self._ends_at and not self._after:
                raise Killed
            result = await method(*args, **options)
            if self.writes == self._ends_at:
                raise Killed
            return result

        return counted
