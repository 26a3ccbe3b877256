import json
from typing import Any

import pytest
from fake_transport import FakeTransport, answers

from lorelite.errors import BadReply, InvalidOption, ModelError, ModelRefused, ModelUnreachable
from lorelite.models import HttpRequest, HttpResponse, OpenAIEmbedder, OpenAIModel
from lorelite.models.openai import Dialect, OpenAIChat
from lorelite.models.protocol import Settings
from lorelite.ports import ChatModel, Embedder, ModelRequest

URL = "http://localhost:11434/v1/chat/completions"
KEY = "sk-secret-0123456789"
ASK = ModelRequest(system="Be brief.", user="Who?", purpose="answer")
EXTRACT = ModelRequest(system="JSON.", user="text", purpose="extract", schema={"type": "object"})


def ok(text: str = "Marley", **more: Any) -> HttpResponse:
    reply = {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}], **more}
    return HttpResponse(status=200, body=json.dumps(reply).encode())


def status(code: int, message: str = "no", **headers: str) -> HttpResponse:
    body = json.dumps({"error": {"message": message}}).encode()
    return HttpResponse(
        status=code, headers={name.replace("_", "-"): value for name, value in headers.items()}, body=body
    )


PLAIN = Dialect()


def chat(dialect: Dialect = PLAIN, **settings: Any) -> OpenAIChat:
    return OpenAIChat(Settings(**{"model": "m", "url": URL, **settings}), dialect)


def model_on(transport: FakeTransport, **options: Any) -> OpenAIModel:
    return OpenAIModel("m", base_url="http://localhost:11434/v1", api_key=KEY, transport=transport, **options)


# the request


def test_a_request_has_two_headers_and_the_messages() -> None:
    request = chat(model="llama3", api_key=KEY, timeout=9, max_tokens=50).build(ASK)
    assert request.headers == {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    assert (request.url, request.timeout) == (URL, 9)
    assert json.loads(request.body) == {
        "model": "llama3",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}],
        "temperature": 0.0,
        "max_tokens": 50,
    }


def test_without_a_key_no_authorization_is_sent() -> None:
    assert chat().build(ASK).headers == {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("json_schema", {"type": "json_schema", "json_schema": {"name": "extract", "schema": {"type": "object"}}}),
        ("json_object", {"type": "json_object"}),
        ("none", None),
    ],
)
def test_a_schema_is_asked_for_as_the_endpoint_understands_it(mode: Any, expected: object) -> None:
    request = chat(Dialect(json_mode=mode)).build(EXTRACT)
    assert json.loads(request.body).get("response_format") == expected


def test_a_lone_surrogate_does_not_stop_a_request() -> None:
    request = chat().build(ModelRequest(system="", user="\ud83d"))
    assert json.loads(request.body)["messages"] == [{"role": "user", "content": "\ud83d"}]


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
        ("http://localhost:11434/", "http://localhost:11434/v1/chat/completions"),
        ("https://openrouter.ai/api/v1/", "https://openrouter.ai/api/v1/chat/completions"),
        ("https://x.org/v1/chat/completions", "https://x.org/v1/chat/completions"),
        ("https://x.org/openai?api-version=1", "https://x.org/openai/chat/completions?api-version=1"),
    ],
)
def test_an_address_is_completed(base_url: str, url: str) -> None:
    assert OpenAIModel("m", base_url=base_url, transport=answers()).url == url


@pytest.mark.parametrize("base_url", ["localhost:11434", "ftp://x.org", "", "http://"])
def test_an_address_that_is_none_is_refused(base_url: str) -> None:
    with pytest.raises(InvalidOption, match="base_url"):
        OpenAIModel("m", base_url=base_url, transport=answers())


def test_a_key_that_no_header_can_hold_is_refused_without_showing_it() -> None:
    with pytest.raises(InvalidOption) as caught:
        OpenAIModel("m", api_key="sk-geheim\nß", transport=answers())
    assert "geheim" not in str(caught.value)
    assert OpenAIModel("m", api_key=f" {KEY}\n", transport=answers()).protocol.settings.api_key == KEY


# the reply: recorded shapes


def reply_to(run: Any, outcome: Any, url: str = URL) -> Any:
    model = OpenAIModel("m", base_url=url, transport=answers(outcome), max_retries=0, max_continuations=0)
    (reply,) = run(model.complete([ASK]))
    return reply


