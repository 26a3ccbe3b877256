"""The JavaScript modules that the wheel carries, loaded when they are first wanted."""

from __future__ import annotations

import base64
import re
from importlib import resources
from typing import Any

_IMPORT = re.compile(r'^(import .*)from "\./(\w+)\.js"', re.MULTILINE)
_loaded: dict[str, Any] = {}


async def script(name: str) -> Any:
    """The module js/NAME.js, for example "block_store" or "models/relay"."""
    if name not in _loaded:
        from pyodide.code import run_js

        _loaded[name] = await run_js("(url) => import(url)")(address(name))
    return _loaded[name]


def address(name: str) -> str:
    """A data URL of the module and what it imports; unlike a blob's, Node understands it as well."""
    source = resources.files("lorelite.browser").joinpath("js", f"{name}.js").read_text("utf-8")
    folder = name.rpartition("/")[0]
    linked = _IMPORT.sub(lambda found: f'{found[1]}from "{address(f"{folder}/{found[2]}".lstrip("/"))}"', source)
    return f"data:text/javascript;base64,{base64.b64encode(linked.encode()).decode()}"
