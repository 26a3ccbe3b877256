"""An answer from retrieved results: at once, refined, or from summaries of parts."""

from __future__ import annotations

from collections.abc import Sequence

from lorelite.ports import ModelRequest
from lorelite.prompts.fence import NOTICE, fenced

_RULES = f"""{NOTICE}

Use what is given and nothing else; when it does not say, say so. Write in the language of the question."""

ANSWER = f"""You answer a question from results of a search.

{_RULES}"""
REFINE = f"""You have answered a question, and there are further results. Improve the answer where they add or correct
something; give it back as it is where they do not. Reply with the answer alone.

{_RULES}"""
SUMMARISE = f"""You sum up what results of a search say about a question, so that the question can be answered from your
summary: names, numbers and relations stay. Reply with the summary alone.

{_RULES}"""


def answer(question: str, results: Sequence[str]) -> ModelRequest:
    """The question with all results that fit."""
    return _request(ANSWER, {"Question": question, "Results": _listed(results)})


def refine(question: str, before: str, results: Sequence[str]) -> ModelRequest:
    """The question, the answer so far, further results."""
    return _request(REFINE, {"Question": question, "Answer so far": before, "Further results": _listed(results)})


def summarise(question: str, results: Sequence[str]) -> ModelRequest:
    """The question and a part of the results."""
    return _request(SUMMARISE, {"Question": question, "Results": _listed(results)}, "toolkit_summarise")


def _request(system: str, parts: dict[str, str], purpose: str = "toolkit_answer") -> ModelRequest:
    return ModelRequest(system=system, user=fenced(parts), purpose=purpose)


def _listed(results: Sequence[str]) -> str:
    return "\n\n".join(f"[{number}]\n{result}" for number, result in enumerate(results, 1))
