"""What a model cites, looked up in the sources."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.prompts.answer import Citation as Claim
from lorelite.records import AnswerSentence, Citation
from lorelite.strategies.sources import Passage
from lorelite.text.quote import find_quote
from lorelite.text.stem import light_stem
from lorelite.text.stopwords import stop_words_for
from lorelite.text.tokens import word_tokens

_OVERLAP = 0.5
"""Share of a sentence's words that a source sentence must hold to stand in for a quote that was not found."""


def checked_sentence(text: str, claims: Sequence[Claim], sources: Sequence[Passage]) -> AnswerSentence:
    """The sentence with those of its citations that hold; *claims* count the sources from 1.

    A citation is the claimed quote where that is really there, else the source sentence that says the same.
    """
    found: dict[Citation, None] = {}
    for number, quote in claims:
        if not 1 <= number <= len(sources):
            continue
        source = sources[number - 1]
        span = find_quote(source.text, quote, 0, len(source.text)) if quote.strip() else None
        if span is not None:
            found[source.citation(span.start, span.end)] = None
        elif (nearest := _nearest(text, source)) is not None:
            found[nearest] = None
    return AnswerSentence(text=text, citations=tuple(found))


def _nearest(text: str, source: Passage) -> Citation | None:
    wanted = _words(text)
    if not wanted:
        return None
    scored = [(len(wanted & _words(sentence.quote)) / len(wanted), sentence) for sentence in source.sentences()]
    share, sentence = max(scored, key=lambda item: item[0], default=(0.0, None))
    return sentence if share >= _OVERLAP else None


def _words(text: str) -> set[str]:
    tokens = set(word_tokens(text))
    return set(map(light_stem, tokens - stop_words_for(tokens)))
