"""Drafts, what lint finds, and which sources are pending."""

from __future__ import annotations

import pytest

from lorelite import InvalidOption, NotFound
from lorelite.models import HashEmbedder, ScriptedModel

NS = "class"
HASH_1, HASH_2, HASH_3 = "1" * 64, "2" * 64, "3" * 64


def seed(wiki, nodes, edges=(), ref="graph", digest=HASH_1):
    wiki.upsert_graph(NS, source_ref=ref, source_hash=digest, nodes=nodes, edges=list(edges))


# -- drafts ---------------------------------------------------------------------------------------------------------


def draft(wiki, name, **more):
    return wiki.write(NS, title=name, node_id=name, lifecycle="draft", **more)


def test_drafts_come_newest_first_page_by_page_ties_by_id(wiki, clock):
    for name in "edcba":
        draft(wiki, name)
        clock.tick(0 if name in "dc" else 1)
    wiki.write(NS, title="stable")
    pages, cursor = [], None
    while True:
        page = wiki.list_drafts(NS, limit=2, cursor=cursor)
        pages.append([node.id for node in page.drafts])
        cursor = page.cursor
        if cursor is None:
            break
    assert pages == [["a", "b"], ["c", "d"], ["e"]]
    assert [node.id for node in wiki.list_drafts(NS).drafts] == list("abcde")


def test_a_page_goes_on_where_it_stopped_whatever_was_promoted_or_added_meanwhile(wiki, clock):
    for name in "cba":
        draft(wiki, name)
        clock.tick()
    page = wiki.list_drafts(NS, limit=1)
    wiki.promote_draft(NS, node_id="a", by="human:anna")
    draft(wiki, "new")
    assert [node.id for node in wiki.list_drafts(NS, cursor=page.cursor).drafts] == ["b", "c"]


def test_a_promoted_draft_is_stable_and_says_by_whom(wiki, clock):
    draft(wiki, "a", body="text")
    clock.tick()
    node = wiki.promote_draft(NS, node_id="a", by="human:anna")
    assert (node.lifecycle, node.body, node.trust_tier) == ("stable", "text", "human-reviewed")
    assert [(each.by, each.at) for each in node.verified] == [("human:anna", clock.now)]
    assert wiki.list_drafts(NS).drafts == ()
    assert wiki.read(NS, "a", exclude_drafts=True).facts[0].verified == node.verified


@pytest.mark.parametrize("node_id", ["stable", "absent", "gone"])
def test_only_a_draft_can_be_promoted(wiki, node_id):
    wiki.write(NS, title="x", node_id="stable")
    draft(wiki, "gone")
    wiki.forget(NS, node_id="gone")
    with pytest.raises(NotFound, match="draft"):
        wiki.promote_draft(NS, node_id=node_id, by="human:anna")


@pytest.mark.parametrize(
    "options",
    [{"limit": 0}, {"limit": 501}, {"limit": 1.5}, {"cursor": "x"}, {"cursor": 5}, {"cursor": "9" * 40 + ":a"}],
)
def test_limits_and_cursors_that_make_no_sense_are_refused(wiki, options):
    draft(wiki, "a")
    with pytest.raises(InvalidOption, match=next(iter(options))):
        wiki.list_drafts(NS, **options)
    with pytest.raises(InvalidOption, match="by"):
        wiki.promote_draft(NS, node_id="a", by=" ")


def test_drafts_are_found_by_their_index(wiki):
    db = wiki._wiki._engine.store.db
    told = []
    db.connection.set_trace_callback(told.append)
    draft(wiki, "a")
    wiki.list_drafts(NS)
    db.connection.set_trace_callback(None)
    [statement] = [sql for sql in told if "node_draft" in sql]
    plan = " ".join(row[3] for row in db.rows("explain query plan " + statement))
    assert "node_draft" in plan and "TEMP B-TREE" not in plan


# -- lint -----------------------------------------------------------------------------------------------------------


def test_a_sound_namespace_has_no_findings(wiki):
    wiki.write(NS, title="Eels", node_type="animal")
    found = wiki.lint(NS)
    assert not any(getattr(found, name).count for name in found.__slots__)


def test_lint_counts_what_may_want_attention_and_names_twenty(open_wiki, clock, picture):
    wiki = open_wiki(embedder=HashEmbedder(16), model=ScriptedModel({"extract": "garbage"}))
    for number in range(25):
        wiki.write(NS, title="Twin", body=str(number), node_id=f"t{number:02}")
    draft(wiki, "draft", node_type="x")
    wiki.write(NS, title="guess", node_id="guess", source_type="librarian_inferred", node_type="x")
    wiki.write(NS, title="old", node_id="old", node_type="x", stale_after=clock.now + 5)
    with wiki.transaction():
        wiki.write(NS, title="unembedded", node_id="unembedded", node_type="x")
    with pytest.raises(Exception, match="chunk 0"):
        wiki.ingest_document(NS, source_ref="half", text="doc")
    wiki._wiki._engine.store.db.run("delete from vector where node_id = 'old'")
    clock.tick(10)
    before = picture(wiki, NS)
    found = wiki.lint(NS)
    assert (found.untyped_facts.count, len(found.untyped_facts.ids)) == (25, 20)
    assert found.duplicate_titles.count == 24 and "t00" not in found.duplicate_titles.ids
    assert found.drafts.ids == ("draft",)
    assert found.unverified_inferred.ids == ("guess",)
    assert found.stale.ids == ("old",)
    assert "old" in found.missing_vectors.ids and found.missing_vectors.count >= 1
    assert found.partial_documents.ids == ("half",)
    assert found.dangling_edges.count == found.manifest_violations.count == 0
    assert picture(wiki, NS) == before
    wiki.verify(NS, node_id="guess", by="human:anna")
    assert wiki.lint(NS).unverified_inferred.count == 0


