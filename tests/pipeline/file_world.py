"""A namespace of a file as a knowledge graph, filled with something of everything."""

from __future__ import annotations

from typing import Any

from knowledge_world import QUESTIONS, clustered, entities, picture, report, tell_all
from tests.conftest import NS

from lorelite import Wiki
from lorelite._drive import drive
from lorelite.engine import Engine
from lorelite.graph_records import ChunkQuestion, Similarity
from lorelite.pipeline.file_knowledge import FileKnowledge


def engine_of(wiki: Wiki) -> Engine:
    return wiki._wiki._engine


def knowledge_of(wiki: Wiki, namespace: str = NS) -> FileKnowledge:
    return FileKnowledge(engine_of(wiki), namespace)


def fill(knowledge: FileKnowledge) -> None:
    """Something of everything."""
    tell_all(knowledge)
    made_of(knowledge)


def made_of(knowledge: FileKnowledge) -> None:
    """What is made of the chunks and entities that are there."""
    first, second, *_ = drive(knowledge.chunk_ids())
    drive(knowledge.put_summaries({entities(knowledge)["scrooge"].id: "A miser who repents."}))
    drive(knowledge.put_communities(clustered(knowledge)))
    drive(knowledge.put_reports([report("0"), report("2", 1, title="A firm")]))
    drive(knowledge.add_similarities([Similarity(first, second, 0.5)]))
    drive(knowledge.add_questions([ChunkQuestion(id="q-1", question="Who ran the firm?", chunk_id=first)]))
    drive(knowledge.mark_finished(QUESTIONS, [first]))
    drive(knowledge.remember("pipeline", {"schema": 1}))
    drive(knowledge.embed_new())


def whole(knowledge: FileKnowledge) -> dict[str, Any]:
    return picture(knowledge) | {
        "communities": drive(knowledge.communities()),
        "reports": drive(knowledge.reports()),
        "pipeline": drive(knowledge.recall("pipeline")),
    }
