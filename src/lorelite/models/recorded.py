"""A model that replays recorded replies, so a lesson or a test runs without a key and without a network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from lorelite.errors import ModelError
from lorelite.ports import ChatModel, ModelReply, ModelRequest


def request_key(request: ModelRequest) -> str:
    """What a reply is recorded under: the purpose and a digest of everything the model is shown."""
    shown = json.dumps([request.system, request.user, request.schema], ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return f"{request.purpose or 'request'}:{digest}"


class RecordedModel:
    """Replays `replies`, a mapping of `request_key` to reply text, and spends no tokens.

    With `model`, a request that is not recorded is handed on to it and its reply is recorded; without one, such a
    request is a ModelError that names its key.
    """

    def __init__(
        self,
        replies: Mapping[str, str] | None = None,
        *,
        model: ChatModel | None = None,
        name: str = "recorded",
    ) -> None:
        self.name = name
        self.replies = dict(replies or {})
        self._model = model

    @property
    def blocking(self) -> bool:
        return self._model is None or self._model.blocking

    @classmethod
    def load(cls, path: str | Path, *, model: ChatModel | None = None) -> RecordedModel:
        """The recordings of a file that `save` wrote. Raises ModelError when it holds something else."""
        try:
            replies = json.loads(Path(path).read_text("utf-8"))
        except ValueError as error:
            raise ModelError(f"recordings {str(path)!r}: expected JSON, found {error}", path=str(path)) from error
        if not isinstance(replies, dict) or not all(isinstance(text, str) for text in replies.values()):
            raise ModelError(
                f"recordings {str(path)!r}: expected an object of request keys and reply texts; "
                "write the file with RecordedModel.save",
                path=str(path),
            )
        return cls(replies, model=model)

    def save(self, path: str | Path) -> None:
        """Write the recordings as JSON, sorted by key, so that two recordings can be compared line by line."""
        text = json.dumps(self.replies, ensure_ascii=False, indent=1, sort_keys=True)
        Path(path).write_text(text + "\n", "utf-8")

    async def complete(self, requests: Sequence[ModelRequest]) -> list[ModelReply]:
        keys = [request_key(request) for request in requests]
        missing = {key: each for key, each in zip(keys, requests, strict=True) if key not in self.replies}
        fresh: dict[str, ModelReply] = {}
        if missing and self._model is not None:
            fresh = dict(zip(missing, await self._model.complete(list(missing.values())), strict=True))
            self.replies |= {key: reply.text for key, reply in fresh.items() if reply.error is None}
        return [fresh.get(key) or self._replayed(key) for key in keys]

    def as_blocking(self) -> RecordedModel:
        if self._model is None or self._model.blocking:
            return self
        twin = RecordedModel(model=self._model.as_blocking(), name=self.name)
        twin.replies = self.replies
        return twin

    def _replayed(self, key: str) -> ModelReply:
        if key in self.replies:
            return ModelReply(text=self.replies[key])
        return ModelReply(
            error=ModelError(
                f"{self.name} has no reply under {key!r}; expected one of its {len(self.replies)} recordings; "
                "the prompt, the text or the settings differ from the recording, so record again with "
                "RecordedModel(model=...)",
                key=key,
            )
        )
