"""Run the stages of `make test` in order, stop at the first that fails, and sum up: stages.py [NAME ...]"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from build_site import build_test_distribution
from build_site import main as build_site

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sys.executable
PYTEST = [PYTHON, "-m", "pytest", "-q"]
SCRIPTS = [str(path) for path in sorted((ROOT / "web" / "build").glob("*.py"))]
NODE = ["node", "--disable-warning=ExperimentalWarning"]

# ruff passes over folders named build unless their files are named
STAGES: dict[str, list[str]] = {
    "lint": [PYTHON, "-m", "ruff", "check", ".", *SCRIPTS],
    "format": [PYTHON, "-m", "ruff", "format", "--check", ".", *SCRIPTS],
    "types": [PYTHON, "-m", "mypy", "--strict", "src"],
    "python": [*PYTEST, "tests"],
    "js-types": ["npm", "--prefix", "web", "run", "--silent", "check"],
    "js": ["npm", "--prefix", "web", "run", "--silent", "test"],
    "pyodide": [*NODE, "web/build/pytest_node.mjs", "build/dist/test", "-q", "tests"],
    "browser": [*PYTEST, "-c", "tests/browser/pytest.ini", "tests/browser"],
}
NEEDS: dict[str, tuple[Callable[[], None], ...]] = {
    "js": (build_test_distribution,),
    "pyodide": (build_test_distribution,),
    "browser": (build_test_distribution, build_site),
}


BESIDE = {"python": "pyodide"}
"""Stage → a later one that runs meanwhile, on a second core; what it prints is shown when its turn has come."""


class Ahead:
    """A stage that was started before its turn."""

    def __init__(self, name: str) -> None:
        _build_for(name)
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115  (read when the stage has ended)
        self._process = subprocess.Popen(STAGES[name], cwd=ROOT, stdout=self._printed, stderr=subprocess.STDOUT)

    def finish(self) -> int:
        """Wait for its end and show what it printed; gives the exit code."""
        code = self._process.wait()
        self._printed.seek(0)
        sys.stdout.buffer.write(self._printed.read())
        sys.stdout.flush()
        return code

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


def main(names: list[str]) -> int:
    """Run the stages named (all when none is); the exit code of the first that fails, else 0.

    Of each stage the summary tells by how much it made the whole run longer.
    """
    unknown = set(names) - set(STAGES)
    if unknown:
        raise SystemExit(f"unknown stage {', '.join(sorted(unknown))}; known: {', '.join(STAGES)}")
    left = names or list(STAGES)
    lines, code = [], 0
    ahead: dict[str, Ahead] = {}
    while left and not code:
        name, *left = left
        print(f"\n\033[1m==> {name}\033[0m", flush=True)
        start = time.monotonic()
        if BESIDE.get(name) in left:
            ahead[BESIDE[name]] = Ahead(BESIDE[name])
        code = ahead.pop(name).finish() if name in ahead else _run(name)
        lines.append(f"  {'failed' if code else 'passed'}  {time.monotonic() - start:6.1f} s  {name}")
    for each in ahead.values():
        each.stop()
    if code:
        lines.append(f"\nThe stage {name!r} failed. To run it alone: make test STAGES={name}")
    print("\n" + "\n".join(lines), flush=True)
    return code


def _run(name: str) -> int:
    _build_for(name)
    return subprocess.run(STAGES[name], cwd=ROOT).returncode


def _build_for(name: str) -> None:
    for build in NEEDS.get(name, ()):
        build()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
