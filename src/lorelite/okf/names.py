"""File names for ids: the id itself where every file system takes it, else a readable rest and a hash."""

from __future__ import annotations

import re
import unicodedata

MAX_NAME_CHARS = 200
_WINDOWS_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
_RESERVED = ("index", "log")


def file_name(id: str) -> str:
    """A name without extension, safe on every file system; an id that had to be changed gets a hash."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", unicodedata.normalize("NFKC", id)).strip("._")[:MAX_NAME_CHARS]
    if name == id and not _WINDOWS_DEVICES.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return hashed_name(id, name)


def hashed_name(id: str, name: str) -> str:
    return f"{name or 'entity'}-{id_hash(id)}"


def id_hash(id: str) -> str:
    """16 hexadecimal digits: two 32-bit hashes in the manner of D. J. Bernstein, over UTF-16 code units.

    Other writers of OKF bundles name their files with the same two, so the same id gets the same name.
    """
    first, second = 5381, 52711
    units = id.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        unit = low | high << 8
        first = (first * 33 & 0xFFFFFFFF) ^ unit
        second = (second * 31 & 0xFFFFFFFF) ^ unit
    return f"{first:08x}{second:08x}"
