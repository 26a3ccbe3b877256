"""`lorelite ask`: an answer with citations."""

from __future__ import annotations

import argparse

from lorelite.cli.arguments import (
    Commands,
    add_embedder,
    add_model,
    add_replay,
    command,
    embedder_for,
    namespace,
    open_to_ask,
)
from lorelite.cli.output import complain, place, quoted, say, say_json
from lorelite.errors import SearchPrerequisiteError
from lorelite.records import Answer, Citation
from lorelite.strategies.broad import is_broad
from lorelite.strategies.strategy import STRATEGY_NAMES

_BUILD = "`lorelite communities --build` makes them"


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(commands, "ask", run, "answer a question from the documents, with citations")
    made.add_argument("question", metavar="QUESTION")
    made.add_argument(
        "--strategy",
        choices=(*STRATEGY_NAMES, "local", "global"),
        metavar="NAME",
        help=f"how to look for the answer: {', '.join(STRATEGY_NAMES)}; without it by what fits the question best",
    )
    add_model(made, "the answer is the best sentences found, word for word")
    add_replay(made)
    add_embedder(made)


def run(given: argparse.Namespace) -> int:
    """Print the Answer. "The documents do not say" is an answer too."""
    vectors = embedder_for(given, given.db)
    with open_to_ask(given, vectors) as wiki:
        try:
            answer = wiki.ask(namespace(given), given.question, strategy=given.strategy)
        except SearchPrerequisiteError as error:
            complain(f"{given.strategy} search needs what is not there yet: {', '.join(error.data['missing'])}")
            if set(error.data["missing"]) <= {"chunkEntityGeneration", "entityCommunityGeneration"}:
                complain(_BUILD)
            return 1
        lacks_reports = not answer.answered and is_broad(given.question) and not wiki.graph(namespace(given)).reports()
    if given.json:
        say_json(answer)
    else:
        _tell(answer)
    if lacks_reports:
        complain(f"questions about the whole are answered from reports on communities; {_BUILD}")
    return 0


def _tell(answer: Answer) -> None:
    numbers: dict[Citation, int] = {}
    for sentence in answer.sentences:
        marks = [numbers.setdefault(citation, len(numbers) + 1) for citation in sentence.citations]
        say(f"{sentence.text} {''.join(f'[{mark}]' for mark in marks)}")
    if not answer.sentences:
        say(answer.text)
    if numbers:
        say("")
    for citation, number in numbers.items():
        say(f"[{number}] {place(citation)}", f"    {quoted(citation.quote)}")
    said = {sentence.text for sentence in answer.sentences}
    for text in answer.unsupported:
        if text not in said:
            complain(f"left out, since no source was found for it: {quoted(text)}")
