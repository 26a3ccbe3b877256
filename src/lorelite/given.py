"""What callers may pass as a model or an embedder, and the port it becomes."""

from __future__ import annotations

from lorelite.errors import InvalidOption
from lorelite.models.callable_embedder import CallableEmbedder
from lorelite.models.callable_model import CallableModel
from lorelite.models.ranker import CheckedRanker
from lorelite.ports import ChatModel, Embedder, GuardedRanker


def as_model(given: object, field: str = "model") -> ChatModel | None:
    """The model itself, one by its name ("ollama:llama3.2"), or a function wrapped as one; None stays None.

    Raises InvalidOption for anything else.
    """
    if given is None or isinstance(given, ChatModel):
        return given
    if isinstance(given, str):
        from lorelite.models.named import named_model

        return named_model(given, field)
    if callable(given):
        return CallableModel(given)
    raise InvalidOption(
        field, "a ChatModel, a name such as 'ollama:llama3.2', a function (system, user) -> text, or None", given
    )


def as_embedder(given: object, field: str = "embedder") -> Embedder | None:
    """The embedder itself, one by its name ("static", "ollama:nomic-embed-text"), or a function wrapped as one; None
    stays None. Raises InvalidOption for anything else.
    """
    if given is None or isinstance(given, Embedder):
        return given
    if isinstance(given, str):
        from lorelite.models.named import named_embedder

        return named_embedder(given, field)
    if callable(given):
        return CallableEmbedder(given, model_id=getattr(given, "__qualname__", type(given).__name__))
    raise InvalidOption(field, "an Embedder, a name such as 'static', a function texts -> vectors, or None", given)


def as_ranker(given: object) -> GuardedRanker | None:
    """A vector ranker, checked; None stays None. Raises InvalidOption for anything without a `rank` method."""
    if given is None or isinstance(given, GuardedRanker):
        return given
    if callable(getattr(given, "rank", None)):
        return CheckedRanker(given)  # type: ignore[arg-type]
    raise InvalidOption("vector_ranker", "a VectorRanker (an object with a method rank), or None", given)
