"""What the OpenAI-compatible models share: addresses, headers, and reading a response that should be JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from lorelite.errors import BadReply, InvalidOption
from lorelite.models.diagnosis import refused, unreachable
from lorelite.models.transport import HttpRequest, HttpResponse, Sent, Unreachable
from lorelite.text import strict_json


def endpoint(base_url: str, path: str) -> str:
    """The address of *path* under *base_url*.

    An address without a path gets "/v1", where every compatible server answers; one that already ends in *path*
    is kept. Raises InvalidOption unless it is an http or https address.
    """
    parts = urlsplit(base_url.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidOption("base_url", "an address such as http://localhost:11434/v1", base_url)
    folder = parts.path.rstrip("/").removesuffix(path).rstrip("/") or "/v1"
    return urlunsplit((parts.scheme, parts.netloc, folder + path, parts.query, ""))


def checked_key(api_key: str | None) -> str | None:
    """The key without surrounding space. Raises InvalidOption, which does not show it, when no header can hold it."""
    key = (api_key or "").strip()
    if not key.isascii() or not key.isprintable():
        raise InvalidOption("api_key", "printable ASCII characters", f"{len(key)} characters, some of another kind")
    return key or None


def bearer(api_key: str | None) -> dict[str, str]:
    """The header of a key as most providers take it; none without a key."""
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def json_request(
    url: str, payload: Mapping[str, Any], headers: Mapping[str, str], timeout: float, idle_timeout: float | None = None
) -> HttpRequest:
    """A POST of *payload*. Few headers: further ones fail the preflight of several providers."""
    # Lone surrogates cannot be sent as UTF-8, so the body stays ASCII.
    return HttpRequest(
        url=url,
        headers={"Content-Type": "application/json", **headers},
        body=json.dumps(payload).encode("ascii"),
        timeout=timeout,
        idle_timeout=idle_timeout,
    )


def without_key(sent: Sent, api_key: str | None) -> Sent:
    """The outcome with every echo of the key blanked, so that no error can show it."""
    if not api_key:
        return sent
    if isinstance(sent, HttpResponse):
        body = sent.body.replace(api_key.encode(), b"***")
        return HttpResponse(status=sent.status, headers=sent.headers, body=body)
    reason = str(sent).replace(api_key, "***")
    return Unreachable(reason, sent.cause) if isinstance(sent, Unreachable) else type(sent)(reason)


def shown(url: str) -> str:
    """The address without a user name, password or query, which may hold secrets."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def read_json(sent: Sent, url: str) -> dict[str, Any]:
    """The JSON object of a successful response.

    Raises ModelUnreachable, ModelRefused (also for an error reported under status 200) or BadReply.
    """
    response = answered(sent, url)
    text = response.body.decode("utf-8", "replace")
    data = json_of(text)
    if not isinstance(data, dict):
        raise no_json(f"a JSON object from {shown(url)}", text)
    raise_error_in(data, url, response.status)
    return data


def no_json(expected: str, text: str) -> BadReply:
    """The error for a body that is no JSON; a web page is mostly a proxy's, or one to sign in."""
    if text.lstrip().startswith("<"):
        expected += " (a web page came: check the address, and whether a proxy or a sign-in stands before it)"
    return BadReply(expected, text.strip() or "an empty body")


def answered(sent: Sent, url: str) -> HttpResponse:
    """The response, where it is a success. Raises ModelUnreachable or ModelRefused."""
    if not isinstance(sent, HttpResponse):
        raise unreachable(shown(url), sent)
    if not 200 <= sent.status <= 299:
        text = sent.body.decode("utf-8", "replace")
        data = json_of(text)
        detail = error_detail(data) or text.strip()
        if 300 <= sent.status <= 399:
            detail = f"it sends on to {shown(sent.headers.get('location', '')) or 'nowhere'}: give that address instead"
        raise refused(shown(url), sent.status, detail, data)
    return sent


def raise_error_in(data: Mapping[str, Any], url: str, status: int = 200) -> None:
    """Raises ModelRefused for an error that is reported under a status of success, as streams must."""
    if data.get("error"):
        raise refused(shown(url), _error_status(data, status), error_detail(data), data)


def json_of(text: str) -> Any:
    """*text* as JSON, None when it is none, or nested too deeply."""
    try:
        return strict_json.read_json(text)
    except ValueError:
        return None


def error_detail(data: Any) -> str:
    """What a response says went wrong, in any of the shapes in use; empty when it does not say."""
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        return ""
    error = data.get("error", data)
    if isinstance(error, dict):
        for name in ("message", "detail", "msg"):
            if error.get(name):
                return str(error[name])
        return json.dumps(error, ensure_ascii=False)
    return str(error)


def _error_status(data: Mapping[str, Any], status: int) -> int:
    error = data["error"]
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code <= 599 else status
