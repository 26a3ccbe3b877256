import json

import pytest

from bench import interchange

pytestmark = pytest.mark.cpython_only


def test_the_figures_of_a_small_wiki_are_printed_beside_the_scaled_published_ones(capsys):
    assert interchange.main(["--n", "40"]) == 0
    lines = capsys.readouterr().out.splitlines()
    figures = json.loads(lines[-1])
    assert (figures["bench"], figures["n"]) == ("interchange", 40)
    assert {"export", "import", "merge", "memory", "dump_mb"} <= figures.keys()
    [row] = [line.split() for line in lines if line.startswith("import ")]
    assert row[2] == "30.0"  # 7489.08 ms for 10,000 facts


def test_a_figure_above_its_limit_is_named_and_fails(capsys):
    assert interchange.main(["--n", "20", "--max", "import=0", "rss=100000"]) == 1
    assert "import: " in capsys.readouterr().out


def test_the_wiki_that_is_measured_has_a_vector_and_an_edge_for_each_fact(tmp_path):
    path = tmp_path / "source.db"
    interchange.filled(path, 30)
    with interchange.Wiki.open(path) as wiki:
        rows = wiki.export_dump().namespaces[interchange.NAMESPACE].rows
    assert (len(rows["node"]), len(rows["vector"]), len(rows["edge"])) == (30, 30, 29)
