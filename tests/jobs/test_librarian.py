"""The librarian: what becomes of events, once each."""

from __future__ import annotations

import json

import pytest
from librarian_samples import NS, fact, held, reply, tell

from lorelite import BadReply, Diagnostic, Hooks, LibrarianReport, ModelError
from lorelite.models import CallableEmbedder, ScriptedModel


def test_a_week_with_anna(open_wiki, clock):
    model = ScriptedModel(
        {
            "librarian": [
                reply(
                    fact("Anna's office", "Anna's office is room 12.", op="add", tags=["anna"]),
                    tasks=[{"description": "Order a chair for Anna", "priority": 6}],
                ),
                reply(
                    fact("Anna's office", "Anna's office is room 14.", op="supersede", target="F1"),
                    tasks=[{"op": "done", "target": "T1"}],
                ),
            ]
        }
    )
    wiki = open_wiki(model=model)
    tell(wiki, "Anna moved into room 12 and needs a chair.")
    monday = clock.now
    first = wiki.run_librarian(NS)
    clock.tick(86_400_000)
    tell(wiki, "Anna is in room 14 now. Her chair has come.")
    second = wiki.run_librarian(NS)
    assert (first.added, first.tasks_added) == (1, 1)
    assert (second.superseded, second.tasks_closed) == (1, 1)
    assert held(wiki) == [("Anna's office", "Anna's office is room 14.")]
    assert [node.body for node in wiki.read(NS, "Anna's office", as_of=monday).facts] == ["Anna's office is room 12."]
    assert wiki.read(NS, "").tasks == ()
    assert wiki.run_librarian(NS) == LibrarianReport(watermark=second.watermark)  # nothing is read twice
    assert len(model.requests) == 2


# -- each event once -----------------------------------------------------------------------------------------------


def test_events_are_read_in_batches_each_with_what_the_one_before_remembered(open_wiki):
    model = ScriptedModel({"librarian": lambda request: reply()})
    wiki = open_wiki(model=model)
    tell(wiki, *[f"event number {n}" for n in range(5)])
    report = wiki.run_librarian(NS, batch_size=2)
    assert report.events_read == 5
    shown = [[n for n in range(5) if f"event number {n}" in request.user] for request in model.requests]
    assert shown == [[0, 1], [2, 3], [4]]


def test_a_reply_that_cannot_be_read_loses_no_event(open_wiki):
    script = {
        "librarian": [reply(fact("One", "The first event.")), "not json", "not json", reply(fact("Two", "The second."))]
    }
    wiki = open_wiki(model=ScriptedModel(script))
    tell(wiki, "first", "second")
    with pytest.raises(BadReply):
        wiki.run_librarian(NS, batch_size=1)
    assert [title for title, _ in held(wiki)] == ["One"]
    assert wiki.run_librarian(NS).events_read == 1
    assert [title for title, _ in held(wiki)] == ["One", "Two"]


@pytest.mark.parametrize("odd", ['{"answer": 1}', "[]", '{"facts": "none"}'])
def test_a_reply_without_either_list_is_no_reply(open_wiki, odd):
    wiki = open_wiki(model=ScriptedModel({"librarian": odd}))
    tell(wiki, "something")
    with pytest.raises(BadReply):
        wiki.run_librarian(NS)
    assert wiki.pending_maintenance(NS)[0].pending_events == 1


def test_a_reply_that_is_cut_off_is_asked_for_again_with_fewer_events(open_wiki):
    def answer(request):
        whole = [n for n in range(4) if f"event {n}" in request.user]
        text = reply(*[fact(f"Number {n}", f"It says {n}.") for n in whole])
        return text if len(whole) < 3 else text[:70]

    wiki = open_wiki(model=ScriptedModel({"librarian": answer}))
    tell(wiki, *[f"event {n}" for n in range(4)])
    report = wiki.run_librarian(NS)
    assert (report.events_read, report.added) == (4, 4)
    assert report.usage.calls == 3


def test_an_error_of_the_model_is_raised_and_the_run_is_noted_as_failed(open_wiki):
    wiki = open_wiki(model=ScriptedModel({"librarian": ModelError("no power")}))
    tell(wiki, "something")
    with pytest.raises(ModelError, match="no power"):
        wiki.run_librarian(NS)
    rows = wiki._wiki._engine.store.db.rows("select state, error from job")
    assert [tuple(row) for row in rows] == [("failed", "ModelError: no power")]


