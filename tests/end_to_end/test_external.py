"""Simulators in other processes: hosts in other languages, compiled here, ours, and MiniWorld's in its environment.

Each conforms, tells the truth about its world, and is evaluated in.
"""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.types import Place
from nav_eval.dataset.dump import dump_dataset
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval.errors import ConfigError
from nav_eval.geometry import yaw_rotation
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval.simulator.backends.external import ExternalBackend
from nav_eval.simulator.backends.unity import UnityBackend
from nav_eval.testing import check_simulator, demand
from once import once_folder
from patience import PATIENCE
from playing import document, means, play, records

# The 2-D world that the C++ and the C# host both build in, as their descriptions state it: thin walls as
# (x0, z0, x1, z1), metres; the agent's radius is 0.1.
WALLS = [
    (-0.1, -5, 0.1, 2),
    (2, -1, 3, 0.5),
    (-4.6, -4.6, -2.9, -4.5),
    (-4.6, -3, -2.9, -2.9),
    (-4.6, -4.6, -4.5, -2.9),
    (-3, -4.6, -2.9, -2.9),
]
RADIUS = 0.1
CELL = (-3.7, 0.0, -3.7)
"""A place in the closed cell: free, but no way leads there."""


def length(*corners):
    return sum(math.dist(a, b) for a, b in pairwise(corners))


ROUTES = [
    # (start, end, the taut string round the grown corners, by hand)
    ((-3, 0, -1), (3, 0, -3), [(-3, -1), (-0.2, 2.1), (0.2, 2.1), (1.9, -1.1), (3, -3)]),
    ((-2, 0, 3), (4, 0, 3), [(-2, 3), (4, 3)]),
    ((1, 0, -0.3), (4, 0, -0.3), [(1, -0.3), (1.9, -1.1), (3.1, -1.1), (4, -0.3)]),
    ((-1, 0, 0), (1, 0, 0), [(-1, 0), (-0.2, 2.1), (0.2, 2.1), (1, 0)]),
]


def is_free(x, z):
    """Straight from the definition."""
    inside = abs(x) < 5 - RADIUS and abs(z) < 5 - RADIUS
    return inside and not any(
        x0 - RADIUS < x < x1 + RADIUS and z0 - RADIUS < z < z1 + RADIUS for x0, z0, x1, z1 in WALLS
    )


def points(count, seed=0):
    rng = random.Random(seed)
    return [(rng.uniform(-5.5, 5.5), rng.uniform(-5.5, 5.5)) for _ in range(count)]


ROOT = Path(__file__).parents[2]


def compiled_cpp():
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed: apt-get install g++")
    command = ["g++", "-std=c++17", "-O1", "-Wall", "-Werror", "-pthread", ROOT / "examples" / "cpp_host" / "host.cpp"]
    folder = once_folder("cpp-host", lambda made: subprocess.run([*command, "-o", made / "host"], check=True))
    return f"{folder}/host --port {{port}}"


def compiled_csharp():
    if shutil.which("mcs") is None or shutil.which("mono") is None:
        pytest.skip("Mono is not installed: apt-get install mono-mcs mono-runtime")
    core = ROOT / "unity" / "com.naveval.simulator" / "Runtime" / "Core"
    sources = [*core.glob("*.cs"), *(ROOT / "unity" / "Headless").glob("*.cs")]
    command = ["mcs", "-langversion:7.2", "-warnaserror", "-optimize", *sources]
    folder = once_folder("csharp-host", lambda made: subprocess.run([*command, f"-out:{made}/host.exe"], check=True))
    return f"mono {folder}/host.exe -naveval-port {{port}}"


COMPILED = {"cpp": compiled_cpp, "csharp": compiled_csharp}


@pytest.fixture(scope="module", params=COMPILED)
def command(request):
    return COMPILED[request.param]()


@pytest.fixture(scope="module")
def backend(command):
    cameras = {name: SensorConfig(width=48, height=32, hfov=90, max_depth=20.0) for name in ("rgb", "depth")}
    sensors = {name: SensorConfig() for name in ("gps", "compass", "collision")}
    made = ExternalBackend(SimulatorConfig(backend="external", command=command, sensors=cameras | sensors))
    yield made
    made.close()


@pytest.fixture(scope="module")
def session(backend):
    """For those who only ask."""
    opened = backend.open_session()
    opened.seen = opened.reset(backend.examples()[0])
    yield opened
    opened.close()


