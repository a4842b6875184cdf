"""Who is next. The pure function, and what it means for a day of submissions."""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nav_eval_server.queue.fairness import Waiting, next_up

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
waiting = st.builds(
    Waiting,
    submission=st.text("abc", min_size=1),
    team=st.integers(0, 4),
    accepted_at=st.integers(0, 50).map(lambda minutes: NOON + timedelta(minutes=minutes)),
    endpoint=st.sampled_from([None, "a:1", "b:1", "c:1"]),
)


@given(
    st.lists(waiting), st.dictionaries(st.integers(0, 4), st.floats(0, 1e5)), st.sets(st.sampled_from(["a:1", "b:1"]))
)
def test_nobody_who_may_begin_has_had_less_or_came_earlier_with_as_much(
    queue: list[Waiting], seconds: dict[int, float], taken: set[str]
) -> None:
    chosen = next_up(queue, seconds, taken)
    free = [one for one in queue if one.endpoint not in taken]
    assert (chosen is None) == (not free)
    if chosen is not None:
        assert chosen in free
        for one in free:
            had, mine = seconds.get(one.team, 0.0), seconds.get(chosen.team, 0.0)
            assert had > mine or (had == mine and one.accepted_at >= chosen.accepted_at)


@given(st.lists(waiting), st.sets(st.integers(0, 4)), st.booleans())
def test_teams_whose_hour_it_is_go_first(queue: list[Waiting], booked: set[int], only: bool) -> None:
    chosen = next_up(queue, {}, set(), booked, booked_only=only)
    first = [one for one in queue if one.team in booked]
    assert (chosen in first) if first else (chosen == (None if only else next_up(queue, {}, set())))


def waits(entries: list[tuple[int, float, float]], workers: int) -> dict[int, list[float]]:
    """Seconds until its turn of each (team, submitted, lasts); a team's service plays one run at a time."""
    found: dict[int, list[float]] = defaultdict(list)
    seconds: dict[int, float] = defaultdict(float)
    asked = [
        Waiting(str(n), team, NOON + timedelta(seconds=came), str(team)) for n, (team, came, _) in enumerate(entries)
    ]
    queue, running, now = list(enumerate(entries)), [], 0.0
    while queue:
        at, chosen = NOON + timedelta(seconds=now), None
        if len(running) < workers:
            had = defaultdict(float, seconds)
            for _, began, team in running:
                had[team] += now - began
            ready = [asked[n] for n, (_, came, _) in queue if came <= now]
            chosen = next_up(ready, had, {str(team) for _, _, team in running})
        if chosen is not None:
            number = int(chosen.submission)
            team, _, lasts = entries[number]
            found[team].append((at - chosen.accepted_at).total_seconds())
            heapq.heappush(running, (now + lasts, now, team))
            queue = [(n, entry) for n, entry in queue if n != number]
            continue
        moments = [came for _, (_, came, _) in queue if came > now] + [end for end, _, _ in running]
        now = min(moments)
        while running and running[0][0] <= now:
            end, began, team = heapq.heappop(running)
            seconds[team] += end - began
    return found


@pytest.mark.parametrize("workers", [2, 3])
@pytest.mark.parametrize("each", [4, 6, 8])
def test_a_team_with_a_hundred_submissions_does_not_hold_up_the_others(each: int, workers: int) -> None:
    """Their median wait is at most twice that without it; where hardly anybody waits, the rest of a run longer."""
    without, beside = [], []
    for seed in range(5):
        draw = random.Random(seed)
        others = [(team, draw.uniform(0, 8 * 3600), _lasts(draw)) for team in range(1, 16) for _ in range(each)]
        flood = [(0, draw.uniform(0, 600), _lasts(draw)) for _ in range(100)]
        without += [wait for team in waits(others, workers).values() for wait in team]
        beside += [wait for team, mine in waits(others + flood, workers).items() if team for wait in mine]
    assert median(beside) <= max(2 * median(without), median(without) + MEAN / 2), (median(beside), median(without))


MEAN = 750.0
"""Seconds of a run."""


def _lasts(draw: random.Random) -> float:
    return draw.uniform(0.4 * MEAN, 1.6 * MEAN)


def test_first_come_first_served_would_not_do() -> None:
    """The simulation tells the difference: with one time for all, the flood goes first."""
    others = [(team, 700.0, 600.0) for team in range(1, 11)]
    flood = [(0, float(n), 600.0) for n in range(100)]
    assert median(wait for team, mine in waits(others + flood, 1).items() if team for wait in mine) < 10 * 600
