"""Agents around published models, against checkouts that hold their signatures and note what they are called with."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nav_eval
from baselines.published_code import ETPNAV, NAVID, NAVILA, STREAMVLN, UNINAVID, checkout
from nav_eval.geometry import to_start_frame
from nav_eval_baselines.published import (
    ETPNavAgent,
    NaVidAgent,
    NaVILAAgent,
    PublishedError,
    StreamVLNAgent,
    UniNaVidAgent,
)
from nav_eval_baselines.published.base import PublishedOptions
from nav_eval_baselines.published.etpnav import views
from nav_eval_baselines.published.navid import UniNaVidOptions
from nav_eval_baselines.published.navila import numbers_of, sampled
from nav_eval_baselines.published.streamvln import StreamVLNOptions

WALK = "Walk to the sofa."
PACKAGES = ("model", "streamvln", "llava", "vlnce_baselines", "habitat_baselines", "gym")
SPACE: dict[str, Any] = {name: {} for name in ("stop", "move_forward", "turn_left", "turn_right")}


@pytest.fixture(autouse=True)
def nothing_stays_imported() -> Iterator[None]:
    paths, modules = [*sys.path], {*sys.modules}
    yield
    sys.path[:] = paths
    for name in {*sys.modules} - modules:
        origin = getattr(sys.modules[name], "__file__", None) or ""
        if "pytest" in origin or name.partition(".")[0] in PACKAGES:
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


def test_sessions_that_begin_together_load_one_model(tmp_path: Path) -> None:
    begun: list[float] = []

    class Slow(StreamVLNAgent):
        def load(self) -> Any:
            begun.append(time.monotonic())
            time.sleep(0.2)
            return object()

    options = StreamVLNOptions(str(tmp_path), "weights")
    with ThreadPoolExecutor(4) as pool:
        agents = list(pool.map(lambda _: Slow(options), range(4)))
    assert len(begun) == len({id(agent.model) for agent in agents}) == 1


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


def etpnav(folder: Path) -> Any:
    return ETPNavAgent(PublishedOptions(str(checkout(folder, ETPNAV)), "ckpt.pth"))


def around(yaw: float = 0.0, ahead: float = 0.0, right: float = 0.0, free: Sequence[int] = (0,)) -> dict[str, Any]:
    """Walls a metre away, but for clockwise views that see 3.2 m far; each view's colour is its number."""
    rgb = np.empty((12, 224, 224, 3), np.uint8)
    rgb[:] = np.arange(12)[:, None, None, None]
    depth = np.full((12, 256, 256, 1), 0.06, np.float32)
    depth[list(free)] = 0.34
    pose = {"gps": np.array([ahead, right], np.float32), "compass": np.array([yaw], np.float32)}
    return {"panorama": rgb, "depth_panorama": depth, **pose}


def test_etpnavs_views_go_the_other_way_round() -> None:
    shown = views(around())
    assert [*shown][:4] == ["rgb", "depth", "rgb_30", "depth_30"]
    assert {name: int(rgb[0, 0, 0]) for name, rgb in shown.items() if "rgb" in name} == {
        "rgb": 0, "rgb_30": 11, "rgb_60": 10, "rgb_90": 9, "rgb_120": 8, "rgb_150": 7, "rgb_180": 6, "rgb_210": 5,
        "rgb_240": 4, "rgb_270": 3, "rgb_300": 2, "rgb_330": 1,
    }  # fmt: skip


def test_etpnav_walks_to_a_waypoint_and_back_over_its_graph(tmp_path: Path) -> None:
    player = etpnav(tmp_path)
    (tmp_path / "goals.json").write_text(json.dumps({WALK: [3.0, 0.0, 0.0]}))  # three metres to the right
    player = begin(player, chunk=32)
    first = player.act(around(free=(2, 9)))  # free ways at 60 degrees to the right and 90 to the left
    assert first["actions"] == ["turn_right"] * 4 + ["move_forward"] * 12
    assert (first["said"], first["usage"].requests) == ("walk to g1 by node 0", 1)
    there = {"ahead": 1.0, "right": 2.6, "yaw": -math.pi / 3}
    assert player.act(around(**there, free=()))["action"] == "stop"
    begin(player, chunk=32)
    assert player._graph.node_pos == {}
    player.act(around(free=(2, 9)))
    stuck = {"ahead": 0.0, "right": -0.6, "yaw": -math.pi / 3}  # it got elsewhere, where nothing is free
    back = player.act(around(**stuck, free=()))
    assert back["said"] == "walk to g0 by node 0"
    assert back["actions"] == ["turn_right"] * 2 + ["move_forward"] * 2  # to the first node
    rest = player.act(around(right=0.0, yaw=-math.pi / 2))
    assert rest == {"actions": ["turn_left"] * 12 + ["move_forward"] * 12}


