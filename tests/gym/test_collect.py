"""Rollouts in files: whole, each once, the same however often the work was interrupted."""

from __future__ import annotations

import json

import numpy as np
import pytest

import nav_eval
from graphs import item, node, write_r2r
from nav_eval.errors import ConfigError
from nav_eval.gym import rollouts, text
from rooms import write_room


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    return write_room(tmp_path_factory.mktemp("room"), scenes=2)


def by_key(folder):
    return {(str(one["scene_id"]), str(one["episode_id"])): one for one in rollouts(folder)}


def assert_same(a, b):
    assert a.keys() == b.keys()
    for key, one in a.items():
        assert one.keys() == b[key].keys()
        for name, value in one.items():
            np.testing.assert_array_equal(value, b[key][name], err_msg=name)


def left_first(observations, begins):
    """A policy that turns left where an episode begins, and then walks."""
    assert observations["depth"].shape[0] == len(begins)
    return np.where(begins, 2, 1)


def test_what_was_recorded_is_what_an_environment_shows_for_these_actions(room, tmp_path):
    nav_eval.collect("pointnav", tmp_path, overrides=room, policy=left_first, expert=0.5, num_envs=4, dense_reward=True)
    env = nav_eval.make_env("pointnav", overrides=room, dense_reward=True, expert_actions=True)
    found = by_key(tmp_path)
    assert {*found} == {*env.unwrapped.episodes}
    followed = []
    for key, one in found.items():
        seen, info = env.reset(options={"episode": key})
        for step in range(int(one["steps"])):
            assert one["expert_action"][step] == info["expert_action"]
            np.testing.assert_array_equal(one["depth"][step], seen["depth"])
            np.testing.assert_array_equal(one["gps"][step], seen["gps"])
            seen, reward, over, cut, info = env.step(one["action"][step])
            assert one["reward"][step] == reward
            assert (over or cut) == (step + 1 == one["steps"])
        assert json.loads(str(one["metrics"])) == info["metrics"]
        followed += (one["action"] == one["expert_action"]).tolist()
    assert 0.3 < np.mean(followed) < 0.95
    env.close()


def test_only_what_is_asked_for_is_written_and_the_policy_sees_all(room, tmp_path):
    settings = {"overrides": room, "policy": left_first, "expert": 0.5, "num_envs": 2}
    nav_eval.collect("pointnav", tmp_path / "all", **settings)
    nav_eval.collect("pointnav", tmp_path / "some", record=("gps",), **settings)
    every, some = by_key(tmp_path / "all"), by_key(tmp_path / "some")
    assert {name for one in every.values() for name in one} - {*next(iter(some.values()))} >= {"depth", "compass"}
    assert_same({key: {name: one[name] for name in some[key]} for key, one in every.items()}, some)
    assert "gps" in next(iter(some.values()))
    with pytest.raises(ConfigError, match=r"record=\['rgbd'\] is not observed. Observed are .*depth"):
        nav_eval.collect("pointnav", tmp_path / "none", record=("rgbd",), **settings)
    with pytest.raises(ConfigError, match="begun with other settings"):
        nav_eval.collect("pointnav", tmp_path / "some", **settings)


def test_an_interrupted_collection_goes_on_and_is_the_same(room, tmp_path):
    def ends_early(observations, begins):
        asked.append(1)
        if len(asked) > 45:
            raise KeyboardInterrupt
        return left_first(observations, begins)

    asked: list[int] = []
    settings = {"overrides": room, "expert": 0.5, "num_envs": 2, "steps_a_file": 30}
    with pytest.raises(KeyboardInterrupt):
        nav_eval.collect("pointnav", tmp_path / "a", policy=ends_early, **settings)
    some = len(by_key(tmp_path / "a"))
    files = nav_eval.collect("pointnav", tmp_path / "a", policy=left_first, **settings)
    assert 0 < some < len(by_key(tmp_path / "a"))
    assert files == sorted((tmp_path / "a").glob("part-*.npz"))
    nav_eval.collect("pointnav", tmp_path / "b", policy=left_first, **settings | {"num_envs": 8})
    assert_same(by_key(tmp_path / "a"), by_key(tmp_path / "b"))
    assert nav_eval.collect("pointnav", tmp_path / "a", policy=left_first, **settings) == files
    with pytest.raises(ConfigError, match="begun with other settings"):
        nav_eval.collect("pointnav", tmp_path / "a", policy=left_first, **settings | {"seed": 1})
    with pytest.raises(ConfigError, match="give a policy"):
        nav_eval.collect("pointnav", tmp_path / "c", expert=0.5, overrides=room)


def test_the_oracle_alone_succeeds_and_texts_are_kept_once(tmp_path):
    paths = [[node(0, y), node(1, y), node(2, y)] for y in range(3)]
    told = ["Walk to the end.", "走到尽头。", "Go on."]
    items = [item(number, path, [said]) for number, (path, said) in enumerate(zip(paths, told))]
    graph = write_r2r(tmp_path, items=items)
    nav_eval.collect("r2r", tmp_path / "out", overrides=graph, num_envs=2, compress=True)
    found = list(rollouts(tmp_path / "out"))
    assert sorted(text(one["instruction.text"]) for one in found) == sorted(told)
    assert all(json.loads(str(one["metrics"]))["success"] == 1.0 for one in found)
    assert all((one["action"] == one["expert_action"]).all() for one in found)
    assert all(one["navigable.count"].shape == (int(one["steps"]),) for one in found)
