"""Which search finds most in a namespace, by what it holds."""

from __future__ import annotations

from typing import Literal

from lorelite.engine import Engine

TITLES = 200
"""Titles that are looked at: the newest."""
NAMED_SHARE = 0.05
"""Of them, for passages to count as leading to one another. Encyclopedias have a third, loose paragraphs none."""


def best_search(engine: Engine, namespace: str) -> Literal["pagerank", "read"]:
    """ "pagerank" where passages are about what others name, so that one leads to another; else "read".

    Where passages merely share names, walking among them pushes the best hit down (measured on XQuAD).
    """
    titles, named = engine.store.sources.named_titles(namespace, TITLES)
    return "pagerank" if titles and named / titles >= NAMED_SHARE else "read"
