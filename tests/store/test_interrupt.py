"""Ctrl-C while SQLite calls back into Python."""

from __future__ import annotations

import pytest

NS = "class"


def test_an_interruption_inside_a_trigger_is_one_and_leaves_nothing_half_written(wiki, picture):
    wiki.write(NS, title="Eels")
    before = picture(wiki)

    def interrupted() -> int:
        raise KeyboardInterrupt

    connection = wiki._wiki._engine.store.db.connection
    connection.create_function("lorelite_time", 0, interrupted)
    with pytest.raises(KeyboardInterrupt):
        wiki.write(NS, title="Otters")
    connection.create_function("lorelite_time", 0, lambda: 1_700_000_000_000)
    assert picture(wiki) == before
    wiki.write(NS, title="Otters")
    assert len(wiki.read(NS, "Otters").facts) == 1
