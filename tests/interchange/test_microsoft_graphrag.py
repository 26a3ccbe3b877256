"""The tables of Microsoft GraphRAG as a knowledge graph."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest

from lorelite import DumpError, NotFound, Wiki

TEXT = "Ada Marsh keeps the lock at Fenny. " * 4 + "Every evening Ben Rook walks to the mill and talks to Ada Marsh."
UNITS = [
    {"id": "u0", "text": TEXT[:120], "document_ids": ["d0"]},
    {"id": "u1", "text": TEXT[60:], "document_ids": ["d0"]},
]
ENTITIES = [
    {
        "id": "e0",
        "title": "ADA MARSH",
        "type": "PERSON",
        "description": "Keeps the lock.",
        "text_unit_ids": ["u0", "u1"],
    },
    {"id": "e1", "title": "BEN ROOK", "type": "PERSON", "description": "Walks to the mill.", "text_unit_ids": ["u1"]},
    {"id": "e2", "title": "FENNY", "type": "", "description": "", "text_unit_ids": ["u0"]},
]
RELATIONS = [
    {
        "source": "BEN ROOK",
        "target": "ADA MARSH",
        "description": "Ben talks to Ada.",
        "weight": 4,
        "text_unit_ids": ["u1"],
    },
    {
        "source": "ADA MARSH",
        "target": "FENNY",
        "description": "Ada works there.",
        "weight": 2.5,
        "text_unit_ids": ["u0", "u1"],
    },
]
COMMUNITIES = [
    {
        "community": 0,
        "level": 0,
        "parent": -1,
        "title": "Community 0",
        "entity_ids": ["e0", "e1", "e2"],
        "text_unit_ids": ["u0", "u1"],
    },
    {
        "community": 1,
        "level": 1,
        "parent": 0,
        "title": "Community 1",
        "entity_ids": ["e0", "e1"],
        "text_unit_ids": ["u1"],
    },
]
REPORTS = [
    {
        "community": 0,
        "title": "The lock",
        "summary": "Ada and Ben at the lock.",
        "rank": 7.5,
        "findings": json.dumps([{"summary": "Ada keeps it", "explanation": "Every day."}]),
    }
]


def folder_of(folder: Path, **tables: list[dict[str, object]]) -> Path:
    for name, rows in tables.items():
        (folder / f"{name}.json").write_text(json.dumps(rows), "utf-8")
    return folder


def whole(folder: Path) -> Path:
    return folder_of(
        folder,
        entities=ENTITIES,
        relationships=RELATIONS,
        text_units=UNITS,
        communities=COMMUNITIES,
        community_reports=REPORTS,
        documents=[{"id": "d0", "title": "lock.txt"}],
    )


def test_an_index_becomes_a_graph_with_citable_chunks_communities_and_reports(tmp_path):
    with Wiki.open(":memory:") as wiki:
        found = wiki.import_graphrag("fen", whole(tmp_path))
        assert (found.documents, found.chunks, found.entities, found.relations) == (1, 2, 3, 2)
        assert (found.communities, found.reports, found.problems) == (2, 1, ())
        assert wiki.get_document("fen", "lock.txt") == TEXT
        graph = wiki.graph("fen")
        entities = {entity.name.upper(): entity for entity in graph.entities()}
        assert entities["ADA MARSH"].description == "Keeps the lock." and entities["ADA MARSH"].type == "person"
        assert len(entities["ADA MARSH"].chunk_ids) == 2
        weights = {tuple(sorted((r.source.upper(), r.target.upper()))): r.weight for r in graph.relations()}
        assert weights == {("ADA MARSH", "BEN ROOK"): 4.0, ("ADA MARSH", "FENNY"): 2.5}
        [report] = graph.reports()
        assert (report.title, report.rating) == ("The lock", 7.5) and "## Ada keeps it" in report.text
        coarse, fine = graph.communities()
        assert (coarse.level, fine.level, fine.parent, coarse.children) == (0, 1, coarse.id, (fine.id,))


def test_taken_in_again_it_changes_nothing(tmp_path):
    with Wiki.open(
        ":memory:",
    ) as wiki:
        whole(tmp_path)
        first = wiki.import_graphrag("fen", tmp_path)
        before = wiki.export_dump("fen").namespaces
        assert wiki.import_graphrag("fen", tmp_path) == first
        after = wiki.export_dump("fen").namespaces
        assert {name: len(rows) for name, rows in after["fen"].rows.items()} == {
            name: len(rows) for name, rows in before["fen"].rows.items()
        }


def test_cells_are_read_as_python_and_numpy_print_lists(tmp_path):
    folder_of(tmp_path, relationships=[])
    for name, rows in (("entities", ENTITIES), ("text_units", UNITS)):
        with (tmp_path / f"{name}.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            for row in rows:
                writer.writerow({k: str(v).replace(",", "\n") if isinstance(v, list) else v for k, v in row.items()})
    with Wiki.open(":memory:") as wiki:
        assert wiki.import_graphrag("fen", tmp_path).entities == 3


def test_the_text_of_a_document_is_used_where_it_is_there(tmp_path):
    folder = whole(tmp_path)
    folder_of(folder, documents=[{"id": "d0", "title": "lock.txt", "text": f"Preface. {TEXT}"}])
    with Wiki.open(":memory:") as wiki:
        wiki.import_graphrag("fen", folder)
        assert wiki.get_document("fen", "lock.txt") == f"Preface. {TEXT}"


def test_what_names_no_text_unit_is_told(tmp_path):
    folder = folder_of(
        tmp_path, entities=[*ENTITIES, {"id": "e3", "title": "Lone"}], relationships=[], text_units=UNITS
    )
    with Wiki.open(":memory:") as wiki:
        found = wiki.import_graphrag("fen", folder)
        assert found.entities == 4 and "1 entities" in found.problems[0]


def test_a_missing_or_damaged_table_is_named_and_nothing_is_written(tmp_path):
    with Wiki.open(":memory:") as wiki:
        with pytest.raises(NotFound, match="entities"):
            wiki.import_graphrag("fen", tmp_path)
        (folder_of(tmp_path, entities=ENTITIES, relationships=[]) / "text_units.json").write_text("{", "utf-8")
        with pytest.raises(DumpError, match="text_units"):
            wiki.import_graphrag("fen", tmp_path)
        assert wiki.list_namespaces() == []


@pytest.mark.skipif("LORELITE_SHARED" not in os.environ, reason="LORELITE_SHARED names no folder with the real index")
def test_a_real_index_is_taken_in_and_answers():
    from lorelite import (
        chunk_entity_generation,
        entity_community_generation,
        global_community_search,
        local_community_search,
    )

    folder = Path(os.environ["LORELITE_SHARED"]) / "data" / "operation_dulce"
    with Wiki.open(":memory:") as wiki:
        found = wiki.import_graphrag("carol", folder)
        # 529 rows, and 32 names that only relations use; 978 rows of 935 unordered pairs.
        assert (found.chunks, found.entities, found.relations) == (42, 529 + 32, 935)
        graph = wiki.graph("carol", pipeline=[chunk_entity_generation(), entity_community_generation()])
        graph.build()
        assert len(graph.reports()) > 20 and max(each.level for each in graph.communities()) >= 1
        for search, table in ((local_community_search(), "Reports"), (global_community_search(), "Points")):
            answer = graph.query(search=search, prompt="What does Scrooge learn from the spirits?")
            assert answer.answered and answer.context.tables[table], search.name
