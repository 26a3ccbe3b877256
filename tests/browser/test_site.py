"""The built folder: complete in itself, and served as browsers want it."""

from __future__ import annotations

import gzip
import hashlib
import json
import urllib.request
import zipfile
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[2] / "build" / "site"
DISTRIBUTIONS = [SITE / "pyodide", SITE / "lite" / "static" / "pyodide"]


@pytest.mark.parametrize("folder", DISTRIBUTIONS, ids=["page", "notebooks"])
def test_a_distribution_names_only_wheels_that_lie_beside_it(folder: Path) -> None:
    packages = json.loads((folder / "pyodide-lock.json").read_text())["packages"]
    assert {"lorelite", "pydantic", "pydantic-core", "tqdm"} <= packages.keys()
    for package in packages.values():
        wheel = folder / package["file_name"]
        assert hashlib.sha256(wheel.read_bytes()).hexdigest() == package["sha256"]
        assert set(package["depends"]) <= packages.keys()


def our_wheel_in(folder: Path) -> Path:
    [wheel] = folder.glob("lorelite-*.whl")
    return wheel


def test_the_notebooks_get_the_whole_wheel_and_the_page_what_its_operations_reach() -> None:
    in_page, in_notebooks = (
        {name for name in zipfile.ZipFile(our_wheel_in(folder)).namelist() if name.startswith("lorelite/")}
        for folder in DISTRIBUTIONS
    )
    package = SITE.parents[1] / "src" / "lorelite"
    assert in_notebooks >= {f"lorelite/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")}
    left_out = {name.split("/")[1] for name in in_notebooks - in_page}
    assert left_out == {"__main__.py", "cli", "evaluation", "interchange", "mcp.py", "models", "okf", "store", "tools"}
    assert {name for name in in_notebooks - in_page if name.startswith(("lorelite/models/", "lorelite/store/"))} == {
        "lorelite/models/data/LICENSE",
        "lorelite/models/data/static_table.bin",
        "lorelite/store/sqlite_vec_ranker.py",
    }
    assert in_page < in_notebooks


def test_the_table_of_meanings_lies_beside_the_page_for_when_it_is_wanted() -> None:
    assert (SITE / "data" / "static_table.bin").is_file()


def test_what_we_add_to_pyodide_for_the_page_takes_at_most_six_hundred_kilobytes() -> None:
    served = [SITE / "index.html", SITE / "style.css", *(SITE / "src").iterdir()]
    ours = our_wheel_in(SITE / "pyodide").stat().st_size + sum(len(gzip.compress(each.read_bytes())) for each in served)
    assert ours <= 600_000


def test_the_page_ships_nothing_that_only_the_notebooks_or_the_tests_need() -> None:
    packages = json.loads((SITE / "pyodide" / "pyodide-lock.json").read_text())["packages"]
    assert not {"ipython", "pytest", "micropip", "hypothesis"} & packages.keys()


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/src/block_store.js", "text/javascript"),
        ("/pyodide/pyodide.mjs", "text/javascript"),
        ("/pyodide/pyodide.asm.wasm", "application/wasm"),
        ("/pyodide/pyodide-lock.json", "application/json"),
    ],
)
def test_files_are_served_with_the_type_that_browsers_insist_on(site: str, path: str, content_type: str) -> None:
    with urllib.request.urlopen(site + path) as answer:
        assert answer.headers["Content-Type"] == content_type
