"""The user's own function as an embedder."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from lorelite.errors import AsyncOnlyModel, ModelError
from lorelite.models.callable_model import is_async, not_returned


class CallableEmbedder:
    """Calls `fn(texts)`, which returns one vector of floats per text (lists or arrays) and may be `async def`.

    `model_id` names the vector space; give another one whenever the vectors change.
    """

    def __init__(self, fn: Callable[[list[str]], Any], model_id: str) -> None:
        self.model_id = model_id
        self.blocking = not is_async(fn)
        self._fn = fn

    def __repr__(self) -> str:
        return f"CallableEmbedder({self.model_id!r})"

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector per text, in order. Raises ModelError when the function returns anything else."""
        if not texts:
            return []
        result = self._fn(list(texts))
        return checked_vectors(result if self.blocking else await result, len(texts), self.model_id)

    def as_blocking(self) -> CallableEmbedder:
        if not self.blocking:
            raise AsyncOnlyModel(self.model_id)
        return self


def checked_vectors(found: Any, count: int, name: str) -> list[list[float]]:
    """*found* as lists of floats; raises ModelError unless it is *count* finite vectors of one length."""
    expected = f"{count} vectors of floats"
    try:
        vectors = [[float(number) for number in vector] for vector in found]
    except (TypeError, ValueError):
        raise not_returned(name, expected, found) from None
    lengths = {len(vector) for vector in vectors}
    if len(vectors) != count:
        raise ModelError(f"{name}: expected {expected}, found {len(vectors)}", name=name)
    if len(lengths) > 1 or 0 in lengths:
        raise ModelError(
            f"{name}: expected vectors of one length, found lengths {sorted(lengths)}",
            name=name,
            fault="invalid_vector",
        )
    if not all(all(map(math.isfinite, vector)) for vector in vectors):
        raise ModelError(
            f"{name}: expected finite numbers, found NaN or infinity in a vector", name=name, fault="invalid_vector"
        )
    return vectors
