"""The options that commands share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias, get_args

from lorelite.blocking import Wiki
from lorelite.call_records import Replay
from lorelite.errors import CannotOpen, InvalidOption, LoreliteError, WriterLocked
from lorelite.models import OpenAIEmbedder, OpenAIModel, StaticEmbedder
from lorelite.models.named import COMPATIBLE_KEYS, EMBEDDERS, MODELS, key_of, named_embedder, named_model
from lorelite.ports import ChatModel, Embedder
from lorelite.settings import WikiConfig
from lorelite.spending import Budget

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Run = Callable[[argparse.Namespace], int]

DEFAULT_NAMESPACE = "main"


def command(
    commands: Commands,
    name: str,
    run: Run,
    summary: str,
    details: str = "",
    *,
    namespaces: bool = False,
    default_namespace: str = DEFAULT_NAMESPACE,
    output: bool = True,
    db: str = "",
) -> argparse.ArgumentParser:
    """A parser for the command *name* with --db, --namespace (with *namespaces* more than once; the help tells the
    *default_namespace*) and, if it prints a result, --json. db: what the file is, where none is taken unless named."""
    made = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}. {details}".strip())
    made.add_argument(
        "--db",
        metavar="FILE",
        default=None if db else os.environ.get("LORELITE_DB") or "lorelite.db",
        help=f"{db} (default: none)" if db else "the Lorelite file (default: LORELITE_DB, else lorelite.db)",
    )
    made.add_argument(
        "--namespace",
        metavar="NAME",
        action="append" if namespaces else "store",
        help=f"the namespace in the file{', may be repeated' if namespaces else ''} (default: {default_namespace})",
    )
    if output:
        made.add_argument("--json", action="store_true", help="print one JSON document")
    made.set_defaults(run=run)
    return made


def add_model(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add --model, --base-url and --budget."""
    group = parser.add_argument_group(
        "language model",
        f"Without one, {purpose}. The key is read from {' or '.join(COMPATIBLE_KEYS)}, of other providers from "
        "their own variables; a local endpoint needs none.",
    )
    group.add_argument(
        "--model",
        metavar="NAME",
        default=os.environ.get("LORELITE_MODEL") or None,
        help=f"{', '.join(f'{provider}:NAME' for provider in MODELS)}, or with --base-url the name at that endpoint "
        "(default: LORELITE_MODEL, else none)",
    )
    group.add_argument(
        "--base-url", metavar="URL", help="an OpenAI-compatible endpoint, for example http://localhost:8080/v1"
    )
    group.add_argument(
        "--budget",
        metavar="LIMIT",
        type=_budget,
        help="the most that the calls may cost: tokens as 50000 or 50k, or money as $0.20; a call beyond is not sent",
    )


def add_replay(parser: argparse.ArgumentParser) -> None:
    """Add --replay."""
    parser.add_argument(
        "--replay",
        choices=get_args(Replay),
        default="auto",
        help="auto: calls that the file has recorded are answered from there; off: all are sent; only: none is, and no "
        "model and no key is needed (default: auto)",
    )


def open_to_ask(given: argparse.Namespace, embedder: Embedder | None) -> Wiki:
    """The file to ask a question of: for writing where a model's calls are to be recorded and nobody else writes."""
    chosen, config = model(given), WikiConfig(replay=given.replay)
    if chosen is not None and Path(given.db).is_file():
        with suppress(WriterLocked, CannotOpen):
            return Wiki.open(given.db, model=chosen, embedder=embedder, config=config)
    return Wiki.open(given.db, model=chosen, embedder=embedder, config=config, read_only=True)


def add_embedder(parser: argparse.ArgumentParser) -> None:
    """Add --embedder and --embedding-model."""
    parser.add_argument(
        "--embedder",
        metavar="NAME",
        help="static: the built-in one, for search by meaning with no endpoint; none; or "
        f"{', '.join(f'{provider}:NAME' for provider in EMBEDDERS)} (default: what the file's vectors were made "
        "with if that is static, else none)",
    )
    parser.add_argument(
        "--embedding-model", metavar="NAME", help="the model at --base-url that makes vectors; none are made without"
    )


def namespace(given: argparse.Namespace) -> str:
    """The namespace asked for."""
    return DEFAULT_NAMESPACE if given.namespace is None else str(given.namespace)


def model(given: argparse.Namespace) -> ChatModel | None:
    """The model asked for. Raises InvalidOption for --base-url without a model, and a model that names no endpoint."""
    if given.model is None and (given.base_url is None or getattr(given, "embedding_model", None)):
        return None
    if not given.model:
        raise InvalidOption("--model / --base-url", "both of them, or neither", given.base_url)
    if given.base_url is None:
        if not {":", "@"} & set(given.model):
            raise InvalidOption("--model / --base-url", "both of them, or a name such as ollama:llama3.2", given.model)
        return named_model(given.model, "--model")
    return OpenAIModel(base_url=given.base_url, model=given.model, api_key=_api_key())


def embedder(given: argparse.Namespace) -> Embedder | None:
    """The embedder asked for. Raises InvalidOption without an endpoint, and when two are named."""
    if given.embedding_model is None:
        return None if given.embedder in (None, "none") else named_embedder(given.embedder, "--embedder")
    if given.embedder is not None:
        raise InvalidOption("--embedder / --embedding-model", "one of them", "both")
    if not given.embedding_model or not given.base_url:
        raise InvalidOption("--embedding-model", "a name, with --base-url", given.embedding_model)
    return OpenAIEmbedder(base_url=given.base_url, model=given.embedding_model, api_key=_api_key())


def embedder_for(given: argparse.Namespace, path: str) -> Embedder | None:
    """The embedder asked for; when none is named, the built-in one if the file at *path* holds vectors of it."""
    unnamed = given.embedder is None and given.embedding_model is None
    return StaticEmbedder() if unnamed and _holds_static_vectors(path) else embedder(given)


def _holds_static_vectors(path: str) -> bool:
    if not Path(path).is_file():
        return False
    try:
        with Wiki.open(path, embedder=StaticEmbedder(), read_only=True) as wiki:
            return any(wiki.get_status(name).vectors for name in wiki.list_namespaces())
    except LoreliteError:
        return False  # a file that cannot be opened is told of when the command opens it


def _budget(text: str) -> Budget:
    try:
        return Budget.parse(text)
    except InvalidOption as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _api_key() -> str | None:
    return key_of(COMPATIBLE_KEYS, os.environ)
