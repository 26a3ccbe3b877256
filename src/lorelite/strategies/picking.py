"""The sentences of some passages that cover a question best: what stands for an answer where no model writes one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lorelite.records import Citation
from lorelite.search.inverted import InvertedIndex
from lorelite.search.query_plan import Vocabulary, resolve
from lorelite.strategies.asked_for import Kind, asks_who_has_a_role, kind_of_answer
from lorelite.strategies.sources import Passage
from lorelite.text.stem import light_stem
from lorelite.text.stemmers import is_marked
from lorelite.text.stopwords import without_asking_words
from lorelite.text.tokens import index_tokens, query_terms, word_tokens

NamesIn = Callable[[Passage, Citation], Sequence[str]]
"""The names of the entities that a sentence of a passage mentions."""

_ENOUGH = 0.25
"""Share of the question's weight that the best sentence and its neighbours must cover to count as an answer; the
answerable questions on the examples reach 0.29 and more."""
_FOREIGN = 0.5
"""Share of the question's weight that may be on words which occur nowhere; beyond it, the question is about
something else."""
_UNSEEN = 50
"""Nodes that a namespace is taken to hold beyond its own: in one with a few chunks every word occurs almost
everywhere, and would weigh nothing beside a word that does not occur."""
_NEIGHBOUR_SHARE = 0.5
_NEIGHBOUR_SCORE = 0.2
"""The neighbours tell what a sentence is about, but they are not the answer."""
_NAME_BONUS = 0.2
_NUMBER_BONUS = 0.25
_NEW_NAME_BONUS = 0.08
"""With these the first sentence holds the answer to 68 of 100 questions of XQuAD that they were not chosen by (en, de,
hi, zh), not 65; to 27 of HotpotQA, not 22; to 13 of MuSiQue, not 11."""
_RANK_BONUS = 0.15
_QUESTION_SHARE = 0.6
_LONG_SHARE = 0.7
_LABELS_SHARE = 0.5
_LABELLED = re.compile(r"\s*(?:---|[^\W\d][\w -]{0,24}:(?:\s|$))")
"""A line of front matter, or of the head of a letter."""
_NUMERAL = re.compile(r"\d+")
_REPEATED = 0.25
"""Share of its weight that a term loses for a sentence when one chosen before holds it."""
_MIN_WORDS = 3
_LONG_CHARS = 400


@dataclass(frozen=True, slots=True)
class Question:
    """weights: each term, as the set of stems that satisfy it → its weight; unknown: share that nothing holds."""

    weights: Mapping[frozenset[str], float]
    unknown: float
    answer: Kind = "anything"
    role: frozenset[str] | None = None
    """The term that the answer stands beside: what the skipper is in "Who is the skipper of …"."""
    numbers: frozenset[str] = frozenset()
    """Those that it names itself."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    citation: Citation
    score: float
    coverage: float
    own: Mapping[frozenset[str], float]
    """The terms of the question that it holds, each with its share of the question's weight."""
    share: float
    """Below 1 for what is no statement: the score was multiplied with it."""


def weighed(question: str, vocabulary: Vocabulary, total: int) -> Question:
    """What *question* asks for, each term weighed by its inverse document frequency among *total* texts."""
    weights: dict[frozenset[str], float] = {}
    unknown = 0.0
    for term in query_terms(without_asking_words(question)) or query_terms(question):
        tokens = {token for clause in resolve([term], vocabulary) for token in clause if not is_marked(token)}
        wanted = tokens | set(term.alternatives) or set(term.parts)
        frequency = max(vocabulary.frequencies(wanted).values(), default=0)
        weight = math.log(1 + (_UNSEEN + total - frequency + 0.5) / (frequency + 0.5))
        weights[frozenset(map(light_stem, wanted))] = weight
        unknown += weight if not frequency else 0.0
    return Question(
        weights,
        unknown / (sum(weights.values()) or 1.0),
        kind_of_answer(question),
        next(iter(weights), None) if asks_who_has_a_role(question) else None,
        frozenset(_NUMERAL.findall(question)),
    )


def weighed_by(question: str, sources: Sequence[Passage]) -> Question:
    """The same, as far as the sources themselves tell how rare a word is."""
    return _weighed_by(question, [f"{source.title}\n{source.text}" for source in sources])


def is_about_something_else(question: str, texts: Sequence[str]) -> bool:
    """Is most of what a question names nowhere in the texts?"""
    return _weighed_by(question, texts).unknown > _FOREIGN