OPENAI = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1741569952, "model": "gpt-4.1-2025-04-14",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Marley", "refusal": None,
                                         "annotations": []}, "logprobs": None, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29,
              "prompt_tokens_details": {"cached_tokens": 0}}, "service_tier": "default",
}  # fmt: skip
OLLAMA = {
    "id": "chatcmpl-403", "object": "chat.completion", "created": 1723623256, "model": "llama3.2",
    "system_fingerprint": "fp_ollama",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Marley"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29},
}  # fmt: skip
LLAMA_CPP = {
    "choices": [{"finish_reason": "stop", "index": 0,
                 "message": {"role": "assistant", "reasoning_content": "Hm.", "content": "Marley"}}],
    "created": 1753263546, "model": "gpt-3.5-turbo", "system_fingerprint": "b5966-abc", "object": "chat.completion",
    "usage": {"completion_tokens": 10, "prompt_tokens": 19, "total_tokens": 29}, "id": "chatcmpl-x",
    "timings": {"prompt_n": 19, "prompt_ms": 61.1, "predicted_n": 10},
}  # fmt: skip
PARTS = {
    "choices": [{"message": {"content": [{"type": "text", "text": "Mar"}, {"type": "text", "text": "ley"}]}}],
    "usage": {"prompt_tokens": 19, "completion_tokens": 10.0},
}


@pytest.mark.parametrize("recorded", [OPENAI, OLLAMA, LLAMA_CPP, PARTS], ids=["openai", "ollama", "llama.cpp", "parts"])
def test_a_reply_is_read_from_every_server(run, recorded: object) -> None:
    reply = reply_to(run, HttpResponse(status=200, body=json.dumps(recorded).encode()))
    assert reply.error is None
    assert reply.text == "Marley"
    assert (reply.usage.calls, reply.usage.input_tokens, reply.usage.output_tokens) == (1, 19, 10)


def test_missing_usage_counts_no_tokens(run) -> None:
    assert reply_to(run, ok(usage=None)).usage.input_tokens == 0


def choice(**members: Any) -> bytes:
    return json.dumps({"choices": [members]}).encode()


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"<html><title>Sign in</title>", "<html><title>Sign in"),
        (b"", "an empty body"),
        (b"[1]", "[1]"),
        (b"\xff\xfe", "\ufffd"),
        (b"[" * 100_000, "[[["),
        (b'{"choices": []}', "choices"),
        (b'{"choices": null, "x": 1}', "choices"),
        (b'{"models": []}', "models"),
        (choice(message={"content": ""}, finish_reason="stop"), "an empty message (finish 'stop')"),
        (choice(message={"content": None, "reasoning_content": "hm"}, finish_reason="stop"), "an empty message"),
        (choice(message={"content": '{"entities": ['}, finish_reason="length"), '{"entities": ['),
        (choice(message={"content": "x"}, finish_reason="content_filter"), "content filter"),
        (choice(message={"content": None, "refusal": "I will not."}), "I will not."),
    ],
)
def test_a_reply_that_is_none_says_what_was_found(run, body: bytes, found: str) -> None:
    reply = reply_to(run, HttpResponse(status=200, body=body))
    assert isinstance(reply.error, BadReply)
    assert found in str(reply.error)


def test_a_cut_reply_is_kept_in_the_error(run) -> None:
    body = choice(message={"content": "half of"}, finish_reason="length")
    reply = reply_to(run, HttpResponse(status=200, body=body))
    assert isinstance(reply.error, BadReply)
    assert reply.error.data["reply"] == "half of"
    assert "max_tokens" in str(reply.error)


@pytest.mark.parametrize(
    ("response", "number", "detail"),
    [
        (status(401, "bad key"), 401, "bad key"),
        (HttpResponse(status=404, body=b'{"error":"model \\"x\\" not found"}'), 404, "not found"),
        (HttpResponse(status=422, body=b'{"detail":[{"msg":"field required"}]}'), 422, "field required"),
        (HttpResponse(status=502, body=b"<html>Bad Gateway</html>"), 502, "Bad Gateway"),
        (HttpResponse(status=302, headers={"location": "/login"}), 302, "it sends on to /login"),
        (HttpResponse(status=200, body=b'{"error":{"message":"upstream","code":503}}'), 503, "upstream"),
    ],
)
def test_an_error_status_is_a_refusal_with_the_endpoints_words(
    run, response: HttpResponse, number: int, detail: str
) -> None:
    error = reply_to(run, response).error
    assert isinstance(error, ModelRefused)
    assert error.data["status"] == number
    assert detail in str(error)


def test_an_address_with_secrets_is_shown_without_them(run) -> None:
    error = reply_to(run, TimeoutError("x"), "https://user:pass@x.org/v1/chat/completions?key=abc").error
    assert isinstance(error, ModelUnreachable)
    assert "https://x.org/v1/chat/completions" in str(error)
    assert not any(secret in str(error) for secret in ("user", "pass", "abc"))


# the model


def test_models_and_embedders_fit_their_ports() -> None:
    assert isinstance(model_on(answers()), ChatModel)
    assert isinstance(OpenAIEmbedder("e", transport=answers()), Embedder)


def test_replies_come_in_the_order_of_the_requests(run) -> None:
    transport = FakeTransport(lambda request: ok(json.loads(request.body)["messages"][-1]["content"]))
    requests = [ModelRequest(system="s", user=str(number)) for number in range(5)]
    assert [reply.text for reply in run(model_on(transport).complete(requests))] == ["0", "1", "2", "3", "4"]


