"""Which ontology holds where, and what it does to what callers and models write."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lorelite import (
    SCHEMA_ORG_MANIFEST,
    Diagnostic,
    Hooks,
    InvalidManifest,
    InvalidOption,
    Manifest,
    NodeType,
    Ontology,
    OntologyConfig,
    StrictOntologyViolation,
    Wiki,
    WikiConfig,
)
from lorelite.memory.ontology import effective, expand_types, violates
from lorelite.models import ScriptedModel

NS = "team"
HASH_A, HASH_B, HASH_C = "a" * 64, "b" * 64, "c" * 64
PEOPLE: dict[str, Any] = {
    "node_types": [
        {"type": "person", "description": "p"},
        {"type": "project", "description": "q"},
        {"type": "Boss", "description": "b", "parent_type": "person"},
    ],
    "edge_types": [
        {"type": "reports_to", "source_type": "person", "target_type": "person", "description": "r"},
        {"type": "works_on", "source_type": "person", "target_type": "project", "description": "w"},
    ],
}
TRIO = [
    {"id": "a", "type": "PERSON", "title": "Ann"},
    {"id": "b", "type": "boss", "title": "Bob"},
    {"id": "p", "type": "project", "title": "Plan"},
]


def upsert(wiki: Wiki, nodes: Any = (), edges: Any = (), *, source: str = "team.csv", hash: str = HASH_A) -> Any:
    return wiki.upsert_graph(NS, source_ref=source, source_hash=hash, nodes=nodes, edges=edges)


def edge(kind: str, source: str, target: str) -> dict[str, str]:
    return {"type": kind, "source_id": source, "target_id": target}


def types(wiki: Wiki) -> dict[str, str | None]:
    return {fact.title: fact.node_type for fact in wiki.read(NS, "", kinds=("fact", "entity"), max_results=100).facts}


def edges(wiki: Wiki, namespace: str | None = None) -> list[tuple[str, str, str]]:
    rows = wiki._wiki._engine.store.db.rows(
        """
        select s.title, e.edge_type, t.title from edge e join node s on s.id = e.source_id
          join node t on t.id = e.target_id where e.edge_type not in ('mentions', 'states', 'about', 'co_occurs')
           and coalesce(:namespace, e.namespace) = e.namespace""",
        {"namespace": namespace},
    )
    return sorted(tuple(row) for row in rows)


# -- which holds ------------------------------------------------------------------------------------------------


def test_an_own_ontology_comes_before_the_seed_and_the_seed_before_the_settings_mode(open_wiki: Callable[..., Wiki]):
    settings = OntologyConfig(mode="strict", seed_manifests={"seeded": {"mode": "emergent", "manifest": PEOPLE}})
    wiki = open_wiki(config=WikiConfig(ontology=settings))
    engine = wiki._wiki._engine
    assert wiki.get_ontology("other") is None
    assert effective(engine, "other") == Ontology("strict", Manifest())
    seeded = wiki.get_ontology("seeded")
    assert seeded is not None and seeded.as_mapping() == {"mode": "emergent", "manifest": PEOPLE}
    assert wiki.list_namespaces() == []
    assert wiki.set_ontology("seeded", {"node_types": [{"type": "dog"}]}) == wiki.get_ontology("seeded")
    assert effective(engine, "seeded") == Ontology("strict", Manifest((NodeType("dog"),)))


def test_the_first_write_makes_a_seed_the_namespaces_own(open_wiki: Callable[..., Wiki]):
    wiki = open_wiki(
        config=WikiConfig(ontology=OntologyConfig(seed_manifests={NS: Ontology("strict", SCHEMA_ORG_MANIFEST)}))
    )
    assert wiki._wiki._engine.store.ontology.get(NS) is None
    with pytest.raises(StrictOntologyViolation):
        upsert(wiki, [{"id": "a", "type": "Alien", "title": "A"}])
    assert wiki._wiki._engine.store.ontology.get(NS) is None
    upsert(wiki, [{"id": "a", "type": "person", "title": "A"}])
    assert wiki._wiki._engine.store.ontology.get(NS) == Ontology("strict", SCHEMA_ORG_MANIFEST)


def test_a_seed_without_a_mode_takes_the_settings_mode():
    settings = OntologyConfig(mode="emergent", seed_manifests={"x": PEOPLE, "y": {"manifest": PEOPLE, "mode": "off"}})
    assert (settings.seed_manifests["x"].mode, settings.seed_manifests["y"].mode) == ("emergent", "off")


def test_a_faulty_seed_is_refused_when_the_settings_are_made():
    with pytest.raises(InvalidOption, match=r"node_types\[0\].type"):
        WikiConfig(ontology=OntologyConfig(seed_manifests={"x": {"node_types": [{"type": ""}]}}))


def test_the_mode_is_the_one_given_else_the_manifests_else_the_settings(wiki: Wiki):
    assert wiki.set_ontology(NS, PEOPLE).mode == "off"
    assert wiki.set_ontology(NS, Ontology("emergent", Manifest())).mode == "emergent"
    assert wiki.set_ontology(NS, Ontology("emergent", Manifest()), mode="strict").mode == "strict"
    with pytest.raises(InvalidOption, match="mode"):
        wiki.set_ontology(NS, PEOPLE, mode="loose")  # type: ignore[arg-type]


def test_if_absent_keeps_what_was_set_before(wiki: Wiki):
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    assert wiki.set_ontology(NS, {}, mode="off", if_absent=True).as_mapping() == {"mode": "strict", "manifest": PEOPLE}
    report = wiki.set_ontologies({NS: {}, "new": {"manifest": {}, "mode": "emergent"}}, if_absent=True)
    assert (report.written, report.skipped) == (("new",), (NS,))


def test_of_several_ontologies_one_that_is_faulty_keeps_all_from_being_written(wiki: Wiki):
    with pytest.raises(InvalidManifest):
        wiki.set_ontologies({"a": PEOPLE, "b": {"node_types": [{"type": ""}]}})
    assert wiki.get_ontology("a") is None


def test_an_ontology_survives_closing_the_file(open_wiki: Callable[..., Wiki], tmp_path: Any):
    with Wiki.open(tmp_path / "brain.db") as wiki:
        wiki.set_ontology(NS, SCHEMA_ORG_MANIFEST, mode="strict")
    with Wiki.open(tmp_path / "brain.db") as wiki:
        assert wiki.get_ontology(NS) == Ontology("strict", SCHEMA_ORG_MANIFEST)


def test_types_are_expanded_by_the_namespaces_own_manifest(wiki: Wiki):
    wiki.set_ontology(NS, PEOPLE)
    engine = wiki._wiki._engine
    assert expand_types(engine, NS, ["PERSON", "alien"]) == ["person", "Boss", "alien"]
    assert expand_types(engine, "other", ["PERSON"]) == ["PERSON"]


def test_only_a_manifest_in_force_is_violated_and_never_by_the_engines_own_edges(wiki: Wiki):
    ontology = wiki.set_ontology(NS, PEOPLE, mode="strict")
    assert violates(ontology, "works_on", "person", "Boss")
    assert not violates(ontology, "works_on", "Boss", "project")
    assert not violates(ontology, "mentions", None, "person")
    assert not violates(Ontology("off", ontology.manifest), "works_on", "person", "Boss")
    assert not violates(Ontology("strict", Manifest()), "works_on", "person", "Boss")


# -- a caller's graph ---------------------------------------------------------------------------------------------


def test_strict_stores_the_manifests_casing(wiki: Wiki):
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    upsert(wiki, TRIO, [edge("REPORTS_TO", "b", "a"), edge("Works_On", "b", "p")])
    assert types(wiki) == {"Ann": "person", "Bob": "Boss", "Plan": "project"}
    assert edges(wiki) == [("Bob", "reports_to", "Ann"), ("Bob", "works_on", "Plan")]


@pytest.mark.parametrize(
    ("nodes", "given", "kind", "type"),
    [
        ([*TRIO, {"id": "x", "type": "alien", "title": "X"}], [], "node", "alien"),
        (TRIO, [edge("eats", "a", "b")], "edge", "eats"),
        (TRIO, [edge("mentions", "a", "b")], "edge", "mentions"),
        (TRIO, [edge("works_on", "p", "a")], "edge", "works_on"),
        (TRIO, [edge("works_on", "a", "b")], "edge", "works_on"),
        ([*TRIO, {"id": "x", "title": "X"}], [edge("reports_to", "x", "a")], "edge", "reports_to"),
        ([*TRIO, {"id": "x", "title": "X"}], [edge("reports_to", "a", "x")], "edge", "reports_to"),
    ],
)
def test_strict_refuses_what_the_manifest_does_not_have_and_writes_nothing(
    wiki: Wiki, nodes: Any, given: Any, kind: str, type: str
):
    """Better than onto-strict-upsert: the target's type counts as well."""
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    upsert(wiki, [{"id": "z", "type": "person", "title": "Zoe"}])
    with pytest.raises(StrictOntologyViolation) as caught:
        upsert(wiki, nodes, given, hash=HASH_B)
    assert (caught.value.data["kind"], caught.value.data["type"]) == (kind, type)
    assert caught.value.data["namespace"] == NS and "set_ontology" in str(caught.value)
    assert types(wiki) == {"Zoe": "person"}