def _weighed_by(question: str, texts: Sequence[str]) -> Question:
    vocabulary = InvertedIndex((1.0,))
    for number, text in enumerate(texts):
        vocabulary.add(number, (index_tokens(text),))
    return weighed(question, vocabulary, len(texts))


def best_sentences(sources: Sequence[Passage], asked: Question, limit: int, names_in: NamesIn) -> list[Citation]:
    """At most *limit* sentences of the sources, best first; none when none covers enough of the question.

    sources: best first. Answers usually name something that the question does not, so that counts for a sentence: most
    for a number where the question asks how many, for a name where it asks who. What holds the role that is asked for
    goes before what only tells who else is meant.
    """
    found: dict[tuple[str, int], _Candidate] = {}
    for rank, source in enumerate(sources):
        for candidate in _candidates(source, asked, rank / max(1, len(sources)), names_in):
            key = (candidate.citation.document_id, candidate.citation.start)
            if key not in found or candidate.score > found[key].score:
                found[key] = candidate
    best = sorted(found.values(), key=lambda item: (-item.score, item.citation.source_ref, item.citation.start))
    if not best or max(candidate.coverage for candidate in best) < _ENOUGH or asked.unknown > _FOREIGN:
        return []
    chosen = _distinct(best, limit)
    return [item.citation for item in sorted(chosen, key=lambda item: asked.role not in item.own)]


def _distinct(best: Sequence[_Candidate], limit: int) -> list[_Candidate]:
    """Up to *limit* that are at least half as good as the best and do not repeat one another, by greedy choice: a term
    that the chosen ones hold counts but in part for the next."""
    left = [item for item in best if item.score >= best[0].score / 2]
    chosen: list[_Candidate] = []
    held: set[frozenset[str]] = set()
    while left and len(chosen) < limit:
        item = max(
            left,
            key=lambda each: (
                each.score - _REPEATED * each.share * math.fsum(each.own[term] for term in each.own.keys() & held)
            ),
        )
        chosen.append(item)
        held |= item.own.keys()
        quote = item.citation.quote
        left = [each for each in left if each.citation.quote not in quote and quote not in each.citation.quote]
    return chosen


def _candidates(source: Passage, asked: Question, rank: float, names_in: NamesIn) -> list[_Candidate]:
    weights = asked.weights
    sentences = source.sentences()
    words = [set(map(light_stem, word_tokens(sentence.quote))) for sentence in sentences]
    matched = [{term for term in weights if term & tokens} for tokens in words]
    total = sum(weights.values()) or 1.0
    found = []
    for place, sentence in enumerate(sentences):
        if not matched[place] or len(words[place]) < _MIN_WORDS:
            continue
        near = set().union(*matched[max(0, place - 1) : place + 2]) - matched[place]
        own = math.fsum(weights[term] for term in matched[place]) / total
        nearby = math.fsum(weights[term] for term in near) / total
        coverage = own + _NEIGHBOUR_SHARE * nearby
        score = own + _NEIGHBOUR_SCORE * nearby + _RANK_BONUS * (1 - rank) + _bonus(source, sentence, asked, names_in)
        share = _share(sentence.quote)
        shares = {term: weights[term] / total for term in matched[place]}
        found.append(_Candidate(sentence, score * share, coverage, shares, share))
    return found


def _bonus(source: Passage, sentence: Citation, asked: Question, names_in: NamesIn) -> float:
    """For holding what an answer of the kind asked for consists of, and the question does not say itself."""
    if asked.answer == "number":
        return _NUMBER_BONUS if set(_NUMERAL.findall(sentence.quote)) - asked.numbers else 0.0
    said = {stem for term in asked.weights for stem in term}
    if any(not set(map(light_stem, word_tokens(name))) & said for name in names_in(source, sentence)):
        return _NAME_BONUS if asked.answer == "name" else _NEW_NAME_BONUS
    return 0.0


def _share(quote: str) -> float:
    """What is left of the worth of what is no statement, or a very long one."""
    share = 1.0
    if quote.rstrip("\"'”’ ").endswith(("?", "？", "؟")):
        share *= _QUESTION_SHARE
    if len(quote) > _LONG_CHARS:
        share *= _LONG_SHARE
    lines = [line for line in quote.splitlines() if line.strip()]
    if len(lines) > 1 and all(_LABELLED.match(line) for line in lines):
        share *= _LABELS_SHARE
    return share