def test_one_failure_leaves_the_other_replies_of_a_batch(run) -> None:
    transport = answers(ok("one"), status(400, "too long"), ok("three"))
    replies = run(model_on(transport).complete([ASK] * 3))
    assert [reply.text for reply in replies] == ["one", "", "three"]
    assert isinstance(replies[1].error, ModelRefused)


def test_the_key_is_in_no_error_and_no_repr(run) -> None:
    outcomes = [status(401, f"Incorrect API key: {KEY}"), HttpResponse(status=200, body=f"<b>{KEY}</b>".encode()),
               ConnectionError(f"lost with Bearer {KEY}")]  # fmt: skip
    transport = answers(*outcomes)
    model = model_on(transport, max_retries=0)
    for reply in run(model.complete([ASK] * 3)):
        assert reply.error is not None
        assert KEY not in str(reply.error) + repr(reply.error) + repr(reply.error.data)
    assert KEY not in repr(model) + repr(transport.sent)


def test_only_what_failed_is_sent_again_after_the_wait_the_endpoint_asks_for(run) -> None:
    transport = answers(ok("a"), status(429, retry_after="7"), status(503), ok("b"), ConnectionError("reset"), ok("c"))
    replies = run(model_on(transport).complete([ASK] * 3))
    assert [reply.text for reply in replies] == ["a", "b", "c"]
    assert transport.pauses[0] == pytest.approx(7.0, abs=0.1), "as the endpoint asked"


def test_retries_end(run) -> None:
    transport = FakeTransport(lambda request: ConnectionError("refused"))
    (reply,) = run(model_on(transport, max_retries=3).complete([ASK]))
    assert isinstance(reply.error, ModelUnreachable)
    assert "refused" in str(reply.error)
    assert len(transport.sent) == 4
    assert transport.pauses == [pytest.approx(each, rel=0.26) for each in (0.5, 1.0, 2.0)]


def test_an_endpoint_without_json_schemas_is_asked_more_simply_and_remembered(run) -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        asked = json.loads(request.body).get("response_format", {}).get("type")
        return status(400, f"response_format type {asked} is not supported") if asked else ok("{}")

    transport = FakeTransport(answer)
    model = model_on(transport)
    assert [reply.text for reply in run(model.complete([EXTRACT, EXTRACT]))] == ["{}", "{}"]
    assert len(transport.sent) == 4
    assert run(model.complete([EXTRACT]))[0].text == "{}"
    assert len(transport.sent) == 5, "what works is remembered"


def test_newer_models_get_the_other_token_limit_and_no_temperature(run) -> None:
    transport = answers(
        status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        status(400, "Unsupported value: 'temperature' does not support 0.0 with this model."),
        ok(),
    )
    assert run(model_on(transport, max_tokens=9).complete([ASK]))[0].text == "Marley"
    last = json.loads(transport.sent[-1].body)
    assert last["max_completion_tokens"] == 9
    assert not {"max_tokens", "temperature"} & set(last)


def test_a_refusal_of_something_else_is_final() -> None:
    assert chat().simpler(status(400, "context length exceeded")) is None
    assert chat(Dialect(json_mode="none")).simpler(status(400, "bad response_format")) is None
    assert chat().simpler(ok()) is None


# the embedder


def test_texts_are_embedded_in_batches_and_put_in_order(run) -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        texts = json.loads(request.body)["input"]
        rows = [{"index": at, "embedding": [len(text), 1]} for at, text in enumerate(texts)]
        return HttpResponse(status=200, body=json.dumps({"data": rows[::-1]}).encode())

    transport = FakeTransport(answer)
    embedder = OpenAIEmbedder("e", base_url="http://x.org", transport=transport, batch_size=2)
    assert run(embedder.embed(["a", "bb", "", "dddd", "eeeee"])) == [[1, 1], [2, 1], [1, 1], [4, 1], [5, 1]]
    assert [json.loads(request.body)["input"] for request in transport.sent] == [["a", "bb"], [" ", "dddd"], ["eeeee"]]
    assert transport.sent[0].url == "http://x.org/v1/embeddings"
    assert run(embedder.embed([])) == []


def test_the_dimensions_are_asked_for_and_named_in_the_model_id() -> None:
    embedder = OpenAIEmbedder("e", transport=answers(), dimensions=64)
    assert json.loads(embedder.protocol.build(["a"]).body)["dimensions"] == 64
    assert embedder.model_id == "e:64"
    assert OpenAIEmbedder("e", transport=answers()).model_id == "e"


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"{}",
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"embedding": [1]}]}',
        b'{"data": [{"embedding": [1]}, {"embedding": "AAAA"}]}',
        b'{"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}',
    ],
)
def test_embeddings_that_are_none_are_an_error(run, body: bytes) -> None:
    transport = answers(HttpResponse(status=200, body=body))
    with pytest.raises(ModelError):
        run(OpenAIEmbedder("e", transport=transport, max_retries=0).embed(["a", "b"]))
