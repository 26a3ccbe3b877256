"""How alike two names are, and why: could they be one thing under two spellings?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lorelite.text.normalise import fold_case
from lorelite.text.stopwords import words_of

HONORIFICS = words_of(
    "mr mrs ms miss dr prof professor sir lady lord madam mme mlle herr frau señor señora sr sra don doña signor "
    "signora captain colonel general king queen prince princess saint st the an der die das le la les el"
)
"""Words before a name that name nobody by themselves."""
_ROMAN = re.compile("[ivx]{1,5}")
_INITIAL = 1
_LEAST_LETTERS = 6
"""Of names that may differ by a letter or two: short ones that do are different names."""
_WORDS_FOR_ACRONYM = 2


@dataclass(frozen=True, slots=True)
class Likeness:
    """score: 0 … 1, how likely names so alike name one thing; 0: nothing speaks for it. reason: in words."""

    score: float
    reason: str


NOTHING = Likeness(0.0, "")


def name_likeness(first: str, second: str) -> Likeness:
    """How alike two names are. Names that differ in a number never are: Apollo 11 and 12, Henry V and VI."""
    if letters_key(first) == letters_key(second):
        return Likeness(1.0, "the same letters") if letters_key(first) else NOTHING
    if _numbers(first) != _numbers(second):
        return NOTHING
    one, other = _words(first), _words(second)
    if sorted(one) == sorted(other):
        return Likeness(0.95, "the same words in another order")
    plain_one, plain_other = _without_honorifics(one), _without_honorifics(other)
    if plain_one and plain_one == plain_other:
        return Likeness(0.9, "the same but for a title")
    return max(
        (
            _by_initials(plain_one, plain_other),
            _by_acronym(first, other),
            _by_acronym(second, one),
            _by_spelling(first, second),
            _by_part(plain_one, plain_other),
        ),
        key=lambda likeness: likeness.score,
    )


def likeness_keys(name: str) -> Iterator[str]:
    """Keys of which names that are alike share at least one: only such pairs need to be compared."""
    words = _words(name)
    key = letters_key(name)
    if not key:
        return
    yield f"letters {key}"
    yield f"words {' '.join(sorted(words))}"
    plain = _without_honorifics(words) or words
    for word in dict.fromkeys(plain):
        if len(word) > _INITIAL:
            yield f"word {word}"
    if len(words) > _WORDS_FOR_ACRONYM:
        yield f"acronym {_initials(words)}"
    elif len(words) == 1:
        yield f"acronym {key}"
    if len(key) >= _LEAST_LETTERS:
        # One slip leaves the beginning or the end as it was.
        half = len(key) // 2
        yield f"begins {key[: half - 1]}"
        yield f"ends {key[half + 1 :]}"


@lru_cache(maxsize=8192)
def letters_key(name: str) -> str:
    """What spellings of one name share: letters, marks and digits alone, so that Open-AI and open ai are OpenAI."""
    folded = fold_case(unicodedata.normalize("NFKC", name))
    return "".join(mark for mark in folded if mark.isalnum() or unicodedata.category(mark).startswith("M"))


def _words(name: str) -> list[str]:
    folded = fold_case(unicodedata.normalize("NFKC", name)).replace("'s ", " ")
    kept = "".join(
        mark if mark.isalnum() or unicodedata.category(mark).startswith("M") else "" if mark in "'’." else " "
        for mark in folded
    )
    return kept.split()


def _numbers(name: str) -> list[str]:
    """Digits, and a Roman numeral at the end."""
    words = _words(name)
    numeral = words[-1:] if len(words) > 1 and _ROMAN.fullmatch(words[-1]) else []
    return [mark for word in words for mark in word if mark.isdigit()] + numeral


def _without_honorifics(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in HONORIFICS]


def _initials(words: Sequence[str]) -> str:
    return "".join(word[0] for word in words)


def _by_initials(one: Sequence[str], other: Sequence[str]) -> Likeness:
    """ "A. Lovelace" and "Ada Lovelace": as many words, the last whole in both, the others equal or initials."""
    if len(one) != len(other) or len(one) < 2 or one[-1] != other[-1] or len(one[-1]) == _INITIAL:
        return NOTHING
    for word, counterpart in zip(one[:-1], other[:-1], strict=True):
        short, long = sorted((word, counterpart), key=len)
        if word != counterpart and not (len(short) == _INITIAL and long.startswith(short)):
            return NOTHING
    return Likeness(0.85, "the same but for initials")


def _by_acronym(name: str, words: Sequence[str]) -> Likeness:
    key = letters_key(name)
    is_written_so = len(words) > _WORDS_FOR_ACRONYM and name.replace(".", "").isupper() and len(name.split()) == 1
    if is_written_so and key in (_initials(words), _initials(_without_honorifics(words))):
        return Likeness(0.8, "one is made of the other's initials")
    return NOTHING


def _by_spelling(first: str, second: str) -> Likeness:
    one, other = letters_key(first), letters_key(second)
    longest = max(len(one), len(other))
    if min(len(one), len(other)) < _LEAST_LETTERS:
        return NOTHING
    allowed = 1 if longest < 2 * _LEAST_LETTERS else 2
    slips = _slips(one, other, allowed)
    if slips > allowed:
        return NOTHING
    return Likeness(0.9 - slips / longest, f"{'one letter' if slips == 1 else f'{slips} letters'} apart")


def _by_part(one: Sequence[str], other: Sequence[str]) -> Likeness:
    """ "Scrooge" and "Ebenezer Scrooge": a surname or a first name alone."""
    short, long = sorted((one, other), key=len)
    if not short or len(short) == len(long) or len(short[0]) == _INITIAL:
        return NOTHING
    if list(long[-len(short) :]) == list(short) or list(long[: len(short)]) == list(short):
        return Likeness(0.55, "one is a part of the other")
    return NOTHING


def _slips(one: str, other: str, most: int) -> int:
    """Letters to add, drop, exchange or swap with their neighbour to make one of the other; most + 1 for more.

    Optimal string alignment (Damerau 1964), in the band that *most* leaves.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, mark in enumerate(one, 1):
        here = [row]
        for column, counterpart in enumerate(other, 1):
            if abs(row - column) > most:
                here.append(most + 1)
                continue
            cost = min(last[column] + 1, here[column - 1] + 1, last[column - 1] + (mark != counterpart))
            if row > 1 and column > 1 and mark == other[column - 2] and one[row - 2] == counterpart:
                cost = min(cost, before[column - 2] + 1)
            here.append(cost)
        before, last = last, here
    return last[-1]
