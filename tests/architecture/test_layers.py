"""The shape of the code: who may import whom, and what stands where."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "lorelite"
MAX_LINES = 400

BASE, PURE, PROMPTS, PORTS, SUPPLY, WORKFLOWS, FACES = range(7)
LAYERS = {
    "records": BASE,
    "graph_records": BASE,
    "merge_records": BASE,
    "call_records": BASE,
    "revisions": BASE,
    "errors": BASE,
    "settings": BASE,
    "hooks": BASE,
    "spending": BASE,
    "prices": BASE,
    "cost_records": BASE,
    "reports": BASE,
    "findings": BASE,
    "dumps": BASE,
    "ids": BASE,
    "temporal": BASE,
    "_drive": BASE,
    "text": PURE,
    "graph": PURE,
    "search": PURE,
    "ontology": PURE,
    "prompts": PROMPTS,
    "ports": PORTS,
    "store_ports": PORTS,
    "store": SUPPLY,
    "models": SUPPLY,
    "adapters": SUPPLY,
    "given": SUPPLY,
    "options": WORKFLOWS,
    "engine": WORKFLOWS,
    "asking": WORKFLOWS,
    "instructions": WORKFLOWS,
    "ingest": WORKFLOWS,
    "retrieve": WORKFLOWS,
    "timeline": WORKFLOWS,
    "strategies": WORKFLOWS,
    "pipeline": WORKFLOWS,
    "communities": WORKFLOWS,
    "resolution": WORKFLOWS,
    "toolkit": FACES,
    "jobs": WORKFLOWS,
    "memory": WORKFLOWS,
    "interchange": WORKFLOWS,
    "evaluation": WORKFLOWS,
    "sdk": FACES,
    "graphrag": FACES,
    "knowledge_graph": FACES,
    "transaction": FACES,
    "opening": FACES,
    "wiki": FACES,
    "blocking": FACES,
    "tools": FACES,
    "mcp": FACES,
    "okf": FACES,
    "site": FACES,
    "classroom": FACES,
    "cli": FACES,
    "browser": FACES,
    "__init__": FACES,
    "__main__": FACES,
}
SEAMS = {
    ("settings", "ontology.manifest"): "a seed manifest is kept as the record it is",
    ("settings", "ontology.rules"): "a seed manifest is checked when the settings are made, not when it is first used",
    ("models.transport", "browser.fetch"): "in a tab the browser's fetch carries the bytes; imported when first used",
    ("models", "browser.model"): "a model of the page is a model; imported when first asked for",
    ("search.matrix", "browser.heap_rows"): "in a tab JavaScript compares the vectors; imported when the first are",
    ("opening", "browser.storage"): "in a tab a file lives in the browser's storage; imported when one is opened",
    ("prompts", "ports"): "a prompt is built as a ModelRequest, a record that ports.py declares",
}
BROWSER_PACKAGES = {"js", "pyodide", "pyodide_js"}
EVENT_LOOPS_AND_THREADS = {"asyncio", "threading", "concurrent", "multiprocessing", "queue"}
MAY_WAIT = {
    "store.board": "a job waits for its turn; the lock does not suspend when nobody is before it",
    "models.ranker": "limits how long a vector ranker may take to be told of a deletion",
    "models.pace": "a lock lets the threads of a batch take their turns",
    "models.transport": "decides how many requests are under way at a time",
    "models.streaming": "what a request tells is given on as it comes, from a task or a thread",
    "mcp": "a server waits for its client, in the event loop of the protocol's SDK",
    "blocking.core": "an RLock lets threads share one Wiki",
    "store.sqlite_vec_ranker": "an RLock lets wikis of several threads share one index",
}
SQL = re.compile(
    r"^\s*(select\s.+\sfrom\s|insert\s+(or\s+\w+\s+)?into\s|update\s+\w+\s+set\s|delete\s+from\s|pragma\s+\w+"
    r"|create\s+(virtual\s+)?(table|index)\s|drop\s+table\s|begin\s+immediate|savepoint\s)",
    re.IGNORECASE | re.DOTALL,
)
VAGUE = re.compile(r"(^|_)(utils?|helpers?|manager|misc|common|v\d+)(_|$)", re.IGNORECASE)


def modules() -> Iterator[tuple[str, ast.Module]]:
    """(name without the package, tree) of every module."""
    for path in sorted(SRC.rglob("*.py")):
        parts = list(path.relative_to(SRC).with_suffix("").parts)
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        yield ".".join(parts), ast.parse(path.read_text("utf-8"))


MODULES = dict(modules())


def imports(tree: ast.Module) -> set[str]:
    """Every module that is imported anywhere, inside functions too; `from a import b` may name the module a.b."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            for alias in node.names:
                within = f"{node.module}.{alias.name}"
                found.add(within if within.removeprefix("lorelite.") in MODULES else str(node.module))
    return found


