from __future__ import annotations

import re
import time

import pytest
import yaml

from nav_eval.config.loader import builtin_benchmarks, load_config
from nav_eval.config.schema import BodyConfig, MotionConfig, SimulatorConfig
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.errors import ConfigError
from nav_eval.simulator.backends.external_values import wire_body
from nav_eval.simulator.motion import nominal_motion
from nav_eval_sdk.protocol.simulator import Body, Motion
from specification import SECTION_9


def write(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_specifications_file_is_valid_as_written(tmp_path):
    config = load_config(file=write(tmp_path, SECTION_9), environment={})
    for section, values in yaml.safe_load(SECTION_9).items():
        if section != "simulator":
            held = getattr(config, section).model_dump(mode="json")
            assert {key: held[key] for key in values} == values
    assert config.simulator.sensors["rgb"].width == 640
    assert list(config.simulator.sensors) == ["rgb", "depth", "instruction", "gps", "compass"]


def test_later_layers_win(tmp_path):
    file = write(tmp_path, "evaluation: {max_steps: 11}\nseed: 1\n")
    environment = {"NAV_EVAL_EVALUATION__MAX_STEPS": "12", "NAV_EVAL_SEED": "2", "HOME": "/x"}
    assert load_config("r2r", environment={}).evaluation.max_steps == 500
    assert load_config("r2r", file=file, environment={}).evaluation.max_steps == 11
    assert load_config("r2r", file=file, environment=environment).evaluation.max_steps == 12
    config = load_config("r2r", file=file, environment=environment, overrides=["evaluation.max_steps=13"])
    assert (config.evaluation.max_steps, config.seed, config.evaluation.success_distance) == (13, 2, 3.0)


@pytest.mark.parametrize("name", sorted(builtin_benchmarks()))
def test_edges_are_smooth_where_homes_are_generated(name):
    """Scans are drawn as Habitat draws them."""
    config = load_config(name, environment={})
    assert config.simulator.antialiasing == (config.dataset.generate is not None)


def test_what_one_call_sets_the_next_knows_nothing_of(tmp_path, monkeypatch):
    """The built-in files are composed once in a process: a call works on a copy, and asks the environment itself."""
    file = write(tmp_path, "evaluation: {max_moves: 7}\nsimulator: {sensors: {gps: null}}\n")
    monkeypatch.setenv("NAV_EVAL_DATA", "/before")
    plain = load_config("r2r", environment={})
    overrides = ["evaluation.max_steps=3", "~simulator.sensors.instruction", "+simulator.options.mine=1"]
    set_here = load_config("r2r", environment={}, overrides=overrides)
    of_file = load_config("r2r", file=file, environment={})
    assert len({plain.model_dump_json(), set_here.model_dump_json(), of_file.model_dump_json()}) == 3
    assert load_config("r2r", environment={}) == plain
    assert load_config("r2r", environment={}, overrides=overrides) == set_here
    monkeypatch.setenv("NAV_EVAL_DATA", "/after")
    before, after = plain.dataset.data_path, load_config("r2r", environment={}).dataset.data_path
    assert (before.startswith("/before/"), after) == (True, before.replace("/before/", "/after/"))


def test_variables_of_the_agents_command_are_no_keys():
    environment = {"NAV_EVAL_AGENT_TOKEN": "secret", "NAV_EVAL_AGENT_TOKEN_FILE": "x", "NAV_EVAL_DATA": "elsewhere"}
    assert load_config("vln-demo", environment=environment) == load_config("vln-demo", environment={})


def test_hydras_grammar(tmp_path):
    config = load_config(
        "r2r",
        environment={},
        overrides=[
            "dataset.scenes=[a,b]",
            "agent_service.agent='my.module:Agent'",
            "~simulator.sensors.gps",
            "+simulator.sensors.heading={}",
            "dataset.data_path=${oc.env:HOME}/x.json",
        ],
    )
    assert config.dataset.scenes == ("a", "b")
    assert config.agent_service.agent == "my.module:Agent"
    assert "gps" not in config.simulator.sensors
    assert "heading" in config.simulator.sensors
    assert config.dataset.data_path.endswith("/x.json")
    assert "$" not in config.dataset.data_path


@pytest.mark.parametrize("benchmark", ["vln-demo", "pointnav", None])
def test_sensors_named_together_are_all_there_are(benchmark):
    few = "simulator.sensors={depth: {width: 64}, gps: {}}"
    config = load_config(benchmark, environment={}, overrides=[few, "simulator.sensors.depth.height=48"])
    assert {*config.simulator.sensors} == {"depth", "gps"}
    assert (config.simulator.sensors["depth"].width, config.simulator.sensors["depth"].height) == (64, 48)
    assert config.simulator.sensors["depth"].hfov is None
    assert not load_config(benchmark, environment={"NAV_EVAL_SIMULATOR__SENSORS": "{}"}).simulator.sensors


def test_a_group_that_is_added_comes_after_the_file(tmp_path):
    """In the order of docs/reference/configuration.md, and a value after both."""
    file = write(tmp_path, "simulator: {body: {height: 1.5, radius: 0.3}}\n")
    overrides = ["+simulator=locobot", "simulator.body.radius=0.4"]
    body = load_config("vln-demo", file=file, environment={}, overrides=overrides).simulator.body
    assert (
        body.height == load_config(None, environment={}, overrides=["+simulator=locobot"]).simulator.body.height != 1.5
    )
    assert body.radius == 0.4


def test_the_videos_of_a_sample_need_no_quotes():
    assert load_config("r2r", environment={}, overrides=["output.video=sample(3)"]).output.video == "sample(3)"


def test_every_fault_at_once_with_key_nearest_name_and_source(tmp_path):
    file = write(tmp_path, "dataset: {limt: 3}\nevaluation: {max_steps: many, success_distance: .nan}\n")
    with pytest.raises(ConfigError) as caught:
        load_config("r2r", file=file, environment={"NAV_EVAL_SEED": "-1"}, overrides=["agent_service.protocol=soap"])
    text = str(caught.value)
    assert "5 faults" in text
    assert "dataset.limt: unknown key. Did you mean 'limit'?" in text
    assert "evaluation.success_distance" in text
    assert text.count(str(file)) == 3
    assert "seed" in text
    assert "[the environment]" in text
    assert "[the command line]" in text


def test_a_thousand_faults_are_told_in_seconds_and_shown_in_part(tmp_path):
    file = write(tmp_path, "".join(f"k{i}: {'Q' * 500}\n" for i in range(1000)))
    begun = time.process_time()
    with pytest.raises(ConfigError, match="1000 faults") as caught:
        load_config(file=file, environment={})
    assert time.process_time() - begun < 10
    assert "... and 950 more." in str(caught.value)


def test_a_file_of_megabytes_is_no_configuration(tmp_path):
    with pytest.raises(ConfigError, match="at most"):
        load_config(file=write(tmp_path, "benchmark: {name: " + "Q" * 5_000_000 + "}"), environment={})


@pytest.mark.parametrize("override", ["seed=1,2", "a b", "=3", "seed=[1", "~nothing.here", "dataset=null"])
def test_what_is_no_override_is_said_in_one_message(override):
    with pytest.raises(ConfigError) as caught:
        load_config("r2r", environment={}, overrides=[override])
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "text",
    ["- a\n- b\n", "task: [", "\x00", "task: {type: ${nowhere.at.all}}", "a: &x [*x]", "!!python/object:os.system {}"],
)
def test_a_broken_file_is_named(tmp_path, text):
    with pytest.raises(ConfigError):
        load_config(file=write(tmp_path, text), environment={})


