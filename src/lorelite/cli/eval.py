"""`lorelite eval`: how much of the evidence of known questions is found."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lorelite.blocking import Wiki
from lorelite.cli.arguments import Commands, add_embedder, command, embedder, embedder_for, namespace
from lorelite.cli.output import complain, plain, plural, say, say_json
from lorelite.cli.progress import Steps
from lorelite.errors import CannotOpen, InvalidOption, UnreadableDocument
from lorelite.evaluation import DATASETS, Comparison, Evaluation, ask_all, compare, load_dataset, take_in
from lorelite.evaluation.run import STRATEGIES
from lorelite.interchange.whole_file import is_database

_SHOWN = 5


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(
        commands,
        "eval",
        run,
        "measure how much of the evidence of known questions is found",
        "Of your own questions in the file, or of a public benchmark in a file made for it. Yours is only read.",
    )
    made.add_argument(
        "questions",
        metavar="QUESTIONS",
        nargs="?",
        help='JSON lines: {"question": "…", "gold": ["source or node id", …], "id"?: "…", "tag"?: "…"}',
    )
    made.add_argument("--dataset", metavar="NAME", help=f"a benchmark in place of QUESTIONS: {', '.join(DATASETS)}")
    made.add_argument("--data", metavar="DIR", help="the folder with the benchmark's files")
    made.add_argument("--strategy", choices=STRATEGIES, default="auto", help="how it is searched (default: auto)")
    made.add_argument("--against", metavar="FILE", help="a result that --save kept, over the same questions")
    made.add_argument("--save", metavar="FILE", help="keep the result in this file, as JSON")
    made.add_argument("--svg", metavar="FILE", help="draw the result into this file")
    made.add_argument("--base-url", metavar="URL", help="an OpenAI-compatible endpoint, for --embedding-model")
    add_embedder(made)


def run(given: argparse.Namespace) -> int:
    """Print the Evaluation."""
    if (given.questions is None) == (given.dataset is None):
        raise InvalidOption("QUESTIONS / --dataset", "one of the two", given.questions or "neither")
    if (given.dataset is None) != (given.data is None):
        raise InvalidOption("--dataset / --data", "both of them, or neither", given.dataset or given.data)
    for path in filter(None, (given.save, given.svg)):
        _check_target(path, given.questions)
    earlier = None if given.against is None else Evaluation.from_json(_text(given.against))
    found = _of_questions(given) if given.dataset is None else _of_benchmark(given)
    compared = None if earlier is None else compare(earlier, found)
    if given.save is not None:
        _write(given.save, found.to_json())
    if given.svg is not None:
        _write(given.svg, found.to_svg() if earlier is None else earlier.to_svg(found))
    if given.json:
        say_json(json.loads(found.to_json()) | ({} if compared is None else {"comparison": plain(compared)}))
    else:
        _tell(found, compared)
    return 0


def _of_questions(given: argparse.Namespace) -> Evaluation:
    with (
        Wiki.open(given.db, embedder=embedder_for(given, given.db), read_only=True) as wiki,
        Steps("questions") as steps,
    ):
        return wiki.evaluate(namespace(given), given.questions, strategy=given.strategy, on_progress=steps.show)


def _of_benchmark(given: argparse.Namespace) -> Evaluation:
    dataset = load_dataset(given.dataset, given.data)
    if dataset.skipped:
        whose = "it" if dataset.skipped == 1 else "them"
        complain(f"{plural(dataset.skipped, 'question')} skipped: no evidence is named for {whose}")
    if dataset.missing:
        complain(_absent("piece", "of evidence", dataset.missing))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "benchmark.db"
        with Wiki.open(path, embedder=embedder(given)) as wiki:
            with Steps("passages") as steps:
                take_in(wiki, dataset, on_progress=steps.show)
            return ask_all(wiki, dataset, strategy=given.strategy)


def _tell(found: Evaluation, compared: Comparison | None) -> None:
    if found.unknown:
        complain(_absent("name", "in the gold", found.unknown))
    say(f"{found.name}, {found.label}", found.table())
    if compared is not None:
        say("", compared.table())


def _absent(noun: str, of_what: str, names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
    return f"{plural(len(names), noun)} {of_what} {'is' if len(names) == 1 else 'are'} not there: {shown}"


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        raise UnreadableDocument(path, str(error)) from error


def _check_target(path: str, questions: str | None) -> None:
    """Before anything is asked: neither a database nor the questions are written over."""
    if is_database(Path(path)):
        raise CannotOpen(path, "there is a database, which is not written over; choose another path")
    if questions is not None and Path(path).resolve() == Path(questions).resolve():
        raise CannotOpen(path, "it holds the questions; choose another path")


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, "utf-8")
    except OSError as error:
        raise CannotOpen(path, error.strerror or str(error)) from error
