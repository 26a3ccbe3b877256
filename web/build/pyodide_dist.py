"""Self-hosted Pyodide distributions: core from npm, wheels from PyPI and ours, and a lock naming nothing else.

The lock that comes with the core lists hundreds of wheels on a CDN; ours lists exactly the wheels that lie beside
it, so a page served from the built folder cannot reach further. Downloads and wheels are made once, under build/.
"""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from email.parser import Parser
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
PINS = Path(__file__).resolve().parent / "pins"
CORE = ROOT / "web" / "node_modules" / "pyodide"
TABLE = ROOT / "src" / "lorelite" / "models" / "data" / "static_table.bin"
# Of our wheel, what the page's operations (browser/bridge.py) never import: a tab waits for every byte of the rest.
# fmt: off
NOT_FOR_THE_PAGE = (
    "__main__.py", "adapters/", "blocking/knowledge_graph.py", "browser/js/models/chat.js",
    "browser/js/models/kinds.js", "browser/js/models/prompt_api.js", "browser/js/models/transformers.js",
    "browser/js/models/webllm.js", "browser/js/models/wllama.js", "classroom/", "cli/", "communities/", "evaluation/",
    "graph/adapting.py", "graph/by_igraph.py", "graph/components.py", "graph/drawing.py", "graph/hierarchy.py",
    "graph/leiden.py", "graph/local_moving.py", "graph/louvain.py", "graph/modularity.py", "graph/paths.py",
    "graph/schema.py", "graph/spring_layout.py", "graphrag.py", "ingest/conform.py", "ingest/pending.py",
    "ingest/upsert.py", "interchange/", "jobs/", "knowledge_graph.py", "mcp.py", "memory/drafts.py",
    "memory/events.py", "memory/facts.py", "memory/fields.py", "memory/history.py", "memory/instructions.py",
    "memory/lint.py", "memory/supersede.py", "memory/tasks.py", "memory/trust.py", "models/data/",
    "models/recorded.py", "models/scripted.py", "okf/", "ontology/classify.py", "ontology/schema_org.py",
    "pipeline/chunking.py", "pipeline/communities.py", "pipeline/documents.py", "pipeline/entities.py",
    "pipeline/insert.py", "pipeline/merging.py", "pipeline/questions.py", "pipeline/rule_extraction.py",
    "pipeline/similar_chunks.py", "pipeline/store_", "pipeline/summaries.py", "pipeline/view.py",
    "pipeline/word_index.py", "prompts/backfill.py", "prompts/community_report.py", "prompts/drift.py",
    "prompts/extract_graph.py", "prompts/graph_reply.py", "prompts/heal.py", "prompts/keywords.py",
    "prompts/librarian.py", "prompts/merge_judge.py", "prompts/questions.py", "prompts/resolve.py",
    "prompts/summarise_entity.py", "prompts/synthesis.py", "prompts/toolkit_", "resolution/duplicates.py",
    "resolution/evidence.py", "resolution/suggest.py", "retrieve/diversity.py", "retrieve/paths.py", "sdk.py",
    "search/diversity.py", "search/metadata_filter.py", "search/metrics.py", "search/numpy_rows.py",
    "search/packed_columns.py", "site/", "store/foreign.py", "store/load.py", "store/port_",
    "store/sqlite_vec_ranker.py", "store_ports.py", "strategies/auto.py", "strategies/drift.py",
    "strategies/dual_level.py", "strategies/entity_enhanced.py", "strategies/factories.py",
    "strategies/graph_tables.py", "strategies/local_community.py", "strategies/naive.py", "strategies/pagerank.py",
    "strategies/questions.py", "strategies/similar_chunks.py", "text/alike.py", "text/highlight.py",
    "text/memory_dump.py", "text/rule_questions.py", "text/same_name.py", "text/stitching.py", "timeline/diff.py",
    "timeline/outbox.py", "timeline/restore.py", "toolkit/", "tools/", "wiki/graph_home.py",
)
# fmt: on
CORE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
TARGET = {
    "platform": "pyemscripten_2026_0_wasm32",
    "python-version": "3.14",
    "implementation": "cp",
    "abi": "cp314",
}
MARKERS = {
    "sys_platform": "emscripten",
    "platform_system": "Emscripten",
    "platform_machine": "wasm32",
    "os_name": "posix",
    "python_version": "3.14",
    "python_full_version": "3.14.2",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "extra": "",
}


