"""`profile=NAME`: the cameras and the motion of a published model, as its own repository configures Habitat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nav_eval.cli.inspect import list_names
from nav_eval.config.loader import load_config, model_profiles
from nav_eval.errors import ConfigError
from nav_eval.results.sensor_class import sensor_class
from nav_eval.runs.registry import benchmark_config
from playing import document, play
from rooms import write_room

PUBLISHED = {
    # colour (width, height, hfov), depth or None, turn in degrees, actions in one answer; read in each repository
    "streamvln": ((640, 480, 79.0), (640, 480, 79.0), 15.0, 4),
    "navid": ((640, 480, 90.0), None, 30.0, 1),
    "navila": ((512, 512, 90.0), (256, 256, 90.0), 15.0, 1),
    "etpnav": ((224, 224, 90.0), (256, 256, 90.0), 15.0, 32),
    "internvla-n1": ((640, 480, 79.0), (640, 480, 79.0), 15.0, 1),
}


CAMERAS = ("rgb", "depth", "panorama", "depth_panorama")


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("benchmark", ["r2r-ce", "vln-demo", None])
def test_cameras_and_motion_are_the_models(name: str, benchmark: str | None) -> None:
    config = load_config(benchmark, overrides=[f"profile={name}"], environment={})
    rgb, depth, turn, chunk = PUBLISHED[name]
    seen = {
        key: (sensor.width, sensor.height, sensor.hfov)
        for key, sensor in config.simulator.sensors.items()
        if key in CAMERAS
    }
    names = CAMERAS[2:] if name == "etpnav" else CAMERAS[:2]
    assert seen == {names[0]: rgb} | ({names[1]: depth} if depth else {})
    motion = config.simulator.motion
    assert (motion.forward_step, motion.turn_angle, motion.sliding) == (0.25, turn, True)
    assert config.evaluation.max_chunk == chunk
    plain = load_config(benchmark or "r2r-ce", environment={})
    assert config.benchmark.profile == plain.benchmark.profile  # the scoring rules are the benchmark's
    assert config.title == plain.title.replace(plain.benchmark.name, f"{plain.benchmark.name} as {name}")


def test_etpnav_sees_panoramas_and_knows_where_it_is() -> None:
    config = load_config("r2r-ce", overrides=["profile=etpnav"], environment={})
    assert sensor_class(config.simulator.sensors) == "panorama+pose"
    depth = config.simulator.sensors["depth_panorama"]
    assert (depth.min_depth, depth.max_depth, depth.normalize) == (0.0, 10.0, True)


def test_what_is_said_after_it_wins() -> None:
    overrides = ["profile=navid", "simulator.motion.turn_angle=15", "simulator.sensors.depth={width: 64, height: 64}"]
    config = load_config("r2r-ce", overrides=overrides, environment={})
    assert config.simulator.motion.turn_angle == 15
    assert config.simulator.sensors["depth"].width == 64


def test_a_sensor_that_is_null_is_left_out() -> None:
    config = load_config("vln-demo", overrides=["simulator.sensors.semantic=null"], environment={})
    assert "semantic" not in config.simulator.sensors
    assert "rgb" in config.simulator.sensors


def test_an_unknown_one_is_refused_with_the_known() -> None:
    with pytest.raises(ConfigError, match=r"profile: there is no 'streamvlm'\. Did you mean 'streamvln'"):
        load_config("r2r-ce", overrides=["profile=streamvlm"], environment={})


def test_all_are_listed_with_their_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert model_profiles().keys() == PUBLISHED.keys()
    list_names("profiles", json=True)
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["about"].count("/") > 1 for row in rows} == dict.fromkeys(PUBLISHED, True)


def test_it_is_printed_with_the_result(tmp_path: Path) -> None:
    where = [one for one in write_room(tmp_path) if not one.startswith("simulator.sensors")]
    overrides = [*where, "profile=navid", "agent_service.agent=stop", "dataset.limit=1"]
    run = play(tmp_path / "run", overrides, "pointnav").path
    assert document(run)["benchmark"].startswith("pointnav as navid")
    assert "model: navid" in (run / "config.yaml").read_text()
    sensors = benchmark_config("pointnav", overrides=overrides).simulator.sensors
    assert {sensor for sensor in sensors if sensor in ("rgb", "depth")} == {"rgb"}