def test_strict_checks_ends_that_are_stored_already_and_trusts_those_that_are_nowhere(wiki: Wiki):
    """Better than onto-strict-upsert: an edge whose source is not of the call is checked too."""
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    upsert(wiki, TRIO)
    with pytest.raises(StrictOntologyViolation):
        upsert(wiki, [], [edge("works_on", "a", "b")], source="more", hash=HASH_B)
    with pytest.raises(StrictOntologyViolation):
        upsert(wiki, [], [edge("works_on", "p", "nowhere")], source="more", hash=HASH_B)
    report = upsert(wiki, [], [edge("works_on", "a", "p"), edge("works_on", "a", "later")], source="more", hash=HASH_B)
    assert report.edges_written == 2


def test_strict_with_an_empty_manifest_permits_no_type(open_wiki: Callable[..., Wiki]):
    """Better than onto-global-mode-without-seed-is-off: the mode of the settings holds."""
    wiki = open_wiki(config=WikiConfig(ontology=OntologyConfig(mode="strict")))
    with pytest.raises(StrictOntologyViolation, match="alien"):
        upsert(wiki, [{"id": "a", "type": "alien", "title": "A"}])
    upsert(wiki, [{"id": "a", "title": "A"}])
    assert types(wiki) == {"A": None}


def test_emergent_keeps_the_node_without_its_type_and_tells_of_edges_it_leaves_out(open_wiki: Callable[..., Wiki]):
    told: list[Diagnostic] = []
    wiki = open_wiki(hooks=Hooks(on_diagnostic=told.append))
    wiki.set_ontology(NS, PEOPLE, mode="emergent")
    report = upsert(
        wiki,
        [*TRIO, {"id": "x", "type": "alien", "title": "X"}],
        [edge("reports_to", "b", "a"), edge("eats", "b", "a"), edge("works_on", "a", "b")],
    )
    assert (report.edges_written, report.untyped, report.edges_dropped) == (1, 1, 2)
    assert types(wiki)["X"] is None
    assert [(each.code, each.detail["reason"], each.detail["edge_type"]) for each in told] == [
        ("edge_dropped", "manifest_violation", "eats"),
        ("edge_dropped", "manifest_violation", "works_on"),
    ]


