"""A classroom in a folder: the page, JupyterLite, Python for the browser, a memory and lessons, with no network.

The folder is a static site. `serve.py` in it gives it out from a stick; any web server does, under any path.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lorelite.classroom.contents import as_json, listings
from lorelite.errors import CannotOpen

BRAIN = "brain.db"
START = "START.txt"
_LITE = Path("lite")
_NEEDED = ("index.html", "pyodide/pyodide-lock.json", "lite/index.html", "lite/api/contents/all.json")
_MOMENT = (1980, 1, 1, 0, 0, 0)
_START_TEXT = """{title}

On this computer, with Python: open a terminal in this folder and type

    python serve.py --open

From a web server: copy this folder to it, under any path. GitHub Pages and the like take it as it is.
A browser opens no such page by double-clicking index.html: browsers let no page read the files beside it.

The page is at the address shown, the notebooks at lite/ below it. Nothing is asked for from elsewhere.
"""


def build_classroom(
    site: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    title: str = "Lorelite",
    brain: bytes | None = None,
    namespace: str = "",
    notebooks: str | os.PathLike[str] | None = None,
) -> int:
    """Make the folder *out*, which must be new or empty, out of a built *site*; gives the number of files.

    brain: a Lorelite file with which the page begins where a browser has none yet, and which notebooks find as
    "brain.db". namespace: the one the page then shows; "" for its first. notebooks: a folder of lessons, with all that
    lies in and below it, for JupyterLite. Raises CannotOpen for a site that is none, and an *out* that holds something.
    """
    source, target = Path(site), Path(out)
    missing = [name for name in _NEEDED if not (source / name).is_file()]
    if missing:
        raise CannotOpen(
            str(source),
            f"expected a built site, with the page and JupyterLite; it lacks {missing[0]} (make demo builds one)",
        )
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise CannotOpen(str(target), "it holds something already; choose a new or an empty folder")
    lessons = dict(_lessons(Path(notebooks))) if notebooks is not None else {}
    if brain is not None:
        lessons[BRAIN] = brain
    try:
        shutil.copytree(source, target, dirs_exist_ok=True)
        begins = {"title": title} | ({"brain": BRAIN, "namespace": namespace} if brain is not None else {})
        written = {"classroom.json": json.dumps(begins).encode(), START: _START_TEXT.format(title=title).encode()}
        written |= {BRAIN: brain} if brain is not None else {}
        written |= {str(_LITE / "files" / path): data for path, data in lessons.items()}
        written |= _lists(target, {path: len(data) for path, data in lessons.items()})
        written["serve.py"] = (Path(__file__).parent / "serve.py").read_bytes()
        for path, data in written.items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_bytes(data)
    except OSError as error:
        raise CannotOpen(str(target), error.strerror or str(error)) from error
    return sum(1 for path in target.rglob("*") if path.is_file())


def zip_folder(folder: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """The folder as a zip, in which it is one folder of its name."""
    root = Path(folder)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(each for each in root.rglob("*") if each.is_file()):
            entry = zipfile.ZipInfo(f"{root.name}/{file.relative_to(root).as_posix()}", _MOMENT)
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)


def _lessons(folder: Path) -> Iterator[tuple[str, bytes]]:
    """(path, bytes) of what lies in and below a folder; hidden files and links are left out."""
    if not folder.is_dir():
        raise CannotOpen(str(folder), "expected a folder of notebooks")
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not path.is_symlink() and not any(part.startswith(".") for part in parts):
            yield "/".join(parts), path.read_bytes()


def _lists(target: Path, added: Mapping[str, int]) -> dict[str, bytes]:
    """Path of a list of JupyterLite in the bundle → what it is to hold."""
    root = target / _LITE / "api" / "contents"
    known: dict[str, dict[str, Any]] = {
        "" if path.parent == root else path.parent.relative_to(root).as_posix(): json.loads(path.read_text("utf-8"))
        for path in root.rglob("all.json")
    }
    place = _LITE / "api" / "contents"
    return {str(place / folder / "all.json"): as_json(made) for folder, made in listings(known, added).items()}
