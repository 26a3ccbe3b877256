"""What a processor is: a step of a pipeline that makes something out of chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

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

    def options(self) -> Mapping[str, Any]:
        """What its results depend on, as JSON. How fast or how patiently it works is not among it.

        A graph belongs to one pipeline with one set of options; a model or a prompt stands here as what names it.
        """
        ...

    async def process(self, run: GraphEngine, chunk_ids: Sequence[str]) -> Mapping[str, int]:
        """Work on all chunks that it has not finished, oldest first; gives counters, for example {"entities": 7}.

        Loads them in batches through `run.knowledge.chunks`, marks each batch finished in the step that stores what it
        gave, and reports what failed by `run.failed` after that: a failed chunk stays unfinished. Called with () as
        well, after a deletion and when a build finds nothing new.
        """
        ...

    async def remove(self, run: GraphEngine, chunk_ids: Sequence[str]) -> None:
        """Take away what it made of these chunks and keeps beside the knowledge; they are deleted afterwards."""
        ...
