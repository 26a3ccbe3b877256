"""What holds for every command: exit codes, one-line errors, safe output."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys

import pytest

import lorelite as package
from lorelite import Wiki
from lorelite.cli import status
from lorelite.cli.main import main, parser

COMMAND = [sys.executable, "-m", "lorelite"]


def commands() -> list[str]:
    [action] = [action for action in parser()._actions if action.dest == "command"]
    return sorted(action.choices)


def test_the_commands_are_known():
    assert {"ask", "graph", "ingest", "maintain", "mcp", "search", "status"} <= set(commands())


@pytest.mark.parametrize("name", commands())
def test_every_command_explains_itself(lorelite, name):
    outcome = lorelite(name, "--help")
    assert outcome.code == 0
    # A server has a protocol of its own for what it gives back.
    for option in ("--db", "--namespace", *(() if name == "mcp" else ("--json",))):
        assert option in outcome.out


def test_the_version_is_told(lorelite):
    outcome = lorelite("--version")
    assert (outcome.code, outcome.out) == (0, f"lorelite {package.__version__}\n")


@pytest.mark.parametrize("arguments", [(), ("dance",), ("search",), ("search", "x", "--limit", "many")])
def test_wrong_usage_is_exit_code_2(lorelite, arguments):
    assert lorelite(*arguments).code == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("search", "x", "--limit", "0"), "--limit: expected a whole number from 1"),
        (("graph", "Heron", "--max-nodes", "0"), "--max-nodes: expected a whole number of at least 1"),
        (("graph", ""), "NODE-OR-TITLE: expected a text"),
    ],
)
def test_an_option_out_of_range_is_wrong_usage_too_and_called_as_it_was_typed(filled, arguments, named):
    outcome = filled(*arguments)
    assert outcome.code == 2 and named in outcome.err


@pytest.mark.parametrize("name", ["export", "maintain", "status"])
def test_a_command_that_looks_at_all_namespaces_says_so(lorelite, name):
    told = " ".join(lorelite(name, "--help").out.split())
    assert "the namespace in the file (default: all)" in told


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("status", "--db", "absent.db"), "the file does not exist"),
        (("status", "--db", "docs"), "it is a folder"),
        (("status", "--db", "docs/boats.md"), "does not begin like an SQLite file"),
        (("search", "x", "--namespace", "absent"), "known: 'main'"),
        (("ingest", "docs", "--db", "nowhere/new.db"), "the folder 'nowhere' does not exist"),
    ],
)
def test_an_error_is_one_line_and_exit_code_1(filled, arguments, reason):
    outcome = filled(*arguments)
    assert outcome.code == 1
    assert outcome.out == ""
    [line] = outcome.err.splitlines()
    assert line.startswith("lorelite: ") and reason in line


def test_an_interruption_is_exit_code_130_and_says_how_to_go_on(filled, monkeypatch):
    def interrupted(*given, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(status, "say", interrupted)
    outcome = filled("status")
    assert outcome.code == 130
    assert "run the same command again to resume" in outcome.err


def test_output_that_a_stream_cannot_show_is_escaped(monkeypatch):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp1252")
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", stream)
    main(["--version"])
    stream.write("潮 café")
    stream.flush()
    assert raw.getvalue().decode("cp1252").endswith("\\u6f6e café")


def test_a_json_document_does_not_steer_the_terminal_and_says_what_is_there(lorelite, folder):
    text = "Heron \u202e reads the gauge \u009b31m."
    with Wiki.open("lorelite.db") as wiki:
        wiki.write("main", title="Heron", body=text)
        kept = wiki.read("main", "Heron").facts[0].body
    outcome = lorelite("search", "Heron", "--json")
    assert not {"\u202e", "\u009b"} & set(outcome.out)
    assert outcome.json["facts"][0]["body"] == kept


def test_a_pipe_gets_utf_8_whatever_the_system_prefers(monkeypatch):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    main(["--version"])
    stream.write("潮")
    stream.flush()
    assert raw.getvalue().decode("utf-8").endswith("潮")


@pytest.mark.cpython_only
class TestAsAProcess:
    def test_python_m_lorelite_is_the_same_command(self, folder):
        done = subprocess.run([*COMMAND, "ingest", "docs"], capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 0 and "docs/boats.md" in done.stdout and done.stderr == ""
        done = subprocess.run([*COMMAND, "search", "x", "--db", "absent.db"], capture_output=True, text=True)
        assert done.returncode == 1 and "Traceback" not in done.stderr

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
    def test_output_that_cannot_be_written_is_one_line_on_stderr(self, filled):
        with open("/dev/full", "w") as full:
            done = subprocess.run([*COMMAND, "status"], stdout=full, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr) == (1, "lorelite: No space left on device\n")

    @pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("2>&-", 1)])
    def test_a_closed_output_is_no_reason_to_fall_over(self, filled, closed, code):
        namespace = "main" if code == 0 else "absent"
        line = f"{sys.executable} -m lorelite status --namespace {namespace} {closed}"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (code, "", "")

    def test_a_reader_that_goes_away_is_no_error(self, filled):
        running = subprocess.Popen(
            [*COMMAND, "search", "Heron Juniper", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert running.stdout and running.stderr
        running.stdout.close()
        assert running.stderr.read() == b""
        running.stderr.close()
        assert running.wait() == 141

    def test_ctrl_c_ends_an_ingest_which_then_resumes(self, folder):
        (folder / "docs" / "large.txt").write_text("".join(f"Gauge {n} stands on Pier {n}. " for n in range(60_000)))
        # A suite that a shell started in the background is deaf to Ctrl-C, and so would be what it starts.
        running = subprocess.Popen(
            [*COMMAND, "ingest", "docs"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert running.stdout and running.stderr
        running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
        assert (running.returncode, b"resume" in err, b"Traceback" in err) == (130, True, False)
        (folder / "docs" / "large.txt").write_text("Gauge 1 stands on Pier 1.")
        done = subprocess.run([*COMMAND, "ingest", "docs"], capture_output=True, text=True)
        assert done.returncode == 0 and "boats.md: unchanged" in done.stdout

    def test_bars_are_drawn_where_a_person_watches_and_nowhere_else(self, folder):
        pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (30, 100))
        running = subprocess.Popen([*COMMAND, "ingest", "docs"], stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        assert running.stdout
        out = running.stdout.read()
        running.stdout.close()
        assert running.wait() == 0
        assert b"0%|" in os.read(ours, 10_000)
        assert b"%|" not in out
        os.close(ours)
