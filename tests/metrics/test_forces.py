"""Forces, falls and what holds a body, against walks written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from nav_eval.core.actions import Action
from nav_eval.core.types import AgentState, Contact, Contacts, StepRecord
from nav_eval.errors import SimulatorError
from nav_eval.metrics.registry import METRICS
from nav_eval.testing import fake_context


def measured(name: str, walk: list[Contacts | None], **settings: Any) -> float:
    metric = METRICS.get(name)()
    metric.reset_metric(fake_context(**settings))
    for felt in walk:
        events = {} if felt is None else {"felt": felt.to_record()}
        metric.update_metric(StepRecord(Action("move_forward"), AgentState((0.0, 0.0, 0.0)), events=events), {})
    value = metric.get_metric()
    assert isinstance(value, float)
    return value


def touch(*forces: float, **told: bool) -> Contacts:
    """A tenth of a second of each force."""
    return Contacts(tuple(Contact((0.0, 0.5, 0.0), force, force / 10) for force in forces), **told)


def test_the_hardest_single_contact_and_all_impulses_together() -> None:
    walk = [Contacts(), touch(20.0, 50.0), Contacts(), touch(30.0)]
    assert measured("collision_force", walk) == 50.0
    assert measured("collision_impulse", walk) == pytest.approx(2 + 5 + 3)
    assert measured("collision_force", [Contacts()]) == measured("collision_impulse", []) == 0.0


def test_one_fall_is_a_fall() -> None:
    assert measured("fall_rate", [Contacts(), Contacts(fallen=True)]) == 1.0
    assert measured("fall_rate", [touch(900.0)]) == 0.0


@pytest.mark.parametrize(("held", "expected"), [([9, 9], 0.0), ([10], 1.0), ([3, 12], 1.0)])
def test_stuck_is_ten_steps_on_end(held: list[int], expected: float) -> None:
    walk = [felt for count in held for felt in ([Contacts(stuck=True)] * count + [Contacts()])]
    assert measured("stuck_rate", list(walk)) == expected


def test_how_many_steps_can_be_said() -> None:
    assert measured("stuck_rate", [Contacts(stuck=True)] * 3, stuck_steps=3) == 1.0


@pytest.mark.parametrize("name", ["collision_force", "collision_impulse", "fall_rate", "stuck_rate"])
def test_a_walk_that_tells_of_no_forces_is_not_a_gentle_one(name: str) -> None:
    """An action of the task's own moves nothing and tells nothing; a whole walk of them has no value."""
    assert measured(name, [None, Contacts()]) == 0.0
    with pytest.raises(SimulatorError, match="bodies have mass"):
        measured(name, [None, None])
