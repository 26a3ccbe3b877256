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
    """One bar for the documents, where there are several, and below it one for the document at work."""

    def __init__(self, total: int) -> None:
        is_watched = sys.stderr.isatty()
        # Not even a disabled bar otherwise: making one starts a thread, which not every system can.
        self._documents = tqdm(total=total, unit="document", leave=False) if is_watched and total > 1 else None
        self._chunks = tqdm(total=1, unit="chunk", leave=False) if is_watched else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for bar in (self._chunks, self._documents):
            if bar is not None:
                bar.close()

    def within(self, name: str) -> OnProgress | None:
        """What shows the progress of the document *name*."""
        bar = self._chunks
        if bar is None:
            return None
        bar.reset(total=1)

        def on_progress(progress: Progress) -> None:
            bar.total = progress.total
            bar.n = progress.done
            bar.set_description_str(f"{shortened(name, 40)} {progress.stage}")

        return on_progress

    def step(self, line: str | None, *complaints: str) -> None:
        """One document is done: print its line, and what went wrong, above the bars."""
        if self._documents is not None:
            self._documents.update()
        with tqdm.external_write_mode():
            if line is not None:
                say(line)
            for complaint in complaints:
                complain(complaint)


class Steps:
    """One bar for a long call."""

    def __init__(self, unit: str) -> None:
        self._bar = tqdm(total=1, unit=f" {unit}", leave=False) if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def show(self, progress: Progress) -> None:
        """Move the bar to where the call is."""
        if self._bar is not None:
            self._bar.total = progress.total
            self._bar.update(progress.done - self._bar.n)
