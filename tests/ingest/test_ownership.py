"""A document owns exactly its share: taking one away leaves what the others alone would have made."""

from __future__ import annotations

import pytest
from scripted_reader import reader

from lorelite import Wiki, WikiConfig
from lorelite.store.store import Store

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

NS = "class"
NAMES = ["Ada", "Bob", "Cid", "Dan"]
PLAIN = st.one_of(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["knows", "owns", "visits"]), st.sampled_from(NAMES)).map(
        lambda parts: f"{parts[0]} {parts[1]} {parts[2]}."
    ),
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["sings", "sleeps", "paints"])).map(
        lambda parts: f"It is said that {parts[0]} {parts[1]}."
    ),
)
STATEMENTS = st.one_of(
    PLAIN,
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).map(
        lambda parts: f"{parts[0]} knows that {parts[1]} sings."
    ),
)
WITH_ALIASES = st.one_of(
    STATEMENTS,
    st.tuples(st.sampled_from(NAMES), st.sampled_from([*NAMES, "Addie", "Rob"])).map(
        lambda parts: f"{parts[0]} is also called {parts[1]}."
    ),
)


def texts(sentences):
    return st.lists(sentences, min_size=1, max_size=12).map(" ".join)


def fresh(model, ticks: list[int]) -> Wiki:
    """A wiki whose clock moves on with every look."""

    def clock() -> int:
        ticks[0] += 1
        return ticks[0]

    store = Store(":memory:", clock=clock)
    return Wiki.open(":memory:", store=store, model=model, config=WikiConfig(chunk_chars=200, chunk_overlap=0))


def built(model, *steps) -> Wiki:
    wiki = fresh(model, [1_700_000_000_000])
    for step in steps:
        step(wiki)
    return wiki


def take_in(name: str, text: str):
    return lambda wiki: wiki.ingest_document(NS, source_ref=name, text=text, on_duplicate="ingest")


def drop(name: str):
    return lambda wiki: wiki.forget(NS, source_ref=name)


@pytest.mark.parametrize("model", [reader, lambda: None], ids=["model", "no model"])
@hypothesis.settings(max_examples=15, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@hypothesis.given(a=texts(PLAIN), b=texts(PLAIN))
def test_forgetting_a_document_leaves_what_the_other_alone_makes(picture, model, a, b):
    both = built(model(), take_in("a", a), take_in("b", b), drop("a"))
    alone = built(model(), take_in("b", b))
    assert picture(both) == picture(alone)
    other_way = built(model(), take_in("b", b), take_in("a", a), drop("a"))
    assert picture(other_way) == picture(alone)


@hypothesis.settings(max_examples=15, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@hypothesis.given(a=texts(WITH_ALIASES), b=texts(WITH_ALIASES))
def test_with_aliases_too_a_document_that_came_first_keeps_its_share(picture, a, b):
    both = built(reader(), take_in("b", b), take_in("a", a), drop("a"))
    alone = built(reader(), take_in("b", b))
    assert picture(both) == picture(alone)


@hypothesis.settings(max_examples=15, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@hypothesis.given(old=texts(WITH_ALIASES), new=texts(PLAIN), other=texts(PLAIN))
def test_a_changed_document_replaces_exactly_its_old_share(picture, old, new, other):
    hypothesis.assume(old != new)
    replaced = built(reader(), take_in("other", other), take_in("a", old), take_in("a", new))
    direct = built(reader(), take_in("other", other), take_in("a", new))
    assert picture(replaced, ids=False) == picture(direct, ids=False)


@pytest.mark.parametrize("model", [reader, lambda: None], ids=["model", "no model"])
@hypothesis.settings(max_examples=12, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@hypothesis.given(a=texts(PLAIN), b=texts(PLAIN), c=texts(PLAIN))
def test_the_order_in_which_documents_come_changes_no_node_and_no_edge(picture, model, a, b, c):
    def outline(wiki):
        found = picture(wiki)
        return {part: found[part] for part in ("edges", "citations of nodes", "citations of edges", "documents")}

    one = built(model(), take_in("a", a), take_in("b", b), take_in("c", c))
    other = built(model(), take_in("c", c), take_in("b", b), take_in("a", a))
    assert outline(one) == outline(other)


@hypothesis.settings(max_examples=12, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@hypothesis.given(a=texts(STATEMENTS), b=texts(STATEMENTS))
def test_with_edges_to_facts_too_forgetting_leaves_what_the_other_alone_makes(picture, a, b):
    both = built(reader(), take_in("a", a), take_in("b", b), drop("a"))
    alone = built(reader(), take_in("b", b))
    assert picture(both, ids=False) == picture(alone, ids=False)


@hypothesis.settings(max_examples=12, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
@hypothesis.given(a=texts(WITH_ALIASES), b=texts(WITH_ALIASES))
def test_no_edge_hangs_in_the_air_whatever_is_forgotten(picture, a, b):
    wiki = built(reader(), take_in("a", a), take_in("b", b), drop("a"))
    assert picture(wiki)["edges without ends"] == []
    wiki.forget(NS, source_ref="b")
    left = picture(wiki)
    assert all(rows == [] for rows in left.values())
