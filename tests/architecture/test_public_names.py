"""The table of public names, and the promise that comes with each."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import lorelite
import lorelite.evaluation
import lorelite.graphrag
import lorelite.models
import lorelite.toolkit
import lorelite.tools
from lorelite import AsyncWiki, Wiki, errors
from lorelite.ports import ChatModel, Embedder
from lorelite.toolkit import EntityStore, Enumerable, Merger, Retriever
from lorelite.toolkit.records import BatchReader

PUBLIC_MODULES = [lorelite, lorelite.evaluation, lorelite.models, lorelite.toolkit, lorelite.tools]


def public_names(module: ModuleType) -> set[str]:
    return {
        name
        for name in dir(module)
        if not name.startswith("_")
        and name not in ("annotations", "TYPE_CHECKING")
        and not inspect.ismodule(getattr(module, name))
    }


@pytest.mark.parametrize("module", PUBLIC_MODULES, ids=lambda module: module.__name__)
def test_all_is_sorted_and_names_everything_public(module):
    assert module.__all__ == sorted(module.__all__, key=lambda name: (not name.isupper(), name))
    assert set(module.__all__) == public_names(module)


def test_every_error_is_public():
    tree = {value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, Exception)}
    assert {error.__name__ for error in tree} <= set(lorelite.__all__)
    assert all(issubclass(error, lorelite.LoreliteError) for error in tree)


def test_every_error_stands_in_the_drawn_tree():
    for name in (name for name in lorelite.__all__ if inspect.isclass(getattr(lorelite, name))):
        value = getattr(lorelite, name)
        if issubclass(value, Exception) and not issubclass(value, Warning):
            assert name in errors.__doc__


PORTS = (ChatModel, Embedder, lorelite.models.Transport, EntityStore, Enumerable, BatchReader, Merger, Retriever)
PROMISED_BY_A_PORT = {name for port in PORTS for name in vars(port) if not name.startswith("_")}


def documented() -> list[tuple[str, object]]:
    """Every public class and function, and every public method of those classes that is written here."""
    found: list[tuple[str, object]] = []
    for module in PUBLIC_MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if not (inspect.isclass(value) or inspect.isfunction(value)):
                continue
            found.append((name, value))
            if inspect.isclass(value):
                found += [
                    (f"{name}.{method}", function)
                    for owner in value.__mro__
                    if owner.__module__.split(".")[0] == "lorelite"
                    for method, function in vars(owner).items()
                    if not method.startswith("_")
                    and method not in PROMISED_BY_A_PORT
                    and inspect.isfunction(getattr(function, "__func__", function))
                ]
    return found


def has_own_docstring(value: object) -> bool:
    text = inspect.getdoc(value) or ""
    made_up = dataclasses.is_dataclass(value) and isinstance(value, type) and text.startswith(f"{value.__name__}(")
    return bool(text.strip()) and not made_up


def test_every_public_class_function_and_method_has_a_docstring():
    assert [name for name, value in documented() if not has_own_docstring(value)] == []


def test_both_faces_have_the_same_methods_with_the_same_signatures():
    def methods(face: type) -> dict[str, inspect.Signature]:
        return {
            name: inspect.signature(getattr(face, name))
            for name in dir(face)
            if not name.startswith("_") and callable(getattr(face, name))
        }

    ours, twins = methods(AsyncWiki), methods(Wiki)
    assert list(ours) == list(twins) or set(ours) == set(twins)
    different = {
        name: (str(ours[name]), str(twins[name]))
        for name in ours
        if list(ours[name].parameters.values()) != list(twins[name].parameters.values())
    }
    assert not different
    assert {name: s.return_annotation for name, s in ours.items()} | {"graph": "BlockingKnowledgeGraph"} == {
        name: s.return_annotation for name, s in twins.items()
    }


def test_both_faces_of_a_knowledge_graph_have_the_same_methods_with_the_same_parameters():
    def methods(face: type) -> dict[str, list[inspect.Parameter]]:
        return {
            name: list(inspect.signature(value).parameters.values())
            for name, value in vars(face).items()
            if not name.startswith("_") and inspect.isfunction(value)
        }

    ours = methods(lorelite.KnowledgeGraph)
    unwrapped = {
        name: inspect.unwrap(value) for name, value in vars(lorelite.KnowledgeGraph).items() if callable(value)
    }
    assert {name for name, value in unwrapped.items() if inspect.iscoroutinefunction(value)} == {
        *methods(lorelite.BlockingKnowledgeGraph),
        "__aenter__",
        "__aexit__",
        "_open",
        "_started",
        "_plan",
    }
    assert {name: ours[name] for name in methods(lorelite.BlockingKnowledgeGraph)} == methods(
        lorelite.BlockingKnowledgeGraph
    )


def test_every_name_of_graphrag_is_one_of_lorelite_and_is_loaded_when_it_is_asked_for():
    assert {name for name, module in lorelite._LATER.items() if module == "graphrag"} == set(lorelite.graphrag.__all__)


def test_what_waits_is_a_coroutine_on_one_face_and_on_the_other_not():
    for name in (name for name in dir(AsyncWiki) if not name.startswith("_") and name != "transaction"):
        assert inspect.iscoroutinefunction(getattr(AsyncWiki, name)), name
        assert not inspect.iscoroutinefunction(getattr(Wiki, name)), name


@pytest.mark.cpython_only
def test_importing_lorelite_loads_no_library_that_can_wait():
    code = "import sys, lorelite; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"httpx", "tqdm", "numpy", "js", "pyodide"} & set(loaded)


def test_the_public_modules_import_by_name():
    for module in PUBLIC_MODULES:
        assert importlib.import_module(module.__name__) is module


@pytest.mark.cpython_only
def test_importing_lorelite_loads_nothing_of_graphrag():
    code = "import sys, lorelite; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    packages = ("pipeline", "communities", "toolkit", "adapters", "sdk", "knowledge_graph", "graphrag")
    assert not [name for name in loaded if name.removeprefix("lorelite.").split(".")[0] in packages]
