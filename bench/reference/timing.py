"""Operations of several subjects in turns, so that whatever else the machine does slows all of them."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.reference.processes import Answer, Broken, Subject, TooSlow

Call = tuple[str, dict[str, Any]]
FEWEST = 3


@dataclass(slots=True)
class Timing:
    """What one subject needed for one operation, in milliseconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    gave_up: bool = False
    """The last call got no answer in time; the time it was allowed stands for it, which is too little."""

    fault: str = ""
    """Why it was not measured to the end."""

    @property
    def cpu_ms(self) -> float:
        return statistics.median(self.cpu)

    @property
    def wall_ms(self) -> float:
        return statistics.median(self.wall)

    @property
    def cpu_p95(self) -> float:
        return sorted(self.cpu)[round(0.95 * (len(self.cpu) - 1))]


@dataclass(frozen=True, slots=True)
class Limits:
    repeats: int = 30
    seconds: float = 60
    """For all turns of an operation; three calls are always made."""
    patience: float = 60
    """Seconds for one call of an operation that may take for ever."""


def in_turns(
    subjects: Mapping[str, Subject],
    calls: Callable[[str], Iterator[Call]],
    limits: Limits,
    *,
    before: Call | None = None,
    warm: bool = True,
    is_limited: bool = False,
    burst: int = 1,
) -> dict[str, Timing]:
    """Label → timing. *calls* gives the calls for a label; *before* is made ahead of each, unmeasured.

    warm: make the first call once more ahead of everything, so that no measured one is a process's first.
    is_limited: a subject whose call takes longer than it may is ended.
    burst: how many calls a subject makes in its turn. One alone would find the processor's caches full of what the
    others did, which makes the fast look slow.
    """
    timings = {label: Timing() for label in subjects}
    coming = {label: list(itertools.islice(calls(label), limits.repeats)) for label in subjects}
    seconds = limits.patience if is_limited else None
    if warm:
        for label, subject in subjects.items():
            _ask(subject, coming[label][0], before, seconds, timings[label])
            if not timings[label].gave_up:
                timings[label].wall.clear()
                timings[label].cpu.clear()
    begun = time.monotonic()
    for start in range(0, min(map(len, coming.values()), default=0), burst):
        if start >= FEWEST and time.monotonic() - begun > limits.seconds:
            break
        for label, subject in subjects.items():
            for call in coming[label][start : start + burst]:
                if not timings[label].gave_up and not timings[label].fault:
                    _ask(subject, call, before, seconds, timings[label])
    return timings


def _ask(subject: Subject, call: Call, before: Call | None, seconds: float | None, timing: Timing) -> None:
    """Make one call and add what it took."""
    try:
        if before is not None:
            subject.ask(before[0], **before[1])
        answer = subject.ask(call[0], seconds=seconds, **call[1])
    except TooSlow:
        timing.gave_up = True
        answer = Answer((seconds or 0) * 1000, (seconds or 0) * 1000, None)
    except Broken as error:
        timing.fault = str(error)
        return
    timing.wall.append(answer.wall_ms)
    timing.cpu.append(answer.cpu_ms)
