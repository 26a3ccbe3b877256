"""The pages that lead to the others: the front page, lists, the graph as a whole, the search."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lorelite.dumps import Row
from lorelite.graph.drawing import xml_text as escaped
from lorelite.okf.links import relative
from lorelite.records import Node
from lorelite.site.brain import Brain
from lorelite.site.frame import SEARCH, Frame
from lorelite.site.pages import Pages
from lorelite.site.site_file import SiteFile

_DRAWN = 150
"""Entities in the drawing of the whole: more would be a thicket."""
_FIRST = 12


def front_page(pages: Pages, title: str) -> SiteFile:
    """What a namespace is about, and where to begin."""
    brain, frame = pages.brain, pages.frame
    path = brain.at("index.html")
    counts = [
        (len(brain.documents), "document"),
        (len(brain.entities), "entity"),
        (sum(len(brain.facts_of(str(row["id"]))) for row in brain.documents) + len(brain.stated), "fact"),
        (len(brain.communities), "community"),
    ]
    told = ", ".join(_plural(number, noun) for number, noun in counts if number)
    parts = [f'<p class="counts">{told}</p>'] if told else ["<p>There is nothing here yet.</p>"]
    coarsest = [row for row in brain.communities if not row.get("level", 0)][:_FIRST]
    cards = "".join(_card(brain, pages, row, path) for row in coarsest)
    if cards:
        parts.append(f'<section><h2>What it is about</h2><div class="cards">{cards}</div></section>')
    most = [pages.link(node.id, node.title, path) for node in brain.entities[: 3 * _FIRST]]
    documents = [pages.link(str(row["id"]), str(row["source_ref"]), path) for row in brain.documents]
    parts += [_list_section("Most connected", most), _list_section("Documents", documents)]
    if brain.stated:
        parts.append(f'<p><a href="./facts.html">{_plural(len(brain.stated), "fact")} that no document states</a></p>')
    return SiteFile.of(path, frame.page(path, title, "\n".join(parts)))


def front_of_several(brains: Sequence[Brain], frame: Frame) -> SiteFile:
    """The way to each namespace."""
    items = "".join(
        f'<li><a href="{escaped(relative(brain.at("index.html"), "index.html"))}">{escaped(brain.name)}</a> '
        f"{_plural(len(brain.documents), 'document')}</li>"
        for brain in brains
    )
    return SiteFile.of("index.html", frame.page("index.html", frame.title, f"<ul>{items}</ul>"))


def lists(pages: Pages) -> Iterator[SiteFile]:
    """Documents, entities and communities by name; the facts that no document states; the graph."""
    brain, frame = pages.brain, pages.frame
    path = brain.at("documents.html")
    documents = [pages.link(str(row["id"]), str(row["source_ref"]), path) for row in brain.documents]
    yield SiteFile.of(path, frame.page(path, "Documents", _plain_list(documents)))
    path = brain.at("entities.html")
    yield SiteFile.of(path, frame.page(path, "Entities", _by_letter(brain.entities, pages, path)))
    path = brain.at("communities.html")
    tree = _tree(brain, pages, [row for row in brain.communities if not row.get("parent")], path)
    nothing = "<p>None were found yet: <code>lorelite communities --build</code> does that.</p>"
    yield SiteFile.of(path, frame.page(path, "Communities", tree or nothing))
    path = brain.at("facts.html")
    if brain.stated:
        yield SiteFile.of(
            path, frame.page(path, "Facts", f'<ul class="facts">{"".join(map(_fact, brain.stated))}</ul>')
        )
    path = brain.at("graph.html")
    drawn = [node for node in brain.entities[:_DRAWN] if brain.degree(node.id)]
    all_of_them = _plural(len(brain.entities), "entity")
    note = f"<p>{len(drawn):,} of {all_of_them}, the most connected; colours are communities.</p>"
    yield SiteFile.of(path, frame.page(path, "Graph", note + pages.drawing(drawn, path, f"The graph of {brain.name}")))


def search_page(frame: Frame) -> SiteFile:
    """The page on which the file itself is searched."""
    content = (
        '<form id="search" role="search"><input type="search" name="q" aria-label="Search" autocomplete="off">'
        "<button>Search</button></form>"
        '<p id="status" role="status">Searching needs JavaScript, and pages that come from a web server.</p>'
        '<ol id="hits"></ol>'
    )
    return SiteFile.of(SEARCH, frame.page(SEARCH, "Search", content, scripts=("search.js",)))


def addresses(brains: Iterable[Brain]) -> SiteFile:
    """Where each node of the file can be read, for the search."""
    found: dict[str, str] = {}
    for brain in brains:
        found |= _places(brain)
    text = json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return SiteFile.of("assets/addresses.json", text)


def _places(brain: Brain) -> Mapping[str, str]:
    shown = {id: brain.address(id) for id in brain.nodes}
    found = {id: address for id, address in shown.items() if address is not None}
    for id, address in found.items():
        starts = [row["start"] for row in brain.citations(id)]
        if starts and brain.nodes[id].kind in ("fact", "chunk"):
            found[id] = f"{address}#at-{min(starts)}"
    for row in brain.communities:
        report = brain.report(str(row["id"]))
        if report is not None:
            found[report.id] = str(brain.address(str(row["id"])))
    return found


def _card(brain: Brain, pages: Pages, community: Row, path: str) -> str:
    id = str(community["id"])
    report = brain.report(id)
    title = report.title if report is not None else str(community.get("title") or "Community")
    summary = str(report.extra.get("summary") or "").split("\n\n", 1)[0] if report is not None else ""
    shown = summary if len(summary) <= 260 else summary[:260].rpartition(" ")[0] + " …"
    return (
        f'<div class="card"><h3>{pages.link(id, title, path)}</h3><p dir="auto">{escaped(shown)}</p>'
        f"<small>{_plural(len(brain.members(id)), 'entity')}</small></div>"
    )


def _fact(fact: Node) -> str:
    body = f'<p dir="auto">{escaped(fact.body)}</p>' if fact.body else ""
    return f'<li id="{escaped(fact.id)}"><b dir="auto">{escaped(fact.title)}</b>{body}</li>'


def _by_letter(entities: Iterable[Node], pages: Pages, path: str) -> str:
    by_letter: dict[str, list[Node]] = {}
    for node in sorted(entities, key=lambda node: (node.title.casefold(), node.id)):
        first = node.title.strip()[:1].upper()
        by_letter.setdefault(first if first.isalpha() else "#", []).append(node)
    return "\n".join(
        _list_section(letter, [pages.link(node.id, node.title, path) for node in nodes])
        for letter, nodes in sorted(by_letter.items())
    )


def _tree(brain: Brain, pages: Pages, rows: Iterable[Row], path: str) -> str:
    items = []
    for row in rows:
        id = str(row["id"])
        report = brain.report(id)
        label = report.title if report is not None else str(row.get("title") or "Community")
        below = _tree(brain, pages, [each for each in brain.communities if each.get("parent") == id], path)
        items.append(f"<li>{pages.link(id, label, path)} <small>{len(brain.members(id))}</small>{below}</li>")
    return f'<ul class="tree">{"".join(items)}</ul>' if items else ""


def _list_section(title: str, links: Sequence[str]) -> str:
    listed = "".join(f"<li>{link}</li>" for link in links)
    return f'<section><h2>{escaped(title)}</h2><ul class="names">{listed}</ul></section>' if links else ""


def _plain_list(links: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{link}</li>" for link in links) + "</ul>"


def _plural(count: int, noun: str) -> str:
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"
