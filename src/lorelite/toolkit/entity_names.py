"""Names of entities compared: how well one fits a query, and which are spelled alike. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from lorelite.text.stopwords import stop_words_for
from lorelite.text.tokens import word_tokens

_SEPARATORS = re.compile(r"[\W_]+")

EXACT, NAME_IN_QUERY, QUERY_IN_NAME, SHARED = 1.0, 0.9, 0.75, 0.7


def slug(name: str) -> str:
    """An id that names an entity: "OpenAI" → "openai", "Open-AI" and "open ai" → "open-ai"."""
    return _SEPARATORS.sub("-", unicodedata.normalize("NFKC", name).lower()).strip("-")


def normalised(text: str) -> str:
    """Case and spacing taken out."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def name_score(query: str, name: str) -> float:
    """How well *name* fits *query*, 0 … 1.

    1 it is the query; 0.9 the query holds it as a run of words; 0.75 it holds the query so; else up to 0.7 for the
    share of its words, stop words aside, that the query has.
    """
    if normalised(query) == normalised(name):
        return EXACT if normalised(name) else 0.0
    asked, named = word_tokens(query), word_tokens(name)
    if not asked or not named:
        return 0.0
    if is_run(named, asked):
        return NAME_IN_QUERY
    telling_query = without_stop_words(asked)
    if telling_query and is_run(asked, named):
        return QUERY_IN_NAME
    telling = without_stop_words(named) or named
    shared = [word for word in telling if word in telling_query]
    return SHARED * len(shared) / len(telling)


def is_run(words: Sequence[str], within: Sequence[str]) -> bool:
    """Does *within* hold *words* one after the other?"""
    size = len(words)
    return any(list(within[at : at + size]) == list(words) for at in range(len(within) - size + 1))


def without_stop_words(words: Sequence[str]) -> list[str]:
    """The words that tell something."""
    stops = stop_words_for(words)
    return [word for word in words if word not in stops]
