"""HTML as the text that it shows, with headings and links in Markdown so that their structure is not lost."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SILENT = {"script", "style", "template", "noscript", "svg", "iframe", "object", "nav"}
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BLOCKS = {"p", "div", "section", "article", "header", "footer", "main", "aside", "ul", "ol", "dl", "table", "pre"}
_BLOCKS |= {"blockquote", "figure", "figcaption", "form", "title", "hr"}
_LINES = {"br", "dt", "dd", "option"}
_SPACES = re.compile(r"[^\S\n]+")


def html_text(source: str) -> str:
    """The visible text of an HTML page: blocks apart by a blank line, no scripts, styles or navigation."""
    reader = _Reader()
    reader.feed(source)
    reader.close()
    lines = (_SPACES.sub(" ", line).strip() for line in "".join(reader.parts).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent: list[str] = []
        self._preformatted = 0
        self._targets: list[str] = []
        self._rows = self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent.append(tag)
        elif self._silent:
            return
        elif tag in _HEADINGS:
            self.parts.append(f"\n\n{_HEADINGS[tag]} ")
        elif tag == "li":
            self.parts.append("\n- ")
        elif tag in ("td", "th"):
            self._cells += 1
            self.parts.append(" | ")
        elif tag == "tr":
            self._rows += 1
            self._cells = 0
            self.parts.append("\n")
        elif tag in _LINES:
            self.parts.append("\n")
        elif tag in _BLOCKS:
            self._rows = 0 if tag == "table" else self._rows
            self._preformatted += tag == "pre"
            self.parts.append("\n\n")
        elif tag == "a":
            self._targets.append(dict(attrs).get("href") or "")
            self.parts.append("[" if self._targets[-1] else "")

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.pop()
        elif tag == "tr":
            self.parts.append(" |" + ("\n|" + " --- |" * self._cells if self._rows == 1 else ""))
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._preformatted = max(0, self._preformatted - (tag == "pre"))
            self.parts.append("\n\n")
        elif tag == "a" and self._targets:
            target = self._targets.pop()
            self.parts.append(f"]({target})" if target else "")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data if self._preformatted else re.sub(r"\s+", " ", data))
