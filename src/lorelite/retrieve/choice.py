"""Which search finds most in a namespace, by what it holds."""

from __future__ import annotations

from typing import Literal

from lorelite.engine import Engine


def best_search(engine: Engine, namespace: str) -> Literal["pagerank", "read"]:
    """ "pagerank" where passages are joined by what they mention, else "read"."""
    return "pagerank" if engine.store.sources.joins_passages(namespace) else "read"
