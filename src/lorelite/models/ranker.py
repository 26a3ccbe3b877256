"""The user's vector ranker, checked."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Iterable, Sequence
from typing import Any

from lorelite.errors import AsyncOnlyModel
from lorelite.models.callable_model import is_async
from lorelite.ports import VectorRanker


class CheckedRanker:
    """Calls a VectorRanker whose methods may be `async def`, hands it copies, and believes nothing it says."""

    def __init__(self, ranker: VectorRanker) -> None:
        self.name = type(ranker).__name__
        self._ranker = ranker
        self._hook: Any = getattr(ranker, "on_embedding_persisted", None)
        self.blocking = not is_async(ranker.rank) and not (self._hook is not None and is_async(self._hook))

    def __repr__(self) -> str:
        return f"CheckedRanker({self.name})"

    async def nearest(
        self, namespace: str, query_vector: Sequence[float], candidate_ids: Sequence[str] | None, limit: int
    ) -> list[tuple[str, float]]:
        candidates = None if candidate_ids is None else list(candidate_ids)
        found = self._ranker.rank(namespace, list(query_vector), candidates, limit)
        return checked_similarities(await found if inspect.isawaitable(found) else found)

    async def persisted(
        self, namespace: str, node_id: str, vector: Sequence[float] | None, timeout_ms: int | None = None
    ) -> None:
        if self._hook is None:
            return
        answer = self._hook(namespace, node_id, None if vector is None else list(vector))
        if inspect.isawaitable(answer):
            async with asyncio.timeout(None if timeout_ms is None else timeout_ms / 1000):
                await answer

    def as_blocking(self) -> CheckedRanker:
        if not self.blocking:
            raise AsyncOnlyModel(self.name)
        return self


def checked_similarities(found: Any) -> list[tuple[str, float]]:
    """(id, similarity) of each id's first finite similarity. Raises TypeError or ValueError for other shapes."""
    if not isinstance(found, Iterable) or isinstance(found, str | bytes):
        raise TypeError(f"expected pairs (node id, similarity), found {type(found).__name__}")
    similarities: dict[str, float] = {}
    for id, given in found:
        similarity = float(given)
        if isinstance(id, str) and math.isfinite(similarity):
            similarities.setdefault(id, similarity)
    return list(similarities.items())
