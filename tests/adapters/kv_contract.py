"""What holds of every key-value store. Subclass KVContract and say how one is opened."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeVar

import pytest
from graph_contract import HOSTILE

from lorelite._drive import drive
from lorelite.adapters.base import KVBase
from lorelite.errors import InvalidOption
from lorelite.store_ports import KVStore

T = TypeVar("T")


class KVContract:
    def open(self, namespace: str) -> KVBase:
        """An empty store; every namespace of one test is kept in the same place."""
        raise NotImplementedError

    def run(self, call: Awaitable[T]) -> T:
        """What the call gives. Stores that wait for a server run it in an event loop."""
        return drive(call)  # type: ignore[arg-type]

    @pytest.fixture
    def kv(self) -> Any:
        kv = self.open("class")
        yield kv
        self.run(kv.close())

    def test_it_is_a_key_value_store(self, kv):
        assert isinstance(kv, KVStore)

    @pytest.mark.parametrize(
        "value", [{"deep": [1, 2.5, None, True, "ü", {}]}, [], "", "text", 0, -1.5, True, False, 1e300, 2**53, "\ud83d"]
    )
    def test_a_value_is_given_back_as_it_was_put(self, kv, value):
        self.run(kv.upsert({"key": value}))
        found = self.run(kv.get_by_id("key"))
        assert found == value and type(found) is type(value)
        assert self.run(kv.get_by_id("other")) is None

    def test_values_come_in_the_order_asked_for(self, kv):
        self.run(kv.upsert({"a": 1, "b": 2, "c": 3}))
        assert self.run(kv.get_by_ids(["c", "unknown", "a", "c"])) == [3, None, 1, 3]
        assert self.run(kv.get_by_ids([])) == []

    def test_a_value_is_replaced_and_others_stay(self, kv):
        self.run(kv.upsert({"a": {"x": 1}, "b": 2}))
        self.run(kv.upsert({"a": {"y": 1}}))
        self.run(kv.upsert({}))
        assert self.run(kv.get_by_ids(["a", "b"])) == [{"y": 1}, 2]

    def test_a_value_is_a_copy(self, kv):
        value = {"list": [1]}
        self.run(kv.upsert({"a": value}))
        value["list"].append(2)
        self.run(kv.get_by_id("a"))["list"].append(3)
        assert self.run(kv.get_by_id("a")) == {"list": [1]}

    def test_what_is_no_json_refuses_all(self, kv):
        for value in (float("nan"), {1}, b"bytes", object(), {"deep": [{1: "x"}]}):
            with pytest.raises(InvalidOption, match="bad"):
                self.run(kv.upsert({"good": 1, "bad": value}))
        for key in ("", "\ud800", 5):
            with pytest.raises(InvalidOption):
                self.run(kv.upsert({"good": 1, key: 1}))
        assert self.run(kv.get_by_id("good")) is None

    def test_keys_are_told_by_prefix_and_missing_ones_by_name(self, kv):
        self.run(kv.upsert({"chunks:b": 1, "chunks:a": 1, "chunk": 1, "%": 1, "chunks_x": 1}))
        assert self.run(kv.all_keys("chunks:")) == ["chunks:a", "chunks:b"]
        assert self.run(kv.all_keys("%")) == ["%"]
        assert self.run(kv.all_keys()) == ["%", "chunk", "chunks:a", "chunks:b", "chunks_x"]
        assert self.run(kv.filter_keys(["chunk", "gone", "%", "lost"])) == {"gone", "lost"}

    def test_deleted_values_are_counted(self, kv):
        self.run(kv.upsert({"a": 1, "b": 2}))
        assert self.run(kv.delete(["a", "unknown", "a"])) == 1
        assert self.run(kv.delete([])) == 0
        assert self.run(kv.get_by_ids(["a", "b"])) == [None, 2]

    def test_many_values_go_in_and_come_out(self, kv):
        values = {f"key {number}": {"n": number} for number in range(2500)}
        self.run(kv.upsert(values))
        assert self.run(kv.get_by_ids(list(values))) == list(values.values())
        assert self.run(kv.delete(list(values)[:2000])) == 2000
        assert len(self.run(kv.all_keys())) == 500

    def test_i1_namespaces_see_nothing_of_each_other_and_go_one_by_one(self):
        stores = {name: self.open(name) for name in HOSTILE}
        for number, kv in enumerate(stores.values()):
            self.run(kv.upsert({"same": number, f"{number}": 1}))
        self.run(stores["a"].drop())
        assert self.run(stores["a"].all_keys()) == []
        for number, (name, kv) in enumerate(stores.items()):
            if name != "a":
                assert self.run(kv.get_by_id("same")) == number
                assert self.run(kv.all_keys()) == sorted(["same", str(number)])
        for kv in stores.values():
            self.run(kv.drop())
            self.run(kv.close())

    def test_i2_hostile_strings_are_stored_as_they_are(self, kv):
        self.run(kv.upsert({text: {text: text} for text in HOSTILE}))
        assert self.run(kv.get_by_ids(HOSTILE)) == [{text: text} for text in HOSTILE]
        assert self.run(kv.all_keys()) == sorted(HOSTILE)
        assert [self.run(kv.all_keys(text))[0] for text in HOSTILE if text not in ("a", "`x`")]
