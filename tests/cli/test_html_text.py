"""HTML as the text that it shows."""

from __future__ import annotations

import pytest

from lorelite.cli.html_text import html_text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("one<br>two", "one\ntwo"),
        ("<h2>Tides &amp; winds</h2>text", "## Tides & winds\n\ntext"),
        ("<ul><li>one<li>two</ul>", "- one\n- two"),
        ('see <a href="b.md">boats</a> and <a>gauges</a>', "see [boats](b.md) and gauges"),
        ("<script>let a = '<p>x</p>'</script><style>p {}</style>text", "text"),
        ("<nav><ul><li>menu</ul></nav>text", "text"),
        ("a  lot\n of   space", "a lot of space"),
        ("潮位&#x8A08;", "潮位計"),
        ("<p>never closed <b>at all", "never closed at all"),
        ("a < b and c > d", "a < b and c > d"),
        ("</div></p>text", "text"),
        ("no markup", "no markup"),
    ],
)
def test_the_page_reads_as_it_looks(source, text):
    assert html_text(source) == text + "\n"


def test_a_table_becomes_a_table_of_markdown():
    source = "<table><tr><th>name</th><th>kind</th></tr><tr><td>Heron</td><td>gauge</td></tr></table>"
    assert html_text(source) == "| name | kind |\n| --- | --- |\n| Heron | gauge |\n"
