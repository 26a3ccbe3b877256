"""Identifiers: random ones for what a user states, content-addressed ones for what a document yields."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable

_random_hex: Callable[[int], str] = secrets.token_hex


def configure_random_source(source: Callable[[int], str] | None) -> None:
    """Use *source* (bytes wanted to hexadecimal text) for random ids; None restores the system's randomness."""
    global _random_hex
    _random_hex = source or secrets.token_hex


def random_id(prefix: str) -> str:
    """A fresh id such as `fact_5f0c…`: the prefix and 24 hexadecimal digits (96 bits)."""
    return f"{prefix}_{_random_hex(12)}"


def content_id(prefix: str, *parts: str) -> str:
    """The same id for the same parts: the prefix and 24 hexadecimal digits of a SHA-256."""
    # Length prefixes keep ("ab", "c") and ("a", "bc") apart.
    joined = "".join([f"{len(part)}:{part}" for part in parts])
    return f"{prefix}_{hashlib.sha256(joined.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def edge_id(
    namespace: str, source_ref: str | None, source_hash: str | None, source_id: str, edge_type: str, target_id: str
) -> str:
    """The id of an edge that a version of a source states: the same edge of the same source is one row."""
    return content_id("edge", namespace, source_ref or "", source_hash or "", source_id, edge_type, target_id)


def text_hash(text: str) -> str:
    """SHA-256 of the text in UTF-8, 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
