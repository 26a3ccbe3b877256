"""A benchmark from start to end: take its passages in as a user would, then ask its questions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from lorelite.errors import InvalidOption
from lorelite.evaluation.dataset import Dataset
from lorelite.evaluation.questions import Question
from lorelite.evaluation.result import Evaluation, together
from lorelite.evaluation.run import Strategy, Timer
from lorelite.ports import OnProgress
from lorelite.records import IngestReport, OnDuplicate, Progress


class Measured(Protocol):
    """The part of a `Wiki` that a benchmark needs."""

    def ingest_document(
        self, namespace: str, *, source_ref: str, text: str, on_duplicate: OnDuplicate
    ) -> IngestReport: ...

    def evaluate(
        self, namespace: str, questions: Sequence[Question], *, strategy: Strategy, at: Sequence[int]
    ) -> Evaluation: ...


def take_in(
    wiki: Measured, dataset: Dataset, *, on_progress: OnProgress | None = None, timer: Timer = time.perf_counter
) -> float:
    """Take every passage in as a document of its own, the questions unseen; gives the seconds that took."""
    start, done = timer(), 0
    for part in dataset.parts:
        for passage in part.passages:
            # Turns of a conversation may have the same words and are two documents nevertheless.
            wiki.ingest_document(
                part.namespace, source_ref=passage.source_ref, text=passage.text, on_duplicate="ingest"
            )
            done += 1
            if on_progress is not None:
                on_progress(Progress("passages", done, dataset.passages))
    return timer() - start


def ask_all(
    wiki: Measured, dataset: Dataset, *, strategy: Strategy = "auto", at: Sequence[int] = (1, 2, 5, 10)
) -> Evaluation:
    """Ask the questions of each part in its namespace; one evaluation of all. Raises InvalidOption without any."""
    if not dataset.questions:
        raise InvalidOption("dataset", "at least one question", f"none in {dataset.name}")
    parts = [
        wiki.evaluate(part.namespace, part.questions, strategy=strategy, at=at)
        for part in dataset.parts
        if part.questions
    ]
    return together(dataset.name, parts)
