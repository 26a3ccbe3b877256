"""What was at fault when an endpoint refuses, in the words of the providers."""

from __future__ import annotations

import pytest
from fake_transport import answers, json_response

from lorelite.errors import BadReply, ContextOverflow, ModelRefused
from lorelite.models import AnthropicModel, GeminiModel, HttpResponse, OllamaModel, OpenAIModel
from lorelite.models.transport import Unreachable
from lorelite.ports import ModelRequest

KEY = "sk-secret-0123456789"
ASK = ModelRequest(system="Be brief.", user="Who?", purpose="answer")
MODELS = {"chat": OpenAIModel, "anthropic": AnthropicModel, "gemini": GeminiModel, "ollama": OllamaModel}
ANSWER = {"candidates": [{"content": {"parts": [{"text": "Marley"}]}, "finishReason": "STOP"}]}


def model(api, transport, **options):
    return MODELS[api]("m", base_url="http://localhost:9", api_key=KEY, transport=transport, **options)


def ask(run, api, outcome):
    transport = answers(outcome)
    (reply,) = run(model(api, transport, max_retries=0).complete([ASK]))
    return reply, transport


FREE = "You exceeded your current quota, please check your plan and billing details. Please retry in 3s."
REFUSALS = [
    ("chat", 401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, "key"),
    ("chat", 429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, "quota"),
    ("chat", 429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, "rate"),
    ("chat", 404, {"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}, "model"),
    (
        "chat",
        400,
        {"error": {"message": "maximum context length is 8192", "code": "context_length_exceeded"}},
        "context",
    ),
    ("chat", 400, {"error": {"code": 400, "message": "too long", "type": "exceed_context_size_error"}}, "context"),
    ("chat", 402, {"error": {"message": "Payment required"}}, "quota"),
    ("chat", 503, {"error": {"message": "Loading model"}}, "overload"),
    ("chat", 500, {"error": {"message": "boom"}}, "server"),
    ("chat", 400, {"error": {"message": "unknown field"}}, "request"),
    (
        "anthropic",
        401,
        {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}},
        "key",
    ),
    ("anthropic", 529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "overload"),
    (
        "anthropic",
        400,
        {"type": "error", "error": {"message": "prompt is too long: 300000 tokens > 200000"}},
        "context",
    ),
    ("anthropic", 400, {"type": "error", "error": {"message": "Your credit balance is too low"}}, "quota"),
    ("anthropic", 404, {"type": "error", "error": {"type": "not_found_error", "message": "model: x"}}, "model"),
    ("gemini", 400, {"error": {"message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}, "key"),
    ("gemini", 429, {"error": {"message": "Quota exceeded per minute", "status": "RESOURCE_EXHAUSTED"}}, "rate"),
    ("gemini", 400, {"error": {"message": "The input token count (9) exceeds the maximum"}}, "context"),
    ("gemini", 404, {"error": {"message": "models/x is not found for API version v1beta"}}, "model"),
    ("ollama", 404, {"error": 'model "x" not found, try pulling it first'}, "model"),
    ("ollama", 400, {"error": "the input length exceeds the context length"}, "context"),
    (
        "anthropic",
        401,
        {"error": {"type": "authentication_error", "message": "CORS requests are not allowed for this Organization"}},
        "origin",
    ),
    ("chat", 413, {"error": {"message": "Request too large for model `x`: tokens per minute"}}, "context"),
    ("gemini", 429, {"error": {"message": FREE, "status": "RESOURCE_EXHAUSTED"}}, "rate"),
    (
        "gemini",
        429,
        {
            "error": {
                "message": FREE,
                "status": "RESOURCE_EXHAUSTED",
                "details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}],
            }
        },
        "quota",
    ),
]


@pytest.mark.parametrize(("api", "status", "body", "cause"), REFUSALS)
def test_a_refusal_says_what_was_at_fault_and_what_to_do(run, api, status, body, cause):
    reply, _ = ask(run, api, json_response(body, status))
    assert isinstance(reply.error, ContextOverflow if cause == "context" else ModelRefused)
    assert reply.error.data["cause"] == cause


def test_an_empty_403_of_a_local_server_is_about_the_origin(run):
    reply, _ = ask(run, "ollama", HttpResponse(status=403))
    assert reply.error.data["cause"] == "origin" and "OLLAMA_ORIGINS" in str(reply.error)


def test_an_account_without_credit_is_not_asked_again(run):
    outcome = json_response({"error": {"message": "quota", "code": "insufficient_quota"}}, 429)
    transport = answers(outcome)
    (reply,) = run(model("chat", transport, max_retries=3).complete([ASK]))
    assert reply.error.data["cause"] == "quota" and len(transport.sent) == 1


def test_a_limit_of_a_minute_is_waited_for_though_gemini_calls_it_a_quota(run):
    outcome = json_response({"error": {"message": FREE, "status": "RESOURCE_EXHAUSTED"}}, 429)
    transport = answers(outcome, json_response(ANSWER))
    (reply,) = run(model("gemini", transport, max_retries=1).complete([ASK]))
    assert (reply.text, len(transport.sent)) == ("Marley", 2)


def test_a_refusal_has_cost_its_tokens(run):
    message = {"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}
    outcome = {"choices": [message], "usage": {"prompt_tokens": 19, "completion_tokens": 2}}
    reply, _ = ask(run, "chat", json_response(outcome))
    assert isinstance(reply.error, BadReply)
    assert (reply.usage.calls, reply.usage.input_tokens, reply.usage.output_tokens) == (1, 19, 2)


def test_what_a_browser_forbade_is_told_with_a_key_too(run):
    for cause in ("origin", "mixed_content"):
        reply, _ = ask(run, "chat", Unreachable(f"no, {KEY}", cause))
        assert reply.error.data["cause"] == cause and KEY not in str(reply.error)
