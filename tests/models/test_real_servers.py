"""Against model servers that nobody here wrote: llama.cpp's with a tiny model, and aimock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_servers import KEY, aimock, llama_server
from tiny_model import write_tiny_model

from lorelite import Wiki
from lorelite.errors import ContextOverflow, ModelRefused, Truncated
from lorelite.models import (
    AnthropicModel,
    GeminiModel,
    OllamaModel,
    OpenAIEmbedder,
    OpenAIModel,
    OpenAIResponsesModel,
)
from lorelite.ports import Listener, ModelRequest

pytestmark = pytest.mark.cpython_only
ASK = ModelRequest(system="Be brief.", user="Who was Scrooge's partner?")
SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 10}}, "required": ["a"]}
LLAMA_APIS = [OpenAIModel, OpenAIResponsesModel, AnthropicModel]
FIXTURES = [
    {"match": {"userMessage": "limited"}, "response": {"error": {"message": "slow down"}, "status": 429}},
    {"match": {"userMessage": "partner"}, "response": {"content": "Jacob Marley, as dead as a door-nail."}},
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_tiny_model(path)
    return path


@pytest.fixture(scope="module")
def llama(tiny: Path) -> Iterator[str]:
    with llama_server(tiny) as address:
        yield address


@pytest.fixture(scope="module")
def mock() -> Iterator[str]:
    with aimock(FIXTURES) as address:
        yield address


def streamed(model, request=ASK):
    told: list[str] = []
    (reply,) = asyncio.run(model.complete_telling([request], Listener(on_text=lambda at, piece: told.append(piece))))
    return told, reply


@pytest.mark.parametrize("api", LLAMA_APIS)
def test_llama_cpp_answers_whole_and_as_a_stream_with_its_own_counts(llama, api):
    model = api("tiny", base_url=llama, api_key=KEY, max_tokens=400)
    replies = asyncio.run(model.complete([ASK, ASK]))
    assert all(reply.error is None and reply.text and reply.usage.output_tokens for reply in replies)
    told, reply = streamed(model)
    assert len(told) > 1 and "".join(told) == reply.text == replies[0].text
    assert model.as_blocking().blocking


def test_llama_cpp_keeps_to_a_schema(llama):
    model = OpenAIModel("tiny", base_url=llama, api_key=KEY, max_tokens=400)
    (reply,) = asyncio.run(model.complete([ModelRequest(system="JSON.", user="hi", schema=SCHEMA)]))
    assert set(json.loads(reply.text)) == {"a"}


@pytest.mark.parametrize("api", LLAMA_APIS)
def test_llama_cpp_tells_a_wrong_key_a_long_prompt_and_a_cut_reply(llama, api):
    (refused,) = asyncio.run(api("tiny", base_url=llama, api_key="wrong").complete([ASK]))
    assert isinstance(refused.error, ModelRefused) and refused.error.data["cause"] == "key"
    model = api("tiny", base_url=llama, api_key=KEY, max_tokens=2)
    long, cut = asyncio.run(model.complete([ModelRequest(system="", user="hello " * 3_000), ASK]))
    assert isinstance(long.error, ContextOverflow)
    assert isinstance(cut.error, Truncated) and cut.usage.calls >= 2


def test_llama_cpp_embeds(tiny):
    with llama_server(tiny, embedding=True) as address:
        vectors = asyncio.run(OpenAIEmbedder("tiny", base_url=address, api_key=KEY).embed(["a ferry", "a boat"]))
    assert [len(vector) for vector in vectors] == [64, 64]


def test_a_wiki_asks_a_model_that_writes_nonsense_and_keeps_none_of_it(llama):
    model = OpenAIModel("tiny", base_url=llama, api_key=KEY, max_tokens=200)
    with Wiki.open(":memory:") as plain:
        plain.ingest_document("class", source_ref="a.txt", text="Jacob Marley was Scrooge's partner.")
        wanted = plain.read("class", "partner").facts
    with Wiki.open(":memory:", model=model) as wiki:
        try:
            wiki.ingest_document("class", source_ref="a.txt", text="Jacob Marley was Scrooge's partner.")
        except Exception as error:
            assert type(error).__module__.startswith("lorelite.errors")
        names = {node.title for node in wiki.read("class", "partner").facts}
    assert wanted
    assert all("�" not in name for name in names)


@pytest.mark.parametrize("api", [OpenAIModel, OpenAIResponsesModel, AnthropicModel, GeminiModel, OllamaModel])
def test_aimock_answers_in_five_apis_whole_and_as_a_stream(mock, api):
    model = api("gpt-4o", base_url=mock, api_key=KEY)
    (reply,) = asyncio.run(model.complete([ASK]))
    assert (reply.text, reply.error) == ("Jacob Marley, as dead as a door-nail.", None)
    told, reply = streamed(model)
    assert len(told) > 1 and "".join(told) == reply.text == "Jacob Marley, as dead as a door-nail."


def test_aimock_that_limits_the_rate_is_given_up_by_name(mock):
    model = OpenAIModel("gpt-4o", base_url=mock, api_key=KEY, max_retries=0)
    (reply,) = asyncio.run(model.complete([ModelRequest(system="", user="limited")]))
    assert isinstance(reply.error, ModelRefused) and reply.error.data["cause"] == "rate"
