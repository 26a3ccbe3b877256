"""Recall curves as an SVG that is readable on light and on dark pages, with no script and no font of its own."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Curve = Mapping[int, float]
"""k → share, 0 … 1."""

WIDTH, HEIGHT = 880, 335
PLOT_WIDTH, PLOT_HEIGHT = 250, 210
TOP, LEFT, GAP = 78, 56, 190
LABEL_SPACING = 15
# Blue, orange, green, purple, red, brown: told apart by most people with a colour deficiency, each in two shades.
LIGHT = ("#1f5fa8", "#b85c00", "#1b7a4b", "#7a3fa0", "#b3262e", "#6b5030")
DARK = ("#7db4f0", "#f0a860", "#6fcf97", "#c79bec", "#f28b82", "#d0b48c")


@dataclass(frozen=True, slots=True)
class Series:
    """A named run with its two curves."""

    label: str
    recall: Curve
    all_gold: Curve


def chart(title: str, series: Sequence[Series]) -> str:
    """Two panels side by side: evidence recall, and the share of questions whose evidence was all found, over k."""
    panels: Sequence[tuple[str, Callable[[Series], Curve]]] = (
        ("Evidence found", lambda run: run.recall),
        ("Questions with all their evidence found", lambda run: run.all_gold),
    )
    parts = [*_head(title, series)]
    for number, (heading, curve) in enumerate(panels):
        left = LEFT + number * (PLOT_WIDTH + GAP)
        parts += _panel(heading, [(run.label, curve(run)) for run in series], left)
    return "\n".join([*parts, "</svg>", ""])


def _escaped(text: str) -> str:
    """As XML may hold it, which has no way to write most control characters."""
    return html.escape(_NOT_IN_XML.sub("\ufffd", text))


_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _head(title: str, series: Sequence[Series]) -> Iterator[str]:
    told = "; ".join(
        f"{run.label}: " + ", ".join(f"{share:.0%} at {k}" for k, share in run.recall.items()) for run in series
    )
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="12">'
    )
    yield f'<title id="title">{_escaped(title)}</title><desc id="desc">Evidence found. {_escaped(told)}</desc>'
    yield f"<style>{_style()}</style>"
    yield f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>'
    yield f'<text class="ink" x="{LEFT - 40}" y="28" font-size="15" font-weight="600">{_escaped(title)}</text>'


def _style() -> str:
    rules = {
        "light": ("#ffffff", "#1c1f23", "#5b6470", "#dfe3e8", LIGHT),
        "dark": ("#16191d", "#e8eaed", "#a3acb8", "#343a42", DARK),
    }
    texts = {}
    for scheme, (paper, ink, faint, rule, colours) in rules.items():
        texts[scheme] = (
            f".paper{{fill:{paper}}}.ink{{fill:{ink}}}.faint{{fill:{faint}}}.rule{{stroke:{rule}}}"
            + f".dot{{stroke:{paper}}}"
            + "".join(f".l{n}{{stroke:{c}}}.t{n}{{fill:{c}}}" for n, c in enumerate(colours))
        )
    return f"{texts['light']}@media (prefers-color-scheme:dark){{{texts['dark']}}}"


def _panel(heading: str, curves: Sequence[tuple[str, Curve]], left: int) -> Iterator[str]:
    at = sorted({k for _, curve in curves for k in curve})
    bottom = TOP + PLOT_HEIGHT

    def x(k: int) -> float:
        return left + PLOT_WIDTH * (at.index(k) + 0.5) / len(at)

    def y(share: float) -> float:
        return bottom - PLOT_HEIGHT * share

    yield f'<text class="ink" x="{left - 40}" y="{TOP - 22}" font-weight="600">{_escaped(heading)}</text>'
    for percent in (0, 25, 50, 75, 100):
        level = y(percent / 100)
        yield f'<line class="rule" x1="{left}" y1="{level:.1f}" x2="{left + PLOT_WIDTH}" y2="{level:.1f}"/>'
        shown = f"{percent} %" if percent == 100 else str(percent)
        yield f'<text class="faint" x="{left - 8}" y="{level + 4:.1f}" text-anchor="end">{shown}</text>'
    for k in at:
        yield f'<text class="faint" x="{x(k):.1f}" y="{bottom + 18}" text-anchor="middle">{k}</text>'
    middle = left + PLOT_WIDTH / 2
    yield f'<text class="faint" x="{middle:.1f}" y="{bottom + 36}" text-anchor="middle">first k documents</text>'
    for number, (_, curve) in enumerate(curves):
        shade = number % len(LIGHT)
        points = " ".join(f"{x(k):.1f},{y(share):.1f}" for k, share in curve.items())
        dashes = f' stroke-dasharray="{3 * (number // len(LIGHT)) + 2}"' if number >= len(LIGHT) else ""
        yield f'<polyline class="l{shade}" points="{points}" fill="none" stroke-width="2.25"{dashes}/>'
        for k, share in curve.items():
            yield f'<circle class="dot t{shade}" cx="{x(k):.1f}" cy="{y(share):.1f}" r="4" stroke-width="1.5"/>'
    yield from _labels([(label, y(curve[max(curve)]), curve[max(curve)]) for label, curve in curves], left + PLOT_WIDTH)


def _labels(ends: Sequence[tuple[str, float, float]], right: float) -> Iterator[str]:
    """The name and last value of each curve beside its end, pushed apart where ends are near one another."""
    order = sorted(range(len(ends)), key=lambda number: ends[number][1])
    lowest = TOP + PLOT_HEIGHT
    heights: dict[int, float] = {}
    above = float("-inf")
    for number in order:
        above = heights[number] = max(ends[number][1] + 4, above + LABEL_SPACING)
    below = float(lowest + LABEL_SPACING + 4)
    for number in reversed(order):
        below = heights[number] = min(heights[number], below - LABEL_SPACING)
    for number, (label, _, share) in enumerate(ends):
        shown = label if len(label) <= 14 else f"{label[:13]}…"
        yield (
            f'<text class="t{number % len(LIGHT)}" x="{right + 2:.1f}" y="{heights[number]:.1f}" font-weight="600">'
            f"{100 * share:.1f} {_escaped(shown)}</text>"
        )