@pytest.mark.parametrize("ontology", [Ontology("emergent", Manifest()), None])
def test_without_a_manifest_everything_stays_as_the_caller_says(wiki: Wiki, ontology: Ontology | None):
    if ontology is not None:
        wiki.set_ontology(NS, ontology)
    upsert(wiki, [{"id": "x", "type": "Alien", "title": "X"}, {"id": "y", "title": "Y"}], [edge("eats", "x", "y")])
    assert types(wiki) == {"X": "Alien", "Y": None} and edges(wiki) == [("X", "eats", "Y")]


def test_with_mode_off_a_manifest_changes_nothing(wiki: Wiki):
    wiki.set_ontology(NS, PEOPLE, mode="off")
    upsert(wiki, [{"id": "x", "type": "PERSON", "title": "X"}], [edge("eats", "x", "x")])
    assert types(wiki) == {"X": "PERSON"} and edges(wiki) == [("X", "eats", "X")]


def test_a_fact_that_is_stated_is_held_against_the_ontology_too(wiki: Wiki):
    wiki.write(NS, title="Before", body="b", node_type="Alien")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    ann = wiki.write(NS, title="Ann", body="b", node_type="PERSON")
    assert ann.node_type == "person"
    with pytest.raises(StrictOntologyViolation):
        wiki.write(NS, title="X", body="b", node_type="alien")
    wiki.set_ontology(NS, PEOPLE, mode="emergent")
    assert wiki.write(NS, title="X", body="b", node_type="alien").node_type == "alien"


