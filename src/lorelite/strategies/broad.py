"""Which questions are about the whole."""

from __future__ import annotations

import re

from lorelite.text.stopwords import stop_words_for, words_of
from lorelite.text.tokens import word_tokens

_BROAD = re.compile(
    r"\b(?:(?:main|central|key|common) (?:themes?|topics?|points?|ideas?|subjects?|characters?)|themes|"
    r"summar(?:y|i[sz]e|ies)|overview|as a whole|gist|big picture|"
    r"what (?:is|are) (?:this|these|the (?:documents?|texts?|corpus|book|story|collection))[^?]{0,40}\babout|"
    r"(?:haupt)?themen|überblick|zusammenfassung|zusammenfassen|worum geht es|wovon handel[nt]+|"
    r"thèmes|résum(?:é|er|ez)|aperçu|vue d.ensemble|de quoi parlent?|"
    r"temas|resum(?:en|ir)|panorama|visión general|de qué tratan?)\b"
    r"|主题|主題|总结|總結|概述|概括|讲了?什么|まとめ|要約|概要|何の話|주제|요약"
    r"|темы|обзор|сводк|о чём|о чем|सारांश|मुख्य विषय",
    re.IGNORECASE,
)
"""Words of questions about the whole."""


_THE_WHOLE = words_of(
    "book text texts story stories document documents corpus collection file files notes everything buch text texte "
    "geschichte dokument dokumente sammlung livre texte histoire documents libro texto historia documentos "
    "give me please der die das dem den le la les du el los 这本 本书 书"
)


def is_broad(question: str) -> bool:
    """Is the question about all of the documents rather than something in them?"""
    return _BROAD.search(question) is not None


def particular(question: str) -> str:
    """What a question asks for beside an overview; "" when it asks for nothing else."""
    rest = _BROAD.sub(" ", question)
    words = word_tokens(rest)
    return rest if rest == question or set(words) - stop_words_for(word_tokens(question)) - _THE_WHOLE else ""
