"""The built folder: complete in itself, and served as browsers want it."""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import urllib.request
import zipfile
from collections.abc import Collection, Iterator
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


# fmt: off
NOT_IN_THE_PAGE = {
    "__main__.py", "adapters/", "blocking/knowledge_graph.py", "browser/js/models/chat.js",
    "browser/js/models/kinds.js", "browser/js/models/prompt_api.js", "browser/js/models/transformers.js",
    "browser/js/models/webllm.js", "browser/js/models/wllama.js", "classroom/", "cli/", "communities/", "evaluation/",
    "graph/adapting.py", "graph/by_igraph.py", "graph/components.py", "graph/drawing.py", "graph/hierarchy.py",
    "graph/leiden.py", "graph/local_moving.py", "graph/louvain.py", "graph/modularity.py", "graph/paths.py",
    "graph/schema.py", "graph/spring_layout.py", "graphrag.py", "ingest/conform.py", "ingest/pending.py",
    "ingest/upsert.py", "interchange/", "jobs/", "knowledge_graph.py", "mcp.py", "memory/drafts.py",
    "memory/events.py", "memory/facts.py", "memory/fields.py", "memory/history.py", "memory/instructions.py",
    "memory/lint.py", "memory/supersede.py", "memory/tasks.py", "memory/trust.py", "models/data/LICENSE",
    "models/data/static_table.bin", "models/recorded.py", "models/scripted.py", "okf/", "ontology/classify.py",
    "ontology/schema_org.py", "pipeline/chunking.py", "pipeline/communities.py", "pipeline/documents.py",
    "pipeline/entities.py", "pipeline/insert.py", "pipeline/merging.py", "pipeline/questions.py",
    "pipeline/rule_extraction.py", "pipeline/similar_chunks.py", "pipeline/store_communities.py",
    "pipeline/store_core.py", "pipeline/store_documents.py", "pipeline/store_entities.py",
    "pipeline/store_knowledge.py", "pipeline/store_scopes.py", "pipeline/store_search.py",
    "pipeline/store_statements.py", "pipeline/summaries.py", "pipeline/view.py", "pipeline/word_index.py",
    "prompts/backfill.py", "prompts/community_report.py", "prompts/drift.py", "prompts/extract_graph.py",
    "prompts/graph_reply.py", "prompts/heal.py", "prompts/keywords.py", "prompts/librarian.py",
    "prompts/merge_judge.py", "prompts/questions.py", "prompts/resolve.py", "prompts/summarise_entity.py",
    "prompts/synthesis.py", "prompts/toolkit_answer.py", "prompts/toolkit_extract.py", "prompts/toolkit_judge.py",
    "prompts/toolkit_report.py", "resolution/duplicates.py", "resolution/evidence.py", "resolution/suggest.py",
    "retrieve/diversity.py", "retrieve/paths.py", "sdk.py", "search/diversity.py", "search/metadata_filter.py",
    "search/metrics.py", "search/numpy_rows.py", "search/packed_columns.py", "site/", "store/foreign.py",
    "store/load.py", "store/port_edges.py", "store/port_graph.py", "store/port_nodes.py", "store/port_values.py",
    "store/port_vectors.py", "store/sqlite_vec_ranker.py", "store_ports.py", "strategies/auto.py",
    "strategies/drift.py", "strategies/dual_level.py", "strategies/entity_enhanced.py", "strategies/factories.py",
    "strategies/graph_tables.py", "strategies/local_community.py", "strategies/naive.py", "strategies/pagerank.py",
    "strategies/questions.py", "strategies/similar_chunks.py", "text/alike.py", "text/highlight.py",
    "text/memory_dump.py", "text/rule_questions.py", "text/same_name.py", "text/stitching.py", "timeline/diff.py",
    "timeline/outbox.py", "timeline/restore.py", "toolkit/", "tools/", "wiki/graph_home.py",
}
# fmt: on
"""What no operation of the page reaches: folders of the package, and single modules of others."""


def modules_in(folder: Path) -> dict[str, str]:
    """Name of a file of our wheel, without the package → what it holds, of Python."""
    with zipfile.ZipFile(our_wheel_in(folder)) as wheel:
        names = [name for name in wheel.namelist() if name.startswith("lorelite/")]
        return {
            name.removeprefix("lorelite/"): wheel.read(name).decode() if name.endswith(".py") else "" for name in names
        }


def test_the_notebooks_get_the_whole_wheel_and_the_page_what_its_operations_reach() -> None:
    in_page, in_notebooks = (set(modules_in(folder)) for folder in DISTRIBUTIONS)
    package = SITE.parents[1] / "src" / "lorelite"
    assert in_notebooks >= {path.relative_to(package).as_posix() for path in package.rglob("*.py")}
    folders = {name.split("/")[0] + "/" for name in in_page if "/" in name}
    left_out = {
        name if f"{folder}/" in folders or not inside else f"{folder}/"
        for name in in_notebooks - in_page
        for folder, inside, _ in [name.partition("/")]
    }
    assert left_out == NOT_IN_THE_PAGE
    assert in_page < in_notebooks


def test_what_a_module_of_the_page_imports_at_once_is_in_the_page_too() -> None:
    in_page, everything = map(modules_in, DISTRIBUTIONS)
    missing = {
        (name, wanted)
        for name, text in in_page.items()
        for wanted in imported_at_once(text, everything)
        if wanted not in in_page
    }
    assert not missing


def imported_at_once(text: str, everything: Collection[str]) -> Iterator[str]:
    """The files of our package that stand for the imports outside of functions and conditions."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("lorelite."):
            folder = node.module.removeprefix("lorelite.").replace(".", "/")
            for alias in node.names:
                files = (f"{folder}/{alias.name}.py", f"{folder}.py", f"{folder}/__init__.py")
                yield next(file for file in files if file in everything)


def test_the_table_of_meanings_lies_beside_the_page_for_when_it_is_wanted() -> None:
    assert (SITE / "data" / "static_table.bin").is_file()


def test_what_we_add_to_pyodide_for_the_page_takes_at_most_six_hundred_kilobytes() -> None:
    served = [SITE / "index.html", SITE / "style.css", *(SITE / "src").rglob("*.js"), *(SITE / "src").rglob("*.svg")]
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
