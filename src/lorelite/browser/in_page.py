"""Models that run in the browser itself, for notebooks and pages: no key, no endpoint, no network.

    model = await in_page.prompt_api()                       # the browser's own language model, where it has one
    model = await in_page.connect({"kind": "wllama", "library": "models/wllama/index.js", "model": "models/tiny.gguf"})
    wiki = await AsyncWiki.open("class.db", model=model)

The libraries and weights of the other kinds (webllm, wllama, transformers) are served beside the page; nothing is
fetched from anywhere else.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from lorelite.browser.model import BrowserEmbedder, BrowserModel, failure
from lorelite.browser.scripts import address, script
from lorelite.errors import InvalidOption

KINDS = ("prompt_api", "webllm", "wllama", "transformers")


async def prompt_api(*, options: Mapping[str, Any] | None = None, max_parallel: int = 1) -> BrowserModel:
    """The browser's own language model. `options` go to LanguageModel.create, such as
    {"expectedOutputs": [{"type": "text", "languages": ["en"]}]}.

    In a JupyterLite notebook Python runs in a worker, where that model is not; a small script is then displayed, which
    asks it in the window. The download of the model, where there is one, must follow a click: run the cell yourself.
    Raises ModelUnreachable in a browser without one.
    """
    choice = {"kind": "prompt_api", "options": dict(options or {})}
    if _is_window():
        return await connect(choice, max_parallel=max_parallel)
    channel = f"lorelite-{secrets.token_hex(16)}"
    script_of_window = _SERVE.format(
        channel=channel,
        relay=address("models/relay"),
        kind=address("models/prompt_api"),
        choice=json.dumps(choice),
    )
    _display(script_of_window)
    return await through(channel, max_parallel=max_parallel)


async def connect(choice: Mapping[str, Any], *, max_parallel: int = 1) -> BrowserModel:
    """A model that runs where Python runs.

    choice: {kind, library, model, options}: kind is one of KINDS, library the address of its JavaScript module, model
    as the library names it, or the address of its weights. Raises ModelError with what the library says.
    """
    loaded = await _loaded(choice)
    return BrowserModel(loaded.complete, name=str(loaded.name), max_parallel=max_parallel)


async def connect_embedder(choice: Mapping[str, Any], *, batch_size: int = 16) -> BrowserEmbedder:
    """An embedder that runs where Python runs; kind "transformers" with options {"task": "feature-extraction"}."""
    loaded = await _loaded(choice)
    return BrowserEmbedder(loaded.embed, model_id=str(loaded.name), batch_size=batch_size)


async def through(channel: str, *, max_parallel: int = 1) -> BrowserModel:
    """The model that a window serves on this channel (serve of js/models/relay.js). Raises ModelError for none."""
    relay = await script("models/relay")
    served = await _awaited("the window's model", relay.through(channel))
    return BrowserModel(served.complete, name=str(served.name), max_parallel=max_parallel)


async def _loaded(choice: Mapping[str, Any]) -> Any:
    import js
    from pyodide.ffi import to_js

    kind = choice.get("kind")
    if kind not in KINDS:
        raise InvalidOption("kind", f"one of {', '.join(KINDS)}", kind)
    module = await script(f"models/{kind}")
    given = to_js(dict(choice), dict_converter=js.Object.fromEntries)
    return await _awaited(str(kind), module.connect(given, js.Function.new("")))


async def _awaited(name: str, promise: Any) -> Any:
    from pyodide.ffi import JsException

    try:
        return await promise
    except JsException as error:
        raise failure(name, error) from None


def _is_window() -> bool:
    import js

    return bool(getattr(js, "document", None))


_SERVE = """
import("{relay}").then((relay) =>
  relay.serve("{channel}", import("{kind}").then((kind) => kind.connect({choice}, () => {{}})))
);
"""


def _display(code: str) -> None:
    """Run *code* in the window of a notebook."""
    try:
        from IPython.display import Javascript, display
    except ImportError:
        raise InvalidOption(
            "prompt_api", "a notebook or a window, where the browser's model can be asked", None
        ) from None
    display(Javascript(code))
