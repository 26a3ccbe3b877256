"""`lorelite classroom build`: a folder with which a class works offline."""

from __future__ import annotations

import argparse
from pathlib import Path

from lorelite.blocking import Wiki
from lorelite.cli.arguments import Commands, command
from lorelite.cli.output import plural, say, say_json
from lorelite.errors import CannotOpen

SITE = Path("build") / "site"


def add_to(commands: Commands) -> None:
    """Add the command."""
    made = command(
        commands,
        "classroom",
        run,
        "make a folder with the page, notebooks and a memory, for a class without internet",
        "Any web server gives the folder out, under any path; on a stick, the serve.py in it does.",
        default_namespace="all, of which the first is shown",
        db="a Lorelite file with which the page begins",
    )
    made.add_argument("what", choices=("build",), help="make the folder")
    made.add_argument("--out", metavar="DIR", required=True, help="the folder to make; new or empty")
    made.add_argument(
        "--site", metavar="DIR", default=str(SITE), help=f"the built site (default: {SITE}, of make demo)"
    )
    made.add_argument("--notebooks", metavar="DIR", help="a folder of lessons for JupyterLite, with what lies below it")
    made.add_argument(
        "--ledger", metavar="FILE", help="recorded model calls, as calls export writes them, for the brain"
    )
    made.add_argument("--title", metavar="TEXT", default="Lorelite", help="what the classroom is called")
    made.add_argument("--zip", action="store_true", help="make DIR.zip as well")


def run(given: argparse.Namespace) -> int:
    """Make the folder, and tell how to start."""
    from lorelite.classroom import build_classroom, zip_folder

    count = build_classroom(
        given.site,
        given.out,
        title=given.title,
        brain=_brain(given),
        namespace=given.namespace or "",
        notebooks=given.notebooks,
    )
    zipped = f"{given.out.rstrip('/')}.zip" if given.zip else None
    if zipped is not None:
        zip_folder(given.out, zipped)
    if given.json:
        say_json({"path": given.out, "files": count, "zip": zipped})
        return 0
    say(f"{given.out}: {plural(count, 'file')}{f'; {zipped}' if zipped else ''}")
    say(f"start it with: python {Path(given.out) / 'serve.py'} --open")
    return 0


def _brain(given: argparse.Namespace) -> bytes | None:
    """The file that goes along: a copy, with the recorded calls beside what it had."""
    if given.db is None and given.ledger is None:
        return None
    if given.db is not None and not Path(given.db).is_file():
        raise CannotOpen(given.db, "No such file or directory")
    with Wiki.open(":memory:") as copy:
        if given.db is not None:
            with Wiki.open(given.db, read_only=True) as wiki:
                copy.import_dump(wiki.export_dump(given.namespace))
        if given.ledger is not None:
            copy.import_calls(given.ledger)
        return copy.export_file()
