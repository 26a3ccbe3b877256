"""How well a namespace answers: measured on questions whose evidence is known."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

from lorelite import options
from lorelite.errors import InvalidOption
from lorelite.ports import OnProgress
from lorelite.records import Kind
from lorelite.wiki.core import Core

if TYPE_CHECKING:
    from lorelite.evaluation.questions import Question
    from lorelite.evaluation.result import Evaluation
    from lorelite.evaluation.run import Strategy

_ALL_KINDS = get_args(Kind)


class Evaluating(Core):
    async def evaluate(
        self,
        namespace: str,
        questions: str | os.PathLike[str] | Iterable[Question | Mapping[str, Any]],
        *,
        strategy: Strategy = "auto",
        at: Sequence[int] = (1, 2, 5, 10),
        kinds: Sequence[Kind] = ("chunk", "fact"),
        on_progress: OnProgress | None = None,
    ) -> Evaluation:
        """Ask questions whose evidence is known, and measure how much of it is found: see docs/evaluation.md.

        questions: a JSON Lines file, or Questions or mappings: {"question", "gold": [source_ref or node id, …]} and, if
        wanted, "id" and "tag". strategy: "read" as `read` does, "keyword" by words alone, "pagerank" as
        `pagerank_search` does, "auto" so where passages are titled by what others name, and else as `read`.
        at: the k of recall@k. kinds: the nodes that may be found; a document is found where one of its nodes is.
        Writes nothing. Raises InvalidOption, with the line of the file, and when the namespace holds none of the gold.
        """
        from lorelite.evaluation.questions import checked_questions, questions_in
        from lorelite.evaluation.run import STRATEGIES, evaluate

        engine = self._known(namespace)
        if not isinstance(at, Sequence) or isinstance(at, str | bytes) or not at:
            raise InvalidOption("at", "a list of whole numbers", at)
        places = [options.whole_number("at[]", k, 1, 1_000) for k in at]
        return await evaluate(
            engine,
            namespace,
            questions_in(questions) if isinstance(questions, str | os.PathLike) else checked_questions(questions),
            strategy=options.one_of("strategy", strategy, STRATEGIES),
            at=places,
            kinds=options.many_of("kinds", kinds, _ALL_KINDS),
            on_progress=options.callback("on_progress", on_progress),
        )
