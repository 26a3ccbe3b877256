"""Where a dump may be written."""

from __future__ import annotations

import pytest

from lorelite import CannotOpen


@pytest.mark.parametrize("path", ["", "\0", "\ud800", ".", "/"])
def test_a_path_that_names_no_file_is_refused(wiki, path):
    wiki.write("class", title="Eels")
    with pytest.raises(CannotOpen):
        wiki.export_dump("class", path=path)


def test_the_wiki_is_not_written_over_by_its_own_dump(open_wiki, tmp_path):
    wiki = open_wiki(tmp_path / "brain.db")
    wiki.write("class", title="Eels")
    with pytest.raises(CannotOpen, match="it is an SQLite file"):
        wiki.export_dump("class", path=tmp_path / "brain.db")
    assert [fact.title for fact in wiki.read("class", "eels").facts] == ["Eels"]
