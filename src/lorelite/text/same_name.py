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
_MARKED = ("LATIN", "GREEK", "ARABIC", "HEBREW")
"""Scripts in which a word without its marks is the same word."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """score: 0 … 1, how likely names so alike name one thing; 0: nothing speaks for it. reason: in words."""

    score: float
    reason: str


NOTHING = Likeness(0.0, "")
NAMESAKES = "letters "
"""How the key begins that names of the same letters share."""
PART = "one is a part of the other"
"""The reason that counts only where one longer name alone fits."""


def name_likeness(first: str, second: str) -> Likeness:
    """How alike two names are. Names that differ in a number never are: Apollo 11 and 12, Henry V and VI."""
    one, other = _read(first), _read(second)
    if one.letters == other.letters:
        return Likeness(1.0, "the same letters") if one.letters else NOTHING
    if one.numbers != other.numbers:
        return NOTHING
    if one.unaccented == other.unaccented:
        return Likeness(0.88, "the same but for accents")
    if one.in_order == other.in_order:
        return Likeness(0.95, "the same words in another order")
    if one.bare == other.bare:
        return Likeness(0.93, "the same but for an article")
    if _are_he_and_she(one.bare, other.bare):
        return NOTHING
    if one.plain and one.plain == other.plain:
        return Likeness(0.9, "the same but for a title")
    return max(
        (
            _by_initials(one.plain, other.plain),
            _by_acronym(one, other),
            _by_acronym(other, one),
            _by_spelling(one, other),
            _by_addition(first, second),
            _by_part(one.plain, other.plain),
        ),
        key=lambda likeness: likeness.score,
    )


def plain_words(name: str) -> tuple[str, ...]:
    """The words of a name without articles and titles, in lower case."""
    return _read(name).plain


def likeness_keys(name: str) -> Iterator[str]:
    """Keys of which names that are alike share at least one: only such pairs need to be compared."""
    read = _read(name)
    words, key = read.words, read.letters
    if not key:
        return
    yield f"{NAMESAKES}{key}"
    yield f"unaccented {read.unaccented}"
    yield f"words {' '.join(read.in_order)}"
    for word in dict.fromkeys(read.plain or words):
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


@dataclass(frozen=True, slots=True)
class _Name:
    """A name, read once: it is compared with many."""

    text: str
    letters: str
    words: tuple[str, ...]
    in_order: tuple[str, ...]
    """The words, sorted."""
    bare: tuple[str, ...]
    """The words without an article."""
    plain: tuple[str, ...]
    """The words without article and titles."""
    joined: str
    """The letters of `bare`."""
    marks: frozenset[str]
    """What `joined` is made of."""
    numbers: tuple[str, ...]
    """Digits, and a Roman numeral at the end."""
    unaccented: str
    """The letters without marks that are often left out."""


@lru_cache(maxsize=32768)
def _read(name: str) -> _Name:
    words = _words(name)
    numeral = words[-1:] if len(words) > 1 and _ROMAN.fullmatch(words[-1]) else ()
    digits = tuple(mark for word in words for mark in word if mark.isdigit())
    bare = _without_article(name, words)
    return _Name(
        text=name,
        letters=letters_key(name),
        words=words,
        in_order=tuple(sorted(words)),
        bare=bare,
        plain=_without_honorifics(bare),
        joined="".join(bare),
        marks=frozenset("".join(bare)),
        numbers=digits + numeral,
        unaccented=_unaccented(letters_key(name)),
    )


def _unaccented(letters: str) -> str:
    """Without marks over Latin and Greek letters, the dots of ё, and the vowel signs of Arabic and Hebrew. The marks of
    other scripts are letters in all but name."""
    if letters.isascii():
        return letters
    kept: list[str] = []
    base = ""
    for mark in unicodedata.normalize("NFD", letters):
        if not unicodedata.combining(mark):
            base = mark
        elif unicodedata.name(base, "").startswith(_MARKED) or (base == "е" and mark == "\u0308"):
            continue
        kept.append(mark)
    return unicodedata.normalize("NFC", "".join(kept))


@lru_cache(maxsize=8192)
def letters_key(name: str) -> str:
    """What spellings of one name share: letters, marks and digits alone, so that Open-AI and open ai are OpenAI."""
    folded = fold_case(unicodedata.normalize("NFKC", name))
    return "".join(mark for mark in folded if mark.isalnum() or unicodedata.category(mark).startswith("M"))


def _words(name: str) -> tuple[str, ...]:
    folded = fold_case(unicodedata.normalize("NFKC", name))
    kept = "".join(
        mark if mark.isalnum() or unicodedata.category(mark).startswith("M") else "" if mark in "'’." else " "
        for mark in folded
    )
    return tuple(kept.split())


def _without_article(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Without an article at the beginning, where more follows. "A." is an initial."""
    is_article = len(words) > 1 and words[0] in ARTICLES and not name.lstrip()[len(words[0]) :].startswith(".")
    return words[1:] if is_article else words


