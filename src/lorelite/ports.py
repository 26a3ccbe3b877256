"""What the engine asks of the outside world, as small protocols.

A port's coroutine may suspend only when `blocking` is False. The blocking `Wiki` asks each port for its blocking
twin (`as_blocking`) and then steps coroutines once, so it also works inside a running event loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from lorelite.call_records import CallStatus
from lorelite.records import Estimate, Progress, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One call of a language model. `schema` is the JSON Schema of the wanted reply, None for prose."""

    system: str
    user: str
    schema: dict[str, Any] | None = None
    purpose: str = ""
    """What the call is for, e.g. "extract" or "answer": scripted models choose by it."""
    namespace: str = ""
    """Whose call it is. Kept beside the recorded call, never sent."""
    source_ref: str = ""
    """The document that the request quotes, where it is one. Kept beside the recorded call, never sent."""


Finish = Literal["", "stop", "length", "filter", "refusal"]
"""Why a model stopped: "length" at a limit of tokens, so the text is cut; "" where it did not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """The text of a reply, or the error that took its place (a batch never fails as a whole)."""

    text: str = ""
    usage: Usage = field(default_factory=Usage)
    error: Exception | None = None
    finish: Finish = ""
    model: str = ""
    """The model as the endpoint names it; "" where it did not say."""
    duration_ms: int = 0
    reused: bool = False
    """Was the call answered from the recorded ones?"""
    call_id: int | None = None
    """The recorded call that it is of; None where it was not recorded."""


@runtime_checkable
class ChatModel(Protocol):
    """A text generator. A batch of requests goes in, as many replies come out, in order."""

    @property
    def name(self) -> str: ...

    @property
    def blocking(self) -> bool: ...

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]: ...

    def as_blocking(self) -> ChatModel:
        """A model that never suspends; raises AsyncOnlyModel when there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Who is told while a batch is under way. Both are called in the thread of the caller; what they raise ends it."""

    on_reply: Callable[[int, ModelReply], None] | None = None
    """Gets the place of a request in its batch, and its reply as soon as that is there."""
    on_text: Callable[[int, str], None] | None = None
    """Gets the place of a request, and the next piece of its text; the pieces together are the reply's text."""


@runtime_checkable
class ListenedModel(Protocol):
    """What a ChatModel may be beside: one that tells of each reply as it arrives, and of its text as it is written."""

    async def complete_telling(self, requests: Sequence[ModelRequest], listener: Listener) -> list[ModelReply]:
        """As `complete`. A model that cannot write piece by piece tells a text as one piece."""
        ...


@runtime_checkable
class Parametrised(Protocol):
    """What a ChatModel may be beside: one whose replies depend on more than its name."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """JSON of what beside its name decides the replies, such as a temperature; never a key or an address."""
        ...


@runtime_checkable
class StreamingModel(Protocol):
    """What a ChatModel may be beside: one that gives a reply as it is written."""

    def stream(self, request: ModelRequest) -> AsyncIterator[str | Usage]:
        """The pieces of the reply in order, and somewhere what it took, if that is known."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifyRequest:
    """One question with a closed list of answers: which of *choices* (name → what it means) says what *text* is?"""

    text: str
    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """The answer to a ClassifyRequest: one of its choices, and how sure that is, from 0 to 1."""

    choice: str
    confidence: float


@runtime_checkable
class Classifier(Protocol):
    """What a ChatModel may be beside: a classifier that answers without writing text."""

    async def classify(self, requests: Sequence[ClassifyRequest]) -> list[Classified]:
        """One answer for each request, in order."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """A vector maker. `model_id` names the vector space: vectors of different ids are never compared.

    The calls of one with a true attribute `in_process` cost nothing, and are not recorded.
    """

    @property
    def model_id(self) -> str: ...

    @property
    def blocking(self) -> bool: ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]: ...

    def as_blocking(self) -> Embedder: ...


@runtime_checkable
class RecordingEmbedder(Protocol):
    """What an Embedder may be beside: one that records its calls."""

    async def embed_for(self, namespace: str, texts: Sequence[str], *, keep: bool) -> list[list[float]]:
        """As `embed`, for a namespace. keep: remember the vectors, as those of questions, which no node keeps."""
        ...


class Ledger(Protocol):
    """The recorded calls of a file, as what models are asked through."""

    def of(self, model: ChatModel) -> ChatModel:
        """The model, whose calls are recorded, and answered from those recorded. Itself, where it is one already."""
        ...

    def embedding(self, embedder: Embedder) -> Embedder: ...

    def judge(self, reply: ModelReply, status: CallStatus) -> None:
        """Say what could be read of a reply; one of which that is nothing answers no other call.

        Inside a transaction it is kept or undone with that: best where what was read is stored. A reply after which the
        model was asked again is best judged when that is over, or a process killed meanwhile would ask both anew.
        """
        ...


@runtime_checkable
class Foreseeing(Protocol):
    """What a ChatModel may be beside: one that tells what requests would cost, without sending any."""

    def foresee(self, requests: Sequence[ModelRequest], shortest: float, longest: float) -> Estimate:
        """The cost. shortest, longest: how long replies are, as a share of the tokens of their requests."""
        ...


class VectorRanker(Protocol):
    """An index of vectors outside of the file, which ranks in place of comparing with every vector in it.

    The file stays the record: it holds every vector, and what the index names is checked against it. Both methods may
    be `async def`, which only AsyncWiki accepts.
    """

    def rank(
        self, namespace: str, query_vector: list[float], candidate_ids: list[str] | None, limit: int
    ) -> Sequence[tuple[str, float]] | Awaitable[Sequence[tuple[str, float]]]:
        """(node id, similarity) of the *limit* nodes of the namespace nearest to the vector, which is a copy.

        candidate_ids: rank these alone; None: all of the namespace. Similarities compare; higher is nearer.
        """
        ...

    # def on_embedding_persisted(self, namespace: str, node_id: str, vector: list[float] | None) -> Awaitable | None
    # is optional: it is told of each vector that was stored, and with None of each that must go.


@runtime_checkable
class GuardedRanker(Protocol):
    """A VectorRanker as the engine uses it: always to be awaited, its results checked, its hook limited in time."""

    @property
    def name(self) -> str: ...

    @property
    def blocking(self) -> bool: ...

    async def nearest(
        self, namespace: str, query_vector: Sequence[float], candidate_ids: Sequence[str] | None, limit: int
    ) -> list[tuple[str, float]]:
        """Finite similarities by distinct ids, as given. Raises what the ranker raises, TypeError for other shapes."""
        ...

    async def persisted(
        self, namespace: str, node_id: str, vector: Sequence[float] | None, timeout_ms: int | None = None
    ) -> None:
        """Tell the ranker; nothing when it has no hook. Raises what the hook raises, TimeoutError when it is late."""
        ...

    def as_blocking(self) -> GuardedRanker: ...


Clock = Callable[[], int]
"""Milliseconds since 1970-01-01 UTC."""

OnProgress = Callable[[Progress], None]
