"""What the OpenAI-compatible models share: addresses, headers, and reading a response that should be JSON."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from lorelite.errors import BadReply, InvalidOption, ModelRefused, ModelUnreachable
from lorelite.models.transport import HttpRequest, HttpResponse, Sent
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


def json_request(url: str, payload: dict[str, Any], api_key: str | None, timeout: float) -> HttpRequest:
    """A POST of *payload* with two headers at most: further ones fail the preflight of several providers."""
    headers = {"Content-Type": "application/json"}
    if api_key:
        headers["Authorization"] = f"Bearer {api_key}"
    # Lone surrogates cannot be sent as UTF-8, so the body stays ASCII.
    return HttpRequest(url=url, headers=headers, body=json.dumps(payload).encode("ascii"), timeout=timeout)


def without_key(sent: Sent, api_key: str | None) -> Sent:
    """The outcome with every echo of the key blanked, so that no error can show it."""
    if not api_key:
        return sent
    if isinstance(sent, HttpResponse):
        body = sent.body.replace(api_key.encode(), b"***")
        return HttpResponse(status=sent.status, headers=sent.headers, body=body)
    return type(sent)(str(sent).replace(api_key, "***"))


def shown(url: str) -> str:
    """The address without a user name, password or query, which may hold secrets."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def read_json(sent: Sent, url: str) -> dict[str, Any]:
    """The JSON object of a successful response.

    Raises ModelUnreachable, ModelRefused (also for an error reported under status 200) or BadReply.
    """
    if not isinstance(sent, HttpResponse):
        raise ModelUnreachable(shown(url), str(sent))
    text = sent.body.decode("utf-8", "replace")
    data = json_of(text)
    if not 200 <= sent.status <= 299:
        raise ModelRefused(shown(url), sent.status, error_detail(data) or text.strip() or "no explanation")
    if not isinstance(data, dict):
        raise BadReply(f"a JSON object from {shown(url)}", text.strip() or "an empty body")
    if data.get("error"):
        raise ModelRefused(shown(url), _error_status(data, sent.status), error_detail(data) or text)
    return data


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


def _error_status(data: dict[str, Any], status: int) -> int:
    error = data["error"]
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code <= 599 else status
