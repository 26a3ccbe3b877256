"""Benchmarks of questions that need several passages: MuSiQue, HotpotQA and 2WikiMultiHopQA, in the forms in use.

Every form becomes the same: a pool of passages, each once, and the passages that support each question.
MuSiQue names paragraphs (matched by title and text), the two others titles: every passage of the title will do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from lorelite.evaluation.dataset import Dataset, Part
from lorelite.evaluation.pool import TEXT_FIELDS, Pool, passage_fields, pool_of
from lorelite.evaluation.questions import Question

Row = Mapping[str, Any]

# "evidence" is not among them: result files that carry "ground_truth" call by it what their system found.
GOLD_FIELDS = (
    "ground_truth",
    "ground_truths",
    "gold_titles",
    "gold_docs",
    "gold",
    "supporting_titles",
    "supporting_facts",
    "titles",
)


def is_musique(rows: object) -> bool:
    """Are these questions with paragraphs of their own, each marked as supporting or not?"""
    first = _first(rows)
    return first is not None and "question" in first and _is_list(first.get("paragraphs"))


def is_titled(rows: object) -> bool:
    """Are these questions that name the titles of their evidence?"""
    first = _first(rows)
    return first is not None and "question" in first and any(first.get(field) for field in GOLD_FIELDS)


def is_corpus(value: object) -> bool:
    """Is this a list of {title, text}, or a mapping of titles to texts or to lists of sentences?"""
    if isinstance(value, Mapping):
        return bool(value) and all(_is_text(body) for body in value.values())
    first = _first(value)
    return first is not None and "question" not in first and "title" in first and _is_text(first)


def has_passages(rows: Sequence[Row]) -> bool:
    """Do these questions bring the passages they are to be answered from?"""
    return bool(rows[0].get("paragraphs") or rows[0].get("context"))


def multihop(name: str, rows: Sequence[Row], corpus: object = None) -> Dataset:
    """The benchmark of these questions, over the corpus or, without one, over the passages that come with them."""
    pool = pool_of(corpus) if corpus is not None else _pooled(rows)
    questions, missing, skipped = [], [], 0
    for number, row in enumerate(rows, 1):
        pieces = list(_gold(row, pool))
        if not pieces:
            skipped += 1
            continue
        missing += [called for called, refs in pieces if not refs]
        gold = tuple(dict.fromkeys(refs or (called,) for called, refs in pieces))
        identity = next((str(row[field]) for field in ("id", "_id") if row.get(field) not in (None, "")), str(number))
        questions.append(Question(id=identity, text=str(row["question"]), gold=gold, tag=_tag(row)))
    part = Part(namespace=name, passages=pool.passages, questions=tuple(questions))
    return Dataset(name=name, parts=(part,), skipped=skipped, missing=tuple(dict.fromkeys(missing)))


def _pooled(rows: Sequence[Row]) -> Pool:
    pool = Pool()
    for row in rows:
        for title, body in _passages(row):
            pool.add(title, body)
    return pool


def _passages(row: Row) -> Iterator[tuple[str, str]]:
    context = row.get("paragraphs") or row.get("context") or ()
    if isinstance(context, Mapping):  # as columns
        context = list(zip(context["title"], context.get("sentences") or context["content"], strict=True))
    for each in context:
        yield passage_fields(each)


def _gold(row: Row, pool: Pool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(what the question calls it, the passages that are it) of each piece of evidence."""
    if _is_list(row.get("paragraphs")):
        for paragraph in row["paragraphs"]:
            if paragraph.get("is_supporting"):
                title, body = passage_fields(paragraph)
                yield title, pool.called(f"{title}\n{body}")
        return
    for called in dict.fromkeys(_titles(next((row[field] for field in GOLD_FIELDS if row.get(field)), ()))):
        yield called, pool.called(called)


def _titles(gold: Any) -> list[str]:
    if isinstance(gold, Mapping):  # as columns: {"title": […], "sent_id": […]}
        return [str(title) for title in gold.get("title", ())]
    if isinstance(gold, str):
        return [gold]
    return [each if isinstance(each, str) else passage_fields(each)[0] for each in gold]


def _tag(row: Row) -> str:
    hops = re.match(r"(\d)hop", str(row.get("id", "")))
    return f"{hops[1]} hops" if hops else str(row.get("type") or row.get("question_type") or "")


def _first(rows: object) -> Row | None:
    if isinstance(rows, Sequence) and not isinstance(rows, str) and rows and isinstance(rows[0], Mapping):
        return rows[0]
    return None


def _is_text(body: object) -> bool:
    if isinstance(body, Mapping):
        return any(field in body for field in TEXT_FIELDS)
    return isinstance(body, str) or (_is_list(body) and all(isinstance(part, str) for part in body))


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
