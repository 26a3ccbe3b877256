"""Options of a wrong type or out of range are refused by name, before anything is done."""

from __future__ import annotations

import math

import pytest

from lorelite import InvalidOption, Wiki, WikiConfig
from lorelite.models import HashEmbedder, ScriptedModel

NS = "class"


@pytest.fixture
def filled(wiki, clock) -> Wiki:
    wiki.ingest_document(NS, source_ref="lock.txt", text="Ada Marsh keeps Heron Lock. Tom Weir met Ada Marsh at dusk.")
    wiki.write(NS, title="Eels", body="sleep by day", tags=["fish"], node_id="eels")
    wiki.write(NS, event={"event_type": "observation", "summary": "high water"})
    clock.tick()
    return wiki


HUGE = 2**63
BAD_READS = [
    *[("max_results", value) for value in (-1, 10_001, 1.5, "5", math.nan, HUGE, True, [], b"")],
    *[("hybrid_weight", value) for value in (-0.1, 1.1, math.nan, math.inf, "0.5", True, [], 10**400)],
    *[("kinds", value) for value in ("fact", 5, ["thing"], [None], [5], [["fact"]])],
    *[("as_of", value) for value in (-1, 1.5, "now", math.nan, HUGE, 10**400, True)],
    *[("exclude_drafts", value) for value in ("no", 1, [])],
]
BAD_WALKS = [
    *[("source_id", value) for value in (None, 5, "", "\ud800", "a\0", "x" * 10_000, [], b"x")],
    *[("max_depth", value) for value in (1.5, "2", math.nan, None, True, [])],
    *[("direction", value) for value in ("up", 5, ["both"])],
    *[("edge_types", value) for value in ("knows", 5, [5], [None])],
    *[("max_nodes", value) for value in (0, -1, 1.5, "5", math.nan, True)],
    *[("min_confidence", value) for value in ("sure", 5, ["certain"])],
    *[("exclude_source_types", value) for value in ("user_stated", ["rumour"], 5, [None])],
    *[("exclude_drafts", value) for value in ("no", 1)],
    *[("as_of", value) for value in (-1, HUGE, "now", math.nan, True)],
    *[("token_budget", value) for value in (-1, 1.5, "x", math.nan, True)],
    *[("kinds", value) for value in ("fact", ["thing"])],
    *[("order", value) for value in ("size", 5, [])],
    *[("edges", value) for value in ("all", None, 5, [])],
]


@pytest.mark.parametrize(("option", "value"), BAD_READS, ids=repr)
def test_an_odd_option_of_read_is_refused_by_name(filled, option, value):
    with pytest.raises(InvalidOption, match=f"^{option}: expected"):
        filled.read(NS, "eels", **{option: value})


@pytest.mark.parametrize(("option", "value"), BAD_WALKS, ids=repr)
def test_an_odd_option_of_traverse_graph_is_refused_by_name(filled, option, value):
    with pytest.raises(InvalidOption, match=f"^{option}: expected"):
        filled.traverse_graph(NS, **({"source_id": "eels"} | {option: value}))


@pytest.mark.parametrize("query", [None, 5, b"x", [], object()])
def test_a_query_that_is_no_text_is_refused(filled, query):
    with pytest.raises(InvalidOption, match=r"^query: expected text"):
        filled.read(NS, query)
    with pytest.raises(InvalidOption, match=r"^question: expected"):
        filled.ask(NS, query)


@pytest.mark.parametrize("question", ["\0", "\ud800 who?", "?" * 10_000, "who " * 20_000, '"', "x" * 100_000, "\u200b"])
def test_any_text_is_a_question(filled, open_wiki, question):
    assert filled.ask(NS, question).question == question
    wiki = open_wiki(embedder=HashEmbedder(32), model=ScriptedModel({"answer": "The documents do not say."}))
    wiki.write(NS, title="Eels", body="who sleep by day")
    assert wiki.ask(NS, question).question == question
    wiki.read(NS, question)


@pytest.mark.parametrize("question", ["", "  ", "\n"])
def test_an_empty_question_is_refused(filled, question):
    with pytest.raises(InvalidOption, match=r"^question: expected some text"):
        filled.ask(NS, question)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"node_id": "a", "source_ref": "b"},
        {"clear_all": True, "node_id": "a"},
        {"clear_all": "yes"},
        {"clear_all": 1},
        {"clear_all": True, "dry_run": "no"},
        {"clear_all": True, "dry_run": None},
        {"node_id": 5},
        {"node_id": "\ud800"},
        {"task_id": ""},
        {"task_id": b"x"},
    ],
    ids=repr,
)
def test_an_odd_forget_forgets_nothing(filled, picture, options):
    before = picture(filled)
    with pytest.raises(InvalidOption):
        filled.forget(NS, **options)
    assert picture(filled) == before


@pytest.mark.parametrize("choice", ["Skip", None, 5, [], ""])
def test_an_odd_on_duplicate_is_refused(filled, choice):
    with pytest.raises(InvalidOption, match=r"^on_duplicate"):
        filled.ingest_document(NS, source_ref="a", text="x", on_duplicate=choice)


@pytest.mark.parametrize("callback", ["x", 5, []])
def test_a_progress_callback_that_cannot_be_called_is_refused_before_any_work(filled, picture, callback):
    before = picture(filled)
    with pytest.raises(InvalidOption, match=r"^on_progress"):
        filled.ingest_document(NS, source_ref="a", text="Otters.", on_progress=callback)
    with pytest.raises(InvalidOption, match=r"^on_progress"):
        filled.ask(NS, "Who?", on_progress=callback)
    assert picture(filled) == before


@pytest.mark.parametrize("stage", ["extract", "write"])
def test_a_progress_callback_that_raises_is_heard_and_loses_nothing(filled, picture, stage):
    before = picture(filled)

    def stop(progress):
        if progress.stage == stage and progress.done == 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        filled.ingest_document(NS, source_ref="a", text="Otters swim.", on_progress=stop)
    assert picture(filled) == before
    assert filled.ingest_document(NS, source_ref="a", text="Otters swim.").status == "ingested"


@pytest.mark.parametrize(
    "options",
    [
        {"model": 5},
        {"model": "gpt"},
        {"embedder": 5},
        {"embedder": "mini"},
        {"config": {}},
        {"config": "fast"},
        {"config": {"max_results": 5}},
        {"store": "x"},
        {"store": 5},
        {"read_only": "yes"},
    ],
    ids=repr,
)
def test_an_odd_option_of_open_is_refused_by_name_and_leaves_no_lock(tmp_path, options):
    with pytest.raises(InvalidOption, match=f"^{next(iter(options))}: expected"):
        Wiki.open(tmp_path / "brain.db", **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        {"max_results": -1},
        {"max_results": "many"},
        {"hybrid_weight": 2},
        {"chunk_chars": 10},
        {"chunk_chars": 400, "chunk_overlap": 300},
        {"unknown": 1},
        {"read_kinds": ["thing"]},
        {"durability": "maybe"},
        {"keyword_index": 5},
        {"max_document_chars": math.nan},
    ],
    ids=repr,
)
def test_an_odd_setting_is_refused_by_name(options):
    with pytest.raises(InvalidOption, match=f"WikiConfig.({'|'.join(['chunk_overlap', *options])})"):
        WikiConfig(**options)


@pytest.mark.parametrize("setting", ["auto_librarian_threshold", "auto_heal_threshold"])
def test_a_threshold_that_no_file_can_count_to_is_refused(setting):
    with pytest.raises(InvalidOption):
        WikiConfig(**{setting: 10**30})
