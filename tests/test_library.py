"""What Python's callers give wrongly is told by the name of the argument, as ConfigError, not by where it broke."""

from __future__ import annotations

import pytest

import nav_eval
from nav_eval import Episode, Goal, make_simulator
from nav_eval.core.interfaces import Place, Simulator
from nav_eval.errors import ConfigError
from nav_eval.testing import FakeSimulator

PRINTED = {"episode_id": "1", "scene_id": "house.glb", "start_position": [0, 0, 0], "start_rotation": [0, 0, 0, 1]}
"""An episode as the specification prints one (3.5)."""
LITTLE = ["dataset.limit=1", "simulator.sensors={}", "agent_service.agent=stop"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"instruction": {"text": "go", "tokens": ["go"]}}, r"Episode.instruction: a dict is no nav_eval.Instruction"),
        ({"goals": [{"position": [0, 0, 1], "radius": 0.2}]}, r"Episode.goals: a dict is no nav_eval.Goal"),
        ({"goals": [Goal(position=(0, 0, 1)), {}]}, r"Episode.goals: a dict .*nav_eval.load_dataset\(TYPE, FILE\)"),
    ],
)
def test_an_episode_of_plain_dicts_is_told_what_to_write(given, told):
    with pytest.raises(ConfigError, match=told):
        Episode(**PRINTED | given)


def test_a_dict_is_no_episode():
    with pytest.raises(ConfigError, match=r"reset: a dict is no nav_eval.Episode. .*load_dataset\(TYPE, FILE\)"):
        FakeSimulator().open_session().reset(PRINTED)
    with nav_eval.Evaluation("pointnav-demo", overrides=LITTLE) as demo:
        with pytest.raises(ConfigError, match=r"run_episode: a dict is no nav_eval.Episode"):
            demo.run_episode(PRINTED)
        assert demo.run_episode(next(iter(demo.episodes))).steps == 1


@pytest.mark.parametrize(
    ("sensors", "told"),
    [
        (["rgb"], "sensors: Input should be a valid dictionary"),
        ({"rgb": {"width": -1}}, r"sensors\.rgb\.width: .* greater than 0"),
    ],
)
def test_a_sensor_that_cannot_be_is_named(sensors, told):
    with pytest.raises(ConfigError, match=told):
        make_simulator("custom", scene="house.glb", sensors=sensors)


@pytest.mark.parametrize("count", [0, -1])
def test_no_environment_is_too_few(count):
    with pytest.raises(ConfigError, match=f"num_envs: is {count}. Give 1 or more"):
        nav_eval.make_vec_env("pointnav-demo", num_envs=count)


@pytest.mark.parametrize("end", [[3, 4], [[1, 2, 3], [1, 2]], ("a", "b", "c"), 5])
def test_what_is_no_position_is_told(end):
    with pytest.raises(ConfigError, match=r"positions: .* is not \(x, y, z\) in metres"):
        FakeSimulator().open_session().geodesic_distance((0, 0, 0), end)


@pytest.mark.parametrize(
    ("end", "places"), [((3, 0, 4), 1), ([(3, 0, 4), (9, 0, 9)], 2), ([Place((3, 0, 4))], 1), ([], 0)]
)
def test_positions_of_every_form_are_taken(end, places):
    asked = []

    class Told(type(FakeSimulator().open_session())):
        def distance_to(self, start, ends):
            asked.extend(ends)
            return 0.0

    simulator = FakeSimulator().open_session()
    simulator.__class__ = Told
    Simulator.geodesic_distance(simulator, (0, 0, 0), end)
    assert asked == [Place((3, 0, 4)), Place((9, 0, 9))][:places]
