"""Answers from the results of retrievers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

from lorelite import options
from lorelite.errors import InvalidOption
from lorelite.ports import ChatModel
from lorelite.prompts import toolkit_answer
from lorelite.text.budget import token_cost, truncated_to
from lorelite.toolkit import checks
from lorelite.toolkit.asking import ask_all, ask_one, required_model
from lorelite.toolkit.records import SearchResult

SynthesisMode = Literal["compact", "refine", "tree-summarize", "simple"]
NOTHING_FOUND = "Nothing was found that says so."


class Synthesizer:
    """Has a model answer a question from results.

    mode: "compact" packs as many results into each call as fit, the first call answers and the next ones refine;
    "refine" does so with one result a call; "tree-summarize" sums up packs of results until one is left, and answers
    from that; "simple" shows what fits into one call and leaves out the rest.
    """

    def __init__(
        self,
        model: Any,
        *,
        mode: SynthesisMode = "compact",
        max_tokens: int = 8_000,
        fail_response: str = NOTHING_FOUND,
    ) -> None:
        """max_tokens: of results in one call. fail_response: what no results give; no model is asked then."""
        self._model: ChatModel = required_model(model)
        self._mode: SynthesisMode = options.one_of("mode", mode, get_args(SynthesisMode))
        self._max_tokens = options.whole_number("max_tokens", max_tokens, 16)
        self._fail_response = options.text("fail_response", fail_response)

    async def synthesize(self, question: str, results: Sequence[SearchResult]) -> str:
        """The answer. Raises InvalidOption for a blank question, ModelError when the model fails."""
        if not options.text("question", question).strip():
            raise InvalidOption("question", "some text", question)
        given = checks.all_of("results", results, SearchResult)
        texts = [text for each in given if (text := options.text("results[].content", each.content)).strip()]
        if not texts:
            return self._fail_response
        if self._mode == "tree-summarize":
            return await self._summarised(question, texts)
        packs = [[text] for text in self._cut(texts)] if self._mode == "refine" else self._packed(texts)
        answer = await ask_one(self._model, toolkit_answer.answer(question, packs[0]))
        for pack in packs[1:] if self._mode != "simple" else ():
            before = truncated_to(answer, self._max_tokens)
            answer = await ask_one(self._model, toolkit_answer.refine(question, before, pack))
        return answer

    async def _summarised(self, question: str, texts: Sequence[str]) -> str:
        packs = self._packed(texts)
        while len(packs) > 1:
            replies = await ask_all(self._model, [toolkit_answer.summarise(question, pack) for pack in packs])
            for reply in replies:
                if reply.error is not None:
                    raise reply.error
            summaries = [reply.text for reply in replies if reply.text.strip()]
            smaller = self._packed(summaries) if summaries else [[""]]
            if len(smaller) == len(packs):  # summaries as long as what they sum up would go on for ever
                smaller = self._packed([truncated_to(text, self._max_tokens // 2) for text in summaries])
            packs = smaller
        return await ask_one(self._model, toolkit_answer.answer(question, packs[0]))

    def _packed(self, texts: Sequence[str]) -> list[list[str]]:
        """Runs of texts that fit into a call."""
        packs: list[list[str]] = []
        room = 0
        for text in self._cut(texts):
            if not packs or token_cost(text) > room:
                packs.append([])
                room = self._max_tokens
            packs[-1].append(text)
            room -= token_cost(text)
        return packs

    def _cut(self, texts: Sequence[str]) -> list[str]:
        return [truncated_to(text, self._max_tokens) for text in texts]
