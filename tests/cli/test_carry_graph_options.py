"""Options that a graph cannot be taken in with are refused, not passed over."""

from __future__ import annotations

import pytest

from lorelite.cli.main import main


@pytest.mark.parametrize("option", [["--dry-run"], ["--merge"], ["--table-prefix", "x"], ["--embedding-model", "x"]])
def test_an_option_of_dumps_is_refused_for_a_graph_and_nothing_is_written(tmp_path, capsys, option):
    (tmp_path / "g.csv").write_text("source,target\na,b\n", "utf-8")
    assert main(["import", str(tmp_path / "g.csv"), "--db", str(tmp_path / "w.db"), *option]) == 2
    assert option[0] in capsys.readouterr().err and not (tmp_path / "w.db").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path, capsys):
    (tmp_path / "g.csv").write_text("source,target\na,b\n", "utf-8")
    database = str(tmp_path / "w.db")
    assert main(["import", str(tmp_path / "g.csv"), "--db", database]) == 0
    for path in (str(tmp_path / "g.csv"), ""):
        assert main(["export", "csv", path, "--db", database]) == 1
        assert "cannot open" in capsys.readouterr().err
