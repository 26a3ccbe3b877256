"""The built folder: complete in itself, and served as browsers want it."""

from __future__ import annotations

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


def test_the_table_of_meanings_lies_beside_the_page_and_inside_the_notebooks_wheel() -> None:
    in_page, in_notebooks = (
        [Path(name).name for name in zipfile.ZipFile(next(folder.glob("lorelite-*.whl"))).namelist()]
        for folder in DISTRIBUTIONS
    )
    assert set(in_notebooks) - set(in_page) == {"static_table.bin"}
    assert (SITE / "data" / "static_table.bin").is_file()


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
