"""The hours of many homes, and where their suns stand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from nav_eval_worlds.light.daylight import draw_daylight


def test_hours_are_spread_and_a_fifth_are_evenings() -> None:
    hours = Counter(draw_daylight(str(seed), "home").hour for seed in range(400))
    assert set(hours) == {"morning", "noon", "overcast", "afternoon", "evening"}
    assert 0.15 < hours["evening"] / 400 < 0.25


def test_suns_stand_in_the_east_in_the_morning_and_in_the_west_in_the_afternoon() -> None:
    suns = [draw_daylight(str(seed), "home") for seed in range(100)]
    for day in suns:
        if day.sun is None:
            assert day.hour in ("overcast", "evening")
            continue
        assert np.linalg.norm(day.sun) == pytest.approx(1.0, abs=1e-5)
        assert 0.2 < day.sun[1] < 0.9
        assert day.hour != "morning" or day.sun[0] > 0.3
        assert day.hour != "afternoon" or day.sun[0] < -0.3
        assert day.hour != "noon" or day.sun[2] > 0.4
