"""What is said beside or in place of an answer, in the language of the question."""

from __future__ import annotations

import re

from lorelite.text.stopwords import foreign_language
from lorelite.text.tokens import word_tokens

NOT_SAID = "The documents do not say."
SUMMARIES_NOTE = "No model read the reports for this question. Those that fit best say in short:"

_NOTES = {
    "ar": (
        "لا تذكر المستندات ذلك.",
        "لم يقرأ أي نموذج التقارير لهذا السؤال. أنسب التقارير تقول باختصار:",
    ),
    "de": (
        "Die Dokumente sagen dazu nichts.",
        "Für diese Frage hat kein Modell die Berichte gelesen. Die passendsten sagen kurz gefasst:",
    ),
    "es": (
        "Los documentos no lo dicen.",
        "Ningún modelo ha leído los informes para esta pregunta. Los más adecuados dicen en resumen:",
    ),
    "fr": (
        "Les documents ne le disent pas.",
        "Aucun modèle n'a lu les rapports pour cette question. Les plus pertinents disent en bref :",
    ),
    "hi": (
        "दस्तावेज़ों में यह नहीं बताया गया है।",
        "इस प्रश्न के लिए किसी मॉडल ने रिपोर्टें नहीं पढ़ीं। सबसे उपयुक्त रिपोर्टें संक्षेप में कहती हैं:",
    ),
    "it": (
        "I documenti non lo dicono.",
        "Nessun modello ha letto i rapporti per questa domanda. I più adatti dicono in breve:",
    ),
    "ja": (
        "文書には書かれていません。",
        "この質問のためにレポートを読んだモデルはありません。最も関連するレポートの要約:",
    ),
    "ko": (
        "문서에는 나와 있지 않습니다.",
        "이 질문을 위해 보고서를 읽은 모델은 없습니다. 가장 알맞은 보고서의 요약:",
    ),
    "nl": (
        "De documenten zeggen dat niet.",
        "Geen model heeft de rapporten voor deze vraag gelezen. De best passende zeggen kort:",
    ),
    "pt": (
        "Os documentos não o dizem.",
        "Nenhum modelo leu os relatórios para esta pergunta. Os mais adequados dizem em resumo:",
    ),
    "ru": (
        "В документах об этом не сказано.",
        "Для этого вопроса ни одна модель не читала отчёты. Самые подходящие кратко говорят:",
    ),
    "zh": (
        "文档中没有说明。",
        "没有模型为这个问题阅读报告。最相关的报告概括如下：",
    ),
}
"""Language → not said, note on summaries."""

_SCRIPTS = {
    "ja": re.compile("[\u3041-\u30ff]"),
    "ko": re.compile("[\uac00-\ud7a3]+"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "hi": re.compile("[\u0900-\u097f]+"),
    "ar": re.compile("[\u0621-\u064a]+"),
    "ru": re.compile("[\u0410-\u044f]+"),
}
"""Words, or characters of scripts that do not part words: what tells a language where no function word does. The
Japanese write Han as well, so kana come before it."""


def not_said(question: str) -> str:
    """The statement that the documents do not say; in English where there is none in the question's language."""
    return _note(question, 0, NOT_SAID)


def summaries_note(question: str) -> str:
    """What stands above the summaries of reports that no model read."""
    return _note(question, 1, SUMMARIES_NOTE)


def _note(question: str, which: int, english: str) -> str:
    language = foreign_language(frozenset(word_tokens(question)), 1)
    if language is None:
        latin = len(re.findall("[A-Za-z]+", question))  # a name in another script does not make an English question one
        language = next((each for each, said in _SCRIPTS.items() if len(said.findall(question)) > latin), None)
    return _NOTES[language][which] if language in _NOTES else english