def test_a_rehearsal_reports_the_same_and_writes_nothing(open_wiki, picture):
    script = {"librarian": reply(fact("One", "The first event."), tasks=[{"description": "Act"}])}
    wiki = open_wiki(model=ScriptedModel(script))
    tell(wiki, "first")
    before = picture(wiki)
    rehearsed = wiki.run_librarian(NS, dry_run=True)
    assert picture(wiki) == before
    assert wiki.read(NS, "").tasks == ()
    done = wiki.run_librarian(NS)
    assert (rehearsed.added, rehearsed.tasks_added, rehearsed.watermark) == (
        done.added,
        done.tasks_added,
        done.watermark,
    )


# -- what is known already -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Anna likes tea", "Anna likes green tea."),
        ("Анна любит чай", "Анна любит зелёный чай."),
        ("アンナの好物", "アンナは緑茶が好きです。"),
        ("آنا تحب الشاي", "آنا تحب الشاي الأخضر."),
    ],
)
def test_what_was_said_before_is_known_in_every_script(open_wiki, title, body):
    again = [reply(fact(title, body)), reply(fact(f" {title.upper()}", f"{body} ", op="add"))]
    wiki = open_wiki(model=ScriptedModel({"librarian": again}))
    tell(wiki, body)
    wiki.run_librarian(NS)
    tell(wiki, body)
    report = wiki.run_librarian(NS)
    assert (report.added, report.noops) == (0, 1)
    assert held(wiki) == [(title, body)]


def test_an_update_makes_an_inferred_fact_say_more_and_keeps_its_id(open_wiki):
    script = [
        reply(fact("Anna likes tea", "Anna likes tea.", tags=["anna"])),
        reply(fact("Anna likes tea", "Anna likes tea, most of all green.", op="update", target="F1", tags=["tea"])),
    ]
    wiki = open_wiki(model=ScriptedModel({"librarian": script}))
    tell(wiki, "Anna had tea")
    wiki.run_librarian(NS)
    [before] = wiki.read(NS, "").facts
    tell(wiki, "Anna had green tea, again")
    assert wiki.run_librarian(NS).updated == 1
    [after] = wiki.read(NS, "").facts
    assert (after.id, after.body, after.tags) == (before.id, "Anna likes tea, most of all green.", ("anna", "tea"))


def test_a_reply_that_does_not_say_what_to_do_is_asked_once_how_its_facts_stand_to_known_ones(open_wiki):
    script = {
        "librarian": [
            reply(fact("Bob's phone", "Bob's number is 100.")),
            reply(fact("Bob's phone", "Bob's number is 200."), fact("Zoe sings", "Zoe sings in a choir.")),
        ],
        "librarian_resolve": json.dumps({"decisions": [{"id": "C1", "op": "SUPERSEDE", "target": "F1"}]}),
    }
    model = ScriptedModel(script)
    wiki = open_wiki(model=model)
    tell(wiki, "Bob: 100")
    wiki.run_librarian(NS)
    tell(wiki, "Bob: 200; Zoe joined a choir")
    report = wiki.run_librarian(NS)
    assert (report.superseded, report.added) == (1, 1)
    assert [request.purpose for request in model.requests] == ["librarian", "librarian", "librarian_resolve"]
    assert held(wiki) == [("Bob's phone", "Bob's number is 200."), ("Zoe sings", "Zoe sings in a choir.")]


def test_where_nobody_can_say_the_words_decide_and_a_new_value_takes_the_place_of_the_old(open_wiki):
    script = [reply(fact("Bob's phone", "Bob's number is 100.")), reply(fact("Bob's phone", "Bob's number is 200."))]
    told: list[Diagnostic] = []
    wiki = open_wiki(model=ScriptedModel({"librarian": script}), hooks=Hooks(on_diagnostic=told.append))
    tell(wiki, "Bob: 100")
    wiki.run_librarian(NS)
    tell(wiki, "Bob: 200")
    assert wiki.run_librarian(NS).superseded == 1
    assert held(wiki) == [("Bob's phone", "Bob's number is 200.")]
    assert [one.code for one in told] == ["resolve_failed"]


def test_facts_that_mean_the_same_in_other_words_are_found_by_their_vectors(open_wiki):
    def vector(texts):
        return [[1.0, 0.1] if "dog" in text or "hound" in text else [0.0, 1.0] for text in texts]

    script = {
        "librarian": [reply(fact("Pet", "A dog lives here.")), reply(fact("Companion", "They keep a hound."))],
        "librarian_resolve": json.dumps({"decisions": [{"id": "C1", "op": "NOOP", "target": "F1"}]}),
    }
    model = ScriptedModel(script)
    wiki = open_wiki(model=model, embedder=CallableEmbedder(vector, model_id="pets"))
    tell(wiki, "dog")
    wiki.run_librarian(NS)
    tell(wiki, "hound")
    report = wiki.run_librarian(NS)
    assert (report.added, report.noops) == (0, 1)
    assert "A dog lives here." in model.requests[1].user


