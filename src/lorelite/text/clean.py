"""Bytes and strings that can be stored as text."""

from __future__ import annotations

import codecs
import re

from lorelite.errors import UnreadableDocument

REPLACEMENT = "\ufffd"

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE = 8192
_UTF16_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def clean_text(text: str) -> str:
    """The text with NUL and lone surrogates replaced by U+FFFD, one for one, so every offset stays true."""
    return _UNSTORABLE.sub(REPLACEMENT, text)


def plain_line_ends(text: str) -> str:
    """The text with a line feed where a line ends, whichever system wrote it; as long as it was, so spans stay true.

    A carriage return before a line feed becomes a space, any other a line feed.
    """
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def looks_binary(text: str) -> bool:
    """Whether the first 8,192 characters are something other than writing: NULs or many control characters."""
    sample = text[:_SAMPLE]
    noise = len(_CONTROL.findall(sample)) + sample.count(REPLACEMENT)
    return "\x00" in sample or noise * 10 > len(sample)


def decode_document(data: bytes, name: str) -> str:
    """The text of a file: UTF-8, with or without a byte-order mark, or UTF-16 with one.

    Raises UnreadableDocument, naming the file, for anything else.
    """
    encoding = _UTF16_MARKS.get(data[:2], "utf-8-sig")
    body = data[2:] if data[:2] in _UTF16_MARKS else data
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        if b"\x00" in data[:_SAMPLE]:
            raise UnreadableDocument(name, "it is a binary file; pass its text instead") from error
        shown = "UTF-8" if encoding == "utf-8-sig" else "UTF-16"
        raise UnreadableDocument(
            name, f"byte {error.start:,} is not valid {shown}; save the file as UTF-8 and try again"
        ) from error
    if looks_binary(text):
        raise UnreadableDocument(name, "it holds control characters, so it seems binary; pass its text instead")
    return text
