"""Several tasks on one wiki while a model works: nothing is counted twice, joined by mistake or lost."""

from __future__ import annotations

import asyncio

import pytest
from scripted_reader import reader, reply_to

from lorelite import AsyncWiki, DocumentError, TransactionError, WikiConfig
from lorelite.ports import ModelReply

NS = "class"
CONFIG = WikiConfig(chunk_chars=200, chunk_overlap=0, model_batch=1)
TEXT = "\n\n".join(f"Part {n}. Ada knows Bob. {'The eels slept on in the quiet river all day. ' * 3}" for n in range(5))
pytestmark = pytest.mark.cpython_only


class Slow:
    """The scripted reader, which lets other tasks run before it answers."""

    name, blocking = "slow", False

    def __init__(self) -> None:
        self.asked = 0
        self.answered = asyncio.Event()
        self.gate: asyncio.Event | None = None

    async def complete(self, requests):
        self.asked += 1
        self.answered.set()
        if self.gate is not None:
            await self.gate.wait()
        await asyncio.sleep(0)
        return [ModelReply(text=reply_to(request)) for request in requests]

    def as_blocking(self):
        raise NotImplementedError


def run(scene):
    async def with_wiki():
        model = Slow()
        async with await AsyncWiki.open(":memory:", model=model, config=CONFIG) as wiki:
            return await scene(wiki, model)

    return asyncio.run(with_wiki())


async def weight(wiki) -> float:
    """Of all edges "knows": one for each document."""
    return sum(edge.weight for edge in (await wiki.get_memory_bundle(NS)).edges if edge.edge_type == "knows")


def test_two_tasks_that_take_in_the_same_document_count_it_once(open_wiki):
    async def scene(wiki, model):
        both = [wiki.ingest_document(NS, source_ref="a", text=TEXT) for _ in range(2)]
        await asyncio.gather(*both)
        return await weight(wiki), [info.status for info in await wiki.list_source_refs(NS)]

    alone = open_wiki(model=reader(), config=CONFIG)
    alone.ingest_document(NS, source_ref="a", text=TEXT)
    [edge] = [edge for edge in alone.get_memory_bundle(NS).edges if edge.edge_type == "knows"]
    assert run(scene) == (edge.weight, ["complete"])


def test_different_documents_side_by_side_are_all_taken_in():
    async def scene(wiki, model):
        await asyncio.gather(*(wiki.ingest_document(NS, source_ref=f"d{n}", text=f"{TEXT} {n}") for n in range(4)))
        return [info.status for info in await wiki.list_source_refs(NS)], await weight(wiki)

    assert run(scene) == (["complete"] * 4, 20.0)


def test_a_document_that_is_forgotten_while_it_is_taken_in_stays_forgotten():
    async def scene(wiki, model):
        task = asyncio.ensure_future(wiki.ingest_document(NS, source_ref="a", text=TEXT))
        await model.answered.wait()
        await wiki.forget(NS, source_ref="a")
        with pytest.raises(DocumentError, match="'a' was forgotten or replaced"):
            await task
        return await wiki.list_source_refs(NS), (await wiki.get_memory_bundle(NS)).facts

    assert run(scene) == ([], ())


def test_of_two_versions_taken_in_side_by_side_one_stands_whole():
    async def scene(wiki, model):
        ends = await asyncio.gather(
            wiki.ingest_document(NS, source_ref="a", text=TEXT),
            wiki.ingest_document(NS, source_ref="a", text="Ada owns Cid."),
            return_exceptions=True,
        )
        infos = await wiki.list_source_refs(NS)
        return [type(end).__name__ for end in ends], [info.status for info in infos], await wiki.get_document(NS, "a")

    ends, statuses, text = run(scene)
    assert sorted(ends) == ["DocumentError", "IngestReport"]
    assert statuses == ["complete"] and text == "Ada owns Cid."


def test_a_task_whose_model_answers_into_the_transaction_of_another_does_not_join_it():
    async def scene(wiki, model):
        model.gate = asyncio.Event()
        task = asyncio.ensure_future(wiki.ingest_document(NS, source_ref="a", text=TEXT))
        await model.answered.wait()
        with pytest.raises(ZeroDivisionError):
            async with wiki.transaction():
                await wiki.write(NS, title="undone")
                model.gate.set()
                with pytest.raises(TransactionError, match="another task began a transaction"):
                    await task
                raise ZeroDivisionError
        report = await wiki.ingest_document(NS, source_ref="a", text=TEXT)
        return report.status, {node.title for node in (await wiki.get_memory_bundle(NS)).facts}

    assert run(scene) == ("ingested", {"Ada", "Bob"})


def test_readers_and_writers_go_on_while_a_model_works():
    async def scene(wiki, model):
        model.gate = asyncio.Event()
        task = asyncio.ensure_future(wiki.ingest_document(NS, source_ref="a", text=TEXT))
        await model.answered.wait()
        await wiki.write(NS, title="Otters")
        found = len((await wiki.read(NS, "eels river", kinds=["chunk"])).facts)
        model.gate.set()
        return found > 0, (await task).status

    assert run(scene) == (True, "ingested")


def test_a_cancelled_ingest_goes_on_where_it_stopped():
    async def scene(wiki, model):
        task = asyncio.ensure_future(wiki.ingest_document(NS, source_ref="a", text=TEXT))
        while model.asked < 3:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        report = await wiki.ingest_document(NS, source_ref="a", text=TEXT)
        return report.status, report.resumed, await weight(wiki)

    status, resumed, total = run(scene)
    assert (status, resumed) == ("ingested", 2)
    assert total == 5.0
