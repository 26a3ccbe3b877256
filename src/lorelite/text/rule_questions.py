"""Questions that a passage answers, made by rules from its sentences, its names and its heading.

A sentence that begins with a name becomes a question by what asks for that name: "Fred invited Scrooge to dinner." →
"Who invited Scrooge to dinner?" English and German keep their order of words then, so the question is one that people
ask. Any other language gets its heading and names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lorelite.text.plain import plain_words
from lorelite.text.sentences import split_sentences
from lorelite.text.stopwords import ENGLISH, OTHER_LANGUAGES, words_of
from lorelite.text.title_key import title_key

_MIN_WORDS, _MAX_WORDS = 4, 24
_MIN_CONTENT = 3
"""Words that say something."""
_MAX_NAMES = 3
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER = re.compile(r"\d+")
_UNFIT = re.compile(r"[?\"“”„«»|=<>{}\[\]]|(?<!\w)['‘](?=\w)|https?:")
_CUT = re.compile(r"\s*(?:;|:| -- |--|—| – )")
_END = " \t.!?…,;:"


@dataclass(frozen=True, slots=True)
class Known:
    """A name of the passage. surfaces: the forms in which it stands there; type: "person", … or None."""

    name: str
    surfaces: tuple[str, ...] = ()
    type: str | None = None


@dataclass(frozen=True, slots=True)
class _Grammar:
    who: str
    what: str
    either: str
    articles: str
    """What may stand before a name."""
    verbs: frozenset[str]
    endings: re.Pattern[str]
    """What other verbs end in."""
    function_words: frozenset[str]
    no_verbs: frozenset[str]
    adverbs: frozenset[str]
    """What may stand between a name and its verb."""
    pronouns: frozenset[str]
    """What a question must not hold, since nobody knows who is meant."""
    defines: re.Pattern[str]
    """What follows the name in a definition."""
    says: frozenset[str]
    """Verbs of people."""
    is_: str


_ENGLISH = _Grammar(
    who="Who",
    what="What",
    either="Who or what",
    articles="The |An |A ",
    verbs=words_of(
        """
        is was are were has had have can could will would may might must should does did became began bought brought
        built came caught chose cut died drew drove fell felt fought found gave got grew held heard hid hurt kept knew
        laid lay led left lent let lies lost made makes means met paid put ran rang read rose sang sat saw sent set
        shook shot shut slept sold spent spoke spread stood stole struck swore swung taught thought threw told took
        tore went woke won wore wrote says said goes gives takes comes keeps lives uses
        """
    ),
    endings=re.compile(r"(?:[a-z]{2,}ed|[a-z]{3,}(?<!s)(?<!u)(?<!i)s)"),
    function_words=ENGLISH,
    no_verbs=ENGLISH | words_of("always perhaps towards besides across itself himself herself needs times"),
    adverbs=words_of("also always never often once now still then later soon only even just first usually finally"),
    pronouns=words_of("i me my we us our you your he she it they him them this these those here there mine hers ours"),
    defines=re.compile(r"\s+(?:is|was|are|were|means)\s+(?:an?|the|one|our|my|his|her|their)\s", re.IGNORECASE),
    says=words_of("said says cried asked replied answered thought knew felt laughed observed returned exclaimed wrote"),
    is_="is",
)
_GERMAN = _Grammar(
    who="Wer",
    what="Was",
    either="Wer oder was",
    articles="Der |Die |Das |Ein |Eine ",
    verbs=words_of(
        """
        ist war hat hatte wird wurde kann konnte darf durfte soll sollte muss musste will wollte mag mochte begann
        bekam blieb brach brachte dachte fand fiel floh ging gab galt gewann glich grub half hielt hieß hob kam kannte
        las lag lief ließ lud nahm nannte rief riss ritt sah sang saß schlief schloss schlug schnitt schrieb schuf
        schwieg schwor sprach sprang stahl stand starb stieg stieß tat traf trat trank trieb trug verband verlor
        verließ wuchs warf wusste zog besitzt bildet liegt steht heißt gehört
        """
    ),
    endings=re.compile(r"[a-zäöüß]{2,}t(?:e)?"),
    function_words=OTHER_LANGUAGES["de"],
    no_verbs=OTHER_LANGUAGES["de"]
    | words_of("heute gestern morgen jetzt hierauf bereits selbst seit statt mit samt nicht erst oft heute hatten"),
    adverbs=frozenset(),
    pronouns=words_of(
        "ich mich mir mein wir uns unser du dich dir dein er ihn ihm sie ihnen es dies diese dieser dieses hier dort"
    ),
    defines=re.compile(r"\s+(?:ist|war|bezeichnet)\s+(?:eine?[rmns]?|der|die|das|unser[e]?)\s", re.IGNORECASE),
    says=words_of("sagte rief fragte antwortete dachte wusste fühlte lachte schrieb meinte erwiderte"),
    is_="ist",
)


def rule_questions(text: str, names: Sequence[Known], *, heading: str = "", limit: int = 3) -> list[str]:
    """At most *limit* questions that the passage answers, those first that ask for most.

    names: things that it names, the most telling first. heading: the path of the headings above it. Definitions come
    first, then sentences that join names, then others; the last place goes to the heading and the names themselves
    when there are fewer. Deterministic; [] for a passage without names and headings.
    """
    grammar = _grammar(text)
    asked = list(_asked(text, names, grammar)) if grammar else []
    asked.sort(key=lambda each: -each[0])
    subjects: dict[str, int] = {}
    questions: dict[str, str] = {}
    # One question about each thing before the second about any.
    spread = []
    for _, subject, question in asked:
        subjects[subject] = subjects.get(subject, 0) + 1
        spread.append((subjects[subject], question))
    for _, question in sorted(spread, key=lambda each: each[0]):
        questions.setdefault(title_key(question), question)
    found = list(questions.values())[:limit]
    topic = _topic(heading, names)
    return [*found, topic] if topic and len(found) < limit else found


def _grammar(text: str) -> _Grammar | None:
    """That of the language the passage is written in, if it is known."""
    words = [word.lower() for word in _WORD.findall(text)]
    counts = {
        language: sum(word in stops for word in words) for language, stops in {"en": ENGLISH, **OTHER_LANGUAGES}.items()
    }
    best = max(counts, key=counts.__getitem__)
    if counts[best] * 5 < len(words):
        return None
    return {"en": _ENGLISH, "de": _GERMAN}.get(best)


def _asked(text: str, names: Sequence[Known], grammar: _Grammar) -> Iterator[tuple[float, str, str]]:
    """(how much it asks for, of what, the question) for each sentence that makes one, in reading order."""
    by_surface = {
        surface.casefold(): known for known in reversed(names) for surface in (*known.surfaces, known.name) if surface
    }
    if not by_surface:
        return
    forms = "|".join(map(re.escape, sorted(by_surface, key=lambda surface: (-len(surface), surface))))
    opening = re.compile(rf"(?P<article>{grammar.articles})?(?P<name>(?i:{forms}))(?![\w'’-])")
    anywhere = re.compile(rf"(?<!\w)(?i:{forms})(?!\w)")
    people = _people(text, by_surface, anywhere, grammar)
    for span in split_sentences(text):
        sentence = plain_words(span.of(text))
        begins = opening.match(sentence)
        if begins is None or _UNFIT.search(sentence) or not sentence.endswith((".", "!")):
            continue
        known = by_surface[begins["name"].casefold()]
        is_person = known.type == "person" or known.name in people
        if grammar.defines.match(sentence, begins.end()) and len(sentence) <= 300:
            yield 4.0, known.name, _definition(known, begins["article"] or "", is_person, grammar)
            continue
        rest = _CUT.split(sentence[begins.end() :], maxsplit=1)[0].strip(_END)
        if _is_predicate(rest, grammar):
            other = sum(by_surface[found[0].casefold()] is not known for found in anywhere.finditer(rest))
            asks_for = 1.0 + min(other, 2) + 0.5 * bool(_NUMBER.search(rest))
            asking = grammar.who if is_person else grammar.what if known.type else grammar.either
            yield asks_for, known.name, f"{asking} {rest}?"


def _definition(known: Known, article: str, is_person: bool, grammar: _Grammar) -> str:
    """The question what something is; of an untyped name of two words nobody knows whether it is a person's."""
    is_open = not known.type and not article and len(known.name.split()) > 1
    asking = grammar.who if is_person else grammar.either if is_open else grammar.what
    return f"{asking} {grammar.is_} {'' if is_person else article.lower()}{known.name}?"


