"""An answer without a model: the sentences that cover the question best, each its own citation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lorelite.engine import Engine
from lorelite.records import Answer, AnswerSentence, Citation, Graph, Node
from lorelite.search.query_plan import resolve
from lorelite.strategies.sources import Passage, passages
from lorelite.text.plain import plain_words
from lorelite.text.stem import light_stem
from lorelite.text.stemmers import is_marked
from lorelite.text.stopwords import without_asking_words
from lorelite.text.tokens import query_terms, word_tokens

NOT_SAID = "The documents do not say."

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
_NEW_NAME_BONUS = 0.15
_RANK_BONUS = 0.15
_QUESTION_SHARE = 0.6
_LONG_SHARE = 0.7
_MIN_WORDS = 3
_LONG_CHARS = 400


@dataclass(frozen=True, slots=True)
class Question:
    """weights: each term, as the set of stems that satisfy it → its weight; unknown: share that nothing holds."""

    weights: Mapping[frozenset[str], float]
    unknown: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    citation: Citation
    score: float
    coverage: float


def extractive_answer(engine: Engine, namespace: str, question: str, nodes: Sequence[Node], graph: Graph) -> Answer:
    """The best sentences of *nodes*, best first; `answered` is False when none covers enough of the question."""
    asked = weighed(engine, namespace, question)
    found: dict[tuple[str, int], _Candidate] = {}
    for rank, source in enumerate(passages(nodes)):
        for candidate in _candidates(engine, source, asked.weights, rank / max(1, len(nodes))):
            key = (candidate.citation.document_id, candidate.citation.start)
            if key not in found or candidate.score > found[key].score:
                found[key] = candidate
    best = sorted(found.values(), key=lambda item: (-item.score, item.citation.source_ref, item.citation.start))
    if not best or max(candidate.coverage for candidate in best) < _ENOUGH or asked.unknown > _FOREIGN:
        return Answer(question=question, text=NOT_SAID, answered=False, origin="heuristic", graph=graph)
    chosen = _distinct(best, engine.config.answer_sentences)
    sentences = tuple(
        AnswerSentence(text=plain_words(item.citation.quote), citations=(item.citation,)) for item in chosen
    )
    cited = {item.citation.document_id for item in chosen}
    return Answer(
        question=question,
        text="\n".join(sentence.text for sentence in sentences),
        answered=True,
        origin="heuristic",
        sentences=sentences,
        sources=tuple(item.node for item in passages(nodes) if item.document_id in cited),
        graph=graph,
    )


def _distinct(best: Sequence[_Candidate], limit: int) -> list[_Candidate]:
    """The first *limit* that are at least half as good as the best and do not repeat one another."""
    chosen: list[_Candidate] = []
    for item in best:
        if len(chosen) == limit or item.score < best[0].score / 2:
            break
        quote = item.citation.quote
        if not any(quote in other.citation.quote or other.citation.quote in quote for other in chosen):
            chosen.append(item)
    return chosen


def weighed(engine: Engine, namespace: str, question: str) -> Question:
    """What *question* asks for, each term weighed by its inverse document frequency in the namespace."""
    index = engine.store.keyword.index(namespace)
    if index is None:
        return Question({}, 1.0)
    total = sum(engine.store.nodes.count(namespace).values())
    weights: dict[frozenset[str], float] = {}
    unknown = 0.0
    for term in query_terms(without_asking_words(question)) or query_terms(question):
        tokens = {token for clause in resolve([term], index) for token in clause if not is_marked(token)}
        wanted = tokens | set(term.alternatives) or set(term.parts)
        frequency = max(index.frequencies(wanted).values(), default=0)
        weight = math.log(1 + (_UNSEEN + total - frequency + 0.5) / (frequency + 0.5))
        weights[frozenset(map(light_stem, wanted))] = weight
        unknown += weight if not frequency else 0.0
    return Question(weights, unknown / (sum(weights.values()) or 1.0))


def _candidates(
    engine: Engine, source: Passage, weights: Mapping[frozenset[str], float], rank: float
) -> list[_Candidate]:
    sentences = source.sentences()
    words = [set(map(light_stem, word_tokens(sentence.quote))) for sentence in sentences]
    matched = [{term for term in weights if term & tokens} for tokens in words]
    total = sum(weights.values()) or 1.0
    asked = {stem for term in weights for stem in term}
    found = []
    for place, sentence in enumerate(sentences):
        if not matched[place] or len(words[place]) < _MIN_WORDS:
            continue
        near = set().union(*matched[max(0, place - 1) : place + 2]) - matched[place]
        own = sum(weights[term] for term in matched[place]) / total
        nearby = sum(weights[term] for term in near) / total
        coverage = own + _NEIGHBOUR_SHARE * nearby
        score = coverage + _RANK_BONUS * (1 - rank)
        if _names_something_new(engine, source, sentence, asked):
            score += _NEW_NAME_BONUS
        if sentence.quote.rstrip("\"'”’ ").endswith(("?", "？", "؟")):
            score *= _QUESTION_SHARE
        if len(sentence.quote) > _LONG_CHARS:
            score *= _LONG_SHARE
        found.append(_Candidate(sentence, score, coverage))
    return found


def _names_something_new(engine: Engine, source: Passage, sentence: Citation, asked: set[str]) -> bool:
    """Does the sentence mention an entity that the question does not? Answers usually do."""
    if source.node.kind != "chunk":
        return False
    mentions = engine.store.documents.cited_entities(sentence.document_id, sentence.start, sentence.end)
    names = engine.store.nodes.by_ids(source.node.namespace, sorted({id for id, _ in mentions}))
    return any(not set(map(light_stem, word_tokens(node.title))) & asked for node in names.values())
