"""Moments: milliseconds in, ISO 8601 out, and back."""

from __future__ import annotations

import pytest

from lorelite.temporal import DAY_MS, LATEST, iso, moment_of


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1_700_000_000_000, 1_700_000_000_000),
        (12.9, 12),
        ("1970-01-02", DAY_MS),
        ("1970-01-01T00:00:01.5Z", 1_500),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01 00:00:02 +0000", 2_000),
        ("1969-12-31T23:59:59.999Z", -1),
        (iso(LATEST), LATEST),
        (LATEST + 1, None),
        (float("nan"), None),
        (True, None),
        (None, None),
        ("yesterday", None),
        ("2026-02-30", None),
        ("2026-01-01T00:00:00+99:00", None),
    ],
)
def test_a_moment_is_a_number_or_an_iso_text(value: object, expected: int | None) -> None:
    assert moment_of(value) == expected
