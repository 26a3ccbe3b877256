"""Evidence recall on a public benchmark: its passages taken in as documents, its questions asked.

    python -m bench.recall --dataset NAME --data DIR [--strategy auto] [--embedder none] [--metric R@5] [--min X]

NAME: musique-train, hotpotqa-train, musique-kag, 2wiki, locomo-turns, locomo-sessions, xquad-LANG (xquad-de).
DIR: a folder, searched with all below it, that holds the benchmark's files.

R@k is the share of a question's evidence among the first k documents, averaged over the questions; all-gold@k the share
of the questions all of whose evidence is there. Every number is in percent but the times. `--min` judges `--metric`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bench.recorded_triples import RecordedTriplesModel, recorded_docs
from bench.report import json_line
from lorelite import LoreliteError, Wiki
from lorelite.evaluation import Dataset, Evaluation, ask_all, load_dataset, take_in
from lorelite.models import HashEmbedder, StaticEmbedder
from lorelite.ports import ChatModel, Embedder

EMBEDDERS: Mapping[str, Callable[[], Embedder | None]] = {
    "none": lambda: None,
    "hash": HashEmbedder,
    "static": StaticEmbedder,
}
STRATEGIES = ("auto", "read", "keyword", "pagerank")


def run(
    dataset: Dataset,
    strategies: Sequence[str],
    embedder: Embedder | None,
    path: Path,
    model: ChatModel | None = None,
) -> tuple[float, list[Evaluation]]:
    """(seconds of taking in, the evaluation by each strategy) on the file at *path*."""
    with Wiki.open(path, model=model, embedder=embedder) as wiki:
        seconds = take_in(wiki, dataset)
        if embedder is not None:
            wiki.run_reembed()  # a file that an earlier run filled may lack this embedder's vectors
        return seconds, [ask_all(wiki, dataset, strategy=strategy) for strategy in strategies]


def first_questions(dataset: Dataset, count: int | None) -> Dataset:
    """The same passages, and of each part at most so many questions; None: all."""
    parts = tuple(replace(part, questions=part.questions[:count]) for part in dataset.parts)
    return replace(dataset, parts=parts)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="bench.recall", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", required=True, metavar="NAME")
    parser.add_argument("--data", required=True, type=Path, metavar="DIR")
    parser.add_argument("--strategy", nargs="+", choices=STRATEGIES, default=["auto"], help="the last one is judged")
    parser.add_argument("--embedder", choices=sorted(EMBEDDERS), default="none")
    parser.add_argument("--metric", default="R@5", help="a column of the table, the first of which is R@1")
    parser.add_argument("--min", type=float, help="exit with 1 when the metric is below")
    parser.add_argument(
        "--file", type=Path, help="work in this file, whose passages a later run need not take in again"
    )
    parser.add_argument("--limit-questions", type=int, metavar="N", help="ask the first N of each part alone")
    parser.add_argument(
        "--triples", action="store_true", help="let the recording openie*.json below DIR be what a model reads"
    )
    options = parser.parse_args(arguments)
    try:
        dataset = first_questions(load_dataset(options.dataset, options.data), options.limit_questions)
        with tempfile.TemporaryDirectory() as folder:
            embedder = EMBEDDERS[options.embedder]()
            path = options.file or Path(folder) / "recall.db"
            model = RecordedTriplesModel(recorded_docs(options.data), dataset) if options.triples else None
            seconds, evaluations = run(dataset, options.strategy, embedder, path, model)
    except LoreliteError as error:
        print(f"bench.recall: {error}", file=sys.stderr)
        return 2

    judged = evaluations[-1].measures.get(options.metric)
    if judged is None:
        parser.error(f"--metric: expected one of {', '.join(evaluations[-1].measures)}, found {options.metric!r}")
    print(f"{dataset.name}: {dataset.passages:,} passages taken in within {seconds:.1f} s")
    if model is not None:
        print(f"{model.without:,} passages without a recording, {model.malformed:,} malformed triples left out")
    if dataset.skipped:
        print(f"{dataset.skipped:,} questions skipped: no evidence is named for them")
    if dataset.missing:
        print(
            f"{len(dataset.missing):,} pieces of evidence are not there, for example {', '.join(dataset.missing[:3])}"
        )
    for evaluation in evaluations:
        print(f"\n{evaluation.strategy}, embedder {options.embedder}\n{evaluation.table()}")
    last = evaluations[-1]
    line = {"bench": "recall", "dataset": dataset.name, "strategy": last.strategy, "embedder": options.embedder}
    counts = {"questions": dataset.questions, "passages": dataset.passages, "skipped": dataset.skipped}
    measured = {name: round(value, 2) for name, value in last.measures.items()}
    print(json_line(line | counts | measured | {"ingest s": round(seconds, 2)}))
    return 1 if options.min is not None and judged < options.min else 0


if __name__ == "__main__":
    sys.exit(main())
