"""The kit from a configuration."""

from __future__ import annotations

import json

import pytest

from lorelite import ConfigError
from lorelite._drive import drive
from lorelite.models import ScriptedModel
from lorelite.toolkit import InMemoryEntityStore, KitEntity, load_config

MODEL = ScriptedModel({"toolkit_extract": "Ada|person\nLock|place\nAda|Lock|keeps", "toolkit_judge": "yes"})
YAML = """
rag:
  graph:
    store:
      type: in-memory
    build:
      extractor:
        model: ${LLM}
    communities:
      reporter:
        model: ${LLM}
      min_size: 2
    resolve:
      judge: ${LLM}
    retrieve:
      hops: 1
      top_k: 5
"""


def test_h9_a_configuration_in_yaml_gives_parts_that_work_together():
    config = load_config(YAML, refs={"LLM": MODEL})
    assert config.build and config.retriever and config.reporter and config.judge is MODEL
    drive(config.build.process(["Ada keeps the lock."]))
    assert [result.metadata["name"] for result in drive(config.retriever.retrieve("Ada"))] == ["Ada", "Lock"]


def test_h9_json_and_a_mapping_say_the_same():
    value = {"rag": {"graph": {"store": {"type": "in-memory"}, "retrieve": {"hops": 1}}}}
    assert load_config(value).retriever and load_config(json.dumps(value)).retriever
    assert load_config("") == load_config({}) and load_config({"rag": {}}).store is None


def test_h9_references_come_before_the_environment():
    value = {"rag": {"graph": {"store": {"type": "${KIND}"}}}}
    assert isinstance(load_config(value, refs={"KIND": "in-memory"}, env={"KIND": "x"}).store, InMemoryEntityStore)
    assert isinstance(load_config(value, env={"KIND": "in-memory"}).store, InMemoryEntityStore)


def test_h9_a_store_of_ones_own_is_used_by_reference():
    mine = InMemoryEntityStore()
    drive(mine.add_entity(KitEntity(id="a", name="Ada")))
    config = load_config({"rag": {"graph": {"retrieve": {"store": "${STORE}"}}}}, refs={"STORE": mine})
    assert config.retriever and len(drive(config.retriever.retrieve("Ada"))) == 1


@pytest.mark.parametrize(
    ("value", "path", "said"),
    [
        ({"rag": {"graph": {"store": {"type": "neo5j"}}}}, "rag.graph.store.type", "in-memory, sqlite"),
        ({"rag": {"graph": {"store": {"kind": "x"}}}}, "rag.graph.store.kind", "type, path, namespace"),
        ({"rag": {"graph": {"stores": {}}}}, "rag.graph.stores", "community-retrieve"),
        ({"raf": {}}, "configuration.raf", "rag"),
        ({"rag": {"graph": {"build": {"extractor": {"model": "${LLM}"}}}}}, "rag.graph.build.extractor.model", "LLM"),
        ({"rag": {"graph": {"build": {"extractor": {"model": 3}}}}}, "rag.graph.build.extractor.model", "found 'int'"),
        ({"rag": {"graph": {"retrieve": {"hops": 1}}}}, "rag.graph.retrieve.store", "rag.graph.store"),
        ({"rag": {"graph": {"store": {"type": "in-memory"}, "retrieve": {"hops": -1}}}}, "retrieve.hops", "-1"),
        ({"rag": {"graph": {"community-retrieve": {"communities": "x"}}}}, "community-retrieve.communities", "list"),
        ({"rag": []}, "rag", "a mapping"),
        ("{", "configuration", "JSON"),
        ("rag: [", "rag", "a mapping"),
        ("just text", "configuration", "YAML"),
    ],
)
def test_h9_what_is_wrong_is_told_with_its_place(value, path, said):
    with pytest.raises(ConfigError) as raised:
        load_config(value, env={})
    assert path in str(raised.value) and said in str(raised.value)


def test_h9_a_secret_never_shows():
    value = {
        "rag": {"graph": {"store": {"type": "in-memory", "path": "${PASSWORD}"}}},
    }
    shown = repr(load_config(value, env={"PASSWORD": "hunter2"}))
    assert "hunter2" not in shown and "${PASSWORD}" in shown


@pytest.mark.parametrize("wrong", [[], {}, {"a": 1}, ["in-memory"], 5, None, True, b"x", 1.5, "x", [[]]])
@pytest.mark.parametrize(
    "path",
    [
        "store.type",
        "store.path",
        "build.extractor",
        "build.extractor.model",
        "communities.reporter",
        "resolve",
        "retrieve.hops",
        "retrieve.store",
        "community-retrieve.communities",
        "community-retrieve.entities",
    ],
)
def test_a_value_of_any_kind_is_taken_or_told_with_its_place(path, wrong):
    settings = {
        "store": {"type": "in-memory"},
        "build": {"extractor": {"model": "${M}"}},
        "communities": {"reporter": {"model": "${M}"}},
        "resolve": {"judge": "${M}"},
        "retrieve": {"hops": 1},
        "community-retrieve": {"communities": [], "entities": []},
    }
    *within, last = path.split(".")
    place = settings
    for name in within:
        place = place.setdefault(name, {})
    place[last] = wrong
    try:
        load_config({"rag": {"graph": settings}}, refs={"M": lambda system, user: ""}, env={})
    except ConfigError as error:
        assert str(error).startswith("rag.graph.")


def test_references_inside_lists_and_numbers_of_the_environment_are_read():
    config = load_config(
        {"rag": {"graph": {"store": {"type": "in-memory"}, "retrieve": {"hops": "${HOPS}", "decay": "${DECAY}"}}}},
        env={"HOPS": "3", "DECAY": "0.25"},
    )
    assert (config.retriever._hops, config.retriever._decay) == (3, 0.25)
    shown = []
    config = load_config(
        {
            "rag": {
                "graph": {
                    "store": {"type": "in-memory"},
                    "build": {"extractor": {"model": "${M}", "entity_types": ["${KIND}", "place"]}},
                }
            }
        },
        refs={"M": lambda system, user: shown.append(system) or "Ada|person"},
        env={"KIND": "person"},
    )
    drive(config.build.process(["Ada."]))
    assert "Types of entities: person, place." in shown[0]


@pytest.mark.parametrize("place", ["store.type", "retrieve.hops", "build.on_error"])
def test_no_message_shows_a_value_of_the_environment(place):
    settings = {"store": {"type": "in-memory"}, "retrieve": {}, "build": {"extractor": {"model": "${M}"}}}
    section, name = place.split(".")
    settings[section][name] = "${SECRET}"
    with pytest.raises(ConfigError) as caught:
        load_config({"rag": {"graph": settings}}, refs={"M": lambda system, user: ""}, env={"SECRET": "hunter2"})
    assert place in str(caught.value) and "hunter2" not in repr(caught.value) + str(caught.value.data)


def test_a_yaml_document_may_begin_with_its_mark():
    assert load_config("---\nrag:\n  graph:\n    store: {type: in-memory}\n").store is not None
