"""Finding the files of a benchmark in a folder, whatever they are called, by what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorelite.errors import NotFound, UnreadableDocument
from lorelite.evaluation.questions import json_lines
from lorelite.text.strict_json import read_json

SUFFIXES = (".json", ".jsonl")
BENCHMARKS = ("musique", "hotpot", "2wiki", "locomo", "xquad")
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The JSON files below a folder (or one file), in the same order everywhere."""

    dataset: str
    root: Path

    def paths(self) -> list[Path]:
        if self.root.is_file():
            return [self.root]
        return sorted(path for path in self.root.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())

    def like(self, names: str, is_it: Callable[[Any], bool], unlike: str = r"(?!)") -> list[Any]:
        """What those files hold of which *is_it* is true: of those whose names match, else of those whose folders'
        names do, else of those that are named after no benchmark."""
        paths = [path for path in self.paths() if not re.search(unlike, path.name, re.IGNORECASE)]
        folders = {path: path.relative_to(self.root.parent).parent.as_posix() for path in paths}
        others = "|".join(BENCHMARKS)
        by_name = [path for path in paths if re.search(names, path.name, re.IGNORECASE)]
        by_folder = [path for path in paths if re.search(names, folders[path], re.IGNORECASE)]
        by_shape = [path for path in paths if not re.search(others, f"{folders[path]}/{path.name}", re.IGNORECASE)]
        chosen = (list(_holding(group, is_it)) for group in (by_name, by_folder, by_shape))
        return next((found for found in chosen if found), [])

    def missing(self, wanted: str) -> NotFound:
        """The error that says what was looked for, what is there, and what to do."""
        root = self.root if self.root.is_dir() else self.root.parent
        names = [path.relative_to(root).as_posix() for path in self.paths()]
        found = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
        return NotFound(
            "benchmark",
            self.dataset,
            f"expected {wanted} below {str(self.root)!r}, found {found or 'no .json or .jsonl files'}; name the folder "
            "that holds it, or give the file a name that says which benchmark it is",
        )


def content_of(path: Path) -> Any:
    """What a JSON file holds, or the list of what the lines of a JSON Lines file do. Raises UnreadableDocument."""
    try:
        text = path.read_text("utf-8-sig")
        if path.suffix.lower() == ".jsonl":
            return [read_json(line) for _, line in json_lines(text)]
        return read_json(text)
    except (OSError, ValueError) as error:
        raise UnreadableDocument(str(path), f"it is not {path.suffix[1:].upper()} ({error})") from error


def _holding(paths: list[Path], is_it: Callable[[Any], bool]) -> Iterator[Any]:
    for path in paths:
        content = content_of(path)
        if is_it(content):
            yield content
