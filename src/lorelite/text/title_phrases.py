"""Phrases of a text that may be titles: what a question names, and what a passage names in capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lorelite.text.normalise import fold_case, normalise
from lorelite.text.stopwords import stop_words_for
from lorelite.text.title_key import key_of_folded, title_key

MAX_WORDS = 8
_MAX_QUERY_WORDS = 64
_MAX_RUN = 40
_MAX_RUN_PHRASE = 12
_LONGEST_CONNECTOR = 4
_FUNCTION_WORDS = stop_words_for(())
_SENTENCE_END = re.compile(r"(?<=\w\w)[.!?;:]+\s|\n")
_WORD = re.compile(r"\S+")
_EDGE = re.compile(r"^\W+|\W+$")
# Letters of scripts that put no spaces between words: Thai to Khmer, kana and Han.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{2,}")


class Phrase(NamedTuple):
    """A title's key, and which part of the text it would be."""

    key: str
    start: int
    end: int


def query_phrases(query: str) -> list[Phrase]:
    """The phrases of a question that may be titles, longest first: of at most eight words, or of two to twelve
    characters of a script without spaces.

    A word alone counts when it is no function word and, where its script has capitals, begins with one; a word with
    digits or signs in it, such as f(x), always does.
    """
    text = normalise(query)
    words = [match.span() for match in _WORD.finditer(text)][:_MAX_QUERY_WORDS]
    bare = [_EDGE.sub("", text[start:end]) for start, end in words]
    stop = stop_words_for(word.casefold() for word in bare)
    found = []
    for first, (start, _) in enumerate(words):
        for last in range(first, min(first + MAX_WORDS, len(words))):
            inside = bare[first : last + 1]
            if len(inside) == 1 and _is_common(inside[0]):
                continue
            if all(word.casefold() in stop for word in inside):
                continue
            found.append(Phrase(title_key(text[start : words[last][1]]), start, words[last][1]))
    found += _unspaced_phrases(text)
    found = [phrase for phrase in found if phrase.key]
    return sorted(found, key=lambda phrase: (phrase.start - phrase.end, phrase.start))


def capitalised_phrases(text: str) -> Iterator[str]:
    """The title keys of the phrases in *text* that begin and end with a word in capitals or a number, of at most eight
    words within a sentence, with nothing else between than short words. A word alone is one when it is no function word
    and no other such word stands beside it: "United States" does not name "United"."""
    for sentence in _SENTENCE_END.split(normalise(text)):
        words = sentence.split()
        folded = fold_case(sentence).split()
        bare = [word if word.isalnum() else _EDGE.sub("", word) for word in words]
        stands_out = [word[:1].isupper() or word[:1].isdigit() for word in bare]
        for first, word in enumerate(bare):
            if not stands_out[first]:
                continue
            is_alone = not any((*stands_out[max(0, first - 1) : first], *stands_out[first + 1 : first + 2]))
            if is_alone and word.casefold() not in _FUNCTION_WORDS:
                yield key_of_folded(folded[first])
            for last in range(first + 1, min(first + MAX_WORDS, len(words))):
                if not stands_out[last]:
                    if len(bare[last]) > _LONGEST_CONNECTOR:
                        break
                else:
                    yield key_of_folded(" ".join(folded[first : last + 1]))


def _is_common(word: str) -> bool:
    return word[:1].islower() and word.replace("-", "").replace("'", "").isalpha()


def _unspaced_phrases(text: str) -> Iterator[Phrase]:
    for run in _UNSPACED.finditer(text):
        start, end = run.start(), min(run.end(), run.start() + _MAX_RUN)
        for first in range(start, end - 1):
            for last in range(first + 2, min(first + _MAX_RUN_PHRASE, end) + 1):
                yield Phrase(title_key(text[first:last]), first, last)