def test_an_absent_file_and_benchmark_are_named(tmp_path):
    with pytest.raises(ConfigError, match="no such configuration file"):
        load_config(file=tmp_path / "none.yaml", environment={})
    with pytest.raises(ConfigError, match="Did you mean 'r2r'"):
        load_config("r2rr", environment={})


@pytest.mark.parametrize("group", ["simulator=vlnce", "tasks=vln_graph"])
def test_a_group_that_is_chosen_for_the_first_time_is_told_of_its_plus(group):
    with pytest.raises(ConfigError) as caught:
        load_config("pointnav-demo", environment={}, overrides=[group])
    told = re.search(r"Write (\+\S+)$", str(caught.value))
    assert told[1] == f"+{group}"
    assert load_config("vln-demo", environment={}, overrides=[told[1]])


@pytest.mark.parametrize("given", ["simulator=vlnc", "+simulator=vlnc"])
def test_a_member_that_a_group_lacks_is_told_with_the_nearest(given):
    with pytest.raises(ConfigError, match=r"simulator: there is no 'vlnc'\. Did you mean 'vlnce'\? Known: lab, "):
        load_config("pointnav", environment={}, overrides=[given])


def test_a_file_can_build_on_a_benchmark(tmp_path):
    file = write(tmp_path, "defaults:\n  - benchmarks/r2r\n  - _self_\nevaluation: {max_steps: 9}\n")
    config = load_config(file=file, environment={})
    assert (config.benchmark.name, config.evaluation.max_steps) == ("r2r", 9)


def test_an_old_key_sets_the_new_one_and_says_so(tmp_path):
    file = write(tmp_path, "agent_service: {replays: 0}\n")
    with pytest.warns(
        DeprecationWarning, match=r"agent_service\.replays is now called agent_service\.episode_restarts"
    ):
        config = load_config("r2r", file=file, environment={})
    new = load_config("r2r", environment={}, overrides=["agent_service.episode_restarts=0"])
    assert config.model_dump() == new.model_dump()
    with pytest.raises(ConfigError, match=r"agent_service: .*give one of them"):
        load_config("r2r", file=file, environment={}, overrides=["agent_service.episode_restarts=1"])


def test_the_configuration_cannot_be_edited():
    with pytest.raises(ValueError, match="frozen"):
        load_config("r2r", environment={}).seed = 3


def test_a_navmesh_of_the_engine_is_built_for_the_body_of_the_configuration():
    """Three programs have defaults of a body: the engine, the configuration, and a simulator behind a wire."""
    body, wire, engine = BodyConfig(), Body(), NavmeshSettings()
    assert (body.height, body.radius, body.max_climb, body.max_slope) == (
        engine.agent_height,
        engine.agent_radius,
        engine.agent_max_climb,
        engine.agent_max_slope,
    )
    assert wire_body(SimulatorConfig()) == wire
    assert nominal_motion(MotionConfig()) == Motion()
