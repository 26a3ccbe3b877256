"""Operations of several subjects in turns, so that whatever else the machine does slows all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.reference.processes import Answer, Broken, Subject, TooSlow

Call = tuple[str, dict[str, Any]]
FEWEST_TURNS = 3


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
    """For all turns of an operation; three turns are always made."""
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
) -> dict[str, Timing]:
    """Label → timing. *calls* gives the calls for a label; *before* is made ahead of each, unmeasured.

    warm: make the first call once more ahead of everything, so that no measured one is a process's first.
    is_limited: a subject whose call takes longer than it may is ended.
    """
    timings = {label: Timing() for label in subjects}
    coming = {label: list(_first(calls(label), limits.repeats)) for label in subjects}
    begun = time.monotonic()
    for turn in range(-1 if warm else 0, min(map(len, coming.values()), default=0)):
        if turn >= FEWEST_TURNS and time.monotonic() - begun > limits.seconds:
            break
        for label, subject in subjects.items():
            timing = timings[label]
            if timing.gave_up or timing.fault:
                continue
            operation, given = coming[label][max(turn, 0)]
            try:
                if before is not None:
                    subject.ask(before[0], **before[1])
                answer = subject.ask(operation, seconds=limits.patience if is_limited else None, **given)
            except TooSlow:
                timing.gave_up = True
                answer = Answer(limits.patience * 1000, limits.patience * 1000, None)
            except Broken as error:
                timing.fault = str(error)
                continue
            if turn >= 0 or timing.gave_up:
                timing.wall.append(answer.wall_ms)
                timing.cpu.append(answer.cpu_ms)
    return timings


def _first(calls: Iterator[Call], count: int) -> Sequence[Call]:
    return [call for call, _ in zip(calls, range(count), strict=False)]
