"""Whatever a caller passes, the answer is a result or a LoreliteError that names the argument, and nothing is lost."""

from __future__ import annotations

import math
from typing import Any

import pytest

from lorelite import (
    DocumentTooLarge,
    InvalidOption,
    UnreadableDocument,
    Wiki,
    WikiConfig,
)

NS = "class"
HASH = "a" * 64


@pytest.fixture
def filled(wiki, clock) -> Wiki:
    wiki.ingest_document(NS, source_ref="lock.txt", text="Ada Marsh keeps Heron Lock. Tom Weir met Ada Marsh at dusk.")
    wiki.write(NS, title="Eels", body="sleep by day", tags=["fish"], node_id="eels")
    wiki.write(NS, event={"event_type": "observation", "summary": "high water"})
    clock.tick()
    return wiki


# -- documents ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "\n\t \u3000", "\u200b\n", "\ufeff"])
def test_an_empty_document_is_refused_by_name(filled, picture, text):
    before = picture(filled)
    with pytest.raises(UnreadableDocument, match=r"'empty.txt'.*empty"):
        filled.ingest_document(NS, source_ref="empty.txt", text=text)
    assert picture(filled) == before


@pytest.mark.parametrize("text", ["\0" * 10, "%PDF-1.7\0\0\1\2\3", "".join(map(chr, range(32))) * 20, "a\0b"])
def test_a_binary_document_is_refused_by_name(filled, picture, text):
    before = picture(filled)
    with pytest.raises(UnreadableDocument, match=r"'x.bin'.*binary"):
        filled.ingest_document(NS, source_ref="x.bin", text=text)
    assert picture(filled) == before


def test_fifty_megabytes_are_refused_before_any_work_and_the_limit_can_be_raised(filled, open_wiki):
    text = "An eel slept. " * (50_000_000 // 14)
    with pytest.raises(DocumentTooLarge, match="max_document_chars") as refusal:
        filled.ingest_document(NS, source_ref="big.txt", text=text)
    assert refusal.value.data["found"] == len(text)
    assert [info.source_ref for info in filled.list_source_refs(NS)] == ["lock.txt"]
    assert open_wiki(config=WikiConfig(max_document_chars=60)).ingest_document(NS, source_ref="a", text="x" * 60)
    with pytest.raises(DocumentTooLarge):
        filled.ingest_document(NS, source_ref="a", text="x " * 10_000_001)


def test_text_that_cannot_be_stored_is_kept_with_marks_in_its_place(filled):
    text = "x" * 9_000 + " Ada \ud800 met \0 Tom \udfff at Heron Lock."
    filled.ingest_document(NS, source_ref="odd.txt", text=text)
    stored = filled.get_document(NS, "odd.txt")
    assert stored == text.replace("\ud800", "\ufffd").replace("\0", "\ufffd").replace("\udfff", "\ufffd")
    assert len(stored) == len(text)


def test_one_endless_word_is_taken_in(filled):
    report = filled.ingest_document(NS, source_ref="word.txt", text="x" * 300_000)
    assert report.status == "ingested" and report.chunks > 1


@pytest.mark.parametrize("text", [None, 5, b"bytes", ["a"], object(), 2.5])
def test_a_document_that_is_no_text_is_refused(filled, text):
    with pytest.raises(InvalidOption, match=r"text: expected text \(str\)"):
        filled.ingest_document(NS, source_ref="a", text=text)


# -- names --------------------------------------------------------------------------------------------------------

BAD_NAMES = [
    None,
    5,
    b"class",
    "",
    "  ",
    "a\0b",
    "\ud800",
    "n" * 100_000,
    ["a", 5],
    [None],
    object(),
    math.nan,
    10**400,
    {},
]


@pytest.mark.parametrize("name", BAD_NAMES, ids=repr)
def test_a_namespace_that_cannot_be_one_is_refused_by_every_call(filled, name):
    calls = [
        lambda: filled.write(name, title="x"),
        lambda: filled.write(name, event={"summary": "x"}),
        lambda: filled.read(name, "x"),
        lambda: filled.read([NS, name], "x"),
        lambda: filled.ingest_document(name, source_ref="a", text="x"),
        lambda: filled.upsert_graph(name, source_ref="a", source_hash=HASH),
        lambda: filled.sync_search_index(name),
        lambda: filled.traverse_graph(name, source_id="x"),
        lambda: filled.forget(name, clear_all=True),
        lambda: filled.ask(name, "x?"),
        lambda: filled.get_memory_bundle(name),
        lambda: filled.get_status(name),
        lambda: filled.list_source_refs(name),
        lambda: filled.get_document(name, "x"),
    ]
    for call in calls:
        if isinstance(name, dict) and call is calls[2]:
            continue  # an empty mapping lists no namespaces, like an empty list
        with pytest.raises(InvalidOption, match=r"^namespace: expected"):
            call()
    assert filled.list_namespaces() == [NS]


@pytest.mark.parametrize("name", [name for name in BAD_NAMES if name is not None], ids=repr)
def test_a_source_ref_that_cannot_be_one_is_refused(filled, name):
    for call in (
        lambda: filled.ingest_document(NS, source_ref=name, text="x"),
        lambda: filled.upsert_graph(NS, source_ref=name, source_hash=HASH),
        lambda: filled.get_document(NS, name),
        lambda: filled.forget(NS, source_ref=name),
    ):
        with pytest.raises(InvalidOption, match=r"^source_ref: expected"):
            call()


def test_a_source_ref_may_be_long_and_in_any_script(filled):
    for name in ("n" * 2_000, "文件/第一章.md", "a b\tc\n", "../../etc/passwd", "C:\\x", "'; drop table node", "🦉"):
        filled.ingest_document(NS, source_ref=name, text=f"Otters at {len(name)}.", on_duplicate="ingest")
        assert filled.get_document(NS, name) == f"Otters at {len(name)}."
        assert filled.forget(NS, source_ref=name).documents == 1
    with pytest.raises(InvalidOption, match="1 to 2000 characters"):
        filled.ingest_document(NS, source_ref="n" * 10_000, text="x")


@pytest.mark.parametrize("digest", ["", "abc", "g" * 64, HASH + "a", 5, b"a" * 64, ["a"], "a" * 63 + "\n"])
def test_a_source_hash_that_is_none_is_refused(filled, digest):
    for call in (
        lambda: filled.ingest_document(NS, source_ref="a", text="x", source_hash=digest),
        lambda: filled.upsert_graph(NS, source_ref="a", source_hash=digest),
        lambda: filled.forget(NS, source_hash=digest),
    ):
        with pytest.raises(InvalidOption, match=r"^source_hash: expected 64"):
            call()


# -- facts and events ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", " \u3000"),
        ("title", 5),
        ("title", b"x"),
        ("body", None),
        ("body", 5),
        ("tags", "abc"),
        ("tags", 5),
        ("tags", None),
        ("tags", [None]),
        ("tags", [5]),
        ("node_type", 5),
        ("confidence", "sure"),
        ("confidence", None),
        ("confidence", []),
        ("source_type", "rumour"),
        ("node_id", ""),
        ("node_id", 5),
        ("node_id", "\ud800"),
        ("node_id", "x" * 5_000),
    ],
)
def test_a_fact_with_an_odd_field_is_refused_by_that_name(filled, picture, field, value):
    before = picture(filled)
    with pytest.raises(InvalidOption, match=f"^{field}"):
        filled.write(NS, **({"title": "x"} | {field: value}))
    assert picture(filled) == before


