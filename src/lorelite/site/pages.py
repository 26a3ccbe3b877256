"""The pages of one namespace: a document, an entity, a community; each links to all that has to do with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote as quote_url

from lorelite.dumps import Row
from lorelite.graph.drawing import DrawnLink, DrawnNode, graph_svg
from lorelite.graph.drawing import xml_text as escaped
from lorelite.okf.links import relative
from lorelite.records import Edge, Node
from lorelite.site.brain import Brain
from lorelite.site.frame import Frame
from lorelite.site.reading import Reading, as_html
from lorelite.site.site_file import SiteFile
from lorelite.text.plain import plain_words
from lorelite.text.span import Span

_NEIGHBOURS = 24
"""As many as can be told apart in the drawing of an entity."""
_QUOTE_CHARS = 280
_MOST_QUOTES = 40
_FRAGMENT_WORDS = 4


class Pages:
    """Writes the pages of one namespace."""

    def __init__(self, brain: Brain, frame: Frame) -> None:
        self.brain = brain
        self.frame = frame
        self._texts = {str(row["id"]): str(row.get("text") or "") for row in brain.documents}
        self._marks = _marks(brain)

    def all(self) -> Iterator[SiteFile]:
        """Every document, entity and community."""
        for row in self.brain.documents:
            yield self._document(row)
        for entity in self.brain.entities:
            yield self._entity(entity)
        for community in self.brain.communities:
            yield self._community(community)

    def link(self, id: str, label: str, path: str) -> str:
        """A link from the page at *path* to the page of a node; the label alone where it has none."""
        address = self.brain.address(id)
        shown = f"<bdi>{escaped(label)}</bdi>"
        return shown if address is None else f'<a href="{escaped(relative(address, path))}">{shown}</a>'

    def drawing(self, nodes: Sequence[Node], path: str, title: str) -> str:
        """The entities given and the relations among them, as an SVG whose nodes are links."""
        places = {node.id: number for number, node in enumerate(nodes)}
        between: dict[tuple[int, int], list[Edge]] = {}
        for node in nodes:
            for edge in self.brain.relations(node.id):
                if edge.source_id == node.id and edge.target_id in places:
                    between.setdefault((places[edge.source_id], places[edge.target_id]), []).append(edge)
        most = max((self.brain.degree(node.id) for node in nodes), default=1) or 1
        drawn = [
            DrawnNode(
                label=node.title,
                size=self.brain.degree(node.id) / most,
                group=self.brain.group(node.id),
                href=relative(self.brain.address(node.id) or path, path),
                detail=node.node_type or "",
            )
            for node in nodes
        ]
        links = [
            DrawnLink(source, target, sum(edge.weight for edge in edges), ", ".join(_kinds(edges)))
            for (source, target), edges in between.items()
        ]
        return f'<figure class="graph">{graph_svg(drawn, links, title=title)}</figure>'

    def _document(self, row: Row) -> SiteFile:
        id, name = str(row["id"]), str(row["source_ref"])
        path = str(self.brain.address(id))
        names, places = self._marks.get(id, ([], []))
        ways = [(span, relative(address, path)) for span, address in names]
        reading = Reading(self._texts[id], ways, places)
        named = Counter(address for _, address in names)
        entities = [node for node in self.brain.entities if self.brain.address(node.id) in named]
        facts = [
            f'<li><a href="#{self._anchor(fact.id, id)}"><bdi>{escaped(plain_words(fact.title))}</bdi></a></li>'
            for fact in self.brain.facts_of(id)
        ]
        aside = _section("Names", _listed(self.link(node.id, node.title, path) for node in entities))
        aside += _section("Facts", _listed(facts, items=True))
        content = f'<div class="reading"><article>{as_html(reading, name)}</article><aside>{aside}</aside></div>'
        return SiteFile.of(path, self.frame.page(path, name, content, kind="Document"))

    def _entity(self, entity: Node) -> SiteFile:
        path = str(self.brain.address(entity.id))
        relations = self.brain.relations(entity.id)
        parts = [self._also(entity), self._said(entity, path)]
        if relations:
            parts.append(_section("Relations", self._relations(entity, relations, path)))
            around = self._neighbours(entity, relations)
            parts.append(self.drawing([entity, *around], path, f"{entity.title} and what it is related to"))
        about = [self._quoted(fact, path) for fact in self.brain.facts_about(entity.id)]
        parts.append(_section("Facts", _listed(about, items=True)))
        parts.append(_section("Where it is named", self._named_in(entity, path)))
        communities = [
            self.link(str(row["id"]), str(row.get("title") or "Community"), path)
            for row in self.brain.communities_of(entity.id)
        ]
        parts.append(_section("Part of", _listed(communities)))
        kind = entity.node_type or "Entity"
        return SiteFile.of(path, self.frame.page(path, entity.title, "\n".join(parts), kind=kind))

    def _community(self, community: Row) -> SiteFile:
        id = str(community["id"])
        path = str(self.brain.address(id))
        members = self.brain.members(id)
        report = self.brain.report(id)
        parts = []
        if report is not None:
            parts += [
                f'<p dir="auto">{escaped(part)}</p>' for part in _paragraphs(str(report.extra.get("summary") or ""))
            ]
            for finding in report.extra.get("findings") or ():
                summary, explanation = (*finding, "")[:2]
                shown = "".join(f'<p dir="auto">{escaped(part)}</p>' for part in _paragraphs(str(explanation)))
                parts.append(f'<section><h2 dir="auto">{escaped(str(summary))}</h2>{shown}</section>')
        parts.append(_section("Members", _listed(self.link(node.id, node.title, path) for node in members)))
        parts.append(self.drawing(members[: 3 * _NEIGHBOURS], path, f"The members of {community.get('title')}"))
        for label, rows in (
            ("Part of", [row for row in self.brain.communities if row["id"] == community.get("parent")]),
            ("Divided into", [row for row in self.brain.communities if row.get("parent") == id]),
        ):
            named = [self.link(str(row["id"]), str(row.get("title") or "Community"), path) for row in rows]
            parts.append(_section(label, _listed(named)))
        title = report.title if report is not None else str(community.get("title") or "Community")
        return SiteFile.of(path, self.frame.page(path, title, "\n".join(parts), kind="Community"))

    def _also(self, entity: Node) -> str:
        names = self.brain.aliases(entity)
        return f'<p class="also">Also: {escaped(", ".join(names))}</p>' if names else ""

    def _said(self, entity: Node, path: str) -> str:
        """What is said of it, with the documents that say so; one that says nothing new is not repeated."""
        parts, told = [], set()
        for row in self.brain.said(entity.id):
            body = str(row.get("body") or "").strip()
            if body and body not in told:
                told.add(body)
                name = self.brain.document_names.get(str(row["document_id"]), "")
                source = self.link(str(row["document_id"]), name, path)
                lines = "<br>".join(escaped(plain_words(line)) for line in body.split("\n"))
                parts.append(f'<p dir="auto">{lines} <span class="source">{source}</span></p>')
        if not parts and entity.body:
            parts.append(f'<p dir="auto">{escaped(entity.body)}</p>')
        return "\n".join(parts)

    def _relations(self, entity: Node, relations: Sequence[Edge], path: str) -> str:
        """A row for each kind of relation with each other entity, the heaviest first."""
        alike: dict[tuple[str, str], list[Edge]] = {}
        for edge in relations:
            outward = edge.source_id == entity.id
            alike.setdefault((_worded(edge, outward), edge.target_id if outward else edge.source_id), []).append(edge)
        rows = []
        for (kind, other), edges in alike.items():
            cited = [row for edge in edges for row in self.brain.citations(edge.id)][:_MOST_QUOTES]
            told = " ".join(dict.fromkeys(edge.description for edge in edges if edge.description))
            rows.append(
                f"<tr><td>{escaped(kind)}</td><td>{self.link(other, self.brain.nodes[other].title, path)}</td>"
                f'<td dir="auto">{escaped(told)}</td><td>{" ".join(self._cited(row, path) for row in cited)}</td></tr>'
            )
        return f'<div class="wide"><table><tbody>{"".join(rows)}</tbody></table></div>'

    def _neighbours(self, entity: Node, relations: Iterable[Edge]) -> list[Node]:
        ids = dict.fromkeys(end for edge in relations for end in (edge.source_id, edge.target_id))
        return [self.brain.nodes[id] for id in ids if id != entity.id][:_NEIGHBOURS]

    def _named_in(self, entity: Node, path: str) -> str:
        """The sentence around each place where it is named."""
        rows = list(self.brain.citations(entity.id))
        items = []
        for row in rows[:_MOST_QUOTES]:
            text = self._texts.get(str(row["document_id"]), "")
            before, name, after = _around(text, row["start"], row["end"])
            quote = f"{escaped(before)}<b>{escaped(name)}</b>{escaped(after)}"
            items.append(f'<li><q dir="auto">{quote}</q> {self._cited(row, path)}</li>')
        if len(rows) > _MOST_QUOTES:
            items.append(f"<li>and {len(rows) - _MOST_QUOTES:,} more places</li>")
        return _listed(items, items=True)

    def _quoted(self, fact: Node, path: str) -> str:
        cited = " ".join(self._cited(row, path) for row in self.brain.citations(fact.id))
        body = f": {escaped(plain_words(fact.body))}" if fact.body else ""
        return f'<li dir="auto">{escaped(plain_words(fact.title))}{body} {cited}</li>'

    def _cited(self, row: Row, path: str) -> str:
        """A link to the place in the document."""
        document = str(row["document_id"])
        address = self.brain.address(document)
        name = escaped(self.brain.document_names.get(document, ""))
        if address is None:
            return f'<span class="source">{name}</span>'
        text = self._texts.get(document, "")[row["start"] : row["end"]]
        way = f"{relative(address, path)}#at-{row['start']}{_text_fragment(text)}"
        return f'<a class="source" href="{escaped(way)}">{name}</a>'

    def _anchor(self, owner: str, document: str) -> str:
        starts = [row["start"] for row in self.brain.citations(owner) if row["document_id"] == document]
        return f"at-{min(starts)}" if starts else "content"


def _marks(brain: Brain) -> dict[str, tuple[list[tuple[Span, str]], list[int]]]:
    """Document → names that lead to pages, the longest first where they overlap, and places that are cited."""
    names: dict[str, list[tuple[Span, str]]] = {}
    places: dict[str, set[int]] = {}
    entities = {node.id for node in brain.entities}
    for row in brain.dump.rows.get("citation", ()):
        document, owner = str(row["document_id"]), str(row["owner_id"])
        places.setdefault(document, set()).add(row["start"])
        address = brain.address(owner)
        if owner in entities and address is not None:
            names.setdefault(document, []).append((Span(row["start"], row["end"]), address))
    return {document: (_apart(names.get(document, ())), sorted(starts)) for document, starts in places.items()}


def _apart(names: Iterable[tuple[Span, str]]) -> list[tuple[Span, str]]:
    found: list[tuple[Span, str]] = []
    for span, address in sorted(names, key=lambda item: (item[0].start, -item[0].end, item[1])):
        if not found or span.start >= found[-1][0].end:
            found.append((span, address))
    return found


def _around(text: str, start: int, end: int) -> tuple[str, str, str]:
    """(before, the span, after) on one line, each side cut after a word."""
    room = max(20, (_QUOTE_CHARS - (end - start)) // 2)
    before, after = text[max(0, start - room) : start], text[end : end + room]
    if start > room:
        before = "… " + before.partition(" ")[2]
    if end + room < len(text):
        after = after.rpartition(" ")[0] + " …"
    left, inner, right = (" ".join(part.split()) for part in (before, text[start:end], after))
    return (
        left + (" " if before[-1:].isspace() and left else ""),
        inner,
        (" " if after[:1].isspace() and right else "") + right,
    )


def _text_fragment(quote: str) -> str:
    """What lets a browser mark the quote on the page it leads to (https://wicg.github.io/scroll-to-text-fragment/)."""
    words = plain_words(quote).split()
    if not words:
        return ""
    if len(words) <= 2 * _FRAGMENT_WORDS:
        return f":~:text={quote_url(' '.join(words), safe='').replace('-', '%2D')}"
    ends = (" ".join(words[:_FRAGMENT_WORDS]), " ".join(words[-_FRAGMENT_WORDS:]))
    return ":~:text=" + ",".join(quote_url(end, safe="").replace("-", "%2D") for end in ends)


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in text.split("\n\n") if part.strip()]


def _worded(edge: Edge, outward: bool) -> str:
    """The kind of a relation, as seen from one end."""
    if edge.edge_type == "co_occurs":
        return "named with"
    kind = edge.edge_type.replace("_", " ")
    return f"{kind} →" if outward else f"← {kind}"


def _kinds(edges: Iterable[Edge]) -> list[str]:
    return sorted({edge.edge_type.replace("_", " ") for edge in edges})


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escaped(title)}</h2>{content}</section>" if content else ""


def _listed(parts: Iterable[str], *, items: bool = False) -> str:
    """A list; *items*: the parts are items already, one below the other."""
    found = list(parts)
    if not found:
        return ""
    if items:
        return f"<ul>{''.join(found)}</ul>"
    return f'<ul class="names">{"".join(f"<li>{part}</li>" for part in found)}</ul>'
