"""`read(diversity=…)`: the list repeats itself less."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, Wiki
from lorelite.models import CallableEmbedder

NS = "class"
PLACES = {"heron at the lock": [1.0, 0.0], "heron by the lock": [1.0, 0.05], "heron in the reeds": [0.1, 1.0]}


def titles(wiki: Wiki, **options) -> list[str]:
    return [node.title for node in wiki.read(NS, "heron lock", **options).facts]


def fill(wiki: Wiki) -> None:
    wiki.write(NS, title="heron lock", body="fishes at dawn beside the lock gate", node_id="a")
    wiki.write(NS, title="heron lock", body="fishes at dawn beside the lock gates", node_id="b")
    wiki.write(NS, title="heron", body="nests in tall alders far away", node_id="c")
    for number in range(8):
        wiki.write(NS, title=f"filler {number}")


def ids(wiki: Wiki, **options) -> list[str]:
    return [node.id for node in wiki.read(NS, "heron lock", **options).facts]


def test_a_near_copy_gives_way_to_what_says_something_else(wiki):
    fill(wiki)
    assert ids(wiki, max_results=2) == ["a", "b"]
    assert ids(wiki, max_results=2, diversity=0.8) == ["a", "c"]


def test_no_diversity_is_the_order_of_the_scores(wiki):
    fill(wiki)
    assert ids(wiki, diversity=0) == ids(wiki, diversity=None) == ids(wiki)


def test_scores_are_those_of_the_search_and_the_best_stays_first(wiki):
    fill(wiki)
    plain, varied = wiki.read(NS, "heron lock"), wiki.read(NS, "heron lock", diversity=1)
    assert varied.facts[0].id == plain.facts[0].id
    assert dict(varied.fact_scores) == dict(plain.fact_scores)


def test_likeness_is_that_of_the_vectors_where_there_are_any(open_wiki):
    vectors = PLACES | {"heron lock": [1.0, 0.0]}
    embedder = CallableEmbedder(lambda texts: [vectors[text.split("\n")[0]] for text in texts], model_id="places")
    wiki = open_wiki(embedder=embedder)
    for title in PLACES:
        wiki.write(NS, title=title)
    options = {"hybrid_weight": "cosine", "max_results": 2}
    assert titles(wiki, **options) == ["heron at the lock", "heron by the lock"]
    assert titles(wiki, **options, diversity=0.9) == ["heron at the lock", "heron in the reeds"]


def test_floors_are_kept(wiki):
    fill(wiki)
    wiki.write("other", title="heron lock", body="fishes at dawn beside the lock gate", node_id="copy")
    found = wiki.read([NS, "other"], "heron lock", max_results=2, diversity=1, tier_floors={"other": 1})
    assert "copy" in [node.id for node in found.facts]


@pytest.mark.parametrize("diversity", [-0.1, 1.1, "much", True, float("nan")])
def test_what_is_no_share_is_refused(wiki, diversity):
    fill(wiki)
    with pytest.raises(InvalidOption, match="diversity"):
        wiki.read(NS, "heron", diversity=diversity)
