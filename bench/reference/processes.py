"""A subject of the comparison in a process of its own, spoken to by lines of JSON."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.reference.install import ROOT


class TooSlow(Exception):
    """No answer within the time allowed; the process has been ended."""


class Broken(Exception):
    """The operation failed on the other side, or its process ended."""


@dataclass(frozen=True, slots=True)
class Answer:
    wall_ms: float
    cpu_ms: float
    found: Any


class Subject:
    def __init__(self, name: str, command: Sequence[str | Path], *, folder: Path = ROOT) -> None:
        self.name = name
        self._process = subprocess.Popen(
            list(map(str, command)),
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._receive(None)

    def ask(self, operation: str, *, seconds: float | None = None, **given: Any) -> Answer:
        """Have an operation done. Raises TooSlow past *seconds*, and Broken with what went wrong on the other side."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"do": operation, **given}) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise Broken(f"{self.name} has ended: {error}") from error
        answer = self._receive(seconds)
        if "error" in answer:
            raise Broken(f"{self.name}, {operation}: {answer['error']}")
        return Answer(answer["wall"], answer["cpu"], answer.get("found"))

    def memory_mb(self) -> float | None:
        """Resident memory of the process, where the system tells it."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text()
        except OSError:
            return None
        resident = next((line for line in status.splitlines() if line.startswith("VmRSS:")), None)
        return None if resident is None else int(resident.split()[1]) / 1024

    def stop(self) -> None:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        with suppress(OSError):
            stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._end()
        stdout.close()

    def _receive(self, seconds: float | None) -> dict[str, Any]:
        stdout = self._process.stdout
        assert stdout is not None
        until = None if seconds is None else time.monotonic() + seconds
        with selectors.DefaultSelector() as waiting:
            waiting.register(stdout, selectors.EVENT_READ)
            if not waiting.select(None if until is None else max(0.0, until - time.monotonic())):
                self._end()
                raise TooSlow(f"{self.name}: no answer within {seconds:g} s")
        line = stdout.readline()
        if not line:
            raise Broken(f"{self.name} ended with code {self._process.wait()}; what it said is above")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