def digest(paths: Iterable[Path]) -> str:
    """A short hash of the names and contents of files, and of every file below the folders given."""
    found = hashlib.sha256()
    for path in sorted(set(_files(paths))):
        found.update(str(path.relative_to(ROOT)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def pinned_wheels(*names: str) -> list[Path]:
    """The wheels of the pin files `names` (pins/NAME.txt), downloaded from PyPI when they are not here yet."""
    return [wheel for name in names for wheel in sorted(_downloaded(PINS / f"{name}.txt").glob("*.whl"))]


def our_wheel() -> Path:
    """Lorelite's own wheel, built again only when its sources changed."""
    inputs = [ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "src/lorelite", "web/src")]
    folder = BUILD / "wheels" / f"lorelite-{digest(inputs)}"
    if not folder.is_dir():
        for old in (BUILD / "wheels").glob("lorelite-*"):
            shutil.rmtree(old)
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
        with _whole(folder) as making:
            subprocess.run([*command, str(making)], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def page_wheel() -> Path:
    """Our wheel without what no operation of the page reaches, and without what only people read.

    The word table is left out as well: the page fetches it when it is wanted.
    """
    full = our_wheel()
    lean = full.parent / f"page-{digest([Path(__file__)])}" / full.name
    if not lean.exists():
        with (
            _whole(lean.parent) as making,
            zipfile.ZipFile(full) as whole,
            zipfile.ZipFile(making / lean.name, "w") as out,
        ):
            for entry in whole.infolist():
                if not _not_for_the_page(entry.filename):
                    content = whole.read(entry)
                    out.writestr(entry, bare(content) if entry.filename.endswith(".py") else content, compresslevel=9)
    return lean


def bare(source: bytes) -> bytes:
    """Python without comments and docstrings, which are a third of what a tab would have to load."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            said = [each for each in body if isinstance(each, ast.Expr) and _is_text(each.value)]
            node.body = [each for each in body if each not in said] or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(tree).encode()


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _not_for_the_page(name: str) -> bool:
    """Is this file of the wheel left out? RECORD is, too: a tab installs without checking hashes one by one."""
    left_out = tuple(f"lorelite/{part}" for part in NOT_FOR_THE_PAGE)
    return name.startswith(left_out) or name.endswith(".dist-info/RECORD")


def assemble(out: Path, wheels: Iterable[Path]) -> None:
    """Make `out` a Pyodide distribution of the core and exactly these wheels; unchanged files are left alone."""
    wheels = list(wheels)
    wanted = {path.name: path for path in [*(CORE / name for name in CORE_FILES), *wheels]}
    out.mkdir(parents=True, exist_ok=True)
    for path in out.iterdir():
        if path.name not in wanted and path.name != "pyodide-lock.json":
            path.unlink()
    for name, source in wanted.items():
        copy_if_changed(source, out / name)
    lock = json.dumps(lock_for(wheels), indent=1, sort_keys=True)
    target = out / "pyodide-lock.json"
    if not target.exists() or target.read_text() != lock:
        target.write_text(lock)


def copy_if_changed(source: Path, target: Path) -> bool:
    """Copy a file with its time stamp unless the target has the same size and time; whether it was copied."""
    before = source.stat()
    if target.exists():
        after = target.stat()
        if (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns):
            return False
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)
    return True


def lock_for(wheels: Iterable[Path]) -> dict[str, object]:
    """The content of pyodide-lock.json. Raises SystemExit when a wheel needs a package that is not among them."""
    info = json.loads((CORE / "pyodide-lock.json").read_text())["info"]
    packages = {str(entry["name"]): entry for entry in map(_lock_entry, wheels)}
    for name, entry in packages.items():
        missing = [needed for needed in entry["depends"] if needed not in packages]
        if missing:
            raise SystemExit(f"{name} needs {', '.join(missing)} in the browser: pin it in web/build/pins/")
    return {"info": info, "packages": packages}


def _lock_entry(wheel: Path) -> dict[str, object]:
    name, version, _, _ = parse_wheel_filename(wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (each for each in names if each.endswith(".dist-info/METADATA") and each.count("/") == 1)
        required = Parser().parsestr(archive.read(metadata).decode()).get_all("Requires-Dist", [])
    needs = [need for need in map(Requirement, required) if need.marker is None or need.marker.evaluate(MARKERS)]
    return {
        "name": str(name),
        "version": str(version),
        "file_name": wheel.name,
        "install_dir": "site",
        "package_type": "package",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "depends": sorted({canonicalize_name(need.name) for need in needs}),
        "imports": sorted(_import_names(names)),
        "unvendored_tests": False,
    }


def _import_names(names: Iterable[str]) -> set[str]:
    """The top-level modules and packages among the files of a wheel."""
    found = set()
    for name in names:
        head, _, rest = name.partition("/")
        if rest and name.endswith((".py", ".so")) and head.isidentifier():
            found.add(head)
        elif not rest and name.endswith((".py", ".so")):
            found.add(head.split(".")[0])
    return found


def _downloaded(pins: Path) -> Path:
    folder = BUILD / "wheels" / f"{pins.stem}-{digest([pins])}"
    if not folder.is_dir():
        print(f"downloading the wheels of {pins.relative_to(ROOT)}", flush=True)
        # Without --no-deps pip judges markers for this machine, and goes back to old releases that have a wheel.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += [f"--{key}={value}" for key, value in TARGET.items()]
        with _whole(folder) as making:
            subprocess.run([*command, "-d", str(making), "-r", str(pins)], check=True)
    return folder


@contextmanager
def _whole(folder: Path) -> Iterator[Path]:
    """A new folder that gets the name `folder` at the end, so that an interrupted run leaves nothing half-made."""
    making = folder.with_name(f"making-{folder.name}")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    yield making
    making.rename(folder)


def _files(paths: Iterable[Path]) -> Iterable[Path]:
    for path in paths:
        if path.is_dir():
            yield from (each for each in path.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
        elif path.exists():
            yield path


if __name__ == "__main__":
    assemble(BUILD / "dist" / "test", [*pinned_wheels("page", "test"), our_wheel()])
