"""Progress bars on stderr, only where a person watches."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from tqdm import tqdm

from lorelite.cli.output import complain, say, shortened
from lorelite.ports import OnProgress
from lorelite.records import Progress


class Bars:
    """One bar for the documents and, below it, one for the document at work."""

    def __init__(self, total: int) -> None:
        is_watched = sys.stderr.isatty()
        self._documents = tqdm(total=total, unit="document", leave=False, disable=not is_watched or total < 2)
        self._chunks = tqdm(total=1, unit="chunk", leave=False, disable=not is_watched)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._chunks.close()
        self._documents.close()

    def within(self, name: str) -> OnProgress:
        """What shows the progress of the document *name*."""
        self._chunks.reset(total=1)

        def on_progress(progress: Progress) -> None:
            self._chunks.total = progress.total
            self._chunks.n = progress.done
            self._chunks.set_description_str(f"{shortened(name, 40)} {progress.stage}")

        return on_progress

    def step(self, line: str | None, *complaints: str) -> None:
        """One document is done: print its line, and what went wrong, above the bars."""
        self._documents.update()
        with tqdm.external_write_mode():
            if line is not None:
                say(line)
            for complaint in complaints:
                complain(complaint)
