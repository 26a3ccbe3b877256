"""Knowledge graphs in every place where one can be kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from knowledge_world import PLACES, Open

from lorelite._drive import drive
from lorelite.pipeline.knowledge import Knowledge


@pytest.fixture(params=PLACES)
def open_knowledge(request: pytest.FixtureRequest) -> Iterator[Open]:
    with ExitStack() as files:
        yield PLACES[request.param](files)


@pytest.fixture
def knowledge(open_knowledge: Open) -> Iterator[Knowledge]:
    opened = open_knowledge("class")
    yield opened
    drive(opened.close())
