"""`run_reembed`: what is missing or stale, what failed and when it is tried again."""

from __future__ import annotations

import pytest

from lorelite import Hooks, ModelUnreachable, StoreError, Wiki
from lorelite.jobs.reembed import plan
from lorelite.models import CallableEmbedder, HashEmbedder
from lorelite.records import Node
from lorelite.store.vectors import Embeddable

NS = "class"
MINUTE, DAY = 60_000, 86_400_000


class Picky:
    """Refuses texts that hold "bad"; gives numbers beyond float32 for "inf"; is down when told to be."""

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.down = False
        self.patience = 0

    def __call__(self, texts):
        self.calls.append(len(texts))
        if self.down:
            raise ModelUnreachable("http://x", "gone")
        if any("bad" in text for text in texts):
            raise ValueError("no such words")
        return [[1e300 if "inf" in text else 1.0, float(len(text))] for text in texts]


@pytest.fixture
def picky() -> Picky:
    return Picky()


@pytest.fixture
def diagnostics() -> list:
    return []


@pytest.fixture
def library(open_wiki, picky, diagnostics) -> Wiki:
    """Twenty facts written inside a transaction, so that none has a vector; numbers 7 and 12 are refused."""
    wiki = open_wiki(embedder=CallableEmbedder(picky, "picky"), hooks=Hooks(on_diagnostic=diagnostics.append))
    with wiki.transaction():
        for number in range(20):
            mark = {7: " bad", 12: " inf"}.get(number, "")
            wiki.write(NS, title=f"fact {number}{mark}", node_id=f"f{number:02}")
    return wiki


def numbers(report) -> tuple[int, ...]:
    return report.embedded, report.skipped, report.failed, report.deferred, report.permanently_failed


def test_one_bad_text_costs_the_others_of_its_batch_nothing(library, picky, diagnostics):
    assert numbers(library.run_reembed(NS)) == (18, 0, 2, 0, 0)
    assert len(picky.calls) < 20
    told = [each for each in diagnostics if each.code == "embedding_failed"]
    assert [each.detail["nodes"] for each in told] == [{"f07": "provider_error", "f12": "float32_overflow"}]
    assert "bad" not in told[0].message


def test_what_has_a_vector_of_its_text_is_skipped_and_what_changed_is_renewed(library):
    library.run_reembed(NS)
    assert numbers(library.run_reembed(NS)) == (0, 18, 0, 1, 1)
    with library.transaction():
        library.write(NS, title="fact 3 changed", node_id="f03")
    assert numbers(library.run_reembed(NS)) == (1, 17, 0, 1, 1)
    assert numbers(library.run_reembed(NS, skip_existing=False)) == (18, 0, 0, 1, 1)


def test_waits_double_and_the_fifth_failure_is_the_last(library, clock):
    library.run_reembed(NS)
    for wait in (MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE):
        clock.tick(wait - 1)
        assert numbers(library.run_reembed(NS))[2:] == (0, 1, 1)
        clock.tick(1)
        assert numbers(library.run_reembed(NS))[2:] == (1, 0, 1)
    clock.tick(10 * DAY)
    assert numbers(library.run_reembed(NS)) == (0, 18, 0, 0, 2)
    assert numbers(library.run_reembed(NS, force=True)) == (0, 18, 2, 0, 0)


def test_a_text_that_is_mended_is_forgiven(library):
    library.run_reembed(NS)
    library.write(NS, title="fact 7 mended", node_id="f07")
    assert numbers(library.run_reembed(NS)) == (0, 19, 0, 0, 1)
    assert library._wiki._engine.store.db.value("select group_concat(node_id) from vector_failure") == "f12"


def test_an_embedder_that_is_down_is_not_asked_for_each_text(library, picky):
    picky.down = True
    report = library.run_reembed(NS)
    assert numbers(report) == (0, 0, 20, 0, 0) and report.remaining == 20
    assert picky.calls == [20]


def test_a_dry_run_asks_nobody_and_writes_nothing(library, picky):
    report = library.run_reembed(NS, dry_run=True)
    assert report.dry_run and numbers(report) == (20, 0, 0, 0, 0)
    assert picky.calls == [] and library.get_status(NS).vectors == 0


def test_without_a_name_every_namespace_is_served(library):
    with library.transaction():
        library.write("other", title="fact of another")
    assert numbers(library.run_reembed()) == (19, 0, 2, 0, 0)
    assert library.get_status("other").vectors == 1


def test_without_an_embedder_there_is_nothing_to_do(wiki):
    wiki.write(NS, title="heron")
    assert numbers(wiki.run_reembed(NS)) == (0, 0, 0, 0, 0)


def test_vectors_of_deleted_nodes_are_dropped(library):
    library.run_reembed(NS)
    library.forget(NS, node_id="f01")
    assert library.run_reembed(NS, dry_run=True).dropped == 1
    assert library.run_reembed(NS).dropped == 1
    assert library._wiki._engine.store.db.value("select count(*) from vector") == 17


def test_another_embedder_gets_vectors_of_its_own_beside_the_first(tmp_path, open_wiki):
    wiki = open_wiki(tmp_path / "brain.db", embedder=HashEmbedder(16))
    wiki.write(NS, title="heron")
    wiki.close()
    wiki = open_wiki(tmp_path / "brain.db", embedder=HashEmbedder(32))
    assert numbers(wiki.run_reembed(NS)) == (1, 0, 0, 0, 0)
    assert wiki._wiki._engine.store.db.value("select count(*) from vector") == 2


def test_an_interrupted_run_goes_on_behind_its_last_batch(open_wiki):
    calls: list[int] = []

    def embed(texts):
        calls.append(len(texts))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return [[1.0] for _ in texts]

    wiki = open_wiki(embedder=CallableEmbedder(embed, "table"))
    with wiki.transaction():
        for number in range(150):
            wiki.write(NS, title=f"fact {number}")
    with pytest.raises(KeyboardInterrupt):
        wiki.run_reembed(NS, skip_existing=False)
    assert wiki.get_status(NS).vectors == 64
    wiki.run_reembed(NS, skip_existing=False)
    assert calls == [64, 64, 64, 22]
    assert wiki.get_status(NS).vectors == 150


def test_an_error_of_the_file_marks_nothing(library, monkeypatch):
    vectors = library._wiki._engine.store.vectors

    def full(*_):
        raise StoreError("no room")

    monkeypatch.setattr(type(vectors), "put", full)
    with pytest.raises(StoreError):
        library.run_reembed(NS)
    assert library._wiki._engine.store.db.value("select count(*) from vector_failure") == 0


def test_progress_is_told_batch_by_batch(library):
    steps = []
    library.run_reembed(NS, on_progress=lambda step: steps.append((step.stage, step.done, step.total)))
    assert steps == [("reembed", 20, 20)]


def test_the_plan_is_pure():
    def each(attempts, failed_at, reason=None):
        node = Node(id=str(attempts), namespace=NS, kind="fact", title="x")
        return Embeddable(node, 1, False, attempts, failed_at, reason)

    batch = [each(None, None), each(1, 0), each(3, 0), each(5, 0), each(1, 0, "float32_overflow")]
    now = 2 * MINUTE
    planned = plan(batch, now, force=False)
    assert ([node.id for node in planned.due], planned.deferred, planned.given_up) == (["None", "1"], 1, 2)
    forced = plan(batch, now, force=True)
    assert (len(forced.due), forced.deferred, forced.given_up) == (5, 0, 0)
