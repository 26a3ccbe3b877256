"""The command `lorelite`: reads the arguments, runs one command, turns every outcome into an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from lorelite import __version__
from lorelite.cli import ask, calls, carry, classroom, communities, graph, ingest, maintain, mcp, merges, search, status
from lorelite.cli import eval as evaluation
from lorelite.cli.output import complain, make_safe, plural
from lorelite.errors import InvalidOption, LoreliteError
from lorelite.records import Usage
from lorelite.spending import Budget, spending

OK, FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141
_EXAMPLES = """\
examples:
  lorelite ingest notes/ report.md
  lorelite search "tide gauge"
  lorelite ask "Who looks after the tide gauge?"
  lorelite graph "Tide gauge" --depth 2
  lorelite communities --build
  lorelite status

The file is lorelite.db, or what LORELITE_DB names, or what --db names."""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    made = argparse.ArgumentParser(
        prog="lorelite",
        description="GraphRAG and long-term memory in one SQLite file.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--version", action="version", version=f"lorelite {__version__}")
    commands = made.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    for command in (
        ingest,
        search,
        ask,
        graph,
        communities,
        merges,
        calls,
        status,
        evaluation,
        maintain,
        mcp,
        carry,
        classroom,
    ):
        command.add_to(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives 0, 1 (an error), 2 (wrong usage), 130 (interrupted) or 141 (the reader went away)."""
    make_safe(sys.stdout)
    make_safe(sys.stderr)
    try:
        given = parser().parse_args(arguments)
        with spending(getattr(given, "budget", None) or Budget()) as budget:
            try:
                code: int = given.run(given)
            finally:
                _tell_cost(budget.spent if budget else Usage())
        if sys.stdout is not None:  # closed by the shell
            sys.stdout.flush()
        return code
    except SystemExit as leaving:  # argparse: --help, --version, wrong usage
        return leaving.code if isinstance(leaving.code, int) else USAGE
    except InvalidOption as error:
        complain(str(error))
        return USAGE
    except LoreliteError as error:
        complain(str(error))
        return FAILED
    except KeyboardInterrupt:
        complain("interrupted; what was stored is kept: run the same command again to resume")
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:  # of a full disk that the output goes to
        _drop_output()
        complain(error.strerror or str(error))
        return FAILED


def _tell_cost(usage: Usage) -> None:
    """One line on stderr, where a model was asked."""
    if not usage.calls and not usage.reused:
        return
    parts = []
    if usage.calls:
        parts.append(
            f"{plural(usage.calls, 'model call')}, {usage.input_tokens:,} tokens read, {usage.output_tokens:,} written"
        )
        if usage.cost:
            parts.append(f"about ${usage.cost:,.4f}")
    if usage.reused:
        parts.append(f"{plural(usage.reused, 'call')} answered from the file")
    complain("; ".join(parts))


def _drop_output() -> None:
    # Python flushes stdout once more at exit, which would complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