def test_it_conforms(backend):
    demand(check_simulator(backend, backend.examples()))


def test_distances_are_those_of_a_string_pulled_taut(session):
    for start, end, corners in ROUTES:
        forth, back = session.geodesic_distance(start, end), session.geodesic_distance(end, start)
        assert (forth, back) == pytest.approx((length(*corners),) * 2, abs=1e-6)
    assert session.is_navigable(CELL)
    assert session.geodesic_distance(ROUTES[0][0], CELL) == math.inf
    ends = [Place(end) for _, end, _ in ROUTES]
    nearest = min(session.geodesic_distance(ROUTES[0][0], end.position) for end in ends)
    assert session.geodesic_distance(Place(ROUTES[0][0]), ends) == pytest.approx(nearest)


def test_free_is_what_no_wall_covers(session):
    for x, z in points(300):
        assert session.is_navigable((x, 0.0, z)) == is_free(x, z), (x, z)


def test_depth_is_metres_along_the_optical_axis(session):
    """From (-3, -1) facing -z the wall at z = -2.9 is ahead; planar depth is the same across it."""
    seen = session.seen
    rows, columns = seen["depth"].shape[:2]
    middle = seen["depth"][rows // 2, columns // 2 - 10 : columns // 2 + 1, 0]
    assert middle == pytest.approx(np.full_like(middle, 1.9), abs=1e-5)
    slope = math.tan(math.radians(45)) * rows / columns * (2 * (rows - 0.5) / rows - 1)
    assert seen["depth"][-1, columns // 2, 0] == pytest.approx(min(1.25 / slope, 1.9), abs=1e-5)
    assert len(np.unique(seen["rgb"].reshape(-1, 3), axis=0)) > 2


def test_a_full_evaluation(backend, command, tmp_path):
    dump_dataset("r2r-ce", backend.examples(), tmp_path / "walls.json")
    overrides = [
        "dataset.type=r2r-ce",
        f"dataset.data_path={tmp_path / 'walls.json'}",
        "simulator.backend=external",
        f"simulator.command='{command}'",
        "simulator.sensors={rgb: {width: 32, height: 24}, gps: {}, compass: {}}",
        "evaluation.success_distance=0.5",
        "evaluation.parallel.sessions=2",
        "agent_service.agent=shortest_path",
        "task.measurements=[success,spl,collisions,distance_to_goal,path_length]",
    ]
    first, again = (play(tmp_path / name, overrides, None).results for name in ("run", "again"))
    assert first.n_failed == 0
    assert first.metrics["success"]["mean"] == 1.0
    assert 0.85 < first.metrics["spl"]["mean"] <= 1.0
    assert means(again) == means(first)


@contextmanager
def connected(backend):
    host, _, port = backend._endpoint().rpartition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        yield connection


def describes(connection):
    return json.loads(ask(connection, b'{"id": 2, "call": "describe", "body": {}}'))["body"]["protocols"] == [1]


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"id": 1}', b'{"id": 1, "call": "fly", "body": 3}', b"[" * 5000])
def test_junk_gets_a_problem_and_the_next_request_an_answer(backend, body):
    with connected(backend) as connection:
        assert "problem" in json.loads(ask(connection, body))
        assert describes(connection)


@pytest.mark.parametrize("sent", [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\1\0\0\1", b"\0\0\0\1{}", b"\5\0"])
def test_a_length_that_is_none_or_is_not_kept_ends_its_own_connection_alone(backend, sent):
    with connected(backend) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    assert backend.describe().protocols == (1,)


def test_a_thousand_spoiled_requests_do_not_end_it(backend):
    """Bytes changed, numbers of every size, fields left out: each is answered, and then a clean one."""
    chance = random.Random(8)
    camera = {"type": "rgb", "width": 4, "height": 3, "hfov": 1.5}
    calls = [
        ("open", {"session_id": "s", "sensors": {"rgb": camera}, "body": {"radius": 0.1}, "motion": {}}),
        ("start", {"session_id": "s", "scene_id": "walls", "start_position": [-3, 0, -1]}),
        ("observe", {"session_id": "s"}),
        ("distance", {"session_id": "s", "start": {"position": [0, 0, 0]}, "ends": [{"position": [1, 0, 1]}]}),
        ("close", {"session_id": "s"}),
    ]
    with connected(backend) as connection:
        for number in range(1000):
            call, body = calls[number % len(calls)]
            text = json.dumps({"id": number, "call": call, "body": body})
            for old, new in [(str(chance.randrange(6)), chance.choice(SPOILED)) for _ in range(chance.randrange(3))]:
                text = text.replace(old, new, 1)
            header = bytearray(text.encode())
            if chance.random() < 0.5:
                header[chance.randrange(len(header))] = chance.randrange(256)
            assert ask(connection, bytes(header)) is not None
        assert describes(connection)


SPOILED = ("-1", "1e300", "-1e300", "4294967296", "99999", "0", "[]", "{}", "null", '"x"', "1e-300", "", "9" * 400)


def ask(connection, header):
    """The header of the answer; its payload is read and dropped."""
    connection.sendall(struct.pack("<I", len(header)) + header)
    size = struct.unpack("<I", connection.recv(4, socket.MSG_WAITALL))[0]
    answer = connection.recv(size, socket.MSG_WAITALL)
    found = re.search(rb'"payload": ?(\d+)', answer)
    left = int(found[1]) if found else 0
    while left:
        left -= len(connection.recv(left, socket.MSG_WAITALL))
    return answer


def test_it_ends_with_the_evaluator_that_started_it(command):
    backend = ExternalBackend(SimulatorConfig(backend="external", command=command))
    assert backend.describe().protocols == (1,)
    process = backend._process._process
    process.stdin.close()
    assert process.wait(PATIENCE) == 0
    backend.close()


PACKAGE = ROOT / "unity" / "com.naveval.simulator"


def test_the_whole_package_compiles_against_the_names_of_unitys_api(tmp_path):
    if shutil.which("mcs") is None:
        pytest.skip("Mono's compiler is not installed: apt-get install mono-mcs")
    sources = [*PACKAGE.rglob("*.cs"), Path(__file__).with_name("unity_stubs.cs")]
    assert len(sources) > 10
    library = f"-out:{tmp_path / 'package.dll'}"
    subprocess.run(["mcs", "-langversion:7.2", "-warnaserror", "-target:library", library, *sources], check=True)


def test_the_core_asks_nothing_of_unity():
    for source in (PACKAGE / "Runtime" / "Core").glob("*.cs"):
        assert "UnityEngine" not in source.read_text(), source.name
    assert json.loads((PACKAGE / "Runtime" / "Core" / "NavEval.Core.asmdef").read_text())["noEngineReferences"]
    manifest = document(PACKAGE, "package.json")
    assert manifest["name"] == "com.naveval.simulator"
    assert all((PACKAGE / sample["path"]).is_dir() for sample in manifest["samples"])


def test_a_player_is_started_checked_and_stopped(tmp_path):
    mono = compiled_csharp().rpartition(" -naveval-port")[0]
    player = tmp_path / "Room.x86_64"
    player.write_text(f'#!/bin/sh\nexec {mono} "$@"\n')
    player.chmod(0o755)
    sensors = {"rgb": SensorConfig(width=16, height=12), "gps": SensorConfig(), "compass": SensorConfig()}
    config = SimulatorConfig(backend="unity", sensors=sensors, options={"player": str(player)})
    backend = UnityBackend(config)
    demand(check_simulator(backend, backend.examples()))
    process = backend._process._process
    backend.close()
    assert process.poll() is not None


HOST = Path(__file__).parents[1] / "simulator" / "backends" / "square_host.py"
STARTS = [(0.0, 0.0, 0.0), (2.0, 0.0, -1.0), (-3.0, 0.0, 2.0), (4.5, 0.0, 4.5)]


def episodes():
    return [
        Episode(
            episode_id=str(number),
            scene_id="square",
            start_position=start,
            start_rotation=yaw_rotation(number),
            instruction=Instruction(text="Go to the middle.", tokens=("go", "to", "the", "middle", ".")),
            goals=(Goal(position=(0.0, 0.0, -2.5), radius=0.5),),
            reference_path=(start, (0.0, 0.0, -2.5)),
        )
        for number, start in enumerate(STARTS)
    ]


def run(folder, name, *overrides, transport="socket"):
    dump_dataset("r2r-ce", episodes(), folder / "episodes.json")
    common = [
        "dataset.type=r2r-ce",
        f"dataset.data_path={folder / 'episodes.json'}",
        "simulator.backend=external",
        f"simulator.command='{sys.executable} {HOST} --transport {transport}'",
        "simulator.sensors={rgb: {width: 16, height: 12}, depth: {width: 8, height: 8}, gps: {}, compass: {}}",
        "evaluation.success_distance=0.5",
        "agent_service.agent=shortest_path",
    ]
    evaluated = play(folder / name, [*common, *overrides], None)
    return evaluated, records(folder / name)


def test_both_transports_leave_the_same_records(tmp_path):
    evaluated, by_socket = run(tmp_path, "socket", "evaluation.parallel.sessions=3")
    _, by_grpc = run(tmp_path, "grpc", transport="grpc")
    assert by_socket == by_grpc
    assert evaluated.results.metrics["success"]["mean"] == 1.0
    for record, start in zip(by_socket, STARTS, strict=True):
        straight = math.dist(start, (0.0, 0.0, -2.5))
        assert straight - 0.5 <= record["metrics"]["path_length"] <= straight * 1.1


@pytest.mark.parametrize("transport", ["socket", "grpc"])
def test_a_simulator_that_dies_costs_one_episode(tmp_path, transport):
    _, found = run(tmp_path, "run", "+simulator.options.host.die='1'", transport=transport)
    assert [record["status"] for record in found] == ["ok", "evaluator_error", "ok", "ok"]
    reason = found[1]["failure_reason"]
    assert "failed in start" in reason
    assert "exit code 7" in reason
    assert "\n" not in reason


def test_actions_that_the_simulator_does_not_declare_are_refused_before_the_first_episode(tmp_path):
    """Every use of one was the evaluator's fault, an episode at a time."""
    with pytest.raises(ConfigError) as refused:
        run(tmp_path, "run", "task.actions=[stop,move_forward,turn_left,turn_right,velocity,move_to]")
    told = str(refused.value)
    assert told.startswith("task.actions: move_to, velocity are not supported by simulator.backend=external. Add:")
    assert "task.actions=[stop,move_forward,turn_left,turn_right]" in told
    assert not list((tmp_path / "run").glob("episodes*"))


EXAMPLE = ROOT / "examples" / "miniworld"


@pytest.fixture(scope="module")
def python(request, tmp_path_factory):
    """The interpreter of an environment with MiniWorld, made once and kept in pytest's cache, if it has one."""
    cache = getattr(request.config, "cache", None)
    folder = (cache.mkdir("miniworld") if cache else tmp_path_factory.mktemp("miniworld")) / "venv"
    program = folder / "bin" / "python"
    wanted = [line for line in (EXAMPLE / "requirements.txt").read_text().split() if line != "nav-eval-sdk"]
    if not (folder / "made").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [program, "-m", "pip", "install", "-q", "--disable-pip-version-check", *wanted, "msgspec", "pillow"]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"MiniWorld cannot be installed here: {done.stderr.strip()[-300:]}")
        (folder / "made").touch()
    sdk = ROOT / "packages" / "nav-eval-sdk" / "src"
    draws = (
        "import pyglet; pyglet.options['headless'] = True; import miniworld.opengl as gl; gl.pyglet.window.Window(1, 1)"
    )
    done = subprocess.run([program, "-c", draws], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no EGL, apt-get install libegl1 libgl1-mesa-dri libglu1-mesa: {done.stderr.strip()[-300:]}")
    return ["env", "-u", "DISPLAY", f"PYTHONPATH={sdk}", str(program)]


@pytest.mark.soak
def test_miniworld_conforms_and_is_evaluated(python, tmp_path):
    make = [*python, EXAMPLE / "make_episodes.py", "--episodes", "3", "--out", tmp_path / "episodes.json"]
    subprocess.run(make, check=True, capture_output=True)
    command = " ".join([*python, str(EXAMPLE / "host.py")])
    overrides = [f"dataset.data_path={tmp_path / 'episodes.json'}", f"simulator.command='{command}'"]
    config = benchmark_config(None, file=EXAMPLE / "run.yaml", overrides=overrides)

    backend = ExternalBackend(config.simulator)
    try:
        demand(check_simulator(backend, backend.examples()[:1]))
        session = backend.open_session()
        seen = session.reset(backend.examples()[0])
        assert len({tuple(pixel) for pixel in seen["rgb"].reshape(-1, 3)}) > 50
        assert 0 < seen["depth"].min() < seen["depth"].max() <= 10
    finally:
        backend.close()

    evaluated = run_benchmark(config, tmp_path / "run")
    means = {name: summary["mean"] for name, summary in evaluated.results.metrics.items()}
    assert evaluated.results.n_episodes == 3
    assert evaluated.results.n_failed == 0
    assert means["success"] == 1.0
    assert means["spl"] > 0.85