def test_surrogates_and_nul_in_a_fact_are_replaced(filled):
    fact = filled.write(NS, title="a\ud800b", body="c\0d", tags=["e\udfff"], node_type="f\0")
    assert (fact.title, fact.body, fact.tags, fact.node_type) == ("a\ufffdb", "c\ufffdd", ("e\ufffd",), "f\ufffd")


@pytest.mark.parametrize(
    "event",
    [
        5,
        "text",
        [],
        {},
        {"summary": ""},
        {"summary": 5},
        {"summary": "x" * 100_001},
        {"summary": "x", "other": 1},
        {"summary": "x", 5: 1, "other": 1},
        {"summary": "x", "related_node_id": 5},
    ],
)
def test_an_odd_event_is_refused(filled, event):
    with pytest.raises(InvalidOption, match=r"^event"):
        filled.write(NS, event=event)


def test_an_event_keeps_a_related_node_that_is_there_and_drops_one_that_is_not(filled):
    assert filled.write(NS, event={"summary": "x", "related_node_id": "eels"}).related_node_id == "eels"
    for odd in ("nobody", "\ud800", "a\0", "x" * 10_000):
        assert filled.write(NS, event={"summary": "x", "related_node_id": odd}).related_node_id is None


@pytest.mark.parametrize("options", [{}, {"title": "x", "event": {"summary": "x"}}])
def test_write_wants_either_a_fact_or_an_event(filled, options):
    with pytest.raises(InvalidOption, match="title / event: expected exactly one"):
        filled.write(NS, **options)


# -- graphs -------------------------------------------------------------------------------------------------------

GOOD_NODE = {"id": "n1", "title": "One"}
GOOD_EDGE = {"type": "t", "source_id": "n1", "target_id": "n1"}
BAD_GRAPHS: list[dict[str, Any]] = [
    {"nodes": 5},
    {"nodes": None},
    {"nodes": "text"},
    {"nodes": {"id": "n1"}},
    {"nodes": [5]},
    {"nodes": [{}]},
    {"nodes": [{"id": "n1"}]},
    {"nodes": [{"title": "One"}]},
    *({"nodes": [GOOD_NODE | {field: value}]} for field, value in [
        ("id", 5), ("id", ""), ("id", "\ud800"), ("id", None), ("title", 5), ("title", None), ("body", 5), ("type", 5),
        ("tags", "x"), ("tags", [5]), ("tags", 5), ("kind", "thing"), ("kind", None), ("confidence", "x"),
        ("colour", "red"), (5, "x"), (None, "x"),
    ]),
    {"edges": 5},
    {"edges": [5]},
    {"edges": [{}]},
    *({"edges": [GOOD_EDGE | {field: value}]} for field, value in [
        ("id", 5), ("id", ""), ("source_id", 5), ("source_id", None), ("target_id", "\0"), ("type", ""), ("type", 5),
        ("weight", "1"), ("weight", math.nan), ("weight", math.inf), ("weight", -math.inf), ("weight", 10**400),
        ("weight", True), ("weight", None), ("description", 5), ("confidence", 5), ("colour", "red"), (5, 5),
    ]),
]  # fmt: skip


@pytest.mark.parametrize("graph", BAD_GRAPHS, ids=repr)
def test_an_odd_graph_is_refused_whole_before_anything_is_written(filled, picture, graph):
    before = picture(filled)
    nodes = graph.get("nodes", [GOOD_NODE])
    with pytest.raises(InvalidOption, match=r"^(nodes|edges)"):
        filled.upsert_graph(NS, source_ref="g", source_hash=HASH, nodes=nodes, edges=graph.get("edges", ()))
    assert picture(filled) == before
    assert [info.source_ref for info in filled.list_source_refs(NS)] == ["lock.txt"]
