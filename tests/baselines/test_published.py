"""Agents around published models, against checkouts that hold their signatures and note what they are called with."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baselines.published_code import NAVID, NAVILA, STREAMVLN, UNINAVID, checkout
from nav_eval_baselines.published import NaVidAgent, NaVILAAgent, PublishedError, StreamVLNAgent, UniNaVidAgent
from nav_eval_baselines.published.base import PublishedOptions
from nav_eval_baselines.published.navid import UniNaVidOptions
from nav_eval_baselines.published.navila import numbers_of, sampled
from nav_eval_baselines.published.streamvln import StreamVLNOptions

WALK = "Walk to the sofa."
SPACE: dict[str, Any] = {name: {} for name in ("stop", "move_forward", "turn_left", "turn_right")}


@pytest.fixture(autouse=True)
def nothing_stays_imported() -> Iterator[None]:
    paths, modules = [*sys.path], {*sys.modules}
    yield
    sys.path[:] = paths
    for name in {*sys.modules} - modules:
        origin = getattr(sys.modules[name], "__file__", None) or ""
        if "pytest" in origin or name.partition(".")[0] in ("model", "streamvln", "llava"):
            del sys.modules[name]


def begin(player: Any, chunk: int = 1, space: dict[str, Any] = SPACE) -> Any:
    player.max_chunk = chunk
    player.reset({"instruction": {"text": WALK}, "action_space": space, "limits": {}})
    return player


def frame(shade: int = 0) -> dict[str, Any]:
    return {"rgb": np.full((6, 8, 3), shade, np.uint8)}


def streamvln(folder: Path, **given: Any) -> Any:
    return StreamVLNAgent(StreamVLNOptions(str(checkout(folder, STREAMVLN)), "weights", **given))


def test_streamvln_is_asked_as_its_own_server_does_and_four_actions_go_back_at_once(tmp_path: Path) -> None:
    player = begin(streamvln(tmp_path), chunk=4)
    first = player.act(frame())
    assert first["actions"] == ["move_forward", "move_forward", "turn_left", "turn_right"]
    assert (first["said"], first["usage"].requests) == ("↑↑←→", 1)
    shown = (0, (6, 8, 3), "uint8", WALK)
    assert player.model.seen == [(*shown, True), *[(*shown, False)] * 3]
    assert player.model.step_id == 4
    player.model.answers = {4: "↑S"}
    assert player.act(frame())["actions"] == ["move_forward", "stop"]
    player.model.answers = {8: "S"}
    assert player.act(frame())["action"] == "stop"
    assert player.model.model.told == ("weights", "flash_attention_2", "bfloat16", False)
    assert player.model.model.calls == [("reset", 1), ("requires_grad_", False), ("to", "cuda:0"), ("eval",)]
    assert player.model.model.model.num_history == 8
    assert vars(player.model.args) == {"num_future_steps": 4, "num_frames": 32, "num_history": 8}
    assert [call[2] for call in sys.modules["transformers"].calls] == [
        {"model_max_length": 4096, "padding_side": "right"},
        {},
    ]
    begin(player)
    assert player.model.step_id == 0


def test_without_chunks_the_rest_of_an_answer_is_carried_out_step_by_step(tmp_path: Path) -> None:
    player = begin(streamvln(tmp_path))
    answers = [player.act(frame()) for _ in range(5)]
    assert [one["action"] for one in answers] == [
        "move_forward", "move_forward", "turn_left", "turn_right", "move_forward",
    ]  # fmt: skip
    assert [one.get("usage") is not None for one in answers] == [True, False, False, False, True]


def test_a_model_is_loaded_once_and_plays_one_episode_at_a_time(tmp_path: Path) -> None:
    first, second = begin(streamvln(tmp_path)), begin(streamvln(tmp_path))
    assert first.model is second.model
    with pytest.raises(PublishedError, match="another session has reset this model"):
        first.act(frame())
    assert second.act(frame())["action"] == "move_forward"


def test_navid_sees_every_frame_and_keeps_the_rest_itself(tmp_path: Path) -> None:
    player = begin(NaVidAgent(PublishedOptions(str(checkout(tmp_path, NAVID)), "weights")), chunk=4)
    assert [player.act(frame())["action"] for _ in range(4)] == ["move_forward", "move_forward", "turn_right", "stop"]
    assert player.model.seen == [((6, 8, 3), WALK)] * 4
    assert player.model.told == ("weights", False)
    begin(player)
    assert player.model.resets == 3


@pytest.mark.parametrize(("actions", "asked"), [(1, [[0], [1], [2], [3]]), (2, [[0], [1, 2]]), (4, [[0]])])
def test_uninavid_is_asked_again_after_so_many_actions_and_has_seen_the_frames_between(
    tmp_path: Path, actions: int, asked: list[list[int]]
) -> None:
    given = UniNaVidOptions(str(checkout(tmp_path, UNINAVID)), "weights", actions=actions)
    player = begin(UniNaVidAgent(given), chunk=4)
    done = [player.act(frame(shade))["action"] for shade in range(4)]
    assert done[0] == "move_forward"
    assert done == {1: ["move_forward"] * 4, 2: ["move_forward", "turn_left"] * 2}.get(
        actions, ["move_forward", "turn_left", "turn_right", "stop"]
    )
    assert player.model.asked == [(shades, WALK) for shades in asked]


def test_uninavid_may_be_shown_colours_as_its_example_reads_them(tmp_path: Path) -> None:
    given = UniNaVidOptions(str(checkout(tmp_path, UNINAVID)), "weights", channels="bgr")
    player = begin(UniNaVidAgent(given))
    player.act({"rgb": np.dstack([np.full((6, 8), shade, np.uint8) for shade in (10, 20, 30)])})
    assert player.model.asked[0][0] == [30]
    player.model.answer = "dance"
    with pytest.raises(PublishedError, match="names no action: dance"):
        player.act(frame())


def test_navila_is_asked_its_checkouts_question_and_shown_frames_of_the_whole_episode(tmp_path: Path) -> None:
    player = begin(NaVILAAgent(PublishedOptions(str(checkout(tmp_path, NAVILA)), "models/navila-8f")), chunk=4)
    model = player.model.model
    model.answers = ["The next action is move forward 75 cm.", "The next action is turn left 30 degree", "Stop."]
    answers = [player.act(frame(10 * n + 10)) for n in range(6)]
    assert [one["action"] for one in answers] == ["move_forward"] * 3 + ["turn_left"] * 2 + ["stop"]
    assert [one.get("said") for one in answers] == [model.answers[0], None, None, model.answers[1], None, "Stop."]
    assert model.told == ("models/navila-8f", "navila-8f")
    images = "<image>\n" * 3
    prompt = f'user: You were shown {images}, now <image>. Your task is: "{WALK}"\nassistant: None'
    assert [asked[0] for asked in model.asked] == [prompt] * 3
    assert [asked[1] for asked in model.asked] == [[0, 0, 0, 10], [10, 20, 30, 40], [10, 20, 40, 60]]
    given = model.asked[0][2]
    assert given.pop("stopping_criteria")[0].keywords == ["<|end|>"]
    assert given == {
        "do_sample": False, "temperature": 0.0, "max_new_tokens": 32, "use_cache": True, "pad_token_id": 7,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("The next action is move forward 25 cm.", [1]),
        ("The next action is move forward 60 cm.", [1, 1]),
        ("The next action is move forward.", [1]),
        ("The next action is turn right 45 degree.", [3] * 3),
        ("The next action is turn right 40 degree.", [3] * 3),
        ("The next action is turn left.", [2]),
        ("The next action is stop.", [0]),
        ("the next action is Turn Left 15 degrees", [2]),
    ],
)
def test_a_sentence_of_navila_is_so_many_steps(said: str, numbers: list[int]) -> None:
    assert numbers_of(said) == numbers


def test_what_names_no_action_ends_the_episode_in_one_sentence() -> None:
    for said in ("", "I see 3 doors.", "turn left"):
        with pytest.raises(PublishedError, match="names no action"):
            numbers_of(said)


def test_frames_are_spread_evenly_and_end_with_the_last() -> None:
    assert sampled(list(range(10)), 4) == [0, 3, 6, 9]
    assert sampled(list(range(8)), 8) == list(range(8))


def test_where_the_repository_is_not_installed_one_sentence_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--repository is missing"):
        PublishedOptions()
    with pytest.raises(ValueError, match="is no folder; clone the repository"):
        PublishedOptions(str(tmp_path / "none"), "weights")
    for kind, module in ((StreamVLNAgent, "streamvln.streamvln_agent"), (NaVidAgent, "navid_agent")):
        options = kind.Options(str(tmp_path), "weights")
        with pytest.raises(PublishedError, match=f"its {module} cannot be imported .*install it as its README says"):
            kind(options)
    checkout(tmp_path, {"llava/__init__.py": "import nowhere_at_all"})
    with pytest.raises(PublishedError, match="No module named 'nowhere_at_all'"):
        NaVILAAgent(PublishedOptions(str(tmp_path), "weights"))


def test_an_action_or_a_sensor_that_the_task_lacks_is_named(tmp_path: Path) -> None:
    player = begin(streamvln(tmp_path), space={"stop": {}, "velocity": {}})
    with pytest.raises(PublishedError, match="wants move_forward, which this task does not offer: stop, velocity"):
        player.act(frame())
    with pytest.raises(PublishedError, match="there is no sensor rgb"):
        player.act({"depth": np.zeros((2, 2, 1))})