def _without_honorifics(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without the titles at the beginning, where more follows."""
    place = 0
    while place < len(words) - 1 and words[place] in HONORIFICS:
        place += 1
    return words[place:]


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


def _by_acronym(one: _Name, other: _Name) -> Likeness:
    words = other.bare
    if len(one.words) != 1 or len(words) <= _WORDS_FOR_ACRONYM or not one.text.replace(".", "").isupper():
        return NOTHING
    if one.letters in (_initials(words), _initials(_without_honorifics(words)), _initials(other.words)):
        return Likeness(0.8, "one is made of the other's initials")
    return NOTHING


def _by_spelling(one: _Name, other: _Name) -> Likeness:
    first, second = one.joined, other.joined
    longest, shortest = max(len(first), len(second)), min(len(first), len(second))
    allowed = 1 if longest < 2 * _LEAST_LETTERS else 2
    # A slip changes two of the marks at most.
    if shortest < _LEAST_LETTERS or longest - shortest > allowed or len(one.marks ^ other.marks) > 2 * allowed:
        return NOTHING
    if len(one.bare) == len(other.bare):
        differing = [pair for pair in zip(one.bare, other.bare, strict=True) if pair[0] != pair[1]]
        if all(_are_one_and_many(*pair) for pair in differing):
            return Likeness(0.6, "singular and plural")
        if any(min(map(len, pair)) < _LEAST_LETTERS for pair in differing):
            return NOTHING
    slips = _slips(first, second, allowed)
    if slips > allowed:
        return NOTHING
    return Likeness(round(0.9 - slips / longest, 4), f"{'one letter' if slips == 1 else f'{slips} letters'} apart")


def _are_one_and_many(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return long in (f"{short}s", f"{short}es") or {one[-3:], other[-3:]} == {"man", "men"}


def _by_addition(first: str, second: str) -> Likeness:
    """ "Salt Lake City" and "Salt Lake City, UT"."""
    if "," not in first and "," not in second:
        return NOTHING
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

    Optimal string alignment (Damerau 1964), in the band that *most* leaves: a row holds the columns from row - most on.
    """
    far, width = most + 1, 2 * most + 1
    before = [far] * width
    last = [abs(place - most) if place >= most else far for place in range(width)]
    for row, mark in enumerate(one, 1):
        here = [far] * width
        for place in range(width):
            column = row - most + place
            if column < 0 or column > len(other):
                continue
            if column == 0:
                here[place] = min(row, far)
                continue
            counterpart = other[column - 1]
            cost = last[place] + (mark != counterpart)
            if place + 1 < width:
                cost = min(cost, last[place + 1] + 1)
            if place > 0:
                cost = min(cost, here[place - 1] + 1)
            if row > 1 and column > 1 and mark == other[column - 2] and one[row - 2] == counterpart:
                cost = min(cost, before[place] + 1)
            here[place] = cost
        if min(here) > most and min(last) > most:
            return far
        before, last = last, here
    end = len(other) - len(one) + most
    return min(far, last[end]) if 0 <= end < width else far
