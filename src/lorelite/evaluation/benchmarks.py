"""The benchmarks by name, and reading one from the files in a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lorelite import options
from lorelite.errors import InvalidOption, LoreliteError, NotFound, UnreadableDocument
from lorelite.evaluation.data_files import DataFolder
from lorelite.evaluation.dataset import Dataset
from lorelite.evaluation.locomo import Unit, is_locomo, locomo
from lorelite.evaluation.multihop import has_passages, is_corpus, is_musique, is_titled, multihop
from lorelite.evaluation.squad import is_squad, squad

DATASETS = ("musique-train", "hotpotqa-train", "musique-kag", "2wiki", "locomo-turns", "locomo-sessions", "xquad-LANG")
_XQUAD = re.compile(r"xquad-([A-Za-z]{2,3}(?:-\w+)?)")


def load_dataset(name: str, folder: str | os.PathLike[str]) -> Dataset:
    """Read a benchmark: one of DATASETS, with a language in place of LANG (xquad-de), from the files below *folder*.

    Files are found by their names, else by the names of their folders, and known by what they hold.
    Raises NotFound saying which file was looked for, InvalidOption for another name, UnreadableDocument.
    """
    folder = options.file_path(folder)
    reader = _xquad if _XQUAD.fullmatch(options.text("dataset", name)) else _READERS.get(name)
    if reader is None:
        raise InvalidOption("dataset", "one of " + ", ".join(DATASETS), name)
    files = DataFolder(name, Path(folder))
    if not files.root.exists():
        raise NotFound("folder", folder, f"name the one that holds the files of {name}")
    try:
        return reader(files)
    except LoreliteError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # Files that others made differ from their form in any of its many places.
        raise UnreadableDocument(
            folder, f"its files of {name} are not in that benchmark's form ({type(error).__name__}: {error})"
        ) from error


def _musique_train(files: DataFolder) -> Dataset:
    rows = files.like(r"^musique_train\.", is_musique)
    corpus = files.like(r"^musique_train_corpus\.", is_corpus)
    return _multihop(files, rows, corpus, "musique_train.json: questions with paragraphs")


def _musique_kag(files: DataFolder) -> Dataset:
    rows = files.like(r"musique|kag", is_musique, unlike=r"^musique_train\.")
    return _multihop(files, rows, [], "questions with paragraphs (musique in its name, and not musique_train)")


def _hotpotqa_train(files: DataFolder) -> Dataset:
    rows = files.like(r"^hotpotqa_train\.", is_titled)
    corpus = files.like(r"^hotpotqa_train_corpus\.", is_corpus)
    return _multihop(files, rows, corpus, "hotpotqa_train.json: questions with supporting_facts")


def _2wiki(files: DataFolder) -> Dataset:
    rows = files.like(r"2wiki", is_titled)
    corpus = files.like(r"2wiki.*corpus", is_corpus) or files.like(r"2wiki", is_corpus)
    return _multihop(files, rows, corpus, "questions with ground_truth or supporting_facts (2wiki in its name)")


def _multihop(files: DataFolder, rows: list[Any], corpora: list[Any], wanted: str) -> Dataset:
    if not rows:
        raise files.missing(wanted)
    questions = max(rows, key=len)
    if not corpora and not has_passages(questions):
        raise files.missing("the passages of the questions: a list of {title, text} (corpus in its name)")
    return multihop(files.dataset, questions, max(corpora, key=len, default=None))


def _locomo(unit: Unit) -> Callable[[DataFolder], Dataset]:
    def read(files: DataFolder) -> Dataset:
        found = files.like(r"locomo", is_locomo)
        if not found:
            raise files.missing("locomo10.json: conversations with their questions")
        return locomo(files.dataset, max(found, key=len), unit)

    return read


def _xquad(files: DataFolder) -> Dataset:
    language = files.dataset.removeprefix("xquad-")
    found = files.like(rf"xquad[._-]?{language}\.", is_squad)
    if not found:
        raise files.missing(f"xquad.{language}.json: articles with paragraphs and questions")
    return squad(files.dataset, found[0])


_READERS: Mapping[str, Callable[[DataFolder], Dataset]] = {
    "musique-train": _musique_train,
    "musique-kag": _musique_kag,
    "hotpotqa-train": _hotpotqa_train,
    "2wiki": _2wiki,
    "locomo-turns": _locomo("turns"),
    "locomo-sessions": _locomo("sessions"),
}
