"""A memory as a static site: a page for each document, entity and community, to be read without Python.

The pages need no JavaScript. With it, and from a web server, the file that lies beside them can be searched.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from importlib import resources
from pathlib import Path

from lorelite.blocking import Wiki
from lorelite.dumps import MemoryDump
from lorelite.errors import CannotOpen, InvalidOption
from lorelite.okf.names import file_name, hashed_name
from lorelite.site import index_pages
from lorelite.site.brain import Brain
from lorelite.site.frame import Frame, Section
from lorelite.site.pages import Pages
from lorelite.site.site_file import SiteFile as SiteFile

ASSETS = ("site.css", "search.js", "sqlite_file.js")


def format_site(dump: MemoryDump, *, file: bytes, title: str = "") -> Iterator[SiteFile]:
    """The files of a site that shows what *dump* holds, the same for the same rows.

    file: the SQLite file that visitors search and may take home, as `export_file` gives it; what it holds is public.
    title: of the site; "" for the name of the namespace. One namespace lies at the root, several in a folder each.
    """
    if not isinstance(dump, MemoryDump):
        raise InvalidOption("dump", "a MemoryDump, as export_dump gives it", dump)
    names = list(dump.namespaces)
    folders = {names[0]: ""} if len(names) == 1 else _folders(names)
    brains = [Brain(dump.namespaces[name], folder) for name, folder in folders.items()]
    shown = title or (names[0] if len(names) == 1 else "Lorelite")
    for brain in brains:
        pages = Pages(brain, Frame(shown, _sections(brain)))
        yield index_pages.front_page(pages, shown if len(brains) == 1 else brain.name)
        yield from index_pages.lists(pages)
        yield from pages.all()
    root = Frame(shown, _sections(brains[0]) if len(brains) == 1 else ())
    if len(brains) != 1:
        yield index_pages.front_of_several(brains, root)
    yield index_pages.search_page(root)
    yield index_pages.addresses(brains)
    for name in ASSETS:
        yield SiteFile(f"assets/{name}", resources.files("lorelite.site").joinpath("assets", name).read_bytes())
    yield SiteFile("brain.db", file)
    yield SiteFile(".nojekyll", b"")


def export_site(wiki: Wiki, path: str | os.PathLike[str], *, namespace: str | None = None, title: str = "") -> int:
    """Write the site of a namespace, or of all, into a new or empty folder; gives the number of files.

    The file in it is made for it: of these namespaces, as they are now, with no history, no recorded calls, no vectors.
    Raises NotFound when there is no such namespace, CannotOpen when the folder holds something already.
    """
    dump = wiki.export_dump(namespace, vectors=False)
    with Wiki.open(":memory:") as public:
        public.import_dump(dump)
        file = public.export_file()
    return write_site(format_site(dump, file=file, title=title), path)


def write_site(files: Iterable[SiteFile], path: str | os.PathLike[str]) -> int:
    """Write a site into a new or empty folder; gives the number of files.

    Raises CannotOpen when the folder holds something already, or cannot be written.
    """
    target = Path(path)
    count = 0
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise CannotOpen(str(target), "it holds something already; choose a new or an empty folder")
        for file in files:
            place = target / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content)
            count += 1
    except OSError as error:
        raise CannotOpen(str(target), error.strerror or str(error)) from error
    return count


def _sections(brain: Brain) -> tuple[Section, ...]:
    names = ("Documents", "Entities", "Communities", "Graph")
    return tuple(Section(name, brain.at(f"{name.lower()}.html")) for name in names)


def _folders(names: Iterable[str]) -> dict[str, str]:
    """Namespace → folder; one that would be taken twice, or is a part of the site, gets a hash."""
    found: dict[str, str] = {}
    taken = {"assets"}
    for name in names:
        folder = file_name(name)
        if folder.casefold() in taken:
            folder = hashed_name(name, folder)
        taken.add(folder.casefold())
        found[name] = folder
    return found
