"""A small graph as an SVG with no script and no font of its own, readable on light and on dark pages."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lorelite.graph.spring_layout import spring_layout

COLOURS = ("#1b7a6e", "#b85c00", "#4a63b8", "#8a5a9e", "#5f7d1e", "#b3434a", "#2f7fa8", "#9a7420", "#6a6f76")
"""By community, told apart by most people with a colour deficiency; after the last they begin again."""
WIDTH, HEIGHT = 960, 620
_MARGIN_X, _MARGIN_Y = 90, 40
_LABELLED = 45
"""Of more nodes than these only the largest are named, the others on pointing at them."""
_LABEL_CHARS = 26
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STYLE = (
    ".lorelite-graph line{stroke:#8a8f98;stroke-opacity:.45}"
    ".lorelite-graph circle{stroke:#fff;stroke-width:1.5}"
    ".lorelite-graph text{font:12px system-ui,sans-serif;fill:#222;paint-order:stroke;stroke:#fff;stroke-width:3px}"
    "@media(prefers-color-scheme:dark){.lorelite-graph circle{stroke:#15181c}"
    ".lorelite-graph text{fill:#e6e6e6;stroke:#15181c}}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnNode:
    """A node to draw: `size` in 0 … 1, `group` chooses the colour, `href` is where it leads, "" nowhere."""

    label: str
    size: float = 0.3
    group: int = 0
    href: str = ""
    detail: str = ""
    """Shown on pointing at it, below the label."""


@dataclass(frozen=True, slots=True)
class DrawnLink:
    """A link between two nodes, by their places in the list; `label` is shown on pointing at it."""

    source: int
    target: int
    weight: float = 1.0
    label: str = ""


def graph_svg(nodes: Sequence[DrawnNode], links: Sequence[DrawnLink], *, title: str) -> str:
    """The drawing; the most important nodes first are the ones whose names are shown when not all can be."""
    places = spring_layout(len(nodes), [(link.source, link.target, link.weight) for link in links])
    points = [
        (_MARGIN_X + x * (WIDTH - 2 * _MARGIN_X), _MARGIN_Y + y * (HEIGHT - 2 * _MARGIN_Y - 20)) for x, y in places
    ]
    heaviest = max((link.weight for link in links), default=1.0) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" class="lorelite-graph" '
        f'role="img" aria-label="{xml_text(title)}"><style>{_STYLE}</style>',
        *(_link(link, nodes, points, heaviest) for link in links),
        *_nodes(nodes, points),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def xml_text(text: str) -> str:
    """*text* escaped for text and attributes of XML and HTML; characters that XML cannot hold become U+FFFD."""
    return html.escape(_NOT_IN_XML.sub("\ufffd", text))


def _link(link: DrawnLink, nodes: Sequence[DrawnNode], points: Sequence[tuple[float, float]], heaviest: float) -> str:
    (x1, y1), (x2, y2) = points[link.source], points[link.target]
    told = f"{nodes[link.source].label} {link.label or '–'} {nodes[link.target].label}"
    width = 0.8 + 2.4 * link.weight / heaviest
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke-width="{width:.1f}">'
        f"<title>{xml_text(told)}</title></line>"
    )


def _nodes(nodes: Sequence[DrawnNode], points: Sequence[tuple[float, float]]) -> Iterator[str]:
    for number, (node, (x, y)) in enumerate(zip(nodes, points, strict=True)):
        radius = 5 + 9 * node.size
        told = "\n".join(part for part in (node.label, node.detail) if part)
        drawn = (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{COLOURS[node.group % len(COLOURS)]}">'
            f"<title>{xml_text(told)}</title></circle>"
        )
        if number < _LABELLED:
            label = node.label if len(node.label) <= _LABEL_CHARS else node.label[: _LABEL_CHARS - 1].rstrip() + "…"
            drawn += f'<text x="{x:.1f}" y="{y + radius + 13:.1f}" text-anchor="middle">{xml_text(label)}</text>'
        yield f'<a href="{xml_text(node.href)}">{drawn}</a>' if node.href else drawn
