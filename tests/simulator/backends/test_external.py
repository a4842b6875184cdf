"""The external backend against hosts in this process, in a process of their own, and against hostile ones."""

from __future__ import annotations

import math
import os
import socket
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from nav_eval import make_simulator
from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.types import Place
from nav_eval.dataset.episode import Episode, Goal
from nav_eval.errors import ConfigError, SimulatorError, SimulatorUnavailable
from nav_eval.simulator.backends.external import ExternalBackend
from nav_eval.simulator.backends.external_values import agent_state
from nav_eval.simulator.backends.unity import UnityBackend
from nav_eval.testing import check_simulator, demand
from nav_eval_sdk.protocol.messages import TensorSpec
from nav_eval_sdk.protocol.simulator import CALLS, State
from nav_eval_sdk.simulator_host import start
from patience import PATIENCE, until
from simulator.backends.hostile_simulator import ATTACKS, IMAGES, answer, hostile
from simulator.backends.square_host import SquareHost

HOST = Path(__file__).with_name("square_host.py")
CAMERAS = {"rgb": SensorConfig(width=6, height=4), "depth": SensorConfig(width=6, height=4, max_depth=5)}
EPISODE = Episode(
    episode_id="1", scene_id="square", start_position=(0.0, 0.0, 0.0), goals=(Goal(position=(1.0, 0.0, -2.0)),)
)
FAST = {"deadlines": {"call": 0.4, "start": 0.4, "connect": 2}}


def config(endpoint=None, *, sensors=("rgb", "depth"), **settings):
    suite = {name: CAMERAS.get(name, SensorConfig()) for name in (*sensors, "gps", "compass", "collision")}
    return SimulatorConfig(backend="external", endpoint=endpoint, sensors=suite, **settings)


@contextmanager
def hosting(host=SquareHost, transport="socket", **settings):
    """A session with a host in this process."""
    with start(host, transport=transport) as server:
        yield ExternalBackend(config(server.endpoint, **settings), 3).open_session()


@pytest.mark.parametrize("transport", ["socket", "grpc"])
def test_a_python_host_conforms_over_both_transports(transport):
    with start(SquareHost, transport=transport) as server:
        backend = ExternalBackend(config(server.endpoint), 3)
        assert backend.describe().name == "square"
        demand(check_simulator(backend, [*backend.examples(), EPISODE]))
        backend.close()


@pytest.mark.parametrize(("served", "asked"), [("socket", "grpc://"), ("grpc", "socket://"), ("grpc", "")])
def test_the_other_wire_is_told(served, asked):
    with start(SquareHost, transport=served) as server:
        place = server.endpoint.rpartition("://")[2]
        with pytest.raises(SimulatorError, match=rf"Perhaps .*simulator\.endpoint={served}://{place}\.$"):
            ExternalBackend(config(f"{asked}{place}"), 3).describe()


@pytest.mark.parametrize("transport", ["socket", "grpc"])
def test_what_travels_arrives_unchanged(transport):
    with hosting(transport=transport) as session:
        seen = session.reset(EPISODE)
        assert seen["rgb"].shape == (4, 6, 3)
        assert seen["depth"].shape == (4, 6, 1)
        for _ in range(3):
            seen = session.step({"action": "move_forward", "action_args": {}})
        assert (seen["rgb"] == int(0.75 * 3)).all()
        assert seen["gps"].tolist() == [0.75, 0.0]
        assert seen["depth"].max() <= 5
        assert session.distance_to(Place((0.0, 0.0, 0.0)), [Place((3.0, 0.0, 4.0))]) == 5.0
        assert session.distance_to(Place((0.0, 0.0, 0.0)), [Place((30.0, 0.0, 4.0))]) == math.inf
        assert session.is_navigable((4.9, 0.0, 4.9))
        assert not session.is_navigable((5.1, 0.0, 0.0))
        first = session.advance(Action("move_forward")).events["seed"]
        session.reset(EPISODE)
        assert session.advance(Action("move_forward")).events["seed"] != first
        session.close()


def test_noise_seeds_depend_on_run_episode_and_step():
    with start(SquareHost) as server:
        walks = []
        for seed in (1, 1, 2):
            session = ExternalBackend(config(server.endpoint), seed).open_session()
            session.reset(EPISODE)
            walks.append([session.advance(Action("stop")).events["seed"] for _ in range(3)])
            session.close()
        assert walks[0] == walks[1]
        assert len({*walks[0], *walks[2]}) == 6


def test_a_sensor_of_the_simulators_own(tmp_path):
    class Lidar(SquareHost):
        def observation_spec(self):
            return super().observation_spec() | {"lidar": TensorSpec(shape=(8,), dtype="float32", unit="m")}

    options = {"sensors": {"lidar": {"width": 8}}}
    with hosting(Lidar, options=options) as session:
        assert session.observation_spec["lidar"].shape == (8,)
        assert session.reset(EPISODE)["lidar"].shape == (8,)
    with pytest.raises(ConfigError, match=r"lidar.*does not offer"), hosting(options=options):
        pass


