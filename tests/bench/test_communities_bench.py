import json

import pytest

from bench import communities


def test_every_method_is_measured_and_the_last_line_tells_seconds_and_modularity(capsys):
    assert communities.main(["--edges", "1000", "--only", "ours"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1,000 edges, 298 nodes, mixing 0.2"
    found = json.loads(lines[-1])
    methods = {"leiden", "leiden_levels", "louvain", "local_moving", "inserted"}
    assert found.keys() == {"bench", "edges"} | methods | {f"{name}.q" for name in methods}
    assert (found["bench"], found["edges"]) == ("communities", 1000)
    assert found["leiden.q"] == found["leiden_levels.q"] > found["louvain.q"] > found["local_moving.q"]
    assert [line.split()[0] for line in lines[2:-1]] == list(found)[2:7]


@pytest.mark.parametrize("package", ["igraph", "networkx"])
def test_other_libraries_are_measured_where_they_are_installed(capsys, package):
    pytest.importorskip(package, reason=f"{package} is not installed")
    communities.main(["--edges", "1000"])
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found[f"{package}_louvain.q"] == pytest.approx(found["louvain.q"], abs=0.02)
    assert found[f"{package}_louvain"] > 0


def test_a_method_that_takes_longer_than_it_may_is_named_and_fails(capsys):
    assert communities.main(["--edges", "500", "--only", "ours", "--max", "leiden=0", "louvain=60"]) == 1
    assert "leiden: " in capsys.readouterr().out
