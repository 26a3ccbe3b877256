"""`lorelite mcp`: the memory as a server of the Model Context Protocol."""

from __future__ import annotations

import argparse
import sys
from typing import Any, get_args

from lorelite import options
from lorelite.cli.arguments import DEFAULT_NAMESPACE, Commands, add_embedder, add_model, command, embedder_for, model
from lorelite.cli.output import complain
from lorelite.errors import InvalidOption, NotFound
from lorelite.tools import Scope

_SCOPES = get_args(Scope)


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(
        commands,
        "mcp",
        run,
        "serve the memory to an agent over the Model Context Protocol",
        "Speaks over standard input and output until the client goes away. Needs the extra mcp: "
        "pip install 'lorelite[mcp]'.",
        output=False,
        namespaces=True,
    )
    made.add_argument("file", metavar="FILE", nargs="?", help="the Lorelite file, in place of --db")
    made.add_argument("--all-namespaces", action="store_true", help="offer every namespace, also those yet to come")
    made.add_argument(
        "--scopes",
        metavar="LIST",
        help=f"what the agent may do: any of {', '.join(_SCOPES)}, with commas (default: read,write; "
        "with --read-only: read)",
    )
    made.add_argument("--read-only", action="store_true", help="open the file for reading only, as scope read")
    made.add_argument(
        "--token-budget", metavar="N", type=int, default=4_000, help="about how long a result may be (default: 4000)"
    )
    add_model(made, "questions are answered with sentences of the documents")
    add_embedder(made)


def run(given: argparse.Namespace) -> int:
    """Serve until the client goes away."""
    try:
        from lorelite.mcp import serve_stdio
    except ModuleNotFoundError as error:
        raise NotFound("package", str(error.name), "install it with: pip install 'lorelite[mcp]'") from error
    if given.namespace and given.all_namespaces:
        raise InvalidOption("--namespace / --all-namespaces", "one of them", "both")
    path = given.db if given.file is None else given.file
    if sys.stdin is not None and sys.stdin.isatty():
        complain(f"serving {path}: a client of the protocol speaks on standard input; Ctrl-C ends it")
    serve_stdio(
        path,
        model=model(given),
        embedder=embedder_for(given, path),
        read_only=given.read_only,
        scopes=_scopes(given),
        namespaces=None if given.all_namespaces else given.namespace or [DEFAULT_NAMESPACE],
        token_budget=options.whole_number("--token-budget", given.token_budget, 50),
    )
    return 0


def _scopes(given: argparse.Namespace) -> tuple[Any, ...]:
    if given.scopes is None:
        return ("read",) if given.read_only else ("read", "write")
    names = [name.strip() for name in given.scopes.split(",") if name.strip()]
    scopes = options.many_of("--scopes", names, _SCOPES)
    if not scopes:
        raise InvalidOption("--scopes", f"one or more of {', '.join(_SCOPES)}", given.scopes)
    if given.read_only and set(scopes) - {"read"}:
        raise InvalidOption("--scopes", "read alone, since --read-only is given", given.scopes)
    return scopes