# -- what a model reads -------------------------------------------------------------------------------------------


def reader(*replies: Any) -> ScriptedModel:
    """Answers each request with the reply whose key its passage holds; the key "" answers all."""
    given = dict(replies[0]) if isinstance(replies[0], dict) and "facts" not in replies[0] else {"": replies[0]}

    def answer(request: Any) -> str:
        passage = request.user.partition("The passage:")[2]
        return json.dumps(next(reply for key, reply in given.items() if key in passage))

    return ScriptedModel({"extract": answer})


def fact(title: str, okf_type: Any = None, *links: Any) -> dict[str, Any]:
    made = [{"edge_type": kind, "target_title": target} for kind, target in links]
    return {"title": title, "body": f"{title} is told of.", "okf_type": okf_type, "edges": made}


def open_reader(open_wiki: Callable[..., Wiki], reply: Any, mode: Any, told: list[Diagnostic]) -> Wiki:
    wiki = open_wiki(
        model=reader(reply), hooks=Hooks(on_diagnostic=told.append), config=WikiConfig(chunk_chars=200, chunk_overlap=0)
    )
    wiki.set_ontology(NS, PEOPLE, mode=mode)
    return wiki


def test_facts_are_typed_and_joined_by_title(open_wiki: Callable[..., Wiki]):
    told: list[Diagnostic] = []
    links = [("reports_to", " bob  SMITH"), ("reports_to", "Nobody"), ("works_on", "Bob Smith"), ("eats", "Bob Smith")]
    reply = {
        "facts": [
            fact("Jane", "PERSON", *links),
            fact("Bob Smith", "boss"),
            fact("Odd", "alien", ("reports_to", "Jane")),
        ],
        "ontology_updates": {"node_types": [{"type": "alien"}]},
    }
    reply["facts"][0]["edges"].append({"edge_type": 5})
    wiki = open_reader(open_wiki, reply, "strict", told)
    report = wiki.ingest_document(NS, source_ref="d", text="Jane reports to Bob Smith.")
    assert types(wiki) == {"Jane": "person", "Bob Smith": "Boss", "Odd": None}
    assert edges(wiki) == [("Jane", "reports_to", "Bob Smith")]
    assert sorted(each.detail["reason"] for each in told if each.code == "edge_dropped") == [
        "invalid_shape", "no_source_type", "target_not_found", "target_type_mismatch", "type_not_in_manifest",
    ]  # fmt: skip
    assert report.edges_left_out == 5
    ontology = wiki.get_ontology(NS)
    assert ontology is not None and ontology.manifest.as_mapping() == PEOPLE


def test_a_bare_list_of_facts_with_edges_is_a_list_of_facts(open_wiki: Callable[..., Wiki]):
    reply = {"": [fact("Jane", "person", ("reports_to", "Bob")), fact("Bob", "person")]}
    wiki = open_reader(open_wiki, reply, "strict", [])
    wiki.ingest_document(NS, source_ref="d", text="Jane reports to Bob.")
    assert types(wiki) == {"Jane": "person", "Bob": "person"} and edges(wiki) == [("Jane", "reports_to", "Bob")]


def test_off_means_that_a_model_types_nothing(open_wiki: Callable[..., Wiki]):
    """Better than onto-off-mode-with-manifest-still-types."""
    told: list[Diagnostic] = []
    wiki = open_reader(
        open_wiki, {"facts": [fact("Jane", "person", ("reports_to", "Bob")), fact("Bob", "person")]}, "off", told
    )
    wiki.ingest_document(NS, source_ref="d", text="Jane reports to Bob.")
    assert types(wiki) == {"Jane": None, "Bob": None} and edges(wiki) == [] and told == []


def test_new_types_of_an_emergent_reply_hold_for_its_own_facts(open_wiki: Callable[..., Wiki]):
    updates = {
        "node_types": [{"type": "Dog", "description": "d"}],
        "edge_types": [{"type": "owned_by", "source_type": "dog", "target_type": "person", "description": "o"}],
    }
    reply = {"facts": [fact("Rex", "dog", ("owned_by", "Jane")), fact("Jane", "person")], "ontology_updates": updates}
    wiki = open_reader(open_wiki, reply, "emergent", [])
    wiki.ingest_document(NS, source_ref="d", text="Rex is Jane's dog.")
    assert types(wiki) == {"Rex": "Dog", "Jane": "person"} and edges(wiki) == [("Rex", "owned_by", "Jane")]
    ontology = wiki.get_ontology(NS)
    assert ontology is not None and ontology.manifest.node_types[-1] == NodeType("Dog", "d")


