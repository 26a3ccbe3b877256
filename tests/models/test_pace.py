"""Limits per minute."""

from __future__ import annotations

from lorelite.models.pace import Pace


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


def waits(pace, count, tokens=0):
    return [round(pace.turn(tokens), 6) for _ in range(count)]


def test_without_limits_nobody_waits():
    assert waits(Pace(now=Clock()), 100, 10_000) == [0.0] * 100


def test_a_tenth_of_a_minutes_requests_may_follow_at_once_and_the_rest_is_spread():
    assert waits(Pace(60, now=Clock()), 9) == [0, 0, 0, 0, 0, 0, 0, 1, 2]


def test_over_any_minute_the_limit_holds_but_for_the_first_burst():
    clock, begun = Clock(), []
    pace = Pace(60, now=clock)
    for _ in range(300):
        begun.append(clock.now + pace.turn())
    assert max(sum(start <= each < start + 60 for each in begun) for start in begun) <= 67


def test_tokens_count_by_how_many_a_request_has():
    pace = Pace(tokens_per_minute=6_000, now=Clock())
    assert waits(pace, 4, tokens=600) == [0.0, 0.0, 6.0, 12.0]


def test_a_request_larger_than_the_limit_has_its_turn():
    assert Pace(tokens_per_minute=10, now=Clock()).turn(1_000) == 0.0


def test_a_pause_gives_the_burst_back():
    clock = Clock()
    pace = Pace(60, now=clock)
    waits(pace, 7)
    clock.now += 60
    assert waits(pace, 7) == [0.0] * 7


def test_what_an_endpoint_asks_to_wait_holds_for_all():
    clock = Clock()
    pace = Pace(now=clock)
    pace.hold(5)
    pace.hold(2)
    assert (pace.held(), pace.turn()) == (5.0, 5.0)
    clock.now += 6
    assert (pace.held(), pace.turn()) == (0.0, 0.0)
