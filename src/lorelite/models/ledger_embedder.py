"""An embedder whose calls are recorded; the vectors of questions are kept, so that these can be asked again."""

from __future__ import annotations

import base64
import binascii
import math
import struct
import sys
import time
from array import array
from collections.abc import Sequence
from dataclasses import replace

from lorelite.call_records import Call, RecordedCall
from lorelite.errors import OnlyForeseen
from lorelite.models.ledger import CallLedger, error_kind
from lorelite.models.tokens import estimated_tokens
from lorelite.ports import Embedder
from lorelite.records import Usage
from lorelite.spending import admitted, is_foreseeing
from lorelite.text.clean import clean_text

UNNAMED = "recorded vectors"
QUESTION, TEXTS = "embed question", "embed"
"""Purposes."""


class LedgerEmbedder:
    """An Embedder that answers questions from the ledger, asks *embedder* for the rest, and records what it took.

    Vectors of texts that nodes hold are kept with those, not here.
    """

    def __init__(self, embedder: Embedder | None, ledger: CallLedger) -> None:
        self.embedder = embedder
        self.ledger = ledger
        last = ledger.calls.newest("vector") if embedder is None else None
        self.model_id = embedder.model_id if embedder is not None else last[0] if last else UNNAMED

    def __repr__(self) -> str:
        return f"LedgerEmbedder({self.embedder!r})"

    @property
    def blocking(self) -> bool:
        return self.embedder is None or self.embedder.blocking

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors, where the embedder says it."""
        found: int | None = getattr(self.embedder, "dimensions", None)
        return found

    def as_blocking(self) -> Embedder:
        return self if self.embedder is None else self.ledger.embedding(self.embedder.as_blocking())

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order. Raises what the embedder raises, CallNotRecorded with replay "only"."""
        return await self.embed_for("", texts, keep=False)

    async def embed_for(self, namespace: str, texts: Sequence[str], *, keep: bool) -> list[list[float]]:
        """See ports.RecordingEmbedder."""
        if not texts:
            return []
        if not keep:
            return await self._asked(self._call(namespace, f"{len(texts):,} texts", TEXTS), texts)
        calls = [self._call(namespace, clean_text(text), QUESTION) for text in texts]
        return [await self._question(call, text) for call, text in zip(calls, texts, strict=True)]

    # -- parts --------------------------------------------------------------------------------------------------

    def _call(self, namespace: str, user: str, purpose: str) -> Call:
        return Call(kind="vector", namespace=namespace, purpose=purpose, model=self.model_id, user=user)

    async def _question(self, call: Call, text: str) -> list[float]:
        found = self._recorded(call)
        if found is not None:
            self.ledger.reuse(call, found, found.id)
            return unpacked_vector(found.reply)
        [vector] = await self._asked(call, [text])
        return vector

    def _recorded(self, call: Call) -> RecordedCall | None:
        if self.ledger.replay == "off":
            return None
        found = self.ledger.calls.answers([call.prompt]).get(call.prompt, ())
        return next((each for each in found if each.model == self.model_id and unpacked_vector(each.reply)), None)

    async def _asked(self, call: Call, texts: Sequence[str]) -> list[list[float]]:
        """The embedder's answer, recorded; of a question with the vector, as it will be answered next time."""
        if self.embedder is None or self.ledger.replay == "only":
            raise self.ledger.missing(call, by_model=True)
        if is_foreseeing():
            raise OnlyForeseen(call.purpose)
        tokens = sum(map(estimated_tokens, texts))
        hold = admitted(tokens, self._cost, call.purpose)
        began = time.monotonic()
        try:
            vectors = await self.embedder.embed(texts)
            hold.settle(Usage(calls=1, input_tokens=tokens, cost=self._cost(tokens, 0)))
        except Exception as error:
            hold.settle(Usage())
            self._record(replace(call, status="error", error=error_kind(error)), began)
            raise
        call = replace(call, input_tokens=tokens, tokens_estimated=True, cost=self._cost(tokens, 0))
        packed = packed_vector(vectors) if call.purpose == QUESTION and self.ledger.records else ""
        self._record(replace(call, reply=packed), began)
        return [unpacked_vector(packed)] if packed else vectors

    def _cost(self, input_tokens: int, output_tokens: int) -> float | None:
        if getattr(self.embedder, "is_local", False):
            return 0.0
        return self.ledger.cost(self.model_id, input_tokens, 0)

    def _record(self, call: Call, began: float) -> None:
        elapsed = round((time.monotonic() - began) * 1000)
        self.ledger.record(replace(call, duration_ms=elapsed, created_at=self.ledger.clock()))


def packed_vector(vectors: Sequence[Sequence[float]]) -> str:
    """A list of one finite vector as base64 of float32, little endian; "" where it is no such list."""
    try:
        [vector] = vectors
        data = struct.pack(f"<{len(vector)}f", *vector)
        is_sound = all(map(math.isfinite, vector))
    except (TypeError, ValueError, OverflowError, struct.error):
        return ""
    return "" if not is_sound else base64.b64encode(data).decode("ascii")


def unpacked_vector(text: str) -> list[float]:
    """The vector, empty where the text is none."""
    try:
        numbers = array("f", binascii.a2b_base64(text))
    except (ValueError, binascii.Error):
        return []
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()