# -- what may not be rewritten -----------------------------------------------------------------------------------------


def test_a_document_keeps_what_it_says_and_a_contradiction_is_a_draft_that_cites_both(open_wiki, clock):
    script = {
        "extract": json.dumps(
            {"facts": [{"title": "The bridge", "body": "The bridge opened in 1932.", "quote": "opened in 1932"}]}
        ),
        "librarian": reply(fact("The bridge", "The bridge opened in 1933.", op="supersede", target="The bridge")),
    }
    wiki = open_wiki(model=ScriptedModel(script))
    wiki.ingest_document(NS, source_ref="guide.txt", text="The bridge opened in 1932. It is long.")
    clock.tick()
    tell(wiki, "A plaque says the bridge opened in 1933.")
    report = wiki.run_librarian(NS)
    assert (report.drafts, report.superseded) == (1, 0)
    facts = {node.body: node for node in wiki.read(NS, "bridge opened", kinds=["fact"]).facts}
    old, new = facts["The bridge opened in 1932."], facts["The bridge opened in 1933."]
    assert (old.valid_to, old.source_type, new.lifecycle) == (None, "immutable_document", "draft")
    assert [citation.quote for citation in new.citations] == ["opened in 1932"]
    assert new.sources[0]["resource"].startswith("event:event_")
    [edge] = wiki.traverse_graph(NS, source_id=new.id, edge_types=["contradicts"]).edges
    assert (edge.source_id, edge.target_id) == (new.id, old.id)


@pytest.mark.parametrize(("told_later", "result"), [(True, "superseded"), (False, "drafts")])
def test_what_a_caller_stated_gives_way_only_to_what_was_told_later(open_wiki, clock, told_later, result):
    script = {"librarian": reply(fact("Exam day", "The exam is on Friday.", op="update", target="Exam day"))}
    wiki = open_wiki(model=ScriptedModel(script))

    def state():
        wiki.write(NS, title="Exam day", body="The exam is on Thursday.")

    def happen():
        tell(wiki, "The exam was moved to Friday.")

    for step in (state, happen) if told_later else (happen, state):
        step()
        clock.tick()
    report = wiki.run_librarian(NS)
    assert getattr(report, result) == 1
    stated = "The exam is on Thursday."
    assert (("Exam day", stated) in held(wiki)) is not told_later


def test_what_was_forgotten_while_the_model_thought_is_not_written_over(open_wiki):
    class Forgetful(ScriptedModel):
        async def complete(self, requests):
            [known] = wiki.read(NS, "").facts
            wiki.forget(NS, node_id=known.id)
            return await super().complete(requests)

    script = {"librarian": reply(fact("Anna's office", "Room 14.", op="supersede", target="F1"))}
    wiki = open_wiki(model=Forgetful(script))
    wiki.write(NS, title="Anna's office", body="Room 12.")
    tell(wiki, "Room 14 now")
    assert wiki.run_librarian(NS).added == 1
    assert held(wiki) == [("Anna's office", "Room 14.")]


def test_what_was_forgotten_while_the_model_compared_does_not_come_back(open_wiki):
    def compared(request):
        [known] = wiki.read(NS, "").facts
        wiki.forget(NS, node_id=known.id)
        return json.dumps({"decisions": [{"id": "C1", "op": "SUPERSEDE", "target": "F1"}]})

    script = {"librarian": reply(fact("Anna's office", "Anna is in room 14.")), "librarian_resolve": compared}
    wiki = open_wiki(model=ScriptedModel(script))
    wiki.write(NS, title="Anna's office", body="Anna is in room 12.")
    tell(wiki, "Room 14 now")
    report = wiki.run_librarian(NS)
    assert (report.added, report.superseded) == (1, 0)
    [kept] = wiki.read(NS, "").facts
    assert len(wiki.history(NS, node_id=kept.id)) == 1


def test_a_namespace_that_was_cleared_while_the_model_thought_stays_empty(open_wiki):
    class Forgetful(ScriptedModel):
        async def complete(self, requests):
            wiki.forget(NS, clear_all=True)
            return await super().complete(requests)

    wiki = open_wiki(model=Forgetful({"librarian": reply(fact("A", "b"), tasks=[{"description": "c"}])}))
    tell(wiki, "something")
    report = wiki.run_librarian(NS)
    assert (report.added, report.tasks_added) == (0, 0)
    assert held(wiki) == []
