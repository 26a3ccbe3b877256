"""Questions over paragraphs in the form of SQuAD, which XQuAD has in a dozen languages."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from lorelite.evaluation.dataset import Dataset, Part, Passage
from lorelite.evaluation.questions import Question


def is_squad(value: object) -> bool:
    """Is this {"data": [{"title", "paragraphs": [{"context", "qas"}]}]}?"""
    return isinstance(value, Mapping) and isinstance(value.get("data"), list) and bool(value["data"])


def squad(name: str, value: Mapping[str, Any]) -> Dataset:
    """The benchmark: every paragraph a passage, and neither it nor its name tells the article's title, which is English
    in every language.

    The evidence of a question is its own paragraph, or one of the same text.
    """
    passages: dict[str, Passage] = {}
    questions = []
    for article in value["data"]:
        for paragraph in article["paragraphs"]:
            body = str(paragraph["context"])
            ref = f"paragraph {sha256(body.encode()).hexdigest()[:12]}"
            passages[ref] = Passage(source_ref=ref, title="", body=body)
            for asked in paragraph["qas"]:
                questions.append(Question(id=str(asked["id"]), text=str(asked["question"]), gold=((ref,),)))
    part = Part(namespace=name, passages=tuple(passages.values()), questions=tuple(questions))
    return Dataset(name=name, parts=(part,))
