"""A JavaScript function as a model: what can be told without an event loop (the rest is in tests/browser)."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from lorelite.browser.model import failure
from lorelite.errors import AsyncOnlyModel, ContextOverflow, InvalidOption
from lorelite.models import BrowserModel

in_pyodide = pytest.mark.skipif(sys.platform != "emscripten", reason="only Pyodide has functions of JavaScript")


@pytest.mark.skipif(sys.platform == "emscripten", reason="about the places without JavaScript")
def test_outside_of_a_browser_it_is_refused_by_name():
    with pytest.raises(InvalidOption, match="which only a browser has"):
        BrowserModel(print)


@in_pyodide
def test_a_python_function_is_refused():
    with pytest.raises(InvalidOption, match="an async function of JavaScript"):
        BrowserModel(print)


@in_pyodide
def test_it_cannot_serve_the_blocking_face():
    from pyodide.code import run_js

    with pytest.raises(AsyncOnlyModel):
        BrowserModel(run_js("async () => ''")).as_blocking()


@pytest.mark.parametrize(
    "said",
    [
        SimpleNamespace(name="QuotaExceededError", message="the input is too large"),
        SimpleNamespace(name="Error", message="request (600 tokens) exceeds the available context size (512 tokens)"),
        SimpleNamespace(name="Error", message="Prompt tokens exceed context window size: 4096"),
    ],
    ids=["the browser's own", "wllama", "WebLLM"],
)
def test_a_prompt_that_is_too_long_is_known_by_what_each_library_throws(said):
    assert isinstance(failure("page", said), ContextOverflow)


def test_any_other_error_is_told_as_the_library_told_it():
    error = failure("page", SimpleNamespace(name="TypeError", message="no adapter"))
    assert not isinstance(error, ContextOverflow)
    assert "page failed: TypeError: no adapter" in str(error)
