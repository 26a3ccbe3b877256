"""`pagerank_search` over a graph that a model made: which of the things that it names join passages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from lorelite import Wiki
from lorelite.models import ScriptedModel

NS = "coast"
PAGES = {
    "Ada": "Ada rows at Skarven, a fishing harbour with moorings.",
    "Ben": "Ben mends nets in a fishing harbour, and rows.",
    "Cleo": "Cleo rows home to Skarven.",
    "Dan": "Dan rows and keeps bees beside a fishing harbour.",
    "Moorings": "Chains and blocks of granite, laid in May.",
}
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Skarven")
QUESTION = "Who rows at the fishing harbour where Cleo lives?"

OpenWiki = Callable[..., Wiki]


def read_by_a_model(open_wiki: OpenWiki, listed: Iterable[str], pages: dict[str, str]) -> Wiki:
    """A wiki with these pages, of which a model lists each of the names that stands there."""

    def reply(request) -> str:
        passage = request.user.partition("The passage:")[2]
        return json.dumps({"entities": [{"name": name} for name in listed if name in passage] or [{"name": "May"}]})

    wiki = open_wiki(model=ScriptedModel({"extract": reply}))
    for title, text in pages.items():
        wiki.ingest_document(NS, text=f"# {title}\n\n{text}", source_ref=title)
    return wiki


def shares(wiki: Wiki, question: str = QUESTION) -> dict[str, float]:
    found = wiki.pagerank_search(NS, question, kinds=["chunk"], explain=True)
    return {node.title: found.explanations[node.id].graph_score or 0.0 for node in found.facts}


def test_a_model_that_also_lists_kinds_of_things_finds_what_one_that_lists_names_finds(open_wiki):
    names_alone = shares(read_by_a_model(open_wiki, NAMES, PAGES))
    assert shares(read_by_a_model(open_wiki, (*NAMES, "fishing harbour"), PAGES)) == names_alone


def test_a_name_that_a_model_lists_joins_the_passages_that_share_it(open_wiki):
    without = shares(read_by_a_model(open_wiki, set(NAMES) - {"Skarven"}, PAGES))
    assert shares(read_by_a_model(open_wiki, NAMES, PAGES))["Ada"] > without["Ada"]


def test_a_kind_that_a_model_lists_leads_to_the_passage_about_it(open_wiki):
    wiki = read_by_a_model(open_wiki, (*NAMES, "moorings"), PAGES)
    assert "Moorings" in shares(wiki, "What is at Skarven, Ada?")
    assert "Moorings" not in shares(read_by_a_model(open_wiki, NAMES, PAGES), "What is at Skarven, Ada?")


def test_a_name_in_a_script_without_capitals_joins_passages(open_wiki):
    pages = {
        "甲": "甲在白港划船。",
        "乙": "乙在白港划船补网。",
        "丙": "丙划船养蜂。",
    }
    without = shares(read_by_a_model(open_wiki, "甲乙丙", pages), "甲和谁划船？")
    assert shares(read_by_a_model(open_wiki, [*"甲乙丙", "白港"], pages), "甲和谁划船？")["乙"] > without["乙"]
