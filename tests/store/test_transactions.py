"""Transactions: all or nothing, nested, seen by the memory index, never open while a model works."""

from __future__ import annotations

import asyncio
import threading

import pytest

from lorelite import AsyncWiki, ClosedError, TransactionError, Wiki, WikiConfig
from lorelite.models import HashEmbedder, ScriptedModel

NS = "class"


def titles(wiki: Wiki) -> set[str]:
    return {node.title for node in wiki.get_memory_bundle(NS).facts} if NS in wiki.list_namespaces() else set()


@pytest.fixture(params=["fts5", "memory"])
def indexed(request, open_wiki) -> Wiki:
    return open_wiki(config=WikiConfig(keyword_index=request.param))


def test_what_was_written_in_a_transaction_that_ends_well_is_kept(wiki):
    with wiki.transaction():
        wiki.write(NS, title="one")
        wiki.write(NS, title="two")
    assert titles(wiki) == {"one", "two"}


def test_a_transaction_that_fails_leaves_nothing_not_even_its_namespace(wiki):
    with pytest.raises(ZeroDivisionError), wiki.transaction():
        wiki.write(NS, title="one")
        raise ZeroDivisionError
    assert wiki.list_namespaces() == []


def test_an_inner_transaction_that_fails_undoes_only_itself(indexed):
    with indexed.transaction():
        indexed.write(NS, title="before")
        with pytest.raises(ZeroDivisionError), indexed.transaction():
            indexed.write(NS, title="inside")
            raise ZeroDivisionError
        indexed.write(NS, title="after")
        assert [node.title for node in indexed.read(NS, "inside").facts] == []
    assert titles(indexed) == {"before", "after"}
    assert [node.title for node in indexed.read(NS, "before").facts] == ["before"]
    assert [node.title for node in indexed.read(NS, "inside").facts] == []


def test_an_inner_transaction_that_ends_well_is_undone_with_the_outer_one(indexed):
    indexed.write(NS, title="kept")
    with pytest.raises(ZeroDivisionError), indexed.transaction():
        with indexed.transaction():
            indexed.write(NS, title="inside")
        raise ZeroDivisionError
    assert titles(indexed) == {"kept"}
    assert indexed.read(NS, "inside").facts == ()


def test_a_failed_transaction_over_another_brings_back_what_it_replaced(indexed):
    indexed.write(NS, title="heron", node_id="n")
    with pytest.raises(ZeroDivisionError), indexed.transaction():
        indexed.write(NS, title="stork", node_id="n")
        indexed.forget(NS, clear_all=True)
        raise ZeroDivisionError
    assert [node.title for node in indexed.read(NS, "heron").facts] == ["heron"]
    assert indexed.read(NS, "stork").facts == ()


def test_a_call_that_is_refused_inside_a_transaction_leaves_the_rest_of_it_whole(wiki):
    with wiki.transaction():
        wiki.write(NS, title="one")
        with pytest.raises(ValueError):
            wiki.write(NS, title="")
        wiki.write(NS, title="two")
    assert titles(wiki) == {"one", "two"}


def test_one_transaction_object_serves_one_block(wiki):
    transaction = wiki.transaction()
    with transaction:
        with pytest.raises(TransactionError), transaction:
            wiki.write(NS, title="inner")
        wiki.write(NS, title="outer")
    assert titles(wiki) == {"outer"}
    with wiki.transaction():
        pass


def test_a_model_may_not_be_asked_inside_a_transaction(open_wiki):
    wiki = open_wiki(model=ScriptedModel({}))
    with pytest.raises(TransactionError, match="inside transaction"), wiki.transaction():
        wiki.ingest_document(NS, source_ref="a.txt", text="Some text of some length.")
    assert wiki.list_namespaces() == []


def test_an_embedder_is_not_asked_inside_a_transaction_and_catches_up_with_the_index(open_wiki):
    wiki = open_wiki(embedder=HashEmbedder())
    with wiki.transaction():
        wiki.write(NS, title="grey heron")
    assert wiki.get_status(NS).vectors == 0
    wiki.sync_search_index(NS)
    assert wiki.get_status(NS).vectors == 1


def test_a_document_goes_in_within_a_transaction_when_there_is_no_model(wiki):
    with wiki.transaction():
        wiki.ingest_document(NS, source_ref="a.txt", text="The Heron Inn stands by the Wharfe.")
        wiki.write(NS, title="one")
    assert wiki.get_status(NS).documents[0].status == "complete"


