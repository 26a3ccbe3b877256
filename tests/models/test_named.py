"""Models and embedders by name."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, Wiki
from lorelite.models import (
    AnthropicModel,
    GeminiEmbedder,
    GeminiModel,
    OllamaEmbedder,
    OllamaModel,
    OpenAIEmbedder,
    OpenAIModel,
    OpenAIResponsesModel,
    StaticEmbedder,
)
from lorelite.models.named import named_embedder, named_model

KEYS = {
    "OPENAI_API_KEY": "sk-openai",
    "ANTHROPIC_API_KEY": "sk-anthropic",
    "GOOGLE_API_KEY": "sk-google",
    "GEMINI_API_KEY": " ",
}


def key(made):
    return made.protocol.settings.api_key


@pytest.mark.parametrize(
    ("name", "kind", "model", "secret"),
    [
        ("openai:gpt-5-mini", OpenAIModel, "gpt-5-mini", "sk-openai"),
        ("openai-responses:gpt-5-mini", OpenAIResponsesModel, "gpt-5-mini", "sk-openai"),
        ("anthropic:claude-haiku", AnthropicModel, "claude-haiku", "sk-anthropic"),
        ("gemini:gemini-flash", GeminiModel, "gemini-flash", "sk-google"),
        ("ollama:llama3.2:3b", OllamaModel, "llama3.2:3b", None),
        (" qwen3@http://localhost:8080/v1 ", OpenAIModel, "qwen3", "sk-openai"),
        ("org/me@home@https://example.org", OpenAIModel, "org/me@home", "sk-openai"),
    ],
)
def test_a_model_is_of_the_provider_named_with_its_own_key(name, kind, model, secret):
    made = named_model(name, environment=KEYS)
    assert type(made) is kind
    assert (made.name, key(made)) == (model, secret)
    assert secret is None or secret not in repr(made)


def test_our_own_variable_comes_before_that_of_openai():
    assert key(named_model("openai:m", environment={**KEYS, "LORELITE_API_KEY": "sk-ours"})) == "sk-ours"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("static", StaticEmbedder),
        ("openai:e", OpenAIEmbedder),
        ("gemini:e", GeminiEmbedder),
        ("ollama:e", OllamaEmbedder),
        ("e@http://localhost:8080/v1", OpenAIEmbedder),
    ],
)
def test_an_embedder_is_of_the_provider_named(name, kind):
    assert type(named_embedder(name, environment={})) is kind


@pytest.mark.parametrize("name", ["", "gpt-5", "openai:", "mistral:small", "m@localhost", ":m", "@http://x/v1"])
def test_another_name_is_told_what_there_is(name):
    with pytest.raises(InvalidOption, match=r"ollama:NAME, or NAME@URL|ollama:NAME or NAME@URL"):
        named_model(name)
    with pytest.raises(InvalidOption, match="static"):
        named_embedder(name)


@pytest.mark.cpython_only  # a blocking wiki asks over sockets
def test_a_wiki_takes_names(tmp_path):
    with Wiki.open(":memory:", model="ollama:llama3.2", embedder="static") as wiki:
        wiki.write("main", title="The gauge is read at noon")
        assert wiki.get_status("main").vectors == 1
    with pytest.raises(InvalidOption, match="model"):
        Wiki.open(":memory:", model="llama3.2")