NESTED = {"kind": "list", "item": {"kind": "number"}}
for _ in range(300):
    NESTED = {"kind": "list", "item": NESTED}


@pytest.mark.parametrize(
    "spec",
    [
        {"kind": "tensor", "shape": [1 << 40], "dtype": "uint8"},
        {"kind": "tensor", "shape": [-1], "dtype": "uint8"},
        {"kind": "tensor", "shape": [3], "dtype": "object"},
        {"kind": "riddle"},
        NESTED,
        7,
    ],
)
def test_a_spec_that_cannot_be_is_refused_before_anything_is_allocated(spec):
    def declare(request):
        return answer(request, body={"observation_spec": {"rgb": spec}})

    with hostile("open", declare) as endpoint, pytest.raises(SimulatorError) as caught:
        play(endpoint)
    assert "\n" not in str(caught.value)


def test_a_camera_that_it_lacks_is_named():
    with pytest.raises(ConfigError, match=r"sensors\.semantic.*has rgb, depth"), hosting(sensors=("semantic",)):
        pass


def test_a_full_simulator_says_so_and_takes_the_next_after_a_close():
    with start(SquareHost, max_sessions=1) as server:
        backend = ExternalBackend(config(server.endpoint))
        first = backend.open_session()
        with pytest.raises(SimulatorError, match="1 sessions at once"):
            backend.open_session()
        first.close()
        backend.open_session().close()


def test_a_lost_connection_gives_its_session_back():
    with start(SquareHost, max_sessions=1) as server:
        backend = ExternalBackend(config(server.endpoint))
        backend.open_session()._drop()

        def free():
            try:
                return backend.open_session()
            except SimulatorError:
                return None

        until(free, "the session of a lost connection")


def command(*more):
    return " ".join([sys.executable, str(HOST), *more])


@pytest.mark.parametrize("arguments", [(), ("--port", "{port}"), ("--transport", "grpc")])
def test_a_process_of_ours_is_started_and_stopped(arguments):
    backend = ExternalBackend(config(command=command(*arguments)))
    session = backend.open_session()
    session.reset(EPISODE)
    process = backend._process._process
    assert {"simulator: square_host.py"} < backend.assets("square").keys()
    session.close()
    backend.close()
    assert process.wait(PATIENCE) is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def test_who_listens_already_is_not_what_the_command_starts():
    with socket.create_server(("127.0.0.1", 0)) as other:
        endpoint = f"127.0.0.1:{other.getsockname()[1]}"
        backend = ExternalBackend(config(endpoint, command=command("--port", "{port}"), options=FAST))
        with pytest.raises(SimulatorUnavailable, match="another program listens at port"):
            backend.open_session()
        backend.close()


def test_a_process_that_dies_fails_its_episode_and_is_started_again():
    backend = ExternalBackend(config(command=command()))
    session = backend.open_session()
    session.reset(EPISODE)
    backend._process._process.kill()
    with pytest.raises(SimulatorError, match="exit code -9") as caught:
        session.step("move_forward")
    assert "\n" not in str(caught.value)
    assert session.reset(EPISODE)["gps"].tolist() == [0.0, 0.0]
    backend.close()


def test_a_process_that_dies_in_start_leaves_its_exit_code():
    backend = ExternalBackend(config(command=command(), options={"host": {"die": True}}))
    session = backend.open_session()
    with pytest.raises(SimulatorError, match=r"in start.*exit code 7"):
        session.reset(EPISODE)
    backend.close()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no-such-program", "cannot be started"),
        (f"{sys.executable} -c \"print('no GPU here'); raise SystemExit(3)\"", "exit code 3.*no GPU here"),
        (f'{sys.executable} -c "import time; time.sleep(60)"', "within 2 s"),
    ],
)
def test_a_process_that_never_listens(line, message):
    backend = ExternalBackend(config(command=line, options=FAST))
    with pytest.raises(SimulatorUnavailable, match=message) as told:
        backend.open_session()
    assert told.value.exit_code == 3
    backend.close()


@pytest.mark.parametrize(
    ("backend", "advice"), [("external", "simulator.command"), ("unity", "simulator.options.player")]
)
def test_who_is_missing_is_no_fault_of_the_evaluators(backend, advice):
    with pytest.raises(SimulatorUnavailable) as told:
        make_simulator(backend, endpoint="127.0.0.1:1")
    assert told.value.exit_code == 3
    assert advice in str(told.value)


