"""Which questions are about the whole."""

from __future__ import annotations

import re

_BROAD = re.compile(
    r"\b(?:themes|(?:main|central|key|common) (?:theme|topics?|points?|ideas?|subjects?|characters?)|"
    r"summar(?:y|i[sz]e|ies)|overview|as a whole|gist|big picture|"
    r"what (?:is|are) (?:this|these|the (?:documents?|texts?|corpus|book|story|collection))[^?]{0,40}\babout|"
    r"(?:haupt)?themen|überblick|zusammenfassung|zusammenfassen|"
    r"thèmes|résum(?:é|er|ez)|aperçu|vue d.ensemble|"
    r"temas|resum(?:en|ir)|panorama|visión general)\b"
    r"|主题|主題|总结|總結|概述|概括|まとめ|要約|概要|주제|요약|темы|обзор|сводк|सारांश|मुख्य विषय",
    re.IGNORECASE,
)
"""Words of questions about the whole."""


def is_broad(question: str) -> bool:
    """Is the question about all of the documents rather than something in them?"""
    return _BROAD.search(question) is not None
