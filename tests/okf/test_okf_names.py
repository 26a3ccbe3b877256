"""Names of files: any id, any file system."""

from __future__ import annotations

import pytest

from lorelite.okf.names import file_name, id_hash


@pytest.mark.parametrize("id", ["fact_5f0c", "ok-id.1", "A", "x" * 200])
def test_an_id_that_every_file_system_takes_is_its_own_name(id):
    assert file_name(id) == id


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("has space", "has_space-7c29d09b3e2383c7"),
        ("a/b", "a_b-0b873ba95d97a4fb"),
        ("..", "entity-005966c50304ec27"),
        ("日本", "entity-005cbf6c02f8bf48"),
        ("trail.", "trail-6685f269653f1849"),
        ("con", "con-0b874c675d97b439"),
        ("INDEX", "INDEX-0cda305b578c5419"),
    ],
)
def test_any_other_id_is_made_safe_and_told_apart_by_its_hash(id, name):
    assert file_name(id) == name


def test_a_long_id_is_cut_and_told_apart_by_its_hash():
    assert file_name("a" * 300) == "a" * 200 + "-" + id_hash("a" * 300)
    assert file_name("a" * 300) != file_name("a" * 301)
