"""What each API is asked, and how its replies, whole and as streams, are read; in the shapes of the providers."""

from __future__ import annotations

import json

import pytest
from fake_transport import answers, body_of, event_stream, json_response

from lorelite.errors import BadReply, ModelRefused, ModelUnreachable, Truncated
from lorelite.models import (
    AnthropicModel,
    GeminiEmbedder,
    GeminiModel,
    HttpResponse,
    OllamaEmbedder,
    OllamaModel,
    OpenAIModel,
    OpenAIResponsesModel,
)
from lorelite.ports import Listener, ModelRequest

KEY = "sk-secret-0123456789"
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
ASK = ModelRequest(system="Be brief.", user="Who?", purpose="answer")
ASK_JSON = ModelRequest(system="JSON.", user="Who?", purpose="extract", schema=SCHEMA)
MODELS = {
    "chat": OpenAIModel,
    "responses": OpenAIResponsesModel,
    "anthropic": AnthropicModel,
    "gemini": GeminiModel,
    "ollama": OllamaModel,
}


def json_lines(*messages):
    return HttpResponse(status=200, body="".join(json.dumps(each) + "\n" for each in messages).encode())


WHOLE = {
    "chat": {
        "model": "m-1",
        "choices": [{"message": {"content": "Marley", "reasoning_content": "hm"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 19, "completion_tokens": 10},
    },
    "responses": {
        "model": "m-1",
        "status": "completed",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Marley"}]},
        ],
        "usage": {"input_tokens": 19, "output_tokens": 10},
    },
    "anthropic": {
        "model": "m-1",
        "type": "message",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Marley"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 9, "cache_read_input_tokens": 10, "output_tokens": 10},
    },
    "gemini": {
        "modelVersion": "m-1",
        "candidates": [
            {"content": {"parts": [{"text": "hm", "thought": True}, {"text": "Marley"}]}, "finishReason": "STOP"}
        ],
        "usageMetadata": {"promptTokenCount": 19, "candidatesTokenCount": 7, "thoughtsTokenCount": 3},
    },
    "ollama": {
        "model": "m-1",
        "message": {"role": "assistant", "content": "Marley"},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 19,
        "eval_count": 10,
    },
}

STREAMS = {
    "chat": event_stream(
        {"model": "m-1", "choices": [{"delta": {"role": "assistant", "content": None}}]},
        {"choices": [{"delta": {"content": "Mar"}}]},
        {"choices": [{"delta": {"content": "ley"}}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 19, "completion_tokens": 10}},
        "[DONE]",
    ),
    "responses": event_stream(
        {"type": "response.created", "response": {"status": "in_progress", "error": None}},
        {"type": "response.output_text.delta", "delta": "Mar"},
        {"type": "response.output_text.delta", "delta": "ley"},
        {"type": "response.completed", "response": WHOLE["responses"]},
    ),
    "anthropic": event_stream(
        {"type": "message_start", "message": {"model": "m-1", "usage": {"input_tokens": 19, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Mar"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ley"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 10}},
        {"type": "message_stop"},
    ),
    "gemini": event_stream(
        {"candidates": [{"content": {"parts": [{"text": "Mar"}]}}], "modelVersion": "m-1"},
        {**WHOLE["gemini"], "candidates": [{"content": {"parts": [{"text": "ley"}]}, "finishReason": "STOP"}]},
    ),
    "ollama": json_lines(
        {"model": "m-1", "message": {"content": "Mar"}, "done": False},
        {"message": {"content": "ley"}, "done": False},
        {**WHOLE["ollama"], "message": {"content": ""}},
    ),
}

CUT = {
    "chat": {"choices": [{"message": {"content": "Mar"}, "finish_reason": "length"}]},
    "responses": {**WHOLE["responses"], "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    "anthropic": {**WHOLE["anthropic"], "stop_reason": "max_tokens"},
    "gemini": {"candidates": [{"content": {"parts": [{"text": "Mar"}]}, "finishReason": "MAX_TOKENS"}]},
    "ollama": {**WHOLE["ollama"], "done_reason": "length"},
}

each_api = pytest.mark.parametrize("api", MODELS)


def model(api, transport, **options):
    return MODELS[api]("m", base_url="http://localhost:9", api_key=KEY, transport=transport, **options)


def ask(run, api, *outcomes, request=ASK, **options):
    transport = answers(*outcomes)
    (reply,) = run(model(api, transport, max_retries=0, **options).complete([request]))
    return reply, transport


@each_api
def test_a_whole_reply_is_read_without_what_was_only_thought(run, api):
    reply, _ = ask(run, api, json_response(WHOLE[api]))
    assert (reply.text, reply.error, reply.finish, reply.model) == ("Marley", None, "stop", "m-1")
    assert (reply.usage.calls, reply.usage.input_tokens, reply.usage.output_tokens) == (1, 19, 10)


@each_api
def test_a_stream_is_told_piece_by_piece_and_gives_the_same_reply(run, api):
    told = []
    listener = Listener(on_text=lambda at, piece: told.append((at, piece)))
    (reply,) = run(model(api, answers(STREAMS[api])).complete_telling([ASK], listener))
    assert told == [(0, "Mar"), (0, "ley")]
    assert (reply.text, reply.error, reply.finish, reply.model) == ("Marley", None, "stop", "m-1")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (19, 10)


async def streamed(asked, request=ASK):
    return [part async for part in asked.stream(request)]


@pytest.mark.cpython_only  # a blocking stream needs a thread
@each_api
def test_a_reply_is_given_piece_by_piece_and_then_what_it_took(run, api):
    *pieces, usage = run(streamed(model(api, answers(STREAMS[api]))))
    assert pieces == ["Mar", "ley"]
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (1, 19, 10)


@pytest.mark.cpython_only  # a blocking stream needs a thread
@each_api
def test_a_refused_stream_raises_what_the_reply_would_carry(run, api):
    with pytest.raises(ModelRefused, match="401"):
        run(streamed(model(api, answers(json_response({"error": {"message": "no"}}, 401)))))


def test_streamed_replies_of_a_batch_are_told_one_after_the_other(run):
    told = []
    listener = Listener(
        on_text=lambda at, piece: told.append((at, piece)), on_reply=lambda at, reply: told.append((at, reply.finish))
    )
    run(model("chat", answers(STREAMS["chat"], STREAMS["chat"])).complete_telling([ASK, ASK], listener))
    assert told == [(0, "Mar"), (0, "ley"), (0, "stop"), (1, "Mar"), (1, "ley"), (1, "stop")]


@each_api
def test_an_endpoint_that_does_not_stream_is_told_as_one_piece(run, api):
    told = []
    listener = Listener(on_text=lambda at, piece: told.append(piece))
    (reply,) = run(model(api, answers(json_response(WHOLE[api]))).complete_telling([ASK], listener))
    assert (told, reply.text) == (["Marley"], "Marley")


@each_api
def test_a_stream_that_is_cut_is_no_reply(run, api):
    framed = STREAMS[api].body.split(b"ley")[0]
    cut = HttpResponse(status=200, body=framed[: framed.rindex(b"\n") + 1])
    (reply,) = run(model(api, answers(cut)).complete_telling([ASK], Listener(on_text=lambda at, piece: None)))
    assert isinstance(reply.error, ModelUnreachable) and "ended too early" in str(reply.error)
    assert reply.text == ""


@each_api
def test_a_schema_is_sent_where_the_api_has_a_place_for_it(api):
    transport = answers()
    assert '"properties": {"a"' in model(api, transport).protocol.build(ASK_JSON).body.decode()
    assert "properties" not in model(api, transport).protocol.build(ASK_JSON, said="half").body.decode()


@each_api
def test_the_key_is_in_a_header_alone(api):
    built = model(api, answers()).protocol.build(ASK)
    assert KEY in "".join(built.headers.values())
    assert KEY not in built.url + built.body.decode() + repr(built) + repr(model(api, answers()).protocol)


@each_api
def test_a_reply_cut_at_the_limit_is_continued_and_put_together(run, api):
    reply, transport = ask(run, api, json_response(CUT[api]), json_response(WHOLE[api]))
    assert (reply.error, reply.usage.calls) == (None, 2)
    assert reply.text in ("MarMarley", "MarleyMarley")
    said = transport.sent[1].body.decode()
    assert "Go on exactly where it stops" in said and "Mar" in said


@each_api
def test_a_reply_that_stays_cut_is_never_given_as_a_text(run, api):
    reply, _ = ask(run, api, *[json_response(CUT[api])] * 3)
    assert isinstance(reply.error, Truncated)
    assert (reply.text, reply.usage.calls) == ("", 3)


def test_words_said_again_at_the_seam_are_said_once(run):
    cut = {"choices": [{"message": {"content": '{"a": "the old partner of Scr'}, "finish_reason": "length"}]}
    rest = {"choices": [{"message": {"content": 'partner of Scrooge"}'}, "finish_reason": "stop"}]}
    reply, _ = ask(run, "chat", json_response(cut), json_response(rest), request=ASK_JSON)
    assert reply.text == '{"a": "the old partner of Scrooge"}'


def test_parts_that_make_no_json_together_are_not_taken_under_a_schema(run):
    cut = {"choices": [{"message": {"content": '{"a": "b'}, "finish_reason": "length"}]}
    rest = {"choices": [{"message": {"content": 'b"} is what I would say.'}, "finish_reason": "stop"}]}
    reply, _ = ask(run, "chat", json_response(cut), json_response(rest), request=ASK_JSON)
    assert isinstance(reply.error, Truncated)


def test_a_model_that_begins_anew_where_it_should_go_on_has_said_all(run):
    cut = {"choices": [{"message": {"content": '{"a": "b'}, "finish_reason": "length"}]}
    rest = {"choices": [{"message": {"content": '{"a": "b"}'}, "finish_reason": "stop"}]}
    reply, _ = ask(run, "chat", json_response(cut), json_response(rest), request=ASK_JSON)
    assert reply.text == '{"a": "b"}'


@pytest.mark.parametrize(
    ("api", "outcome"),
    [
        ("chat", {"choices": [{"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}]}),
        ("responses", {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]}),
        ("anthropic", {"content": [], "stop_reason": "refusal"}),
        ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}),
        ("gemini", {"candidates": [{"finishReason": "SAFETY"}]}),
        ("chat", {"choices": []}),
        ("responses", {"choices": []}),
        ("anthropic", {"choices": []}),
        ("gemini", {"choices": []}),
        ("ollama", {"choices": []}),
    ],
)
def test_a_refusal_a_filter_and_another_api_are_bad_replies(run, api, outcome):
    reply, _ = ask(run, api, json_response(outcome))
    assert isinstance(reply.error, BadReply) and reply.text == ""


@pytest.mark.parametrize(
    ("api", "words"),
    [("responses", "text.format json_schema"), ("anthropic", "output_config"), ("gemini", "responseJsonSchema schema")],
)
def test_an_endpoint_without_schemas_is_asked_without_and_remembered(run, api, words):
    refusal = json_response({"error": {"message": f"unknown parameter {words}"}}, 400)
    transport = answers(refusal, json_response(WHOLE[api]), json_response(WHOLE[api]))
    asked = model(api, transport)
    assert [reply.text for reply in run(asked.complete([ASK_JSON, ASK_JSON]))] == ["Marley", "Marley"]
    assert '"properties"' not in transport.sent[-1].body.decode()


def test_a_request_that_no_simpler_one_helps_spoils_nothing_for_the_next(run):
    refusal = json_response({"error": {"message": "response_format: something"}}, 400)
    transport = answers(refusal, refusal, refusal, json_response(WHOLE["chat"]))
    asked = model("chat", transport)
    first, second = run(asked.complete([ASK_JSON, ASK_JSON]))
    assert isinstance(first.error, ModelRefused) and second.text == "Marley"
    assert body_of(transport.sent[-1])["response_format"]["type"] == "json_schema"


def test_anthropic_gets_no_schema_that_it_would_refuse(run):
    protocol = model("anthropic", answers()).protocol
    item = {"type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": False}
    closed = {"type": "object", "properties": {"a": {"type": "array", "items": item}}, "additionalProperties": False}
    open_inside = {**closed, "properties": {"a": {"type": "array", "items": {"type": "object"}}}}

    def sent(schema):
        return body_of(protocol.build(ModelRequest(system="", user="u", schema=schema)))

    assert sent(closed)["output_config"]["format"]["schema"] == closed
    assert "output_config" not in sent(open_inside)


def test_a_stream_that_is_cut_at_the_limit_is_not_continued(run):
    transport = answers(json_response(CUT["chat"]))
    told = []
    asked = model("chat", transport)
    (reply,) = run(asked.complete_telling([ASK], Listener(on_text=lambda at, piece: told.append(piece))))
    assert isinstance(reply.error, Truncated) and len(transport.sent) == 1


def test_ollama_refuses_what_it_would_otherwise_cut():
    body = body_of(OllamaModel("m", transport=answers()).protocol.build(ASK))
    assert (body["truncate"], body["shift"]) == (False, False)


def test_ollama_gets_as_much_context_as_the_prompt_needs():
    short, long = ModelRequest(system="", user="Who?"), ModelRequest(system="", user="word " * 20_000)
    protocol = OllamaModel("m", transport=answers()).protocol
    assert body_of(protocol.build(short))["options"]["num_ctx"] == 8_192
    assert body_of(protocol.build(long))["options"]["num_ctx"] == 32_768


@pytest.mark.parametrize(
    ("made", "url"),
    [
        (AnthropicModel, "https://api.anthropic.com/v1/messages"),
        (OpenAIResponsesModel, "https://api.openai.com/v1/responses"),
        (GeminiModel, "https://generativelanguage.googleapis.com/v1beta/models/m"),
        (OllamaModel, "http://localhost:11434/api/chat"),
    ],
)
def test_each_api_has_its_address(made, url):
    assert made("m", transport=answers()).url == url


def test_an_address_of_ollama_may_be_that_of_its_other_api():
    assert OllamaModel("m", base_url="http://h:11434/v1/", transport=answers()).url == "http://h:11434/api/chat"


def test_a_page_may_call_anthropic():
    headers = AnthropicModel("m", api_key=KEY, transport=answers()).protocol.build(ASK).headers
    assert headers["anthropic-dangerous-direct-browser-access"] == "true"
    assert set(headers) == {
        "Content-Type",
        "anthropic-version",
        "anthropic-dangerous-direct-browser-access",
        "x-api-key",
    }


def test_gemini_and_ollama_embed(run):
    transport = answers(json_response({"embeddings": [{"values": [1, 0]}, {"values": [0, 1]}]}))
    gemini = GeminiEmbedder("embed", api_key=KEY, transport=transport, dimensions=2)
    assert run(gemini.embed(["a", ""])) == [[1, 0], [0, 1]]
    asked = body_of(transport.sent[0])["requests"]
    assert asked[0] == {"model": "models/embed", "content": {"parts": [{"text": "a"}]}, "outputDimensionality": 2}
    assert asked[1]["content"]["parts"] == [{"text": " "}]
    ollama = OllamaEmbedder("embed", transport=answers(json_response({"embeddings": [[1, 0]]})))
    assert run(ollama.embed(["a"])) == [[1, 0]]
