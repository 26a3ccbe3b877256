"""What a search strategy is: it turns a question into the context that an answer is written from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from lorelite import options
from lorelite.asking import read_replies
from lorelite.graph_records import SearchContext
from lorelite.ports import ChatModel, Embedder, ModelRequest
from lorelite.records import Usage

if TYPE_CHECKING:
    from lorelite.pipeline.run import GraphEngine

T = TypeVar("T")

STRATEGY_NAMES = (
    "auto",
    "naive",
    "entity_enhanced",
    "local_community",
    "global_community",
    "similar_chunk_traversal",
    "hypothetical_question",
    "pagerank",
    "dual_level",
    "drift",
)
"""The strategies there are; NAME_search makes one with options."""


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


MIN_SCORE = 0.2
"""The least cosine at which an entity or a chunk counts as found."""


def check_options(search: Strategy, *names: str, least: int = 1) -> None:
    """Raises InvalidOption for an option that is no whole number of at least *least*, or for a least score or weight
    that is no number."""
    for name in names:
        options.whole_number(f"{search.name}.{name}", getattr(search, name), least)
    for name in ("min_score", "min_weight"):
        if getattr(search, name, None) is not None:
            options.finite(f"{search.name}.{name}", getattr(search, name))


async def ask_all(
    run: GraphEngine, requests: Sequence[ModelRequest], batch: int, parse: Callable[[str], T]
) -> tuple[list[T | None], Usage]:
    """What the model says to each, *batch* requests at a time; None for a reply that cannot be read or did not come.

    Raises the first ModelError when no reply came at all.
    """
    said: list[T | None] = []
    failures: list[Exception] = []
    usage = Usage()
    for start in range(0, len(requests), batch):
        for answered in await read_replies(run.complete, requests[start : start + batch], lambda _, text: parse(text)):
            usage += answered.reply.usage
            said.append(answered.value)
            for reply in answered.unread:
                run.judge(reply, "none")
            if answered.reply.error is not None:
                failures.append(answered.reply.error)
    if failures and len(failures) == len(requests):
        raise failures[0]
    return said, usage
