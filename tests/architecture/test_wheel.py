"""The wheel as it is installed: everything in it, nothing beside it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.cpython_only


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    [made] = folder.glob("*.whl")
    return made


def test_it_carries_the_schema_the_types_the_scripts_and_the_table_with_its_terms(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "lorelite/py.typed",
        "lorelite/store/sql/schema.sql",
        "lorelite/store/sql/0001_initial.sql",
        "lorelite/browser/js/block_fs.js",
        "lorelite/browser/js/block_store.js",
        "lorelite/browser/js/storage_error.js",
        "lorelite/browser/js/writer_lock.js",
        "lorelite/models/data/static_table.bin",
        "lorelite/models/data/LICENSE",
    } <= names
    assert not [name for name in names if not name.startswith(("lorelite/", "lorelite-"))]
    assert {"LICENSE", "NOTICE"} <= {name.rpartition("/licenses/")[2] for name in names}


def test_it_works_with_no_extra_and_without_the_optional_libraries(wheel, tmp_path):
    code = """
import sys
sys.meta_path.insert(0, type("Absent", (), {"find_spec": staticmethod(
    lambda name, path=None, target=None: (_ for _ in ()).throw(ModuleNotFoundError(name))
    if name.split(".")[0] in ("numpy", "httpx", "tqdm") else None)}))
import lorelite, lorelite.models
assert ".whl" in lorelite.__file__, lorelite.__file__
with lorelite.Wiki.open(sys.argv[1], embedder=lorelite.models.StaticEmbedder()) as wiki:
    wiki.ingest_document("main", source_ref="a.md", text="# Heron\\n\\nHeron is the tide gauge on the slip.")
    print(wiki.ask("main", "What is Heron?").text)
    assert wiki.get_status("main").vectors
"""
    command = [sys.executable, "-c", code, str(tmp_path / "new.db")]
    made = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(wheel)}, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert made.stdout.strip() == "Heron is the tide gauge on the slip."
