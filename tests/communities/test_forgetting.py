"""What is forgotten stands in no report any longer."""

from __future__ import annotations

from lorelite import Wiki, chunk_entity_generation, entity_community_generation

LOCK = "Ada Marsh keeps the Fenny Lock. Ben Rook met Ada Marsh at the Fenny Lock. Ben Rook is the brother of Ada Marsh."
SECRET = "Ada Marsh hides a golden key. Carl Finch knows where it is. Carl Finch is the uncle of Ada Marsh."
MILL = "Olga Brandt runs the Tweed Mill. Nils Holm met Olga Brandt there. Nils Holm is the son of Olga Brandt."


def filled() -> Wiki:
    wiki = Wiki.open(":memory:")
    for name, text in (("lock.txt", LOCK), ("secret.txt", SECRET), ("mill.txt", MILL)):
        wiki.ingest_document("fen", source_ref=name, text=text)
    graph(wiki).build()
    return wiki


def graph(wiki: Wiki):
    return wiki.graph("fen", pipeline=[chunk_entity_generation(), entity_community_generation()])


def told(wiki: Wiki) -> str:
    return "\n".join(report.text for report in graph(wiki).reports())


def test_reports_that_repeat_a_forgotten_document_go_with_it():
    with filled() as wiki:
        assert "golden key" in told(wiki) and "Tweed Mill" in told(wiki)
        before = {report.community_id for report in graph(wiki).reports()}
        wiki.forget("fen", source_ref="secret.txt")
        left = graph(wiki).reports()
        assert "golden key" not in told(wiki) and "Carl Finch" not in told(wiki)
        assert left and {report.community_id for report in left} < before
        assert "golden" not in str(wiki.read("fen", "golden key", kinds=["report"]).facts)
        graph(wiki).build()
        assert "golden key" not in told(wiki) and "Fenny Lock" in told(wiki)
        assert all(community.entity_ids for community in graph(wiki).communities())


def test_reports_on_a_forgotten_entity_go_with_it():
    with filled() as wiki:
        [carl] = [entity.id for entity in graph(wiki).entities() if entity.name == "Carl Finch"]
        wiki.forget("fen", node_id=carl)
        assert "Carl Finch" not in told(wiki) and "Tweed Mill" in told(wiki)


def test_communities_without_anybody_left_are_gone():
    with filled() as wiki:
        for name in ("lock.txt", "secret.txt", "mill.txt"):
            wiki.forget("fen", source_ref=name)
        assert graph(wiki).communities() == [] == graph(wiki).reports()


def test_a_graph_without_a_pipeline_deletes_the_reports_that_a_deleted_document_stands_in():
    with filled() as wiki:
        wiki.graph("fen").delete_documents("secret.txt")
        assert "golden key" not in told(wiki) and "Tweed Mill" in told(wiki)
        graph(wiki).build()
        assert "golden key" not in told(wiki) and "Fenny Lock" in told(wiki)


def test_a_pipeline_that_writes_reports_keeps_those_that_a_deletion_leaves_true():
    with filled() as wiki:
        before = {report.community_id: report for report in graph(wiki).reports()}
        graph(wiki).delete_documents("secret.txt")
        after = {report.community_id: report for report in graph(wiki).reports()}
        assert "golden key" not in told(wiki) and any(before.get(id) == report for id, report in after.items())
