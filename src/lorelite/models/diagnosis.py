"""What was at fault when a call failed, and what to do: told from the status and the words of the endpoint. Pure."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from lorelite.errors import ContextOverflow, ModelRefused, ModelUnreachable
from lorelite.errors.model import Cause
from lorelite.models.transport import HttpResponse, Sent

_CONTEXT = re.compile(
    r"context.?(length|size|window|limit)|exceed_context|maximum context|prompt is too long|too many (input )?tokens"
    r"|input token count|input is too long|request_too_large|request too large|reduce the length"
    r"|maximum input length|too large to process",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient_quota|credit balance|insufficient balance|billing|exceeded your current quota|payment|usage limits",
    re.IGNORECASE,
)
# Gemini says of every limit that the quota is exceeded; only that of a day does not pass by waiting.
_PASSING = re.compile(r"resource_exhausted", re.IGNORECASE)
_OF_A_DAY = re.compile(r"per.?day", re.IGNORECASE)
_RATE = re.compile(r"per.?(minute|second|day)|rate.?limit|too many requests", re.IGNORECASE)
_KEY = re.compile(r"api.?key|x-api-key|authenti|unauthori[sz]ed|invalid.{0,10}token|credential", re.IGNORECASE)
_ORIGIN = re.compile(r"\borigins?\b|\bcors\b", re.IGNORECASE)
_MODEL = re.compile(
    r"model_not_found|\bmodels?\b.{0,80}(not found|does not exist|not exist|not supported|unknown)"
    r"|(unknown|no such|invalid) model|not found, try pulling|not_found_error",
    re.IGNORECASE,
)
_SYSTEM_ROLE = re.compile(
    r"system (role|message|prompt)s?\b.{0,40}not (be )?(supported|allowed|enabled)"
    r"|not (support|allow).{0,20}\bsystem (role|message|prompt)"
    r"|not support '?system'?|only user(,| and) assistant|roles must alternate user/assistant"
    r"|developer instruction is not enabled",
    re.IGNORECASE,
)
_OVERLOAD = re.compile(r"overload|capacity|unavailable|loading model", re.IGNORECASE)

_ADVICE: dict[Cause, str] = {
    "key": "check the API key, and that it is one of this provider",
    "origin": "let the server accept pages of this address (Ollama: set OLLAMA_ORIGINS and start it again; "
    "LM Studio: turn on CORS; llama.cpp accepts all)",
    "mixed_content": "a page on https may ask http addresses on localhost only: serve the page from http://localhost, "
    "or the model over https",
    "network": "check that it runs, the address, and the network",
    "timeout": "raise timeout, ask about less at a time, or use a faster model",
    "model": "check the model's name and the address; a local server must have the model loaded (Ollama: ollama pull)",
    "quota": "the account has no credit left: check its plan and billing",
    "rate": "wait, or set requests_per_minute and tokens_per_minute to what the plan allows",
    "overload": "the server is busy: try again later",
    "context": "ask about less at a time (a smaller chunk_chars), or give the model a longer context",
    "request": "the endpoint does not understand the request: check the address and which API it speaks",
    "server": "see the endpoint's log",
}


def unreachable(url: str, failure: TimeoutError | ConnectionError) -> ModelUnreachable:
    """The error for an exchange that did not come about."""
    cause: Cause = "timeout" if isinstance(failure, TimeoutError) else getattr(failure, "cause", "network")
    return ModelUnreachable(url, str(failure), cause=cause, advice=_ADVICE[cause])


def refused(url: str, status: int, detail: str, data: Any = None) -> ModelRefused:
    """The error for a status, or for an error under status 200. data: the body, where it was JSON."""
    cause = cause_of(url, status, f"{_codes(data)} {detail}")
    kind = ContextOverflow if cause == "context" else ModelRefused
    return kind(url, status, detail or "no explanation", cause=cause, advice=_ADVICE[cause])


def cause_of(url: str, status: int, words: str) -> Cause:
    """What a status and the endpoint's own words mean."""
    if _CONTEXT.search(words) or status == 413:
        return "context"
    if status == 402 or _is_quota(words):
        return "quota"
    if status == 429:
        return "rate"
    if status in (401, 403) and (_ORIGIN.search(words) or (status == 403 and not words.strip() and is_local(url))):
        return "origin"
    if status in (401, 403) or (status == 400 and _KEY.search(words)):
        return "key"
    if _MODEL.search(words) or status == 404:
        return "model"
    if status in (503, 529) or (status >= 500 and _OVERLOAD.search(words)):
        return "overload"
    if _RATE.search(words):
        return "rate"
    return "server" if status >= 500 else "request"


def refuses_system(words: str) -> bool:
    """Does the endpoint say that its model has no system role, as the templates of Gemma and older Mistrals do?"""
    return _SYSTEM_ROLE.search(words) is not None


def is_hopeless(sent: Sent) -> bool:
    """A status that is often worth another try, with words that say it is not: no credit, or what no
    repetition changes."""
    if not isinstance(sent, HttpResponse) or sent.status not in (429, 500):
        return False
    words = sent.body[:10_000].decode("utf-8", "replace")
    return bool(_CONTEXT.search(words)) or _is_quota(words) or refuses_system(words)


def _is_quota(words: str) -> bool:
    if _PASSING.search(words):
        return bool(_OF_A_DAY.search(words))
    return bool(_QUOTA.search(words))


def _codes(data: Any) -> str:
    """The codes that an error is given beside its words, in the shapes of the providers."""
    data = data[0] if isinstance(data, list) and data else data
    error = data.get("error", data) if isinstance(data, dict) else None
    if not isinstance(error, dict):
        return ""
    details = [each for each in error.get("details") or () if isinstance(each, dict)]
    limits = [each for detail in details for each in detail.get("violations") or () if isinstance(each, dict)]
    reasons = [*(each.get("reason") for each in details), *(each.get("quotaId") for each in limits)]
    return " ".join(str(each) for each in (error.get("type"), error.get("code"), error.get("status"), *reasons) if each)


def is_local(url: str) -> bool:
    """Is this an address of this machine?"""
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")
