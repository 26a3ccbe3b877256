"""How well a namespace answers: measured on questions whose evidence is known."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lorelite.blocking.core import Core
from lorelite.ports import OnProgress
from lorelite.records import Kind

if TYPE_CHECKING:
    from lorelite.evaluation.questions import Question
    from lorelite.evaluation.result import Evaluation
    from lorelite.evaluation.run import Strategy


class Evaluating(Core):
    def evaluate(
        self,
        namespace: str,
        questions: str | os.PathLike[str] | Iterable[Question | Mapping[str, Any]],
        *,
        strategy: Strategy = "auto",
        at: Sequence[int] = (1, 2, 5, 10),
        kinds: Sequence[Kind] = ("chunk", "fact"),
        on_progress: OnProgress | None = None,
    ) -> Evaluation:
        """See AsyncWiki.evaluate."""
        return self._run(
            self._wiki.evaluate(namespace, questions, strategy=strategy, at=at, kinds=kinds, on_progress=on_progress)
        )
