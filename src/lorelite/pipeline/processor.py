"""What a processor is: a step of a pipeline that makes something out of chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from lorelite.errors import ConfigError, PipelineOrderError

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine

CHUNK_ENTITIES = "chunkEntityGeneration"
ENTITY_COMMUNITIES = "entityCommunityGeneration"
SIMILAR_CHUNKS = "similarChunkConnection"
HYPOTHETICAL_QUESTIONS = "hypotheticalQuestionGeneration"


class Processor(Protocol):
    """A step of a pipeline, with its options. Anything of this shape can stand in `pipeline=[…]`."""

    @property
    def name(self) -> str:
        """Stored with the graph, for example "chunkEntityGeneration"; once in a pipeline."""
        ...

    @property
    def version(self) -> int:
        """A higher one says that the same options now give something else."""
        ...

    @property
    def requires(self) -> tuple[str, ...]:
        """Names of processors that must stand earlier."""
        ...

    @property
    def works_on(self) -> Literal["chunks", "graph"]:
        """ "graph": on what the documents say together, so it runs when every other processor has, and also when
        documents went. A class may leave it out: "chunks"."""
        ...

    def options(self) -> Mapping[str, Any]:
        """What its results depend on, as JSON. How fast or how patiently it works is not among it.

        A graph belongs to one pipeline with one set of options; a model or a prompt stands here as what names it.
        """
        ...

    async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
        """Work on all chunks that it has not finished, oldest first; gives counters, for example {"entities": 7}.

        Loads them in batches through `run.knowledge.chunks`, marks each batch finished in the step that stores what it
        gave, and reports what failed by `run.failed` after that: a failed chunk stays unfinished. One that works on
        the graph brings all of it up to date, even where no chunk is new. One that works on chunks is called once more
        with () when the documents are complete and earlier versions gone, to finish what depends on all of them.
        """
        ...

    async def remove(self, run: GraphEngine, chunk_ids: Sequence[str]) -> None:
        """Take away what it made of these chunks and keeps beside the knowledge; they are deleted afterwards."""
        ...


_PARTS = ("name", "version", "requires", "options", "process", "remove")


def checked_pipeline(pipeline: object) -> tuple[Processor, ...]:
    """The processors of a pipeline, in order.

    Raises ConfigError for what is no list of processors or names one twice, and PipelineOrderError for one that stands
    before what it needs.
    """
    if isinstance(pipeline, str) or not isinstance(pipeline, Sequence):
        raise ConfigError("pipeline", "a list of processors", pipeline)
    names: list[str] = []
    for place, processor in enumerate(pipeline):
        if not all(hasattr(processor, part) for part in _PARTS):
            raise ConfigError(f"pipeline[{place}]", "a processor, for example chunk_entity_generation()", processor)
        if processor.name in names:
            raise ConfigError(f"pipeline[{place}]", "each processor once", processor.name)
        missing = [name for name in processor.requires if name not in names]
        if missing:
            raise PipelineOrderError(processor.name, missing)
        names.append(processor.name)
    return tuple(pipeline)


def works_on_graph(processor: Processor) -> bool:
    """Does it work on the graph as a whole?"""
    return getattr(processor, "works_on", "chunks") == "graph"
