"""How alike two names are, and why: could they be one thing under two spellings?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lorelite.text.normalise import fold_case
from lorelite.text.stopwords import words_of

ARTICLES = words_of(
    "the a an der die das ein eine le la les un une el los las il lo gli i uno una o os as um uma de het een"
)
_HIS = words_of("mr sir lord king prince don signor herr señor sr monsieur father brother uncle mister")
_HER = words_of("mrs ms miss lady queen princess doña signora frau señora sra mme mlle madam madame mother sister aunt")
HONORIFICS = _HIS | _HER | words_of("dr prof professor saint st captain colonel general")
"""Words before a name that name nobody by themselves."""
_JOINING = words_of("of in at on for and with from to by und et y aus im am vom")
"""Words that make a phrase of names: a part of "the ghost of Jacob Marley" is another thing."""
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
PART = "one is a part of the other"
"""The reason that counts only where one longer name alone fits."""


def name_likeness(first: str, second: str) -> Likeness:
    """How alike two names are. Names that differ in a number never are: Apollo 11 and 12, Henry V and VI."""
    if letters_key(first) == letters_key(second):
        return Likeness(1.0, "the same letters") if letters_key(first) else NOTHING
    if _numbers(first) != _numbers(second):
        return NOTHING
    one, other = _words(first), _words(second)
    if sorted(one) == sorted(other):
        return Likeness(0.95, "the same words in another order")
    one, other = _without_article(first, one), _without_article(second, other)
    if one == other:
        return Likeness(0.93, "the same but for an article")
    if _are_he_and_she(one, other):
        return NOTHING
    plain_one, plain_other = _without_honorifics(one), _without_honorifics(other)
    if plain_one and plain_one == plain_other:
        return Likeness(0.9, "the same but for a title")
    return max(
        (
            _by_initials(plain_one, plain_other),
            _by_acronym(first, other),
            _by_acronym(second, one),
            _by_spelling(one, other),
            _by_addition(first, second),
            _by_part(plain_one, plain_other),
        ),
        key=lambda likeness: likeness.score,
    )


def plain_words(name: str) -> list[str]:
    """The words of a name without articles and titles, in lower case."""
    return _without_honorifics(_without_article(name, _words(name)))


def likeness_keys(name: str) -> Iterator[str]:
    """Keys of which names that are alike share at least one: only such pairs need to be compared."""
    words = _words(name)
    key = letters_key(name)
    if not key:
        return
    yield f"letters {key}"
    yield f"words {' '.join(sorted(words))}"
    plain = plain_words(name) or words
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
    folded = fold_case(unicodedata.normalize("NFKC", name))
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


def _without_article(name: str, words: Sequence[str]) -> list[str]:
    """Without an article at the beginning, where more follows. "A." is an initial."""
    is_article = len(words) > 1 and words[0] in ARTICLES and not name.lstrip()[len(words[0]) :].startswith(".")
    return list(words[1:] if is_article else words)


def _without_honorifics(words: Sequence[str]) -> list[str]:
    """Without the titles at the beginning, where more follows."""
    place = 0
    while place < len(words) - 1 and words[place] in HONORIFICS:
        place += 1
    return list(words[place:])


def _are_he_and_she(one: Sequence[str], other: Sequence[str]) -> bool:
    first, second = one[0], other[0]
    return (first in _HIS and second in _HER) or (first in _HER and second in _HIS)


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


def _by_spelling(one: Sequence[str], other: Sequence[str]) -> Likeness:
    first, second = "".join(one), "".join(other)
    longest = max(len(first), len(second))
    if min(len(first), len(second)) < _LEAST_LETTERS:
        return NOTHING
    if len(one) == len(other):
        differing = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
        if any(min(map(len, pair)) < _LEAST_LETTERS for pair in differing):
            return NOTHING
        if all(_are_one_and_many(*pair) for pair in differing):
            return Likeness(0.6, "singular and plural")
    allowed = 1 if longest < 2 * _LEAST_LETTERS else 2
    slips = _slips(first, second, allowed)
    if slips > allowed:
        return NOTHING
    return Likeness(round(0.9 - slips / longest, 4), f"{'one letter' if slips == 1 else f'{slips} letters'} apart")


def _are_one_and_many(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return long in (f"{short}s", f"{short}es") or {one[-3:], other[-3:]} == {"man", "men"}


def _by_addition(first: str, second: str) -> Likeness:
    """ "Salt Lake City" and "Salt Lake City, UT"."""
    short, long = sorted((first, second), key=len)
    head, comma, _ = long.partition(",")
    if comma and letters_key(head) == letters_key(short):
        return Likeness(0.8, "the same but for what follows the comma")
    return NOTHING


def _by_part(one: Sequence[str], other: Sequence[str]) -> Likeness:
    """ "Scrooge" and "Ebenezer Scrooge": a surname or a first name alone."""
    short, long = sorted((one, other), key=len)
    if not short or len(short) == len(long) or len(short[0]) == _INITIAL or not _JOINING.isdisjoint(long):
        return NOTHING
    if list(long[-len(short) :]) == list(short) or list(long[: len(short)]) == list(short):
        return Likeness(0.55, PART)
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
