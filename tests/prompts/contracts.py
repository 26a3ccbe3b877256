"""Every built-in prompt with an example: what is asked, a reply as asked for, and what is read from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lorelite.ontology.manifest import Manifest, NodeType, Ontology
from lorelite.ports import ModelRequest
from lorelite.prompts import (
    answer,
    backfill,
    community_report,
    drift,
    extract,
    extract_graph,
    global_map,
    graph_answer,
    heal,
    keywords,
    librarian,
    merge_judge,
    questions,
    rate_report,
    resolve,
    summarise_entity,
    toolkit_answer,
    toolkit_extract,
    toolkit_judge,
    toolkit_report,
)
from lorelite.prompts.graph_reply import Wanted, read_records
from lorelite.records import Node

PASSAGE = "Ada Okoro has run the Lindau ferry since the flood of 1999. Her brother Tom sells the tickets."
QUESTION = "Who runs the Lindau ferry?"
SOURCES = [(1, "Ferries", PASSAGE)]
ENTITIES = "id,name,description\n0,Ada Okoro,She runs the Lindau ferry.\n1,Lindau ferry,A ferry on the lake."
RELATIONSHIPS = "id,source,target,description\n0,Ada Okoro,Lindau ferry,Ada Okoro runs the Lindau ferry."
REPORTS = "id,title,summary\n0,The ferry,Ada Okoro runs the Lindau ferry with her brother Tom."


@dataclass(frozen=True, slots=True)
class Contract:
    """One prompt. `takes`: what must come of `reply`; `read` gives it in plain values."""

    name: str
    request: ModelRequest
    reply: str
    read: Callable[[str], Any]
    takes: Any


def _extracted(reply: str) -> Any:
    found = extract.parse(reply, chunk_start=0, chunk_end=len(PASSAGE), document_text=PASSAGE)
    return (
        [entity.name for entity in found.entities],
        [(relation.source, relation.type, relation.target) for relation in found.relations],
        [fact.title for fact in found.facts],
    )


def _graph(reply: str) -> Any:
    found = extract_graph.placed([read_records(reply, Wanted())], text=PASSAGE).extraction
    return [entity.name for entity in found.entities], [(each.source, each.target) for each in found.relations]


def _cited(sentences: Any) -> Any:
    return [(text, list(citations)) for text, citations in sentences]


_EXTRACT = extract.build(PASSAGE, heading="Ferries", source_ref="lake.md")
_GRAPH = extract_graph.build(PASSAGE, Wanted(types=("person", "organization")), heading="Ferries")
_GRAPH_REPLY = (
    '("entity"<|>Ada Okoro<|>person<|>She runs the Lindau ferry.)##\n'
    '("entity"<|>Lindau ferry<|>organization<|>A ferry that Ada Okoro runs.)##\n'
    '("relationship"<|>Ada Okoro<|>Lindau ferry<|>Ada Okoro runs the Lindau ferry.<|>9)##\n<|COMPLETE|>'
)
_FACT = Node(id="f1", namespace="lake", kind="fact", title="Ferry runs", body="The ferry runs at noon.")
_KNOWN = {"id": "f1", "title": "Ferry runs", "body": "The ferry runs at noon."}
_NEW = {"id": "n1", "title": "Ferry at ten", "body": "The ferry runs at ten.", "known": [_KNOWN]}
_QUOTE = "Ada Okoro has run the Lindau ferry"
_SENTENCE = f'{{"text": "Ada Okoro does.", "citations": [{{"source": 1, "quote": "{_QUOTE}"}}]}}'
_STEP = '{"answer": "Ada Okoro runs it.", "score": 80, "follow_up_questions": ["Since when does Ada Okoro run it?"]}'
_READ_STEP = ("Ada Okoro runs it.", 80.0, ("Since when does Ada Okoro run it?",))


def _step(reply: str) -> Any:
    step = drift.parse(reply)
    return step.answer, step.score, step.follow_ups


CONTRACTS = [
    Contract(
        "extract",
        _EXTRACT,
        '{"entities": [{"name": "Ada Okoro", "type": "person", "description": "She runs the ferry.", "aliases": []},'
        ' {"name": "Lindau ferry", "type": "organisation", "description": "A ferry.", "aliases": []}],'
        ' "relations": [{"source": "Ada Okoro", "target": "Lindau ferry", "type": "runs", "description": "Runs it.",'
        f' "weight": 0.9, "quote": "{_QUOTE}"}}],'
        ' "facts": [{"title": "Ada Okoro runs the ferry", "body": "Ada Okoro has run the Lindau ferry since 1999.",'
        f' "about": ["Ada Okoro"], "tags": [], "confidence": "certain", "quote": "{_QUOTE}"}}]}}',
        _extracted,
        (
            ["Ada Okoro", "Lindau ferry"],
            [("Ada Okoro", "runs", "Lindau ferry")],
            ["Ada Okoro runs the ferry"],
        ),
    ),
    Contract(
        "extract_graph", _GRAPH, _GRAPH_REPLY, _graph, (["Ada Okoro", "Lindau ferry"], [("Ada Okoro", "Lindau ferry")])
    ),
    Contract(
        "glean",
        extract_graph.glean(_GRAPH, PASSAGE, [_GRAPH_REPLY]),
        '("entity"<|>Tom<|>person<|>Tom sells the tickets.)##\n<|COMPLETE|>',
        _graph,
        (["Tom"], []),
    ),
    Contract(
        "glean_more", extract_graph.glean_more(_GRAPH, PASSAGE, [_GRAPH_REPLY]), "Yes", extract_graph.wants_more, True
    ),
    Contract(
        "summarise_entity",
        summarise_entity.build("Ada Okoro", ["She runs the ferry.", "Tom's sister."], max_tokens=200),
        "Ada Okoro runs the ferry and is Tom's sister.",
        summarise_entity.parse,
        "Ada Okoro runs the ferry and is Tom's sister.",
    ),
    Contract(
        "hypothetical_questions",
        questions.build(PASSAGE, 2, heading="Ferries"),
        '["Who runs the Lindau ferry?", "Who sells the tickets of the Lindau ferry?"]',
        lambda reply: questions.parse(reply, 2),
        ["Who runs the Lindau ferry?", "Who sells the tickets of the Lindau ferry?"],
    ),
    Contract(
        "community_report",
        community_report.build({"Entities": ENTITIES, "Relationships": RELATIONSHIPS}, 400),
        '{"title": "Ada Okoro\'s ferry", "summary": "Ada Okoro runs the Lindau ferry.", "rating": 6.5,'
        ' "rating_explanation": "All else hangs on it.",'
        ' "findings": [{"summary": "One family", "explanation": "Brother and sister work there."}]}',
        lambda reply: (community_report.parse(reply).title, community_report.parse(reply).rating),
        ("Ada Okoro's ferry", 6.5),
    ),
    Contract(
        "answer",
        answer.build(QUESTION, SOURCES, "Ada Okoro --runs--> Lindau ferry"),
        f'{{"answered": true, "sentences": [{_SENTENCE}]}}',
        lambda reply: _cited(answer.parse(reply, SOURCES).sentences),
        [("Ada Okoro does.", [(1, _QUOTE)])],
    ),
    Contract(
        "graph_answer",
        graph_answer.build(QUESTION, SOURCES, ENTITIES, response_type="one paragraph"),
        f'{{"answered": true, "paragraphs": [{{"sentences": [{_SENTENCE}]}}]}}',
        lambda reply: [_cited(paragraph) for paragraph in graph_answer.parse(reply, SOURCES)],
        [[("Ada Okoro does.", [(1, _QUOTE)])]],
    ),
    Contract(
        "keywords",
        keywords.build(QUESTION),
        '{"high_level": ["who runs what"], "low_level": ["Lindau ferry"]}',
        lambda reply: (keywords.parse(reply).high, keywords.parse(reply).low),
        (("who runs what",), ("Lindau ferry",)),
    ),
    Contract(
        "global_map",
        global_map.build(QUESTION, REPORTS),
        '{"points": [{"description": "Ada Okoro runs it.", "score": 90}]}',
        global_map.parse,
        [("Ada Okoro runs it.", 90)],
    ),
    Contract("rate_report", rate_report.build(QUESTION, REPORTS), '{"rating": 5}', rate_report.parse, 5.0),
    Contract("drift_primer", drift.build_primer(QUESTION, REPORTS, 1), _STEP, _step, _READ_STEP),
    Contract("drift_follow_up", drift.build_follow_up(QUESTION, "Since when?", REPORTS, 1), _STEP, _step, _READ_STEP),
    Contract(
        "librarian",
        librarian.build([{"id": "e1", "summary": "The ferry now runs at ten."}], [_KNOWN], []),
        '{"facts": [{"op": "supersede", "target": "f1", "title": "Ferry at ten", "body": "The ferry runs at ten.",'
        ' "tags": ["ferry"], "confidence": "certain", "evidence": ["runs at ten"]}], "tasks": []}',
        lambda reply: [(fact.op, fact.target, fact.title) for fact in librarian.parse(reply).facts],
        [("supersede", "f1", "Ferry at ten")],
    ),
    Contract(
        "librarian_resolve",
        resolve.build([_NEW]),
        '{"decisions": [{"id": "n1", "op": "SUPERSEDE", "target": "f1"}]}',
        lambda reply: {id: (decision.op, decision.target) for id, decision in resolve.parse(reply).items()},
        {"n1": ("supersede", "f1")},
    ),
    Contract(
        "heal",
        heal.build([_KNOWN], related=[], documented=[], tasks=[], events=[{"summary": "The ferry was sold."}]),
        '{"downgraded": ["f1"], "deleted": [], "newFacts": [], "contradictions": [], "duplicates": []}',
        lambda reply: heal.parse(reply).downgraded,
        ("f1",),
    ),
    Contract(
        "backfill",
        backfill.build([_FACT], Ontology("strict", Manifest(node_types=(NodeType("service", "What is offered."),)))),
        '{"classifications": [{"id": "f1", "okf_type": "service", "edges": []}]}',
        lambda reply: [(each.id, each.node_type) for each in backfill.parse(reply)[0].classifications],
        [("f1", "service")],
    ),
    Contract(
        "merge_judge",
        merge_judge.build([{"first": "Ada Okoro", "second": "A. Okoro", "evidence": ["initials"]}]),
        '{"same": [1]}',
        lambda reply: merge_judge.parse(reply, 1),
        {0},
    ),
    Contract(
        "toolkit_extract",
        toolkit_extract.build(PASSAGE, entity_types=["person"]),
        "ENTITIES\nAda Okoro|person\nLindau ferry|ferry\nRELATIONS\nAda Okoro|Lindau ferry|runs",
        lambda reply: len(toolkit_extract.parse(reply)),
        3,
    ),
    Contract(
        "toolkit_judge",
        toolkit_judge.build(
            [{"id": "1", "name": "Ada Okoro", "type": "person"}, {"id": "2", "name": "Ada Okoro.", "type": ""}]
        ),
        '{"same": true}',
        lambda reply: toolkit_judge.parse(reply, ["1", "2"]),
        [["1", "2"]],
    ),
    Contract(
        "toolkit_report",
        toolkit_report.build(["Ada Okoro (person)", "Lindau ferry"], ["Ada Okoro runs Lindau ferry"]),
        '{"title": "The ferry", "summary": "Ada Okoro runs it."}',
        toolkit_report.parse,
        ("The ferry", "Ada Okoro runs it."),
    ),
    Contract("toolkit_answer", toolkit_answer.answer(QUESTION, [PASSAGE]), "Ada Okoro.", str, "Ada Okoro."),
    Contract("toolkit_refine", toolkit_answer.refine(QUESTION, "Ada.", [PASSAGE]), "Ada Okoro.", str, "Ada Okoro."),
    Contract("toolkit_summarise", toolkit_answer.summarise(QUESTION, [PASSAGE]), "Ada runs it.", str, "Ada runs it."),
]
