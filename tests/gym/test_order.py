"""The orders of episodes: each once a pass, few buildings at a time, the next one told ahead."""

from __future__ import annotations

from collections import Counter, OrderedDict

import numpy as np
import pytest

import nav_eval
from nav_eval.gym.order import Upcoming
from rooms import write_room

KEYS = [(f"home{number % 30}", str(number)) for number in range(30 * 20 + 7)]


def a_pass(order, seed=0, window=6, prepare=lambda scene: None):
    rng, upcoming = np.random.default_rng(seed), Upcoming(KEYS, order, window, prepare)
    return [upcoming.next(rng) for _ in KEYS]


def loads(played, kept):
    """How often a building is loaded of which the last `kept` used are held."""
    held, count = OrderedDict(), 0
    for scene, _ in played:
        count += scene not in held
        held[scene] = None
        held.move_to_end(scene)
        if len(held) > kept:
            held.popitem(last=False)
    return count


@pytest.mark.parametrize("window", [1, 6, 30, 99, None])
def test_a_shuffled_pass_plays_each_once_within_a_window_of_buildings(window):
    for seed in range(3):
        played = a_pass("shuffled", seed, window)
        assert Counter(played) == Counter(KEYS)
        assert played == a_pass("shuffled", seed, window) != a_pass("shuffled", seed + 9, window)
        scenes = [scene for scene, _ in played]
        begun = [scenes.index(scene) for scene in dict.fromkeys(scenes)]
        ends = {scene: number for number, scene in enumerate(scenes)}
        at_once = [sum(begin <= now <= ends[scenes[begin]] for begin in begun) for now in range(len(scenes))]
        assert max(at_once) == min(window or 30, 30)
        assert np.mean(at_once) > 0.85 * max(at_once), "as many as the window allows, from the first on"


def test_a_window_is_loaded_hardly_oftener_than_scene_by_scene():
    assert loads(a_pass("scenes"), 8) == 30
    assert loads(a_pass("shuffled"), 8) <= 33
    assert loads(a_pass("shuffled", window=None), 8) > 300


@pytest.mark.parametrize("order", ["scenes", "shuffled", "fixed"])
def test_the_building_that_comes_next_is_told_when_the_one_before_it_begins(order):
    told = []
    upcoming = Upcoming(KEYS, order, 6, told.append)
    rng, seen = np.random.default_rng(1), {}
    for _ in KEYS:
        scene, _ = upcoming.next(rng)
        seen.setdefault(scene, len(told))
    assert told == list(seen)[1:]
    assert list(seen.values()) == [*range(1, 30), 29]


def test_the_next_building_is_loaded_while_the_one_before_it_is_walked_in(tmp_path):
    room = [*write_room(tmp_path, scenes=2), "simulator.options.worlds=3"]
    envs = nav_eval.make_vec_env("pointnav", 2, overrides=room, order="scenes")
    backend, loaded = envs._backend, []
    prepare = backend.prepare
    backend.prepare = lambda scene: loaded.append(prepare(scene) or scene)
    _, infos = envs.reset(seed=0)
    envs.close()  # waits for the thread
    assert len(loaded) == 1
    assert loaded[0] not in infos["scene_id"]
