"""How one statement stands to another, by their words alone: in every script, and never by a guess at the meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from lorelite.text.normalise import fold_case, normalise
from lorelite.text.title_key import title_key
from lorelite.text.tokens import word_tokens

Relation = Literal["same", "less", "more", "changed", "other"]
"""same: `same_words`; less, more: all its words are in the other, or the other way round; changed: much the same
words, yet each has some of its own, as where a value is another one; other: nothing of that."""

_ALIKE = 0.5
"""Share of common words from which two texts are about the same."""
_STATING = 3
"""A title of so many words states something; a shorter one only names what the body is about."""
_NEWS = 5
"""So many words that the other has not are news."""
_MARKS = re.compile(r"[.,;:!…。、，；：！\"'“”„«»()]+(?!\d)")
"""Signs that change no statement. All others do: "C#" is not "C", and before a digit even a full stop counts."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A title and a body as the words that are compared."""

    title: tuple[str, ...]
    body: tuple[str, ...]
    key: str
    wording: tuple[str, str]
    """Title and body without what makes no difference: case, width, spacing, and some marks."""

    @property
    def words(self) -> frozenset[str]:
        return frozenset(self.title + self.body)


def statement(title: str, body: str) -> Statement:
    wording = _wording(title), _wording(body)
    return Statement(tuple(word_tokens(title)), tuple(word_tokens(body)), title_key(title), wording)


def _wording(text: str) -> str:
    return " ".join(_MARKS.sub(" ", fold_case(normalise(text))).split())


def same_words(one: Statement, other: Statement) -> bool:
    """One wording of both. Signs count: "-5" is not "5", "$5" not "€5".

    A title may differ where the body holds it: then it adds nothing.
    """
    (one_title, body), (other_title, other_body) = one.wording, other.wording
    if body != other_body:
        return False
    return one_title == other_title or (bool(body) and one_title in body and other_title in body)


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the words of both that both have: 0 to 1."""
    return len(one & other) / len(one | other) if one and other else 0.0


def relation(new: Statement, old: Statement) -> Relation:
    """How *new* stands to *old*."""
    if same_words(new, old):
        return "same"
    is_named_alike = new.key == old.key
    if not is_named_alike and overlap(new.words, old.words) < _ALIKE:
        return "other"
    if new.words < old.words:
        return "less"
    if old.words < new.words:
        return "more"
    return "changed"


def is_retold(new: Statement, old: Statement) -> bool:
    """Does *new* tell *old* in other words? One title holds the other, both state something, and there is no news.

    A number that *old* has not is always news. Where the words are the same, their order or a sign is what differs:
    "Ben told Ann" is not "Ann told Ben", and -5 is not 5.
    """
    mine, others = frozenset(new.title), frozenset(old.title)
    news = new.words - old.words
    if new.words == old.words and not same_words(new, old):
        return False
    if len(news) >= _NEWS or any(map(has_digit, news)):
        return False
    if min(len(mine), len(others)) < _STATING or not (mine <= others or others <= mine):
        return False
    return overlap(mine, others) >= _ALIKE


def has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
