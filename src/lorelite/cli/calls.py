"""`lorelite calls`: the model calls that the file has recorded."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from lorelite.blocking import Wiki
from lorelite.call_records import CallDiff, CallTotals, RecordedCall
from lorelite.cli.arguments import Commands, command
from lorelite.cli.output import complain, plural, say, say_json, shortened
from lorelite.errors import CannotOpen, InvalidOption
from lorelite.temporal import iso

_SHOWN = 80
_ACTIONS = ("list", "show", "summary", "export", "import", "diff", "clear")


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(
        commands,
        "calls",
        run,
        "look at the recorded model calls",
        "list: the newest first. show ID: a prompt and its reply. summary: tokens and money. export PATH, import PATH: "
        "carry calls to another file, where they are answered without a key. diff MODEL MODEL: what two models said to "
        "the same prompts. clear: delete calls, those of --namespace or, with --all, of the file.",
        default_namespace="all",
    )
    made.add_argument("action", choices=_ACTIONS, nargs="?", default="list", help="(default: list)")
    made.add_argument("what", nargs="*", metavar="ID, PATH or MODEL")
    made.add_argument("--purpose", metavar="NAME", help="only calls for this, e.g. extract or answer")
    made.add_argument("--model", metavar="NAME", help="only calls of this model")
    made.add_argument("--status", choices=("ok", "partial", "none", "error"), help="only calls that came to this")
    made.add_argument("--limit", metavar="N", type=int, default=20, help="list at most N (default: 20)")
    made.add_argument("--older-than", metavar="DAYS", type=float, help="clear only calls older than this")
    made.add_argument("--all", action="store_true", help="clear calls of every namespace")


def run(given: argparse.Namespace) -> int:
    """Do what is asked for."""
    wanted = {"show": 1, "export": 1, "import": 1, "diff": 2}.get(given.action, 0)
    if len(given.what) != wanted:
        names = {"show": "an ID", "export": "a PATH", "import": "a PATH", "diff": "two MODELs"}
        expected = names.get(given.action, "nothing more")
        raise InvalidOption(f"calls {given.action}", expected, " ".join(given.what) or "nothing")
    if given.action == "import" and not Path(given.what[0]).exists():  # before a file is made to import it into
        raise CannotOpen(given.what[0], "No such file or directory")
    reads = given.action not in ("import", "clear")
    with Wiki.open(given.db, read_only=reads) as wiki:
        _DO[given.action](wiki, given)
    return 0


def _list(wiki: Wiki, given: argparse.Namespace) -> None:
    calls = wiki.list_calls(
        given.namespace, purpose=given.purpose, model=given.model, status=given.status, limit=given.limit
    )
    say_json(calls) if given.json else say(*(map(_line, calls)))
    if not calls and not given.json:
        say("no calls are recorded")


def _show(wiki: Wiki, given: argparse.Namespace) -> None:
    if not given.what[0].isdecimal():
        raise InvalidOption("ID", "a number that `lorelite calls` lists", given.what[0])
    call = wiki.get_call(int(given.what[0]))
    if given.json:
        say_json(call)
        return
    say(_line(call), f"namespace: {call.namespace}", f"document: {call.source_ref or '-'}")
    say(f"parameters: {json.dumps(dict(call.parameters), ensure_ascii=False)}")
    for name, text in (("system", call.system), ("user", call.user), ("reply", call.reply)):
        say("", f"--- {name}", *text.splitlines())


def _summary(wiki: Wiki, given: argparse.Namespace) -> None:
    summary = wiki.call_summary(given.namespace, purpose=given.purpose, model=given.model)
    if given.json:
        say_json(summary)
        return
    for part in summary.parts:
        say(f"{part.purpose or '-'}  {part.model}: {_told(part)}")
    say(f"all: {_told(summary.total)}")


def _export(wiki: Wiki, given: argparse.Namespace) -> None:
    report = wiki.export_calls(Path(given.what[0]), namespace=given.namespace, purpose=given.purpose, model=given.model)
    say_json(report) if given.json else say(f"{report.path}: {plural(report.counts['call'], 'call')}")


def _import(wiki: Wiki, given: argparse.Namespace) -> None:
    report = wiki.import_calls(given.what[0], namespace=given.namespace)
    say_json(report) if given.json else say(f"{plural(report.calls, 'call')} taken in, {report.known:,} were known")


def _diff(wiki: Wiki, given: argparse.Namespace) -> None:
    diff = wiki.diff_calls(*given.what, namespace=given.namespace, purpose=given.purpose)
    if given.json:
        say_json(diff)
        return
    say(*_diff_lines(diff))
    if diff.only_a or diff.only_b:
        complain(f"{diff.only_a:,} prompts were sent to {diff.model_a} alone, {diff.only_b:,} to {diff.model_b} alone")


def _clear(wiki: Wiki, given: argparse.Namespace) -> None:
    if (given.namespace is None) != given.all:
        raise InvalidOption("--namespace / --all", "one of them", "both" if given.all else "neither")
    count = wiki.clear_calls(
        given.namespace,
        purpose=given.purpose,
        model=given.model,
        status=given.status,
        older_than=given.older_than,
    )
    say_json({"deleted": count}) if given.json else say(f"{plural(count, 'call')} deleted")


_DO: dict[str, Callable[[Wiki, argparse.Namespace], None]] = {
    "list": _list,
    "show": _show,
    "summary": _summary,
    "export": _export,
    "import": _import,
    "diff": _diff,
    "clear": _clear,
}


def _line(call: RecordedCall) -> str:
    said = call.error or (f"{len(call.reply):,} characters" if call.kind == "vector" else call.reply)
    status = "" if call.status == "ok" else f" [{call.status}]"
    when = iso(call.created_at)[:16].replace("T", " ")
    return f"{call.id}  {when}  {call.purpose or '-'}  {call.model}{status}  {shortened(said, _SHOWN)}"


def _told(part: CallTotals) -> str:
    about = "about " if part.tokens_estimated else ""
    told = [
        plural(part.calls, "call"),
        f"{part.reused:,} reused",
        f"{about}{part.input_tokens:,} + {part.output_tokens:,} tokens",
        "price unknown" if part.cost is None else f"${part.cost:,.4f}",
        f"{part.duration_ms / 1000:,.1f} s",
    ]
    if part.failed:
        told.insert(1, f"{part.failed:,} failed")
    return ", ".join(told)


def _diff_lines(diff: CallDiff) -> list[str]:
    lines = [f"{diff.model_a}: {_told(diff.total_a)}", f"{diff.model_b}: {_told(diff.total_b)}"]
    lines.append(f"{plural(diff.same, 'prompt')} answered alike, {len(diff.differences):,} differently")
    for each in diff.differences:
        lines += ["", f"{each.first.purpose or '-'}  {shortened(each.first.user, _SHOWN)}"]
        lines += [f"  − {line}" for line in each.only_first]
        lines += [f"  + {line}" for line in each.only_second]
    return lines
