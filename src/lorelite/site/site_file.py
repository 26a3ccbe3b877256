"""A file of a site."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SiteFile:
    """Its path, with slashes, from the root of the site, and its bytes."""

    path: str
    content: bytes

    @classmethod
    def of(cls, path: str, text: str) -> SiteFile:
        """A file of text, in UTF-8; what UTF-8 cannot hold becomes U+FFFD."""
        return cls(path, text.encode("utf-8", "replace"))
