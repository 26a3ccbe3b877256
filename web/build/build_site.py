"""Build the static site in build/site: demo page at /, JupyterLite at /lite/; only what changed is made again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

from pyodide_dist import BUILD, ROOT, TABLE, assemble, copy_if_changed, digest, our_wheel, page_wheel, pinned_wheels

SITE = BUILD / "site"
WEB = ROOT / "web"
EXAMPLES = ROOT / "examples"
NOTEBOOKS = ROOT / "jupyterlite"


def build_page() -> None:
    """The demo page, its modules, the samples with their list, the word table, and the Pyodide it loads."""
    wanted = {
        path.relative_to(WEB): path
        for path in [
            WEB / "index.html",
            WEB / "style.css",
            WEB / "manifest.webmanifest",
            *_files(WEB / "src"),
            *_files(WEB / "models"),
        ]
        if path.exists()
    }
    wanted |= {path.relative_to(ROOT): path for path in _files(EXAMPLES)}
    for folder in ("src", "examples"):
        for stale in _files(SITE / folder):
            if stale.relative_to(SITE) not in wanted and stale.name != "index.json":
                stale.unlink()
    for name, source in wanted.items():
        copy_if_changed(source, SITE / name)
    names = [path.relative_to(EXAMPLES).as_posix() for path in _files(EXAMPLES)]
    (SITE / "examples").mkdir(parents=True, exist_ok=True)
    (SITE / "examples" / "index.json").write_text(json.dumps(names, indent=1))
    (SITE / "classroom.json").write_text("{}\n")
    copy_if_changed(TABLE, SITE / "data" / TABLE.name)
    assemble(SITE / "pyodide", [*pinned_wheels("page"), page_wheel()])
    write_offline_list()


def write_offline_list() -> None:
    """What the service worker keeps, and the worker with the version of that: all of the page but the notebooks."""
    left_out = ("lite/", "classroom.json", "offline.json", "service_worker.js")
    kept = [path for path in _files(SITE) if not path.relative_to(SITE).as_posix().startswith(left_out)]
    names = [path.relative_to(SITE).as_posix() for path in kept]
    (SITE / "offline.json").write_text(json.dumps({"files": names}, indent=1))
    worker = WEB / "service_worker.js"
    version = digest([*kept, worker])
    (SITE / "service_worker.js").write_text(worker.read_text().replace('"VERSION"', json.dumps(version)))


def build_notebooks() -> None:
    """JupyterLite with our notebooks and the samples; its Pyodide distribution also holds the kernel's wheels."""
    made_from = BUILD / "lite" / "made-from"
    key = digest([NOTEBOOKS, EXAMPLES, Path(__file__), ROOT / "pyproject.toml"])
    if not made_from.exists() or made_from.read_text() != key:
        shutil.rmtree(BUILD / "lite", ignore_errors=True)
        shutil.copytree(NOTEBOOKS, BUILD / "lite")
        if EXAMPLES.is_dir():
            shutil.copytree(EXAMPLES, BUILD / "lite" / "content" / "examples")
        command = [sys.executable, "-m", "jupyterlite_core", "build", "--output-dir", str(SITE / "lite")]
        shutil.rmtree(SITE / "lite", ignore_errors=True)
        made = subprocess.run(command, cwd=BUILD / "lite", capture_output=True, text=True)
        if made.returncode:
            raise SystemExit(f"JupyterLite was not built:\n{made.stdout}{made.stderr}")
        made_from.write_text(key)
    assemble(SITE / "lite" / "static" / "pyodide", [*pinned_wheels("page", "kernel"), our_wheel()])


def build_test_distribution() -> None:
    """The Pyodide distribution with pytest in it, for the suites that run inside."""
    assemble(BUILD / "dist" / "test", [*pinned_wheels("page", "test"), our_wheel()])


def main() -> None:
    start = time.monotonic()
    build_page()
    build_notebooks()
    print(f"built {SITE.relative_to(ROOT)} in {time.monotonic() - start:.1f} s")


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