def test_etpnavs_legs_are_what_its_own_control_walks(tmp_path: Path) -> None:
    player = begin(etpnav(tmp_path))
    draw = np.random.default_rng(7)
    for _ in range(200):
        here, there = (np.append(draw.uniform(-4, 4, 2), 0)[[0, 2, 1]] for _ in range(2))
        yaw = draw.uniform(-math.pi, math.pi)
        legs = player._leg(here, yaw, there)
        turned = yaw + math.radians(15) * (legs.count(2) - legs.count(3))
        (x, _, z), far = there - here, legs.count(1) * 0.25
        off = math.remainder(math.atan2(-x, -z) - turned, 2 * math.pi)
        assert abs(off) <= math.radians(7.5) + 1e-9
        assert 0 <= math.hypot(x, z) - far < 0.25
        assert legs == sorted(legs, key=lambda number: number == 1)
        assert min(legs.count(2), legs.count(3)) == 0
        assert max(legs.count(2), legs.count(3)) <= 12


def test_sessions_of_etpnav_have_graphs_of_their_own(tmp_path: Path) -> None:
    first = etpnav(tmp_path)
    (tmp_path / "goals.json").write_text(json.dumps({WALK: [3.0, 0.0, 0.0]}))
    second = ETPNavAgent(first.options)
    begin(first, chunk=32), begin(second, chunk=32)
    assert first.model is second.model
    assert first.act(around(free=(2,)))["actions"][0] == "turn_right"
    assert second.act(around(free=(9,)))["actions"][0] == "turn_left"
    assert [len(player._graph.ghost_aug_pos) for player in (first, second)] == [0, 0]
    assert first._graph.node_pos.keys() == second._graph.node_pos.keys() == {"0"}


def test_what_etpnav_lacks_is_named(tmp_path: Path) -> None:
    player = begin(etpnav(tmp_path / "whole"))
    with pytest.raises(PublishedError, match=r"no sensor gps to show: set profile=NAME, or simulator\.sensors\.gps"):
        player.act(around() | {"gps": None})
    metres = around()["depth_panorama"] * 10
    told = r"depth_panorama must be \(12, 256, 256, 1\), depth from 0 to 1: set profile=etpnav"
    with pytest.raises(PublishedError, match=told):
        player.act(around() | {"depth_panorama": metres})
    files = {name: text for name, text in ETPNAV.items() if not name.startswith("data/")}
    options = PublishedOptions(str(checkout(tmp_path / "bare", files)), "ckpt.pth")
    before = Path.cwd()
    with pytest.raises(PublishedError, match="check_cwp_bestdist_hfov90 is missing; get it as its README says"):
        ETPNavAgent(options)
    assert Path.cwd() == before


def test_etpnav_plays_episodes_of_the_simulator_to_their_goals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = str(checkout(tmp_path, ETPNAV))
    monkeypatch.setenv("POLICY_OPTIONS", f"--repository {where} --checkpoint weights")
    overrides = [
        "profile=etpnav", "dataset.generate.rooms=2", "dataset.generate.per_scene=2", "dataset.limit=4",
        "simulator.sensors.semantic=null", "simulator.sensors.objects=null", "evaluation.parallel.sessions=2",
        "agent_service.agent=nav_eval_baselines.published:ETPNavAgent",
    ]  # fmt: skip
    with nav_eval.Evaluation("vln-demo", overrides=overrides) as evaluation:
        goals = {
            one.instruction.text: to_start_frame(one.goals[0].position, one.start_position, one.start_rotation)
            for one in evaluation.episodes
        }
        level = {text: [x, 0.0, z] for text, (x, _, z) in goals.items()}
        (tmp_path / "goals.json").write_text(json.dumps(level))
    results = nav_eval.evaluate("vln-demo", overrides=overrides)
    assert [one.status for one in results.episodes] == ["ok"] * 4
    for one in results.episodes:
        assert one.metrics["success"] == 1
        assert one.metrics["navigation_error"] < 2 < 4 < one.metrics["path_length"]


def test_where_the_repository_is_not_installed_one_sentence_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--repository is missing"):
        PublishedOptions()
    with pytest.raises(ValueError, match="is no folder; clone the repository"):
        PublishedOptions(str(tmp_path / "none"), "weights")
    modules = {
        StreamVLNAgent: "streamvln.streamvln_agent",
        NaVidAgent: "navid_agent",
        ETPNavAgent: "vlnce_baselines.ss_trainer_ETP",
    }
    for kind, module in modules.items():
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
