"""Types for facts that have none: by a model, by its classifier, and by rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from lorelite import (
    SCHEMA_ORG_MANIFEST,
    Classified,
    ClassifyRequest,
    Diagnostic,
    Hooks,
    InvalidOption,
    ModelError,
    OntologyConfig,
    Wiki,
    WikiConfig,
)
from lorelite.jobs.ontology_backfill import COOLDOWN_MS, planned
from lorelite.models import ScriptedModel
from lorelite.ontology.classify import type_by_rules
from lorelite.ontology.manifest import Manifest, NodeType, Ontology
from lorelite.ontology.merge import OntologyUpdates
from lorelite.ports import ModelRequest
from lorelite.prompts.backfill import BackfillReply, Classification, parse
from lorelite.records import Node

NS = "team"
PEOPLE: dict[str, Any] = {
    "node_types": [{"type": "person", "description": "p"}, {"type": "project", "description": "q"}],
    "edge_types": [{"type": "works_on", "source_type": "person", "target_type": "project", "description": "w"}],
}


def asked(request: ModelRequest) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(request.user[request.user.index("[") : request.user.rindex("]") + 1])
    return found


def typist(types: dict[str, Any], **more: Any) -> Callable[[ModelRequest], str]:
    """Types the facts whose titles it knows; a list gives a type and edges."""

    def answer(request: ModelRequest) -> str:
        rows = []
        for shown in asked(request):
            kind, *links = (
                types.get(shown["title"], [None])
                if isinstance(types.get(shown["title"]), list)
                else [types.get(shown["title"])]
            )
            edges = [{"edge_type": name, "target_title": target} for name, target in links]
            rows.append({"id": shown["id"], "okf_type": kind, "edges": edges})
        return json.dumps({"classifications": rows, **more})

    return answer


def fill(wiki: Wiki, clock: Any, *titles: str) -> None:
    for title in titles:
        wiki.write(NS, title=title, body=f"{title} is in the notes.")
        clock.tick()


def types(wiki: Wiki) -> dict[str, str | None]:
    return {fact.title: fact.node_type for fact in wiki.read(NS, "", kinds=("fact",), max_results=100).facts}


def test_a_memory_is_typed_oldest_first_until_nothing_remains(open_wiki: Callable[..., Wiki], clock: Any):
    model = ScriptedModel(
        {"backfill": typist({"Ann": ["PERSON", ("works_on", "plan b")], "Plan B": "project", "Odd": "alien"})}
    )
    wiki = open_wiki(model=model)
    fill(wiki, clock, "Ann", "Odd", "Plan B", "Late")
    assert wiki.run_ontology_backfill(NS).scanned == 0, "off"
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    before = {fact.id: fact.updated_at for fact in wiki.read(NS, "").facts}
    first = wiki.run_ontology_backfill(NS, batch_size=3)
    assert (first.scanned, first.typed, first.failed_validation, first.edges_added) == (3, 2, 1, 1)
    assert (first.remaining, first.deferred, first.classifier) == (1, 1, "model") and first.usage.calls == 1
    assert types(wiki) == {"Ann": "person", "Plan B": "project", "Odd": None, "Late": None}
    second = wiki.run_ontology_backfill(NS)
    assert (second.scanned, second.typed, second.remaining, second.deferred) == (1, 0, 0, 2)
    assert wiki.run_ontology_backfill(NS).scanned == 0
    clock.tick(COOLDOWN_MS + 1)
    assert wiki.run_ontology_backfill(NS).scanned == 2
    assert {fact.id: fact.updated_at for fact in wiki.read(NS, "").facts} == before
    [walked] = wiki.traverse_graph(NS, source_id=wiki.read(NS, "Ann").facts[0].id, max_depth=1).edges
    assert walked.edge_type == "works_on"


def test_a_rehearsal_reports_the_same_and_writes_nothing(open_wiki: Callable[..., Wiki], clock: Any):
    updates = {"node_types": [{"type": "dog", "description": "d"}]}
    model = ScriptedModel({"backfill": typist({"Ann": "person", "Rex": "dog"}, ontology_updates=updates)})
    wiki = open_wiki(model=model)
    fill(wiki, clock, "Ann", "Rex", "Odd")
    ontology = wiki.set_ontology(NS, PEOPLE, mode="emergent")
    rehearsed = wiki.run_ontology_backfill(NS, dry_run=True)
    assert set(types(wiki).values()) == {None} and wiki.get_ontology(NS) == ontology
    done = wiki.run_ontology_backfill(NS)
    told = [(r.scanned, r.typed, r.types_added, r.remaining, r.deferred) for r in (rehearsed, done)]
    assert told == [(3, 2, 1, 0, 1)] * 2 and (rehearsed.dry_run, done.dry_run) == (True, False)
    assert types(wiki) == {"Ann": "person", "Rex": "dog", "Odd": None}


def test_undo_takes_back_an_ontology_and_the_types_of_a_run(wiki: Wiki, clock: Any):
    fill(wiki, clock, "A meeting")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    wiki.set_ontology(NS, SCHEMA_ORG_MANIFEST, mode="strict")
    wiki.undo(NS)
    ontology = wiki.get_ontology(NS)
    assert ontology is not None and ontology.manifest.as_mapping() == PEOPLE
    wiki.set_ontology(NS, SCHEMA_ORG_MANIFEST, mode="strict")
    assert wiki.run_ontology_backfill(NS).typed == 1 and types(wiki) == {"A meeting": "Meeting"}
    wiki.undo(NS)
    assert types(wiki) == {"A meeting": None}


def test_types_that_are_there_are_never_changed(open_wiki: Callable[..., Wiki], clock: Any):
    wiki = open_wiki(model=ScriptedModel({"backfill": typist({"Ann": "project"})}))
    wiki.write(NS, title="Ann", body="b", node_type="person")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    assert wiki.run_ontology_backfill(NS).scanned == 0 and types(wiki) == {"Ann": "person"}


def test_a_type_that_somebody_states_while_the_model_works_stands(open_wiki: Callable[..., Wiki], clock: Any):
    def answer(request: ModelRequest) -> str:
        [shown] = asked(request)
        wiki.update_fact(NS, node_id=shown["id"], node_type="project")
        return typist({"Ann": ["person", ("works_on", "Plan")]})(request)

    wiki = open_wiki(model=ScriptedModel({"backfill": answer}))
    wiki.write(NS, title="Plan", body="b", node_type="project")
    fill(wiki, clock, "Ann")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    report = wiki.run_ontology_backfill(NS)
    assert (report.scanned, report.typed, report.edges_added) == (1, 0, 0)
    assert types(wiki) == {"Ann": "project", "Plan": "project"}


def test_unreadable_replies_shrink_the_batch_and_skip_what_stays_unreadable(open_wiki: Callable[..., Wiki], clock: Any):
    def answer(request: ModelRequest) -> str:
        shown = asked(request)
        return "I cannot" if any(each["title"] == "Bad" for each in shown) else typist({"Ann": "person"})(request)

    wiki = open_wiki(model=ScriptedModel({"backfill": answer}))
    fill(wiki, clock, "Ann", "Bad", "Bob")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    report = wiki.run_ontology_backfill(NS)
    assert (report.scanned, report.typed, report.skipped, report.remaining, report.deferred) == (3, 1, 1, 0, 2)


def test_a_model_that_does_not_answer_at_all_is_an_error_and_the_facts_stay_due(
    open_wiki: Callable[..., Wiki], clock: Any
):
    wiki = open_wiki(model=ScriptedModel({"backfill": ModelError("no connection")}))
    fill(wiki, clock, "Ann")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    with pytest.raises(ModelError, match="no connection"):
        wiki.run_ontology_backfill(NS)
    assert wiki.run_ontology_backfill(NS, classifier="rules", dry_run=True).scanned == 1


def test_a_template_of_the_callers_is_given_the_facts_and_the_manifest(open_wiki: Callable[..., Wiki], clock: Any):
    model = ScriptedModel({"backfill": '{"classifications": []}'})
    wiki = open_wiki(model=model)
    fill(wiki, clock, "Ann")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    template = "Give the okf_type of each id as classifications. {{facts}} Types: {{ontologyManifest}}"
    wiki.run_ontology_backfill(NS, prompt=template)
    [request] = model.requests
    assert "Ann is in the notes." in request.system and "works_on" in request.system


@pytest.mark.parametrize("bad", [{"batch_size": 0}, {"batch_size": 1.5}, {"classifier": "llm"}, {"prompt": " "}])
def test_odd_arguments_are_refused(wiki: Wiki, clock: Any, bad: Any):
    fill(wiki, clock, "Ann")
    with pytest.raises(InvalidOption):
        wiki.run_ontology_backfill(NS, **bad)


# -- the classifier port ------------------------------------------------------------------------------------------


class Sorter(ScriptedModel):
    """A model that can choose among names without writing text."""

    def __init__(self, answers: Sequence[Any]) -> None:
        super().__init__({})
        self.asked: list[ClassifyRequest] = []
        self._answers = list(answers)

    async def classify(self, requests: Sequence[ClassifyRequest]) -> list[Any]:
        self.asked += requests
        return [self._answers.pop(0) for _ in requests]


def test_auto_prefers_a_models_own_classifier_and_checks_what_it_says(open_wiki: Callable[..., Wiki], clock: Any):
    answers = [
        Classified(choice="Person", confidence=0.9), Classified(choice="alien", confidence=1.0),
        Classified(choice="project", confidence=0.4), Classified(choice="project", confidence=float("nan")),
        Classified(choice="person", confidence=10**400),
    ]  # fmt: skip
    told: list[Diagnostic] = []
    model = Sorter(answers)
    wiki = open_wiki(model=model, hooks=Hooks(on_diagnostic=told.append))
    fill(wiki, clock, "a", "b", "c", "d", "e")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    report = wiki.run_ontology_backfill(NS, classifier="auto")
    assert (report.classifier, report.scanned, report.typed, report.failed_validation) == ("classify", 5, 1, 3)
    assert types(wiki)["a"] == "person"
    assert sorted(each.code for each in told) == ["classification_invalid"] * 3 + ["classification_low_confidence"]
    assert model.asked[0].choices == {"person": "p", "project": "q"} and "a is in the notes." in model.asked[0].text


def test_the_settings_say_what_it_goes_by_and_how_sure_it_must_be(open_wiki: Callable[..., Wiki], clock: Any):
    ontology = OntologyConfig(backfill_classifier="auto", classify_min_confidence=0.3)
    wiki = open_wiki(model=Sorter([Classified(choice="project", confidence=0.4)]), config=WikiConfig(ontology=ontology))
    fill(wiki, clock, "a")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    assert wiki.run_ontology_backfill(NS).typed == 1


def test_a_classifier_that_fails_at_once_is_an_error_and_later_a_remark(open_wiki: Callable[..., Wiki], clock: Any):
    class Failing(Sorter):
        async def classify(self, requests: Sequence[ClassifyRequest]) -> list[Any]:
            if not self._answers:
                raise OSError("gone")
            return await super().classify(requests)

    model = Failing([Classified(choice="person", confidence=1)] * 4)
    wiki = open_wiki(model=model)
    fill(wiki, clock, "a", "b", "c", "d", "e")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    report = wiki.run_ontology_backfill(NS, classifier="auto")
    assert (report.typed, report.skipped, report.remaining) == (4, 1, 1)
    with pytest.raises(ModelError, match="gone"):
        wiki.run_ontology_backfill(NS, classifier="auto")


@pytest.mark.parametrize(("mode", "types_there"), [("off", PEOPLE), ("strict", {}), ("emergent", {})])
def test_where_no_type_can_be_given_nothing_remains_to_be_done(wiki: Wiki, clock: Any, mode: Any, types_there: Any):
    fill(wiki, clock, "Ann")
    wiki.set_ontology(NS, types_there, mode=mode)
    report = wiki.run_ontology_backfill(NS)
    assert (report.scanned, report.remaining, report.deferred) == (0, 0, 0)


# -- rules --------------------------------------------------------------------------------------------------------


def test_without_a_model_rules_type_what_is_plain_and_mark_it(wiki: Wiki, clock: Any):
    wiki.ingest_document(NS, source_ref="d", text="Dr. Ada Lovelace met Mr. Babbage. Dr. Ada Lovelace wrote notes.")
    wiki.write(NS, title="Ada Lovelace", body="Likes tea.")
    wiki.write(NS, title="The Difference Engine", body="About gears.", tags=["machine", "book"])
    wiki.write(NS, title="Weekly", body="A meeting of the people who decide together.")
    wiki.write(NS, title="Blue", body="Blue is blue.")
    wiki.set_ontology(NS, SCHEMA_ORG_MANIFEST, mode="strict")
    report = wiki.run_ontology_backfill(NS)
    assert report.classifier == "rules" and report.typed >= 3
    found = types(wiki)
    assert (found["Ada Lovelace"], found["The Difference Engine"], found["Weekly"]) == ("Person", "Book", "Meeting")
    assert found["Blue"] is None
    [ada] = [fact for fact in wiki.read(NS, "", kinds=("fact",)).facts if fact.body == "Likes tea."]
    assert ada.extra == {"typed_by": "rules"} and ada.confidence == "certain"


def test_rules_do_not_choose_between_two_types_that_are_as_likely():
    manifest = Manifest((NodeType("cat", "a small animal that purrs"), NodeType("dog", "a small animal that barks")))

    def by(body: str, **more: Any) -> str | None:
        return type_by_rules(manifest, title="Rex", body=body, **({"tags": (), "same_title": (), "about": ()} | more))

    assert by("Rex is a dog.") == "dog" and by("an animal that barks") == "dog"
    assert by("a cat and a dog") is None and by("of small animals") is None and by("") is None
    assert by("a cat", tags=("dog",)) == "dog" and by("Rex is a cat", tags=("dog", "cat")) == "cat"
    assert by("Rex is a cat", same_title=("Dog",)) == "dog"


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("Moby-Dick", "Moby-Dick is a novel by Herman Melville.", "Book"),
        ("Berlin", "Berlin is the capital city of Germany.", "City"),
        ("Elbe", "The Elbe is a river in Germany.", "Landform"),
        ("SQLite", "SQLite is a library that holds tables.", "SoftwareApplication"),
        ("Battle of Hastings", "The battle happened in 1066.", "Event"),
        ("Deploy on Friday", "The team wants to deploy on Friday.", None),
        ("Ann", "Ann works for Acme and lives in Paris.", None),
        ("Coffee", "Bob drinks coffee.", None),
    ],
)
def test_rules_go_by_what_a_text_says_it_is_and_guess_nothing_else(title: str, body: str, expected: str | None):
    found = type_by_rules(SCHEMA_ORG_MANIFEST, title=title, body=body, tags=(), same_title=(), about=())
    assert found == expected


# -- the plan, and reading replies ----------------------------------------------------------------------------------


def test_a_plan_takes_each_id_once_and_counts_what_fails():
    facts = [Node(id=id, namespace=NS, kind="fact", title=id.upper()) for id in "abc"]
    ontology = Ontology("strict", Manifest((NodeType("person"),)))
    rows = [("a", "PERSON"), ("zz", "person"), ("a", "person"), ("b", "alien"), ("c", None)]
    reply = BackfillReply(tuple(Classification(id, kind) for id, kind in rows), OntologyUpdates((NodeType("alien"),)))
    plan = planned(ontology, facts, reply, {})
    assert (dict(plan.typing.types), plan.failed, plan.ontology) == ({"a": "person"}, 3, ontology)
    grown = planned(Ontology("emergent", ontology.manifest), facts, reply, {})
    assert (dict(grown.typing.types), grown.failed) == ({"a": "person", "b": "alien"}, 2)


@pytest.mark.parametrize(
    "reply",
    [
        '{"classifications": [{"id": "a", "okf_type": "person"}]}',
        '```json\n[{"id": "a", "type": "person"}]\n```',
        '{"a": "person"}'.join(('{"types": ', "}")),
        '{"results": {"a": {"okf_type": "person"}}}',
        '{"id": "a", "okf_type": "person"}',
    ],
)
def test_replies_in_other_shapes_are_understood(reply: str):
    read, is_whole = parse(reply)
    assert [(each.id, each.node_type) for each in read.classifications] == [("a", "person")] and is_whole


def test_a_fact_that_got_other_words_while_the_model_worked_is_typed_by_a_later_run(
    open_wiki: Callable[..., Wiki],
) -> None:
    answers = iter(["person", "project"])

    def classify(request: ModelRequest) -> str:
        [shown] = asked(request)
        answer = next(answers)
        if answer == "person":
            wiki.update_fact(NS, node_id="it", title="Dyke", body="The works on the dyke.")
        return json.dumps({"classifications": [{"id": shown["id"], "type": answer}]})

    wiki = open_wiki(model=ScriptedModel({"backfill": classify}))
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    wiki.write(NS, node_id="it", title="Ann", body="A person.")
    report = wiki.run_ontology_backfill(NS)
    assert (report.typed, report.remaining) == (0, 1)
    assert wiki.run_ontology_backfill(NS).typed == 1
    assert wiki.read(NS, "Dyke").facts[0].node_type == "project"
