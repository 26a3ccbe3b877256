"""The pages: complete, true, and with links that lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import lorelite
import lorelite.evaluation
import lorelite.models
import lorelite.tools
from lorelite import AsyncWiki, WikiConfig, errors
from lorelite.cli.main import parser
from lorelite.store.migrate import schema_text

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), *(ROOT / name for name in ("README.md", "DESIGN.md", "CHANGELOG.md"))]


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def all_pages() -> str:
    return "\n".join(path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md"))


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def command_parsers():
    [action] = [action for action in parser()._actions if action.dest == "command"]
    return action.choices


def test_every_public_name_is_explained():
    told = words(all_pages())
    modules = (lorelite, lorelite.evaluation, lorelite.models, lorelite.tools)
    assert not {name for module in modules for name in module.__all__} - told


def test_every_method_is_explained():
    assert not {name for name in dir(AsyncWiki) if not name.startswith("_")} - words(all_pages())


def test_the_page_of_python_names_every_method():
    assert not {name for name in dir(AsyncWiki) if not name.startswith("_")} - words(page("python.md"))


def test_every_error_has_its_row():
    rows = set(re.findall(r"^\| `(\w+)` \|", page("errors.md"), re.MULTILINE))
    assert rows == {name for name in lorelite.__all__ if hasattr(errors, name)}


def test_every_table_of_the_file_is_explained():
    tables = set(re.findall(r"^create table (\w+)", schema_text(), re.MULTILINE))
    assert not tables - words(page("file_format.md"))


def test_every_command_has_its_section_and_every_option_is_told():
    text = page("cli.md")
    sections = re.findall(r"^## (\w+)$", text, re.MULTILINE)
    for name, command in command_parsers().items():
        assert name in sections
        options = {option for action in command._actions for option in action.option_strings if option.startswith("--")}
        assert not {option for option in options if f"{option}`" not in text and f"{option} " not in text}, name


@pytest.mark.parametrize("name", ["README.md", "docs/cli.md"])
def test_every_command_line_shown_is_one_that_works(name):
    lines = re.findall(r"^(?:[^\n]*\| )?lorelite ([^\n]*)", (ROOT / name).read_text("utf-8"), re.MULTILINE)
    assert lines
    for line in lines:
        assert parser().parse_args(shlex.split(line, comments=True)).run


def test_every_option_named_is_one_of_the_settings_or_of_a_call():
    text = page("python.md")
    assert WikiConfig(max_results=20).max_results == 20
    for call in re.findall(r"^`(read|traverse_graph)`: (.*?)\n\n", text, re.MULTILINE | re.DOTALL):
        method, told = call
        parameters = set(getattr(AsyncWiki, method).__annotations__) - {"return", "namespace", "query", "source_id"}
        assert not parameters - words(told), method


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_to_a_file(path):
    prose = re.sub(r"```.*?```|`[^`]*`", "", path.read_text("utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", prose)
    assert not [target for target in targets if not (path.parent / target).exists()]


def test_every_page_that_the_code_names_is_there():
    sources = [path for folder in ("src", "bench", "web/src") for path in (ROOT / folder).rglob("*.[pj][ys]")]
    named = {name for path in sources for name in re.findall(r"docs/[\w/]+\.md", path.read_text("utf-8"))}
    assert not [name for name in named if not (ROOT / name).exists()]