def test_an_edge_ends_with_its_node_and_does_not_dangle(wiki):
    """upsert-inbound-edges-dangle-after-supersede"""
    seed(wiki, [{"id": "a", "title": "a"}], [{"type": "x", "source_id": "b", "target_id": "a"}], "one", HASH_1)
    seed(wiki, [{"id": "b", "title": "b"}], ref="two", digest=HASH_2)
    assert wiki.lint(NS).dangling_edges.count == 0
    wiki.forget(NS, node_id="a")
    assert wiki.lint(NS).dangling_edges.count == 0


def test_an_edge_to_what_was_never_there_dangles(wiki):
    seed(wiki, [{"id": "a", "title": "a"}], [{"id": "e", "type": "x", "source_id": "a", "target_id": "nowhere"}])
    assert wiki.lint(NS).dangling_edges.ids == ("e",)


def test_edges_that_the_ontology_does_not_permit_are_violations_unless_it_is_off(wiki):
    """onto-strict-upsert"""
    nodes = [{"id": "ann", "type": "person", "title": "Ann"}, {"id": "firm", "type": "company", "title": "Firm"}]
    edges = [
        {"id": "good", "type": "works_at", "source_id": "ann", "target_id": "firm"},
        {"id": "turned", "type": "works_at", "source_id": "firm", "target_id": "ann"},
        {"id": "unknown", "type": "eats", "source_id": "ann", "target_id": "firm"},
    ]
    seed(wiki, nodes, edges)
    assert wiki.lint(NS).manifest_violations.count == 0
    manifest = {
        "node_types": [{"type": "person", "description": ""}, {"type": "company", "description": ""}],
        "edge_types": [
            {"type": "works_at", "source_type": "person", "target_type": "company", "description": ""},
        ],
    }
    wiki.set_ontology(NS, manifest, mode="strict")
    assert wiki.lint(NS).manifest_violations.ids == ("turned", "unknown")
    wiki.set_ontology(NS, manifest, mode="off")
    assert wiki.lint(NS).manifest_violations.count == 0


def test_lint_of_a_namespace_that_is_not_there_says_so(wiki):
    with pytest.raises(NotFound, match="namespace"):
        wiki.lint("nowhere")


# -- sources --------------------------------------------------------------------------------------------------------


def test_sources_are_new_changed_partial_or_current_and_whose_duplicate(open_wiki):
    """upsert-hasChanged-list-find-pending"""
    wiki = open_wiki(model=ScriptedModel({"extract": "garbage"}))
    seed(wiki, [{"id": "a", "type": "thing", "title": "A"}], ref="a.ts", digest=HASH_1)
    with pytest.raises(Exception, match="chunk 0"):
        wiki.ingest_document(NS, source_ref="half", text="doc", source_hash=HASH_3)
    asked = [
        {"source_ref": "a.ts", "source_hash": HASH_1},
        ("a.ts", HASH_2),
        ["b/x.ts", HASH_1.upper()],
        {"source_ref": "half", "source_hash": HASH_3},
        {"source_ref": "half", "source_hash": HASH_2},
    ]
    found = wiki.pending_sources(NS, sources=asked)
    assert [(each.status, each.duplicate_of) for each in found] == [
        ("current", None),
        ("changed", None),
        ("new", "a.ts"),
        ("partial", None),
        ("changed", None),
    ]
    assert [wiki.has_changed(NS, source_ref="a.ts", source_hash=digest) for digest in (HASH_1, HASH_2)] == [False, True]
    assert wiki.has_changed(NS, source_ref="half", source_hash=HASH_3)
    assert wiki.find_source_refs_by_hash(NS, source_hash=HASH_1) == ["a.ts"]
    assert wiki.find_source_refs_by_hash(NS, source_hash=HASH_3) == []
    assert [(each.source_ref, each.facts) for each in wiki.list_source_refs(NS)] == [("a.ts", 1), ("half", 0)]


def test_of_a_namespace_that_is_not_there_every_source_is_new(wiki):
    assert wiki.has_changed("nowhere", source_ref="a", source_hash=HASH_1)
    assert wiki.pending_sources("nowhere", sources=[]) == ()
    assert wiki.pending_sources("nowhere", sources=[("a", HASH_1)])[0].status == "new"
    assert wiki.list_namespaces() == []


def test_a_forgotten_source_is_new_again(wiki):
    wiki.ingest_document(NS, source_ref="a", text="Eels sleep.", source_hash=HASH_1)
    assert not wiki.has_changed(NS, source_ref="a", source_hash=HASH_1)
    wiki.forget(NS, source_ref="a")
    assert wiki.pending_sources(NS, sources=[("a", HASH_1)])[0].status == "new"


@pytest.mark.parametrize(
    "sources", ["text", None, 5, [5], ["ab"], [("a",)], [("a", "short")], [{"source_ref": "a"}], [("", HASH_1)]]
)
def test_sources_that_make_no_sense_are_refused(wiki, sources):
    with pytest.raises(InvalidOption, match="source"):
        wiki.pending_sources(NS, sources=sources)


def test_namespaces_are_listed_by_prefix(wiki):
    for name in ("repo:a", "repo:b", "class"):
        wiki.write(name, title="x")
    assert wiki.list_namespaces() == ["class", "repo:a", "repo:b"]
    assert wiki.list_namespaces(prefix="repo:") == ["repo:a", "repo:b"]
    assert wiki.list_namespaces(prefix="x") == []
