"""The records of model calls that a file keeps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

CallStatus = Literal["ok", "partial", "none", "error"]
"""ok: the reply was read; partial: some of it was; none: nothing of it could be used; error: there was no reply."""
CallKind = Literal["text", "vector"]
"""Of a language model, or of an embedder."""
Replay = Literal["auto", "off", "only"]


def digest(*parts: object) -> str:
    """32 hexadecimal digits that are the same for the same JSON values, whatever the order of keys."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a model and what came of it."""

    kind: CallKind = "text"
    namespace: str
    purpose: str = ""
    """What the call was for, e.g. "extract" or "answer"."""
    source_ref: str = ""
    """The document that the prompt quotes; "" where it quotes none, or several."""
    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What beside its name decides the model's replies, such as a temperature. Never a key."""
    system: str = ""
    user: str = ""
    schema: Mapping[str, Any] | None = None
    """JSON Schema of the wanted reply; None: prose."""
    reply: str = ""
    """As the model wrote it. Of an embedder: base64 of float32, little endian; "" for vectors that nodes keep."""
    status: CallStatus = "ok"
    error: str = ""
    """Which kind of error took the place of the reply, never its message, which may hold what is nobody's business."""
    finish: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_estimated: bool = False
    """Did the endpoint count none?"""
    cost: float | None = 0.0
    """None: the model has no known price."""
    duration_ms: int = 0
    created_at: int = 0
    """Milliseconds UTC."""
    is_copy: bool = False
    """Was it answered by a recorded call of another namespace or document, and cost nothing?"""

    @property
    def prompt(self) -> str:
        """What the model is shown, as a hash: calls of several models with one prompt can be compared."""
        return digest(self.kind, self.system, self.user, self.schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall(Call):
    """A call as the file keeps it."""

    id: int
    """In the order of recording, in this file alone."""
    used: int = 0
    """How often it has answered another call since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTotals:
    """What calls came to."""

    kind: CallKind = "text"
    purpose: str = ""
    model: str = ""
    """"" with `purpose` "": of all calls together."""
    calls: int = 0
    """That were sent."""
    failed: int = 0
    reused: int = 0
    """How many were answered by a recorded call, and cost nothing."""
    input_tokens: int = 0
    output_tokens: int = 0
    tokens_estimated: bool = False
    """Are estimates among them?"""
    cost: float | None = 0.0
    """None: some call has no known price."""
    duration_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSummary:
    """What the recorded calls of a namespace, or of the file, came to."""

    total: CallTotals
    parts: tuple[CallTotals, ...] = ()
    """One for each purpose and model, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDifference:
    """One prompt that two models answered differently."""

    first: RecordedCall
    second: RecordedCall
    only_first: tuple[str, ...] = ()
    """Lines that the first reply alone has. Replies that are JSON are compared as JSON: neither spaces nor the order
    of keys count."""
    only_second: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDiff:
    """Two models over the same prompts."""

    model_a: str
    model_b: str
    same: int = 0
    """Prompts that both answered alike."""
    differences: tuple[CallDifference, ...] = ()
    only_a: int = 0
    """Prompts that this model alone was asked."""
    only_b: int = 0
    total_a: CallTotals = CallTotals()
    """Of the prompts that both were asked."""
    total_b: CallTotals = CallTotals()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallImport:
    """What `import_calls` took in."""

    calls: int = 0
    known: int = 0
    """Calls that were there already."""
