"""The kit put together from a configuration: JSON or YAML text, or a mapping."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lorelite.errors import ConfigError, InvalidOption
from lorelite.ports import ChatModel
from lorelite.text.strict_json import read_json
from lorelite.toolkit.asking import required_model
from lorelite.toolkit.build import GraphBuildProcessor
from lorelite.toolkit.communities import CommunityReporter
from lorelite.toolkit.community_retriever import CommunityRetriever
from lorelite.toolkit.extractor import EntityExtractor
from lorelite.toolkit.graph_backed import GraphBackedEntities
from lorelite.toolkit.graph_retriever import GraphRetriever
from lorelite.toolkit.memory_store import InMemoryEntityStore
from lorelite.toolkit.records import EntityStore

T = TypeVar("T")
_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_.-]*)\}")
_SECRETS = ("password", "api_key", "token")
_START = re.compile(r"\A\ufeff?(?:---[^\S\n]*\n)?")
_NUMBER = re.compile(r"[-+]?\d{1,15}(\.\d{1,15})?")


class _FromEnvironment(str):
    """A text that no message may show."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "a value of the environment"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitConfig:
    """The parts that a configuration describes; those that it does not are None."""

    store: EntityStore | None = None
    build: GraphBuildProcessor | None = None
    reporter: CommunityReporter | None = None
    judge: ChatModel | None = None
    """For `resolve_entities`."""
    retriever: GraphRetriever | None = None
    community_retriever: CommunityRetriever | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The configuration with references left as they stand, so that no secret is in it."""


def load_config(
    source: str | Mapping[str, Any], *, refs: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None
) -> ToolkitConfig:
    """The parts that a configuration describes, ready for use.

    source: a mapping, or JSON or YAML text, with the keys rag.graph.store {type: in-memory or sqlite, path, namespace},
    rag.graph.build {extractor: {model}, store}, rag.graph.communities {reporter: {model}}, rag.graph.resolve {judge},
    rag.graph.retrieve {store, hops, top_k}, rag.graph.community-retrieve {communities, entities, top_k}.
    `${NAME}` stands for *refs*["NAME"], any object, or else for *env*["NAME"], by default the environment's variable.
    A part that names no store takes rag.graph.store. Raises ConfigError, with the path, for what is not known, missing
    or of the wrong kind; it never holds a value of the environment. A number may come from the environment.
    """
    for name, given in (("refs", refs), ("env", env)):
        if given is not None and not isinstance(given, Mapping):
            raise ConfigError(name, "a mapping", type(given).__name__)
    settings = _mapping("configuration", _parsed(source) if isinstance(source, str) else source)
    reader = _Reader({} if refs is None else refs, os.environ if env is None else env)
    return reader.read(settings)


def _parsed(text: str) -> Any:
    if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        try:
            return read_json(text.removeprefix("\ufeff"))
        except ValueError as error:
            raise ConfigError("configuration", "JSON", str(error)) from error
    from lorelite.okf import frontmatter

    try:
        return frontmatter.parse(_START.sub("", text))
    except ValueError as error:
        raise ConfigError("configuration", "YAML or JSON", str(error)) from error


class _Reader:
    def __init__(self, refs: Mapping[str, Any], env: Mapping[str, str]) -> None:
        self._refs = refs
        self._env = env

    def read(self, settings: Mapping[str, Any]) -> ToolkitConfig:
        whole = self._section("configuration", settings, ("rag",))
        rag = self._section("rag", whole.get("rag"), ("graph",))
        parts = ("store", "build", "communities", "resolve", "retrieve", "community-retrieve")
        graph = self._section("rag.graph", rag.get("graph"), parts)
        store = self._store("rag.graph.store", graph["store"]) if "store" in graph else None
        return ToolkitConfig(
            store=store,
            build=self._build(graph["build"], store) if "build" in graph else None,
            reporter=self._reporter(graph["communities"]) if "communities" in graph else None,
            judge=self._judge(graph["resolve"]) if "resolve" in graph else None,
            retriever=self._retriever(graph["retrieve"], store) if "retrieve" in graph else None,
            community_retriever=self._communities(graph["community-retrieve"])
            if "community-retrieve" in graph
            else None,
            settings=_without_secrets(settings),
        )

    # -- parts --------------------------------------------------------------------------------------------------

    def _store(self, path: str, given: Any) -> EntityStore:
        value = self._resolved(path, given)
        if not isinstance(value, Mapping):
            if hasattr(value, "search_entities"):
                return value  # type: ignore[no-any-return]
            raise ConfigError(path, "a mapping with a type, or ${REF} to a store", type(value).__name__)
        fields = self._section(path, value, ("type", "path", "namespace"))
        kind = self._resolved(f"{path}.type", fields.get("type"))
        make = _STORES.get(kind) if isinstance(kind, str) else None
        if make is None:
            raise ConfigError(f"{path}.type", f"one of {', '.join(_STORES)}", kind)
        options = {name: self._text(f"{path}.{name}", fields[name]) for name in fields if name != "type"}
        return self._made(path, lambda: make(path, options))

    def _build(self, given: Any, store: EntityStore | None) -> GraphBuildProcessor:
        path = "rag.graph.build"
        fields = self._section(path, given, ("extractor", "store", "on_error"))
        options = ("model", "entity_types", "relation_types", "max_text_tokens", "retries")
        extractor = self._section(f"{path}.extractor", fields.get("extractor"), options)
        named = self._options(f"{path}.extractor", extractor)
        model = self._model(f"{path}.extractor.model", named.pop("model", None))
        return self._made(
            path,
            lambda: GraphBuildProcessor(
                EntityExtractor(model, **named),
                self._own_store(path, fields, store),
                on_error=self._resolved(f"{path}.on_error", fields.get("on_error", "raise")),
            ),
        )

    def _reporter(self, given: Any) -> CommunityReporter:
        path = "rag.graph.communities"
        fields = self._section(path, given, ("reporter", "min_size"))
        options = ("model", "min_size", "max_entities", "max_relations")
        reporter = self._section(f"{path}.reporter", fields.get("reporter"), options)
        named = self._options(path, {name: fields[name] for name in fields if name != "reporter"})
        named |= self._options(f"{path}.reporter", reporter)
        model = self._model(f"{path}.reporter.model", named.pop("model", None))
        return self._made(path, lambda: CommunityReporter(model, **named))

    def _judge(self, given: Any) -> ChatModel | None:
        fields = self._section("rag.graph.resolve", given, ("judge",))
        path = "rag.graph.resolve.judge"
        return self._model(path, self._resolved(path, fields["judge"])) if fields.get("judge") else None

    def _retriever(self, given: Any, store: EntityStore | None) -> GraphRetriever:
        path = "rag.graph.retrieve"
        fields = self._section(path, given, ("store", "hops", "top_k", "max_nodes", "decay"))
        named = self._options(path, {name: fields[name] for name in fields if name != "store"})
        return self._made(path, lambda: GraphRetriever(self._own_store(path, fields, store), **named))

    def _communities(self, given: Any) -> CommunityRetriever:
        path = "rag.graph.community-retrieve"
        fields = self._section(path, given, ("communities", "entities", "top_k"))
        named = self._options(path, fields)
        for name in ("communities", "entities"):
            if not isinstance(named.get(name), Sequence) or isinstance(named[name], str | bytes):
                raise ConfigError(f"{path}.{name}", "${REF} to a list", type(named.get(name)).__name__)
        return self._made(path, lambda: CommunityRetriever(**named))

    def _own_store(self, path: str, fields: Mapping[str, Any], store: EntityStore | None) -> EntityStore:
        if "store" in fields:
            return self._store(f"{path}.store", fields["store"])
        if store is None:
            raise ConfigError(f"{path}.store", "a store here or at rag.graph.store")
        return store

    # -- values -------------------------------------------------------------------------------------------------

    def _section(self, path: str, given: Any, known: Sequence[str]) -> Mapping[str, Any]:
        value = self._resolved(path, {} if given is None else given)
        fields = _mapping(path, value)
        unknown = [str(key) for key in fields if key not in known]
        if unknown:
            raise ConfigError(f"{path}.{unknown[0]}", f"one of the keys {', '.join(known)}", unknown[0])
        return fields

    def _options(self, path: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The values by name, numbers that the environment holds as numbers."""
        named = {name: self._resolved(f"{path}.{name}", value) for name, value in fields.items()}
        for name, value in named.items():
            if isinstance(value, _FromEnvironment) and (found := _NUMBER.fullmatch(value)):
                named[name] = float(value) if found[1] else int(value)
        return named

    def _resolved(self, path: str, value: Any) -> Any:
        """The value with its references replaced, in a list those of its members; alone, one stands for an object,
        within text for text."""
        if isinstance(value, list):
            return [self._resolved(path, item) if isinstance(item, str) else item for item in value]
        if not isinstance(value, str):
            return value
        whole = _REFERENCE.fullmatch(value.strip())
        if whole:
            return self._referred(path, whole[1])
        text = _REFERENCE.sub(lambda found: str(self._referred(path, found[1])), value)
        return text if text == value else _FromEnvironment(text)

    def _referred(self, path: str, name: str) -> Any:
        if name in self._refs:
            return self._refs[name]
        if name in self._env:
            return _FromEnvironment(self._env[name])
        raise ConfigError(path, f"${{{name}}} among the references or the environment's variables")

    def _text(self, path: str, value: Any) -> str:
        found = self._resolved(path, value)
        if not isinstance(found, str):
            raise ConfigError(path, "text", type(found).__name__)
        return str(found)

    def _model(self, path: str, value: Any) -> ChatModel:
        try:
            return required_model(value)
        except InvalidOption:
            raise ConfigError(path, "${REF} to a model or a function (system, user) -> text", _kind(value)) from None

    def _made(self, path: str, make: Callable[[], T]) -> T:
        try:
            return make()
        except InvalidOption as error:
            raise ConfigError(f"{path}.{error.data['field']}", error.data["expected"], error.data["found"]) from None
        except TypeError as error:
            raise ConfigError(path, "options of the right kind", str(error)) from error


def _kind(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__


def _mapping(path: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(path, "a mapping", type(value).__name__)
    return value


def _without_secrets(value: Any, name: str = "") -> Any:
    if isinstance(value, Mapping):
        return {key: _without_secrets(item, str(key)) for key, item in value.items()}
    is_open = name.lower() in _SECRETS and isinstance(value, str) and not _REFERENCE.fullmatch(value.strip())
    return "…" if is_open else value


def _memory(path: str, options: Mapping[str, str]) -> EntityStore:
    return InMemoryEntityStore()


def _sqlite(path: str, options: Mapping[str, str]) -> EntityStore:
    from lorelite.adapters.sqlite import sqlite_graph

    if "path" not in options:
        raise ConfigError(f"{path}.path", "a file, or :memory:")
    return GraphBackedEntities(sqlite_graph(options["path"], namespace=options.get("namespace", "default")))


_STORES: Mapping[Any, Callable[[str, Mapping[str, str]], EntityStore]] = {"in-memory": _memory, "sqlite": _sqlite}
