"""Hosts in other languages, compiled here and run as processes of their own: conformance, geometry, an evaluation."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import socket
import struct
import subprocess
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from end_to_end.worlds_of_walls import CELL, ROUTES, is_free, length, points
from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.types import Place
from nav_eval.dataset.dump import dump_dataset
from nav_eval.simulator.backends.external import ExternalBackend
from nav_eval.testing import check_simulator, demand
from patience import PATIENCE
from playing import means, play

ROOT = Path(__file__).parents[2]


def compiled_cpp(folder):
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed: apt-get install g++")
    program = folder / "host"
    source = ROOT / "examples" / "cpp_host" / "host.cpp"
    subprocess.run(["g++", "-std=c++17", "-O1", "-Wall", "-Werror", "-pthread", source, "-o", program], check=True)
    return f"{program} --port {{port}}"


def compiled_csharp(folder):
    if shutil.which("mcs") is None or shutil.which("mono") is None:
        pytest.skip("Mono is not installed: apt-get install mono-mcs mono-runtime")
    program = folder / "Headless.exe"
    core = ROOT / "unity" / "com.naveval.simulator" / "Runtime" / "Core"
    sources = [*core.glob("*.cs"), *(ROOT / "unity" / "Headless").glob("*.cs")]
    subprocess.run(["mcs", "-langversion:7.2", "-warnaserror", "-optimize", f"-out:{program}", *sources], check=True)
    return f"mono {program} -naveval-port {{port}}"


COMPILED = {"cpp": compiled_cpp, "csharp": compiled_csharp}


@pytest.fixture(scope="module", params=COMPILED)
def command(request, tmp_path_factory):
    return COMPILED[request.param](tmp_path_factory.mktemp(request.param))


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
