"""What kind of answer a question asks for, by its asking words."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["number", "name", "anything"]

_NUMBER = re.compile(
    r"\b(?:when|how (?:many|much|old|long|far|tall|big|often|high|fast|large|deep|heavy)|"
    r"(?:what|which) (?:year|date|percent\w*|day|number|century|age|month|time)|"
    r"wann|wie ?(?:viele?|alt|lange?|hoch|groß|weit|oft|schnell|schwer|tief)|"
    r"welche[mnrs]? (?:jahr|datum|prozent\w*|tag)|"
    r"combien|quand|quelle? (?:année|date)|cuándo|cuánt[oa]s?|quando|quant[oiae]|hoeveel|wanneer|ile|kiedy|"
    r"когда|сколько)\b"
    r"|कब|कितन|किस (?:वर्ष|साल)|几|幾|多少|多大|多[长長]|多高|何[时時]|什[么麼][时時]候|哪一?年"
    r"|いつ|何年|何人|いくつ|いくら|몇|언제",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b(?:who|whom|whose|where|wer|wen|wem|wessen|wo|woher|wohin|qui|où|quién(?:es)?|dónde|chi|dove|кто|кого|где)\b"
    r"|谁|誰|哪[里裡儿兒]|कौन|किसने|किसे|किसक|कहाँ|कहां|どこ|누구|누가|어디",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\W*(?:(?:who|what|which) (?:is|are|was|were)|(?:wer|was) (?:ist|sind|war|waren)|qui (?:est|sont|était)|"
    r"(?:quién|quiénes|qué) (?:es|son|era|fue)|chi (?:è|era|sono))\b",
    re.IGNORECASE,
)


def kind_of_answer(question: str) -> Kind:
    """ "number" for how many and when, "name" for who and where, "anything" for every other question."""
    if _NUMBER.search(question):
        return "number"
    return "name" if _NAME.search(question) else "anything"


def asks_who_has_a_role(question: str) -> bool:
    """Does it begin like "Who is the skipper of …", so that the answer stands beside the word which comes next?"""
    return _ROLE.match(question) is not None
