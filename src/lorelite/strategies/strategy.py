"""What a search strategy is: it turns a question into the context that an answer is written from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lorelite.graph_records import SearchContext
from lorelite.ports import ChatModel, Embedder

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine


class Strategy(Protocol):
    """A way to search a graph, with its options. Anything of this shape can be passed to `query`."""

    @property
    def name(self) -> str:
        """As in error messages and results, for example "localCommunitySearch"."""
        ...

    @property
    def requires(self) -> tuple[str, ...]:
        """Names of the processors whose work it reads, for example "chunkEntityGeneration"; () when chunks do."""
        ...

    @property
    def model(self) -> ChatModel | None:
        """Used in place of the graph's model, for searching and for the answer."""
        ...

    @property
    def embedding(self) -> Embedder | None:
        """Used in place of the graph's embedder, for what is compared with the question."""
        ...

    async def retrieve(self, run: GraphEngine, prompt: str) -> SearchContext:
        """What the graph holds on *prompt*; empty when that is nothing.

        Asks `run.model` only when it has one and the strategy needs it; the context's `usage` says what that took.
        """
        ...
