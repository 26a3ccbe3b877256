"""Questions over paragraphs in the form of SQuAD, which XQuAD has in a dozen languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lorelite.evaluation.dataset import Dataset, Part, Passage
from lorelite.evaluation.questions import Question


def is_squad(value: object) -> bool:
    """Is this {"data": [{"title", "paragraphs": [{"context", "qas"}]}]}?"""
    return isinstance(value, Mapping) and isinstance(value.get("data"), list) and bool(value["data"])


def squad(name: str, value: Mapping[str, Any]) -> Dataset:
    """The benchmark: every paragraph a passage, without the article's title, which is English in every language.

    The evidence of a question is its own paragraph, or one of the same text.
    """
    passages: dict[str, Passage] = {}
    questions = []
    for ref, paragraph in _paragraphs(value):
        body = str(paragraph["context"])
        passage = passages.setdefault(body, Passage(source_ref=ref, title="", body=body))
        for asked in paragraph["qas"]:
            gold = ((passage.source_ref,),)
            questions.append(Question(id=str(asked["id"]), text=str(asked["question"]), gold=gold))
    part = Part(namespace=name, passages=tuple(passages.values()), questions=tuple(questions))
    return Dataset(name=name, parts=(part,))


def _paragraphs(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for place, article in enumerate(value["data"], 1):
        for number, paragraph in enumerate(article["paragraphs"], 1):
            yield f"{article.get('title') or place}/{number}", paragraph
