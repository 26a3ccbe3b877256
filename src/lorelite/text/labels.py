"""Relations that a text states in so many words between two names: "works for", "is the sister of", "'s nephew"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lorelite.text.span import Span
from lorelite.text.stem import light_stem
from lorelite.text.stopwords import words_of
from lorelite.text.values import label

MAX_GAP = 48

_ROLE_OF = re.compile(
    r",? (?:(?:is|was|are|were|became|remains) )?(?:(?:the|a|an|his|her|their|our|one of the) )?"
    r"(?P<role>(?:[a-z]+[ -])?[a-z]{3,} (?:of|to|at|for|in|from|with|by)) (?:the )?(?:late )?"
)
_POSSESSIVE = re.compile(r"(?:['’]s?) (?:[a-z]+ ){0,2}(?P<role>[a-z]{3,}),? ")
_VERB = re.compile(
    r" (?:(?:has|had|have|is|was|were|are|who|which|also|then|now|later|first|once|and) ){0,2}(?P<verb>[a-z]+)"
    r"(?P<rest>(?: (?:up|off|out|after|over|down|together|back))?(?: (?:for|in|to|by|with|at|from|on|of|into|under))?)"
    r" (?:the |a |an |his |her |their |its |our )?"
)
_RELATION_VERBS = words_of(
    """
    accompany acquire admire adopt advise appoint arrest ask assist attack author begin belong betray border bring
    build buy call capture carry chair coach command compose connect conquer contain contribute create defeat defend
    depend derive describe design develop direct discover divide donate drive edit educate elect employ enter
    establish fear fight find follow found fund give govern graduate greet haunt hate head help hire host include
    inherit inspire invade invent invite join kill know lead leave lie like live locate love maintain make manage
    marry measure meet merge mentor move name nurse obey operate organise organize owe own paint patrol pay perform
    play possess praise precede produce promote protect publish raise record recruit reject remember replace report
    represent rescue reside rule run see sell send serve share sign sit skipper sponsor stand study succeed
    supervise support surround teach tell train translate transport trust use visit want warn watch win work write
    """
)
_STEMS = frozenset(light_stem(verb) for verb in _RELATION_VERBS) | {"bear", "birth", "write", "build", "take", "lead"}
_PAST = {
    "led": "lead", "wrote": "write", "built": "build", "took": "take", "gave": "give", "met": "meet", "won": "win",
    "knew": "know", "saw": "see", "sold": "sell", "bought": "buy", "taught": "teach", "told": "tell", "ran": "run",
    "sent": "send", "left": "leave", "found": "find", "fought": "fight", "lay": "lie", "born": "bear",
    "founded": "found", "paid": "pay", "held": "hold", "brought": "bring", "began": "begin", "sat": "sit",
}  # fmt: skip
_STATES = words_of("is was are were be")
_NO_ROLES = words_of(
    "out one some all any much more part because instead inside outside front end kind sort used going"
)
_POSSESSED = words_of(
    """
    ally ambassador apprentice assistant aunt author boss brother capital captain cat child clerk colleague commander
    cousin daughter deputy director doctor dog editor employee employer enemy father founder friend grandfather
    grandmother husband king leader lover mentor minister mother neighbor neighbour nephew niece opponent owner
    partner patron predecessor president prisoner pupil queen rival secretary servant sister skipper son student
    successor supervisor teacher twin uncle wife
    """
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the text and where it stands."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Stated:
    """`source` - `type` - `target`, and the words that say so."""

    source: str
    target: str
    type: str
    words: str


def stated_relations(text: str, mentions: Sequence[Mention]) -> Iterator[Stated]:
    """The relations stated between neighbouring mentions of one sentence, which are given in reading order."""
    for first, second in pairwise(mentions):
        gap = text[first.span.end : second.span.start]
        if first.name == second.name or not 3 < len(gap) <= MAX_GAP:
            continue
        between = " ".join(gap.split()).join((" " if gap[0].isspace() else "", " " if gap[-1].isspace() else ""))
        role = _ROLE_OF.fullmatch(between)
        if role and role["role"].split()[0] not in _NO_ROLES and _is_role(between, role["role"]):
            yield Stated(first.name, second.name, label(role["role"]), between.strip(" ,"))
            continue
        possessed = _POSSESSIVE.fullmatch(between)
        if possessed and possessed["role"] in _POSSESSED:
            yield Stated(first.name, second.name, f"has_{label(possessed['role'])}", between.strip(" ,"))
            continue
        verb = _VERB.fullmatch(between)
        if verb and _is_relation_verb(verb["verb"]):
            yield Stated(first.name, second.name, label(verb["verb"] + verb["rest"]), between.strip())


def implied_relation(text: str, subject: str, sentence: Span, first: Mention) -> Iterator[Stated]:
    """What a sentence below the heading `subject` says of it without naming it again: "Supervises Lio Renn."."""
    opening = text[sentence.start : first.span.start]
    verb = _VERB.fullmatch(f" {opening[:1].lower()}{opening[1:]}") if 2 < len(opening) <= MAX_GAP else None
    if verb and first.name != subject and _is_relation_verb(verb["verb"]):
        yield Stated(subject, first.name, label(verb["verb"] + verb["rest"]), opening.strip())


def _is_role(between: str, role: str) -> bool:
    """A comma, an article or a form of "to be" before a noun and its preposition."""
    head = between.split(role)[0].strip(" ,").split()
    if not head:
        return False
    return head[-1] not in _STATES or role.split()[0].endswith(("ed", "en", "rn", "wn", "de", "lt"))


def _is_relation_verb(verb: str) -> bool:
    return _PAST.get(verb, light_stem(verb)) in _STEMS