def test_a_wiki_cannot_be_closed_inside_a_transaction(wiki):
    with wiki.transaction():
        with pytest.raises(TransactionError):
            wiki.close()
        wiki.write(NS, title="still open")
    assert titles(wiki) == {"still open"}


def test_a_transaction_on_a_closed_wiki_is_refused(open_wiki):
    wiki = open_wiki()
    wiki.close()
    with pytest.raises(ClosedError), wiki.transaction():
        pass


def run(coroutine):
    """Drive without threads or sockets of our own; asyncio is there in every runtime."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        loop.close()


@pytest.mark.cpython_only
def test_another_task_may_not_slip_into_a_transaction():
    async def scene() -> list[str]:
        async with await AsyncWiki.open(":memory:") as wiki:
            entered, done = asyncio.Event(), asyncio.Event()

            async def holder():
                async with wiki.transaction():
                    await wiki.write(NS, title="held")
                    entered.set()
                    await done.wait()

            async def other():
                await entered.wait()
                with pytest.raises(TransactionError, match="another task"):
                    await wiki.write(NS, title="slipped in")
                with pytest.raises(TransactionError, match="another task"):
                    await wiki.read(NS, "held")
                with pytest.raises(TransactionError, match="another task"):
                    async with wiki.transaction():
                        pass
                done.set()

            await asyncio.gather(holder(), other())
            return [node.title for node in (await wiki.get_memory_bundle(NS)).facts]

    assert run(scene()) == ["held"]


@pytest.mark.cpython_only
def test_a_task_begun_inside_a_transaction_does_not_own_the_next_one():
    async def scene() -> list[str]:
        async with await AsyncWiki.open(":memory:") as wiki:
            entered, done = asyncio.Event(), asyncio.Event()

            async def child():
                await entered.wait()
                with pytest.raises(TransactionError, match="another task"):
                    await wiki.write(NS, title="slipped in")
                done.set()

            async with wiki.transaction():
                task = asyncio.ensure_future(child())
                await asyncio.sleep(0)

            async def holder():
                async with wiki.transaction():
                    entered.set()
                    await done.wait()
                    await wiki.write(NS, title="held")

            await asyncio.gather(task, asyncio.ensure_future(holder()))
            return [node.title for node in (await wiki.get_memory_bundle(NS)).facts]

    assert run(scene()) == ["held"]


@pytest.mark.cpython_only
def test_a_cancelled_task_takes_its_transaction_with_it():
    async def scene() -> list[str]:
        async with await AsyncWiki.open(":memory:") as wiki:

            async def holder():
                async with wiki.transaction():
                    await wiki.write(NS, title="cancelled")
                    await asyncio.sleep(3600)

            task = asyncio.ensure_future(holder())
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await wiki.write(NS, title="free again")
            return [node.title for node in (await wiki.get_memory_bundle(NS)).facts]

    assert run(scene()) == ["free again"]


@pytest.mark.cpython_only
def test_a_blocking_wiki_works_inside_a_running_loop():
    async def scene() -> int:
        with Wiki.open(":memory:") as wiki:
            wiki.write(NS, title="one")
            return len(wiki.read(NS, "one").facts)

    assert run(scene()) == 1


@pytest.mark.cpython_only
def test_threads_share_a_wiki_and_nothing_gets_lost(disk_wiki):
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(10):
                with disk_wiki.transaction():
                    disk_wiki.write(NS, title=f"fact {number} {turn}")
                    disk_wiki.write(NS, title=f"twin {number} {turn}")
                disk_wiki.read(NS, f"fact {number}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert disk_wiki.get_status(NS).facts == 120


@pytest.mark.cpython_only
def test_other_threads_wait_until_a_transaction_has_ended(wiki):
    order: list[str] = []
    begun = threading.Event()

    def other() -> None:
        begun.set()
        wiki.write(NS, title="second")
        order.append("other")

    with wiki.transaction():
        thread = threading.Thread(target=other)
        thread.start()
        begun.wait(10)
        wiki.write(NS, title="first")
        order.append("holder")
    thread.join(10)
    assert order == ["holder", "other"]
    assert titles(wiki) == {"first", "second"}
