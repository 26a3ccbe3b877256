"""Names of entities compared: how well one fits a query, and which are spelled alike. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lorelite.text import characters
from lorelite.text.stopwords import stop_words_for
from lorelite.text.tokens import word_tokens

_SEPARATORS = re.compile(r"[\W_]+")
_UNSPACED = re.compile(f"[{characters.UNSPACED}]")

EXACT, NAME_IN_QUERY, QUERY_IN_NAME, SHARED = 1.0, 0.9, 0.75, 0.7


def slug(name: str) -> str:
    """An id that names an entity: "OpenAI" → "openai", "Open-AI" and "open ai" → "open-ai"."""
    return _SEPARATORS.sub("-", unicodedata.normalize("NFKC", name).lower()).strip("-")


def normalised(text: str) -> str:
    """Case and spacing taken out."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@dataclass(frozen=True, slots=True)
class NameForm:
    """A name taken apart."""

    plain: str
    words: tuple[str, ...]
    telling: tuple[str, ...]
    """Those that are no stop words."""
    is_unspaced: bool
    """Is it of a script without spaces between words, and more than one character?"""


def form_of(name: str) -> NameForm:
    """What a comparison goes by."""
    plain, words = normalised(name), tuple(word_tokens(name))
    return NameForm(plain, words, tuple(without_stop_words(words)), len(plain) > 1 and bool(_UNSPACED.search(plain)))


def form_keys(form: NameForm) -> tuple[str, ...]:
    """What a name is looked up by: its words, or itself where it has none."""
    return form.words or (form.plain,)


remembered_form = lru_cache(maxsize=1 << 15)(form_of)


class AskedName:
    """A query that names are compared with: as many as there are, however long it is."""

    def __init__(self, query: str) -> None:
        self.form = form_of(query)
        self._telling = frozenset(self.form.telling)
        self._places: dict[str, list[int]] = {}
        for place, word in enumerate(self.form.words):
            self._places.setdefault(word, []).append(place)

    def holds(self, name: NameForm) -> bool:
        """Does the query hold the name as a run of words? Where words are not spaced, as a piece of its text."""
        if name.is_unspaced and name.plain in self.form.plain:
            return True
        words, size = self.form.words, len(name.words)
        starts = self._places.get(name.words[0], ()) if name.words else ()
        return any(words[at : at + size] == name.words for at in starts)

    def score(self, name: NameForm) -> float:
        """How well a name fits the query, 0 … 1.

        1 it is the query; 0.9 the query holds it as a run of words; 0.75 it holds the query so; else up to 0.7 for the
        share of its words, stop words aside, that the query has.
        """
        asked = self.form
        if asked.plain == name.plain:
            return EXACT if name.plain else 0.0
        if not asked.words or not name.words:
            return 0.0
        if self.holds(name):
            return NAME_IN_QUERY
        if self._telling and (is_run(asked.words, name.words) or (asked.is_unspaced and asked.plain in name.plain)):
            return QUERY_IN_NAME
        telling = name.telling or name.words
        return SHARED * sum(word in self._telling for word in telling) / len(telling)


def is_run(words: Sequence[str], within: Sequence[str]) -> bool:
    """Does *within* hold *words* one after the other?"""
    size = len(words)
    return any(list(within[at : at + size]) == list(words) for at in range(len(within) - size + 1))


def without_stop_words(words: Sequence[str]) -> list[str]:
    """The words that tell something."""
    stops = stop_words_for(words)
    return [word for word in words if word not in stops]


class NameIndex:
    """Entities by their names, so that a query is compared with those alone that share a word with it."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, ...]] = {}
        self._having: dict[str, dict[str, None]] = {}
        """Word of a name, or a name without words → the ids of entities that have it."""

    def put(self, id: str, names: Sequence[str]) -> None:
        """Add an entity, or put other names in the place of those it had; the first is what it is called."""
        self.drop(id)
        self._names[id] = tuple(names)
        for key in self._keys(id):
            self._having.setdefault(key, {})[id] = None

    def drop(self, id: str) -> None:
        """Take an entity away, if it is there."""
        for key in self._keys(id):
            self._having.get(key, {}).pop(id, None)
        self._names.pop(id, None)

    def name(self, id: str) -> str | None:
        """What an entity is called, None for one that is not there."""
        return self._names[id][0] if id in self._names else None

    def called(self, name: str) -> str | None:
        """The entity of exactly this name; of several the last by id."""
        having = [self._having.get(key, {}) for key in form_keys(remembered_form(name))]
        return max((id for id in min(having, key=len) if self._names[id][0] == name), default=None)

    def best(self, query: str, top_k: int) -> list[tuple[str, float]]:
        """(id, score above 0) of the *top_k* that fit best, ordered by score, name, id."""
        asked = AskedName(query)
        keys = dict.fromkeys((*asked.form.words, asked.form.plain))
        ids = dict.fromkeys(id for key in keys for id in self._having.get(key, ()))
        scored = [(max(asked.score(remembered_form(name)) for name in self._names[id]), id) for id in ids]
        scored = [found for found in scored if found[0] > 0]
        scored.sort(key=lambda found: (-found[0], self._names[found[1]][0], found[1]))
        return [(id, score) for score, id in scored[:top_k]]

    def _keys(self, id: str) -> list[str]:
        return [key for name in self._names.get(id, ()) for key in form_keys(remembered_form(name))]
