"""A walking body: its feet keep to the floor and do not slip, its measures are a person's, its look its seed's."""

from __future__ import annotations

import numpy as np
import pytest

from nav_eval.engine.people.bones import BONES, FOOT_L, FOOT_R, HEAD
from nav_eval.engine.people.figure import dressed, figure
from nav_eval.engine.people.gait import posed, stride
from nav_eval.engine.people.kinds import Posed
from nav_eval.engine.people.looks import CUTS, LOOKS, STYLES, dealt
from nav_eval.engine.people.overlay import bent, bones_of

LOOK = 20


def body_at(phase: float, vigour: float, z: float = 0.0):
    body = figure(LOOK, 2)
    return body, bones_of(Posed(LOOK, 1, (0.0, 0.0, z), 0.0, phase, vigour), body)


@pytest.mark.parametrize("phase", np.linspace(0, 1, 9))
@pytest.mark.parametrize("vigour", [0.0, 0.5, 1.1])
def test_the_lowest_point_of_a_body_is_on_the_floor(phase: float, vigour: float) -> None:
    body, bones = body_at(phase, vigour)
    lowest = bent(body, bones)[:, 1].min()
    assert -0.035 < lowest < 0.03


def test_a_standing_foot_hardly_slips() -> None:
    """The foot that carries the body, in steps of a hundredth of a stride."""
    pace = stride(figure(LOOK, 2).scale, 1.0)
    ankles = []
    for share in np.linspace(0.1, 0.5, 41):
        body, bones = body_at(share, 1.0, -share * pace)
        ankles.append((bones[FOOT_L, :, :3] @ body.joints[FOOT_L] + bones[FOOT_L, :, 3])[2])
    assert np.ptp(ankles) < 0.08
    assert 0.8 < pace < 1.6


def test_one_leg_is_ahead_as_the_other_is_behind() -> None:
    here, there = body_at(0.2, 1.0)[1], body_at(0.7, 1.0)[1]
    mirror = np.array([-1.0, 1.0, 1.0])
    left, right = (bones[foot] @ np.array([*joint, 1.0]) for bones, foot, joint in (
        (here, FOOT_L, figure(LOOK, 2).joints[FOOT_L]), (there, FOOT_R, figure(LOOK, 2).joints[FOOT_R])
    ))  # fmt: skip
    assert np.allclose(left * mirror, right, atol=1e-9)


def test_bones_are_rigid_and_standing_turns_nothing_but_the_arms() -> None:
    body, bones = body_at(0.37, 1.0)
    for bone in range(BONES):
        assert np.allclose(bones[bone, :, :3] @ bones[bone, :, :3].T, np.eye(3))
        assert np.linalg.det(bones[bone, :, :3]) == pytest.approx(1)
    still = posed(body, 0.3, 0.0, 0.0, (0.0, 0.0, 0.0))
    assert np.allclose(still[HEAD, :, :3], np.eye(3))
    assert np.allclose(still[FOOT_R, :, :3], np.eye(3))


def test_yaw_turns_a_body_as_it_turns_an_agent() -> None:
    """Ahead is -z, and yaw turns left: at a quarter turn the toes point to -x."""
    body = figure(LOOK, 2)
    points = bent(body, posed(body, 0.0, 0.0, np.pi / 2, (1.0, 2.0, 3.0)))
    feet = points[points[:, 1] < 2.05]
    assert feet[:, 0].min() < 1.0 - 0.15 * body.scale
    assert feet[:, 0].max() < 1.0 + 0.12 * body.scale


def test_every_look_is_a_person_of_its_height() -> None:
    for seed in range(0, LOOKS, 5):
        body = dressed(dealt(seed), 2)
        low, high = body.solid.points.min(axis=0), body.solid.points.max(axis=0)
        assert abs(high[1] - low[1] - body.look.height) < 0.06
        assert 0.4 < high[0] - low[0] < 0.75
        assert np.isfinite(body.solid.points).all()
        assert (body.solid.colours >= 0).all()


def test_looks_come_from_their_seed_and_are_many() -> None:
    looks = [dealt(seed) for seed in range(LOOKS)]
    assert looks == [dealt(seed) for seed in range(LOOKS)]
    assert len({(one.style, one.cut, one.top, one.bottom, one.skin) for one in looks}) > 0.95 * LOOKS
    assert {one.style for one in looks} == set(STYLES)
    assert {one.cut for one in looks} == set(CUTS)
