"""What every page of a site has around its content."""

from __future__ import annotations

from dataclasses import dataclass

from lorelite.graph.drawing import xml_text as escaped
from lorelite.okf.links import relative

_POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; script-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'"
)
"""Nothing from elsewhere, and no script that stands in a page. Styles may stand in one: drawings carry theirs."""


SEARCH = "search.html"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the site that the head of every page leads to."""

    label: str
    path: str


@dataclass(frozen=True, slots=True)
class Frame:
    """The site's title, and the sections in the head of the pages."""

    title: str
    sections: tuple[Section, ...]

    def page(self, path: str, title: str, content: str, *, kind: str = "", scripts: tuple[str, ...] = ()) -> str:
        """The page at *path*, of which *content* is the HTML; kind: a word above its title, "entity" for one."""

        def way(target: str) -> str:
            return escaped(relative(target, path))

        links = "".join(
            f'<a href="{way(section.path)}"{_current(section, path)}>{escaped(section.label)}</a>'
            for section in self.sections
        )
        loaded = "".join(f'<script type="module" src="{way(f"assets/{name}")}"></script>' for name in scripts)
        form = (
            f'<form role="search" action="{way(SEARCH)}"><input type="search" name="q" aria-label="Search" '
            'placeholder="Search"></form>'
            if path != SEARCH
            else ""
        )
        above = f'<p class="kind">{escaped(kind)}</p>' if kind else ""
        shown = title if title == self.title else f"{title} · {self.title}"
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{escaped(_POLICY)}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<meta name="color-scheme" content="light dark">'
            f'<title>{escaped(shown)}</title><link rel="icon" href="data:,">'
            f'<link rel="stylesheet" href="{way("assets/site.css")}">{loaded}</head>\n'
            '<body><a class="skip" href="#content">To the content</a>'
            f'<header><a class="home" href="{way("index.html")}">{escaped(self.title)}</a>'
            f"<nav>{links}</nav>{form}</header>\n"
            f'<main id="content">{above}<h1 dir="auto">{escaped(title)}</h1>\n{content}\n</main>\n'
            '<footer>Made with Lorelite. The whole memory is <a href="'
            f'{way("brain.db")}" download>one SQLite file</a>.</footer></body></html>\n'
        )


def _current(section: Section, path: str) -> str:
    return ' aria-current="page"' if section.path == path else ""
