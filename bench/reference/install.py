"""What the comparison needs besides ours, put under build/: npm packages at fixed versions, a Pyodide distribution."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(__file__).resolve().parent / "js"
FOLDER = ROOT / "build" / "reference" / "npm"
PYODIDE = ROOT / "build" / "dist" / "reference"
PACKAGES = ("@equationalapplications/core-llm-wiki", "better-sqlite3", "minisearch", "sql.js")


class Missing(Exception):
    """Why a part of the comparison cannot run."""


def npm_folder(*, may_install: bool = True) -> Path:
    """The folder with the scripts of js/ beside their packages, which are installed when they are not there."""
    if shutil.which("node") is None:
        raise Missing("node is not installed")
    FOLDER.mkdir(parents=True, exist_ok=True)
    pins = (SOURCES / "package.json").read_bytes()
    installed = FOLDER / "installed.json"
    is_installed = installed.exists() and installed.read_bytes() == pins
    if not is_installed and not may_install:
        raise Missing("the npm packages are not installed; python -m bench.reference installs them")
    shutil.copytree(SOURCES, FOLDER, dirs_exist_ok=True)
    if not is_installed:
        _install()
        installed.write_bytes(pins)
    return FOLDER


def _install() -> None:
    print(f"installing {', '.join(PACKAGES)} into {FOLDER.relative_to(ROOT)}", flush=True)
    # The native SQLite is compiled here: its ready-made one lies on a host that may be out of reach.
    environment = os.environ | {"npm_config_build_from_source": "true"}
    headers = Path(str(shutil.which("node"))).resolve().parents[1]
    if (headers / "include" / "node" / "node.h").exists():
        environment["npm_config_nodedir"] = str(headers)
    command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"npm install failed: {(done.stderr or done.stdout).strip()[-500:]}")


def pyodide_folder() -> Path:
    """A Pyodide distribution with Lorelite's present wheel."""
    if not (ROOT / "web" / "node_modules" / "pyodide").is_dir():
        raise Missing("web/node_modules has no Pyodide; `web/build/setup.sh node` installs it")
    if find_spec("hatchling") is None or find_spec("packaging") is None:
        raise Missing("building the wheel needs hatchling and packaging: pip install -e '.[dev]'")
    sys.path.insert(0, str(ROOT / "web" / "build"))
    from pyodide_dist import assemble, our_wheel, pinned_wheels  # type: ignore[import-not-found]

    try:
        assemble(PYODIDE, [*pinned_wheels("page"), our_wheel()])
    except subprocess.CalledProcessError as error:
        raise Missing(f"the Pyodide distribution cannot be made: {error}") from error
    return PYODIDE
