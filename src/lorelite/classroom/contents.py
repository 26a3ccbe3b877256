"""The files of JupyterLite: what its lists must say of those that are added to a built one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

_MOMENT = "2000-01-01T00:00:00Z"
"""One time for every file, so that the same bundle makes the same bytes."""


def listings(lists: Mapping[str, Mapping[str, Any]], added: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """Folder ("" for the first) → the list of it with the files added, and lists of folders that are new.

    lists: folder → its list as JupyterLite wrote it. added: path of a file → its size. A file that was listed before is
    listed anew.
    """
    found = {folder: {**made, "content": list(made.get("content") or [])} for folder, made in lists.items()}
    for path, size in sorted(added.items()):
        place = PurePosixPath(path)
        _put(found, str(place.parent) if len(place.parts) > 1 else "", _entry(path, size))
        for folder in place.parents:
            if folder.parts:
                parent = str(folder.parent) if len(folder.parts) > 1 else ""
                found.setdefault(str(folder), {**_entry(str(folder), None), "content": [], "format": "json"})
                _put(found, parent, _entry(str(folder), None))
    return found


def as_json(listing: Mapping[str, Any]) -> bytes:
    """A list as a file."""
    return json.dumps(listing, indent=1, sort_keys=True).encode()


def _put(found: dict[str, dict[str, Any]], folder: str, entry: dict[str, Any]) -> None:
    listing = found.setdefault(folder, {**_entry(folder, None), "content": [], "format": "json"})
    others: Iterable[dict[str, Any]] = (each for each in listing["content"] if each["path"] != entry["path"])
    listing["content"] = sorted([*others, entry], key=lambda each: str(each["path"]))


def _entry(path: str, size: int | None) -> dict[str, Any]:
    name = PurePosixPath(path).name
    kind = "directory" if size is None else "notebook" if name.endswith(".ipynb") else "file"
    return {
        "content": None,
        "created": _MOMENT,
        "format": None,
        "hash": None,
        "hash_algorithm": None,
        "last_modified": _MOMENT,
        "mimetype": None,
        "name": name,
        "path": path,
        "size": size,
        "type": kind,
        "writable": True,
    }
