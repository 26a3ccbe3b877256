"""A JavaScript function as a model and as an embedder: in Pyodide, where there are such functions."""

from __future__ import annotations

import asyncio
import sys

import pytest

from lorelite.errors import AsyncOnlyModel, ContextOverflow, InvalidOption, ModelError
from lorelite.models import BrowserEmbedder, BrowserModel
from lorelite.ports import Listener, ModelRequest

in_pyodide = pytest.mark.skipif(sys.platform != "emscripten", reason="only Pyodide has functions of JavaScript")
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def js(source):
    from pyodide.code import run_js

    return run_js(source)


def asked(user, schema=None):
    return ModelRequest(system="Be short.", user=user, schema=schema, purpose="test")


@pytest.mark.skipif(sys.platform == "emscripten", reason="about the places without JavaScript")
def test_outside_of_a_browser_it_is_refused_by_name():
    with pytest.raises(InvalidOption, match="which only a browser has"):
        BrowserModel(print)


@in_pyodide
def test_a_python_function_is_refused():
    with pytest.raises(InvalidOption, match="an async function of JavaScript"):
        BrowserModel(print)


async def replies_of(source, *users, listener=None, schema=None):
    model = BrowserModel(js(source), name="page")
    return await model.complete_telling([asked(user, schema) for user in users], listener or Listener())


def run(coroutine):
    return asyncio.get_event_loop().run_until_complete(coroutine)


@in_pyodide
def test_the_function_gets_the_request_and_its_text_is_the_reply():
    source = "async (r) => [r.system, r.user, r.schema?.properties.a.type, r.purpose, r.signal.aborted].join('|')"
    [reply] = run(replies_of(source, "Hi", schema=SCHEMA))
    assert reply.text == "Be short.|Hi|string|test|false"
    assert (reply.usage.calls, reply.finish, reply.error) == (1, "stop", None)


@in_pyodide
def test_an_object_tells_more():
    source = "async () => ({text: 'cut', finish: 'length', model: 'm', input_tokens: 7, output_tokens: 2})"
    [reply] = run(replies_of(source, "Hi"))
    assert (reply.text, reply.finish, reply.model) == ("cut", "length", "m")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 2)


@in_pyodide
def test_pieces_and_replies_are_told_as_they_come():
    pieces, replies = [], []
    listener = Listener(
        on_text=lambda at, piece: pieces.append((at, piece)),
        on_reply=lambda at, reply: replies.append((at, reply.text)),
    )
    source = "async ({user}, onText) => { if (user == 'a') { onText('x'); onText('y'); } return 'xy'; }"
    run(replies_of(source, "a", "b", listener=listener))
    assert pieces == [(0, "x"), (0, "y"), (1, "xy")]
    assert replies == [(0, "xy"), (1, "xy")]


@in_pyodide
@pytest.mark.parametrize(
    ("thrown", "kind"),
    [
        ("Object.assign(new Error('too long'), {name: 'QuotaExceededError'})", ContextOverflow),
        ("new Error('out of memory')", ModelError),
    ],
)
def test_what_the_function_throws_is_the_error_of_that_reply_alone(thrown, kind):
    source = f"async ({{user}}) => {{ if (user == 'a') throw {thrown}; return 'fine'; }}"
    bad, good = run(replies_of(source, "a", "b"))
    assert type(bad.error) is kind
    assert good.text == "fine"


@in_pyodide
@pytest.mark.parametrize("value", ["undefined", "42", "null", "({txt: 'no'})"])
def test_a_value_that_is_no_text_is_an_error(value):
    [reply] = run(replies_of(f"async () => ({value})", "Hi"))
    assert isinstance(reply.error, ModelError) and "expected a text" in str(reply.error)


@in_pyodide
def test_a_cancelled_call_fires_the_signal():
    async def cancelled():
        model = BrowserModel(
            js("globalThis.fired = 0, ({signal}) => new Promise(() => {signal.onabort = () => fired++})")
        )
        task = asyncio.ensure_future(model.complete([asked("Hi")]))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return js("fired")

    assert run(cancelled()) == 1


@in_pyodide
def test_it_cannot_serve_the_blocking_face():
    with pytest.raises(AsyncOnlyModel):
        BrowserModel(js("async () => ''")).as_blocking()


@in_pyodide
def test_an_embedder_takes_arrays_and_typed_arrays():
    for row in ("[t.length, 1]", "new Float32Array([t.length, 1])"):
        embedder = BrowserEmbedder(js(f"async (texts) => texts.map((t) => {row})"), model_id="space", batch_size=2)
        assert run(embedder.embed(["a", "bb", "ccc"])) == [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]


@in_pyodide
def test_an_embedder_that_gives_too_few_vectors_is_told():
    embedder = BrowserEmbedder(js("async () => [[1]]"), model_id="space")
    with pytest.raises(ModelError):
        run(embedder.embed(["a", "b"]))