def test_nobody_there():
    with pytest.raises(SimulatorError, match=r"127\.0\.0\.1:1 failed in connect"):
        make_simulator("external", endpoint="127.0.0.1:1")
    with pytest.raises(ConfigError, match="endpoint"):
        make_simulator("external", endpoint="nowhere")
    with pytest.raises(ConfigError, match=r"simulator\.command"):
        make_simulator("external")
    with pytest.raises(ConfigError, match=r"simulator.options.deadlines.cal: unknown key. Did you mean 'call'"):
        make_simulator("external", endpoint="x:1", options={"deadlines": {"cal": 3}})


def play(endpoint):
    session = ExternalBackend(config(endpoint, sensors=("rgb",), options=FAST)).open_session()
    session.reset(EPISODE)
    session.step("move_forward")
    session.distance_to(Place((0.0, 0.0, 0.0)), [Place((1.0, 0.0, 0.0))])
    session.is_navigable((0.0, 0.0, 0.0))


HARMLESS = {
    ("describe", "short vector"), ("describe", "no quaternion"), ("describe", "wrong types"),
    ("is_navigable", "short vector"), ("is_navigable", "no quaternion"),
    ("distance", "no quaternion"),
}  # fmt: skip
"""Answers with keys that the call does not know are answers; a newer simulator may say more."""


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("call", [name for name in CALLS if name not in ("expert_action", "close", "state", "observe")])
def test_a_hostile_simulator_gives_one_clear_message(call, attack):
    with hostile(call, ATTACKS[attack]) as endpoint:
        if (call, attack) in HARMLESS:
            play(endpoint)
            return
        begun = time.monotonic()
        with pytest.raises((SimulatorError, ConfigError)) as caught:
            play(endpoint)
        assert time.monotonic() - begun < 60
    assert len(str(caught.value)) < 700
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("position", [(math.nan, 0.0, 0.0), (0.0, math.inf, 0.0)])
def test_a_pose_that_is_not_finite_is_refused(position):
    with pytest.raises(SimulatorError, match="not finite"):
        agent_state(State(position))


@pytest.mark.parametrize("attack", IMAGES)
def test_a_hostile_picture_gives_one_clear_message(attack):
    with hostile("observe", IMAGES[attack]) as endpoint, pytest.raises(SimulatorError, match="observe") as caught:
        play(endpoint)
    assert "\n" not in str(caught.value)


def test_a_slow_start_is_cut_off_and_the_next_episode_runs():
    with hosting(options={"deadlines": {"start": 0.1}, "host": {"sleep": 0.5}}) as session:
        with pytest.raises(SimulatorError, match="no answer in time"):
            session.start(EPISODE)
        session._backend.options = ExternalBackend.Options()
        session.start(EPISODE)
        assert session.get_agent_state().position == (0.0, 0.0, 0.0)


def test_the_greedy_expert_finds_the_goal_and_says_when_there_is_no_way():
    with hosting(sensors=()) as session:
        session.start(EPISODE)
        goals = [Place((1.0, 0.0, -2.0))]
        actions = []
        while not actions or actions[-1].name != "stop":
            actions.append(session.expert_action(goals, 0.2))
            session.advance(actions[-1])
        assert session.distance_to(session.get_agent_state().place, goals) < 0.2
        assert len(actions) < 20
        with pytest.raises(SimulatorError, match="no path"):
            session.expert_action([Place((50.0, 0.0, 0.0))], 0.2)


def test_an_exception_of_a_host_is_its_message():
    class Failing(SquareHost):
        def advance(self, action, args, seed):
            raise RuntimeError("the physics exploded")

    with hosting(Failing) as session:
        session.reset(EPISODE)
        with pytest.raises(SimulatorError, match="RuntimeError: the physics exploded"):
            session.advance(Action("move_forward"))
        session.reset(EPISODE)


def test_observations_of_another_shape_are_the_hosts_fault():
    class Wrong(SquareHost):
        def observe(self):
            return {name: np.zeros((2, 2, 3), np.uint8) for name in self.setup.sensors}

    for transport in ("socket", "grpc"):
        with hosting(Wrong, transport) as session, pytest.raises(SimulatorError, match="observe"):
            session.reset(EPISODE)


def test_unity_starts_a_player_with_its_port_and_attaches_to_an_editor(tmp_path):
    player = tmp_path / "player.sh"
    player.write_text(f'#!/bin/sh\n[ "$4" = -naveval-port ] || exit 9\nexec {sys.executable} {HOST} --port "$5"\n')
    player.chmod(0o755)
    backend = UnityBackend(config(options={"player": str(player)}))
    session = backend.open_session()
    session.reset(EPISODE)
    session.close()
    backend.close()
    assert UnityBackend(config()).config.endpoint == "127.0.0.1:9460"
    with pytest.raises(ConfigError, match="unity/README"):
        UnityBackend(config(options={"player": str(tmp_path / "missing")}))
