from __future__ import annotations

import pytest

from nav_eval.core.episodes import EpisodeManager, Selection, scene_matches
from nav_eval.dataset.episode import Episode, Instruction
from nav_eval.errors import DatasetError


class Listed:
    files = ("made.json",)

    def __init__(self, episodes):
        self._episodes = episodes

    def __iter__(self):
        return iter(self._episodes)


def episodes(count, scenes=3):
    languages = ("en", "zh")
    return [
        Episode(
            episode_id=str(i // scenes),
            scene_id=f"mp3d/s{i % scenes}/s{i % scenes}.glb",
            instruction=Instruction(text="x", language=languages[i % 2]),
        )
        for i in range(count)
    ]


def test_the_order_is_the_files():
    made = episodes(20)
    assert list(EpisodeManager(Listed(made))) == made


def test_filters_and_limit():
    made = episodes(60)
    chosen = list(EpisodeManager(Listed(made), Selection(scenes=["s1"], languages=["zh"], limit=3)))
    expected = [e for e in made if "s1" in e.scene_id and e.instruction.language == "zh"][:3]
    assert chosen == expected


def test_a_sample_is_the_same_for_a_seed_and_keeps_the_order():
    made = episodes(90)
    one, two = (EpisodeManager(Listed(made), Selection(sample=10, seed=4)).keys for _ in range(2))
    other = EpisodeManager(Listed(made), Selection(sample=10, seed=5)).keys
    order = [e.key for e in made]
    assert one == two != other
    assert one == sorted(one, key=order.index)
    assert len(one) == 10


def test_the_same_id_in_two_scenes_is_two_episodes_but_twice_in_one_scene_is_a_fault():
    made = episodes(6)
    assert len(EpisodeManager(Listed(made))) == 6
    with pytest.raises(DatasetError, match=r"made\.json.*'1'.*twice"):
        _ = EpisodeManager(Listed([*made, made[4]])).keys


def test_nothing_left_says_which_filters_to_look_at():
    with pytest.raises(DatasetError, match=r"dataset\.scenes"):
        _ = EpisodeManager(Listed(episodes(4)), Selection(episodes=["99"])).keys


def test_a_file_without_episodes_is_not_the_filters_fault():
    with pytest.raises(DatasetError, match=r"made\.json: there is no episode in it"):
        _ = EpisodeManager(Listed([]), Selection(limit=3)).keys
    with pytest.raises(DatasetError, match=r"dataset\.scenes"):
        _ = EpisodeManager(Listed([]), Selection(filtered=True)).keys


def test_scenes_are_named_by_id_file_or_bare_name():
    for name in ("mp3d/a1/a1.glb", "a1.glb", "a1"):
        assert scene_matches("mp3d/a1/a1.glb", {name})
    assert not scene_matches("mp3d/a1/a1.glb", {"a"})
