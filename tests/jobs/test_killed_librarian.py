"""A process that is killed in the middle of reading events: the next one goes on behind the last whole batch."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lorelite import Wiki
from lorelite.models import ScriptedModel

pytestmark = pytest.mark.cpython_only
NS = "class"
CHILD = """
import json, os, sys
from lorelite import Wiki
from lorelite.models import ScriptedModel

asked = 0

def answer(request):
    global asked
    asked += 1
    if asked == 3:
        os._exit(9)
    number = request.user.split("event number ")[1].split()[0]
    return json.dumps({"facts": [{"title": f"Number {number}", "body": f"It was number {number}."}], "tasks": []})

wiki = Wiki.open(sys.argv[1], model=ScriptedModel({"librarian": answer}))
for number in range(5):
    wiki.write("class", event={"summary": f"event number {number} happened"})
wiki.run_librarian("class", batch_size=1)
"""


def test_a_killed_run_is_gone_on_with_and_no_event_is_read_twice_or_lost(tmp_path):
    path = str(tmp_path / "brain.db")
    assert subprocess.run([sys.executable, "-c", CHILD, path]).returncode == 9
    shown: list[str] = []

    def answer(request):
        shown.extend(n for n in "01234" if f"event number {n}" in request.user)
        return '{"facts": [], "tasks": []}'

    with Wiki.open(path, model=ScriptedModel({"librarian": answer})) as wiki:
        assert sorted(node.title for node in wiki.read(NS, "").facts) == ["Number 0", "Number 1"]
        assert [(job.kind, job.state) for job in wiki.get_status(NS).jobs] == [("librarian", "interrupted")]
        wiki.run_pending_maintenance(NS)
        assert shown == ["2", "3", "4"]
        assert wiki.get_status(NS).jobs == ()
