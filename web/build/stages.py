"""Run the stages of `make test` in order, stop at the first that fails, and sum up: stages.py [NAME ...]"""

from __future__ import annotations

import subprocess
import sys
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


def main(names: list[str]) -> int:
    """Run the stages named (all when none is); the exit code of the first that fails, else 0."""
    unknown = set(names) - set(STAGES)
    if unknown:
        raise SystemExit(f"unknown stage {', '.join(sorted(unknown))}; known: {', '.join(STAGES)}")
    lines, code = [], 0
    for name in names or STAGES:
        print(f"\n\033[1m==> {name}\033[0m", flush=True)
        start = time.monotonic()
        for build in NEEDS.get(name, ()):
            build()
        code = subprocess.run(STAGES[name], cwd=ROOT).returncode
        lines.append(f"  {'failed' if code else 'passed'}  {time.monotonic() - start:6.1f} s  {name}")
        if code:
            lines.append(f"\nThe stage {name!r} failed. To run it alone: make test STAGES={name}")
            break
    print("\n" + "\n".join(lines), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