def _is_predicate(rest: str, grammar: _Grammar) -> bool:
    """Does what follows a name begin with a verb, stand alone, and say something?"""
    words = [word.lower() for word in _WORD.findall(rest)]
    start = rest.split(" ", 1)[0]
    if not _MIN_WORDS <= len(words) <= _MAX_WORDS or not start.isalpha() or not start.islower():
        return False
    first, follower = ([word for word in words if word not in grammar.adverbs] + ["", ""])[:2]
    if first not in grammar.verbs:
        if first in grammar.no_verbs or not grammar.endings.fullmatch(first):
            return False
        # "lines" in "Victorian lines use another gauge" is a noun, "consists" in "It consists of lines" a verb.
        if grammar is _ENGLISH and first.endswith("s") and follower not in ENGLISH:
            return False
    says = sum(len(word) > 3 and word not in grammar.function_words for word in words) + len(_NUMBER.findall(rest))
    return says >= _MIN_CONTENT and not grammar.pronouns.intersection(words)


def _people(text: str, by_surface: dict[str, Known], anywhere: re.Pattern[str], grammar: _Grammar) -> set[str]:
    """The names that say or think something."""
    people = set()
    for found in anywhere.finditer(text):
        before, after = text[: found.start()][-20:].split(), text[found.end() :][:20].split()
        neighbours = (before[-1] if before else "", after[0] if after else "")
        if grammar.says.intersection(word.strip(",.;:!\"'").lower() for word in neighbours):
            people.add(by_surface[found[0].casefold()].name)
    return people


def _topic(heading: str, names: Sequence[Known]) -> str:
    """The heading nearest to the passage and the names that matter most in it."""
    title = heading.rsplit(" > ", 1)[-1].strip(_END)
    others = [known.name for known in names if title_key(known.name) != title_key(title)][:_MAX_NAMES]
    return f"{': '.join(filter(None, (title, ', '.join(others))))}?" if title or others else ""
