"""Streams of an HTTP body, piece by piece as they come: server-sent events, and lines of JSON. Pure."""

from __future__ import annotations

import codecs
from typing import Protocol


class Framing(Protocol):
    """Cuts a stream into messages. However the bytes are split, the messages are the same."""

    def feed(self, piece: bytes) -> list[str]:
        """The messages that this piece completes."""
        ...

    def close(self) -> list[str]:
        """What is left when the stream has ended."""
        ...


class _Lines:
    """Lines of UTF-8 ended by LF, CRLF or CR, whatever the pieces; a byte that is no UTF-8 becomes U+FFFD."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._rest: list[str] = []
        self._after_return = False

    def feed(self, piece: bytes, *, final: bool = False) -> list[str]:
        text = self._decoder.decode(piece, final)
        if self._after_return and text:
            text = text.removeprefix("\n")
            self._after_return = False
        if text.endswith("\r"):
            self._after_return = True
        parts = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if len(parts) == 1:
            self._rest.append(text)
            return []
        lines = ["".join(self._rest) + parts[0], *parts[1:-1]]
        self._rest = [parts[-1]]
        return lines

    def close(self) -> list[str]:
        lines = self.feed(b"", final=True)
        rest = "".join(self._rest)
        self._rest = []
        return [*lines, rest] if rest else lines


class ServerSentEvents:
    """The data of each event (WHATWG HTML, "Server-sent events"); names, ids and comments are left out.

    An event that the stream's end cuts off is given by `close`: some servers end without the last blank line.
    """

    def __init__(self) -> None:
        self._lines = _Lines()
        self._data: list[str] = []

    def feed(self, piece: bytes) -> list[str]:
        return self._read(self._lines.feed(piece))

    def close(self) -> list[str]:
        return self._read([*self._lines.close(), ""])

    def _read(self, lines: list[str]) -> list[str]:
        events: list[str] = []
        for line in lines:
            if line.startswith("data:"):
                self._data.append(line[5:].removeprefix(" "))
            elif not line and self._data:
                events.append("\n".join(self._data))
                self._data = []
        return events


class JsonLines:
    """Each line that is not blank."""

    def __init__(self) -> None:
        self._lines = _Lines()

    def feed(self, piece: bytes) -> list[str]:
        return [line for line in self._lines.feed(piece) if line.strip()]

    def close(self) -> list[str]:
        return [line for line in self._lines.close() if line.strip()]
