"""A JavaScript function as a model: what can be told without an event loop (the rest is in tests/browser)."""

from __future__ import annotations

import sys

import pytest

from lorelite.errors import AsyncOnlyModel, InvalidOption
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
