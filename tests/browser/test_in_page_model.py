"""A JavaScript function as a model and as an embedder, in Chromium's Pyodide."""

from pytest_pyodide import run_in_pyodide


@run_in_pyodide(packages=["lorelite"])
async def test_the_function_gets_the_request_and_what_it_gives_is_the_reply(selenium):
    from pyodide.code import run_js

    from lorelite.models import BrowserModel
    from lorelite.ports import ModelRequest

    async def reply_of(source):
        request = ModelRequest(
            system="Be short.",
            user="Hi",
            schema={"type": "object", "properties": {"a": {"type": "string"}}},
            purpose="test",
        )
        [reply] = await BrowserModel(run_js(source), name="page").complete([request])
        return reply

    seen = "async (r) => [r.system, r.user, r.schema.properties.a.type, r.purpose, r.signal.aborted].join('|')"
    reply = await reply_of(seen)
    assert reply.text == "Be short.|Hi|string|test|false"
    assert (reply.usage.calls, reply.finish, reply.error) == (1, "stop", None)
    reply = await reply_of(
        "async () => ({text: 'cut', finish: 'length', model: 'm', input_tokens: 7, output_tokens: 2})"
    )
    assert (reply.text, reply.finish, reply.model) == ("cut", "length", "m")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 2)
    for value in ("undefined", "42", "null", "({txt: 'no'})"):
        reply = await reply_of(f"async () => ({value})")
        assert "expected a text" in str(reply.error), value


@run_in_pyodide(packages=["lorelite"])
async def test_pieces_and_replies_are_told_and_an_error_is_that_of_its_request_alone(selenium):
    from pyodide.code import run_js

    from lorelite.errors import ContextOverflow
    from lorelite.models import BrowserModel
    from lorelite.ports import Listener, ModelRequest

    pieces, replies = [], []
    listener = Listener(
        on_text=lambda at, piece: pieces.append((at, piece)),
        on_reply=lambda at, reply: replies.append((at, reply.text)),
    )
    source = """async ({user}, onText) => {
        if (user == "long") throw Object.assign(new Error("too long"), {name: "QuotaExceededError"});
        if (user == "a") { onText("x"); onText("y"); }
        return "xy";
    }"""
    requests = [ModelRequest(system="", user=user) for user in ("a", "b", "long")]
    told = await BrowserModel(run_js(source)).complete_telling(requests, listener)
    assert pieces == [(0, "x"), (0, "y"), (1, "xy")]
    assert replies == [(0, "xy"), (1, "xy"), (2, "")]
    assert isinstance(told[2].error, ContextOverflow)


@run_in_pyodide(packages=["lorelite"])
async def test_a_cancelled_call_fires_the_signal(selenium):
    import asyncio
    import contextlib

    from pyodide.code import run_js

    from lorelite.models import BrowserModel
    from lorelite.ports import ModelRequest

    waits = run_js("globalThis.fired = 0, ({signal}) => new Promise(() => { signal.onabort = () => fired++; })")
    task = asyncio.ensure_future(BrowserModel(waits).complete([ModelRequest(system="", user="Hi")]))
    await asyncio.sleep(0.05)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert run_js("fired") == 1


@run_in_pyodide(packages=["lorelite"])
async def test_an_embedder_takes_arrays_and_typed_arrays_and_too_few_are_told(selenium):
    import pytest
    from pyodide.code import run_js

    from lorelite.errors import ModelError
    from lorelite.models import BrowserEmbedder

    for row in ("[t.length, 1]", "new Float32Array([t.length, 1])"):
        embed = run_js(f"async (texts) => texts.map((t) => {row})")
        vectors = await BrowserEmbedder(embed, model_id="space", batch_size=2).embed(["a", "bb", "ccc"])
        assert vectors == [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]
    with pytest.raises(ModelError):
        await BrowserEmbedder(run_js("async () => [[1]]"), model_id="space").embed(["a", "b"])