def test_an_edge_may_lead_to_a_later_part_of_the_document_and_to_another_document(open_wiki: Callable[..., Wiki]):
    first, second = "Jane reports to Bob. " * 8, "Bob runs the Plan. " * 9
    replies = {
        "Zoe": {"facts": [fact("Zoe", "person", ("reports_to", "BOB"))]},
        "Jane": {"facts": [fact("Jane", "person", ("reports_to", "Bob"), ("works_on", "The Plan"))]},
        "Bob": {"facts": [fact("Bob", "Boss"), fact("the plan", "project")]},
    }
    told: list[Diagnostic] = []
    wiki = open_reader(open_wiki, replies, "strict", told)
    report = wiki.ingest_document(NS, source_ref="d", text=f"{first}\n\n{second}")
    assert report.chunks >= 2 and report.edges_left_out == 0 and not told
    wiki.ingest_document(NS, source_ref="e", text="Zoe reports to Bob.")
    assert edges(wiki) == [
        ("Jane", "reports_to", "Bob"), ("Jane", "works_on", "the plan"), ("Zoe", "reports_to", "Bob"),
    ]  # fmt: skip
    wiki.forget(NS, source_ref="e")
    assert ("Zoe", "reports_to", "Bob") not in edges(wiki)


def test_entities_and_relations_are_held_against_the_manifest_as_well(open_wiki: Callable[..., Wiki]):
    people = [{"name": "Jane", "type": "Person"}, {"name": "Bob", "type": "boss"}, {"name": "Rex", "type": "dog"}]
    told_of = [("Jane", "reports_to", "Bob"), ("Jane", "eats", "Bob"), ("Rex", "reports_to", "Bob")]
    reply = {
        "entities": [{**person, "description": "x"} for person in people],
        "relations": [{"source": s, "type": t, "target": o, "description": "x"} for s, t, o in told_of],
        "facts": [],
    }
    told: list[Diagnostic] = []
    wiki = open_reader(open_wiki, {"": reply}, "strict", told)
    wiki.ingest_document(NS, source_ref="d", text="Jane and Bob and Rex.")
    assert types(wiki) == {"Jane": "person", "Bob": "Boss", "Rex": None}
    assert edges(wiki) == [("Jane", "reports_to", "Bob")]
    assert [each.detail["reason"] for each in told] == ["type_not_in_manifest", "no_source_type"]


def test_what_is_found_without_a_model_keeps_to_a_strict_manifest(wiki: Wiki):
    text = "Dr. Ada Lovelace works for Analytical Engines Ltd. in London. Mr. Scrooge was married to Isabel."
    wiki.ingest_document("free", source_ref="d", text=text)
    assert ("Scrooge", "married_to", "Isabel") in edges(wiki)
    wiki.set_ontology(NS, SCHEMA_ORG_MANIFEST, mode="strict")
    wiki.ingest_document(NS, source_ref="d", text=text)
    found = types(wiki)
    assert (found["Ada Lovelace"], found["Analytical Engines Ltd"], found["Isabel"]) == ("Person", "Organization", None)
    assert [kind for _, kind, _ in edges(wiki, NS)] == ["worksFor"]


def test_the_model_is_told_the_rules_and_the_manifest(open_wiki: Callable[..., Wiki]):
    seen: list[Any] = []

    def answer(request: Any) -> str:
        seen.append(request)
        return '{"facts": []}'

    wiki = open_wiki(model=ScriptedModel({"extract": answer}))
    wiki.ingest_document(NS, source_ref="d", text="Nothing.")
    wiki.set_ontology(NS, PEOPLE, mode="strict")
    wiki.ingest_document(NS, source_ref="e", text="Nothing else.")
    assert "reports_to" not in seen[0].system and "reports_to" in seen[1].system
    assert "okf_type" in json.dumps(seen[1].schema) and "okf_type" not in json.dumps(seen[0].schema)
