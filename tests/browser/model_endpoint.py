"""A stand-in for a model server: OpenAI's chat completions with scripted replies, open to every origin."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any


@dataclass
class ModelEndpoint:
    """Set `reply` to a text or a function of the request's JSON; `requests` keeps (headers, JSON) of each call."""

    base_url: str = ""
    reply: str | Callable[[dict[str, Any]], str] = "A scripted reply."
    requests: list[tuple[dict[str, str], dict[str, Any]]] = field(default_factory=list)


class ModelHandler(BaseHTTPRequestHandler):
    """Answers for the `endpoint` of its server."""

    protocol_version = "HTTP/1.1"

    def do_OPTIONS(self) -> None:
        self._send(204, b"")

    def do_GET(self) -> None:
        self._send_json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        endpoint: ModelEndpoint = self.server.endpoint  # type: ignore[attr-defined]
        endpoint.requests.append(({name.lower(): value for name, value in self.headers.items()}, asked))
        text = endpoint.reply if isinstance(endpoint.reply, str) else endpoint.reply(asked)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        usage = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
        self._send_json(
            {"id": "1", "object": "chat.completion", "model": "scripted", "choices": [choice], "usage": usage}
        )

    def _send_json(self, content: dict[str, Any]) -> None:
        self._send(200, json.dumps(content).encode())

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Headers", "Authorization, Content-Type")
        self.send_header("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""