def own_imports(tree: ast.Module) -> set[str]:
    found = {name for name in imports(tree) if name.split(".")[0] == "lorelite"}
    return {name.removeprefix("lorelite").removeprefix(".") or "__init__" for name in found}


def top(module: str) -> str:
    return module.split(".")[0]


def is_seam(module: str, imported: str) -> bool:
    return (module, imported) in SEAMS or (top(module), imported) in SEAMS


def test_every_module_has_a_layer():
    assert {top(name) for name in MODULES} == set(LAYERS)


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down_or_sideways(module):
    upward = {
        imported
        for imported in own_imports(MODULES[module])
        if LAYERS[top(imported)] > LAYERS[top(module)] and not is_seam(module, imported)
    }
    assert not upward, f"{module} imports upward: {sorted(upward)}"


def test_an_import_inside_a_function_is_seen():
    assert imports(ast.parse("def f():\n    from lorelite.store import nodes\n    import json\n")) == {
        "lorelite.store.nodes",
        "json",
    }


def test_every_seam_is_in_use():
    for module, imported in SEAMS:
        users = [name for name in MODULES if name == module or top(name) == module]
        assert any(imported in own_imports(MODULES[name]) for name in users), (module, imported)


def test_the_supplies_do_not_know_each_other():
    for module, tree in MODULES.items():
        if top(module) == "store":
            assert not {name for name in own_imports(tree) if top(name) == "models"}
        if top(module) == "models":
            assert not {name for name in own_imports(tree) if top(name) == "store"} - {"store.sqlite_vec_ranker"}


def test_workflows_reach_models_through_the_ports_alone():
    for module, tree in MODULES.items():
        if LAYERS[top(module)] == WORKFLOWS:
            assert not {name for name in own_imports(tree) if top(name) == "models"}, module


def test_sql_stands_in_the_store_alone():
    for module, tree in MODULES.items():
        texts = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        if top(module) != "store":
            assert not [text for text in texts if SQL.match(text)], module
            assert "sqlite3" not in imports(tree), module
    assert any(
        SQL.match(text.value)
        for text in ast.walk(MODULES["store.nodes"])
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
    )


def test_javascript_is_imported_in_the_browser_package_alone():
    for module, tree in MODULES.items():
        used = {name.split(".")[0] for name in imports(tree)} & BROWSER_PACKAGES
        assert not used or top(module) == "browser", module


def test_only_the_command_line_prints():
    for module, tree in MODULES.items():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        streams = [
            node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in ("stdout", "stderr")
        ]
        if top(module) not in ("cli", "__main__") and module != "classroom.serve":  # which is a program of its own
            assert not [call for call in calls if call.func.id in ("print", "input")] and not streams, module


def test_the_engine_knows_neither_event_loops_nor_threads():
    users = {
        module
        for module, tree in MODULES.items()
        if {name.split(".")[0] for name in imports(tree)} & EVENT_LOOPS_AND_THREADS and top(module) not in ("browser",)
    }
    assert users <= set(MAY_WAIT)


def test_names_say_what_a_module_holds():
    folders = [SRC, ROOT / "web" / "src", ROOT / "bench", ROOT / "tests"]
    names = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".js")]
    assert not [str(path) for path in names if VAGUE.search(path.stem)]


@pytest.mark.parametrize("folder", ["src", "web/src", "web/build", "bench", "tests"])
def test_no_file_is_longer_than_one_can_read(folder):
    paths = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".js", ".mjs", ".ts")]
    lengths = {path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines()) for path in paths}
    assert not {name: length for name, length in lengths.items() if length > MAX_LINES}


def test_every_test_file_has_a_name_of_its_own():
    """pytest imports them by name alone."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py") if "browser" not in path.parts]
    assert sorted(set(names)) == sorted(names)
