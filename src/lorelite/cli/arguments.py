"""The options that commands share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import TypeAlias

from lorelite.errors import InvalidOption
from lorelite.models import OpenAIEmbedder, OpenAIModel

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Run = Callable[[argparse.Namespace], int]

DEFAULT_NAMESPACE = "main"
API_KEYS = ("LORELITE_API_KEY", "OPENAI_API_KEY")


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
) -> argparse.ArgumentParser:
    """A parser for the command *name* with --db, --namespace (with *namespaces* more than once; the help tells the
    *default_namespace*) and, if it prints a result, --json."""
    made = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}. {details}".strip())
    made.add_argument(
        "--db",
        metavar="FILE",
        default=os.environ.get("LORELITE_DB") or "lorelite.db",
        help="the Lorelite file (default: LORELITE_DB, else lorelite.db)",
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
    """Add --model and --base-url."""
    group = parser.add_argument_group(
        "language model",
        f"Without one, {purpose}. The key is read from {' or '.join(API_KEYS)}; a local endpoint needs none.",
    )
    group.add_argument("--model", metavar="NAME", help="the model's name at the endpoint")
    group.add_argument(
        "--base-url", metavar="URL", help="an OpenAI-compatible endpoint, for example http://localhost:11434/v1"
    )


def add_embedder(parser: argparse.ArgumentParser) -> None:
    """Add --embedding-model."""
    parser.add_argument(
        "--embedding-model", metavar="NAME", help="the model at --base-url that makes vectors; none are made without"
    )


def namespace(given: argparse.Namespace) -> str:
    """The namespace asked for."""
    return DEFAULT_NAMESPACE if given.namespace is None else str(given.namespace)


def model(given: argparse.Namespace) -> OpenAIModel | None:
    """The model asked for. Raises InvalidOption unless --model and --base-url come together."""
    if given.model is None and (given.base_url is None or getattr(given, "embedding_model", None)):
        return None
    if not given.model or not given.base_url:
        raise InvalidOption("--model / --base-url", "both of them, or neither", given.model or given.base_url)
    return OpenAIModel(base_url=given.base_url, model=given.model, api_key=_api_key())


def embedder(given: argparse.Namespace) -> OpenAIEmbedder | None:
    """The embedder asked for. Raises InvalidOption without an endpoint."""
    if given.embedding_model is None:
        return None
    if not given.embedding_model or not given.base_url:
        raise InvalidOption("--embedding-model", "a name, with --base-url", given.embedding_model)
    return OpenAIEmbedder(base_url=given.base_url, model=given.embedding_model, api_key=_api_key())


def _api_key() -> str:
    return next((os.environ[name] for name in API_KEYS if os.environ.get(name)), "")
