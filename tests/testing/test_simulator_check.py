"""`nav-eval simulator check`: by name, by endpoint, by command; its exit codes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.simulator import check
from nav_eval.errors import ConfigError, SimulatorError
from nav_eval_sdk.simulator_host import start
from simulator.backends.square_host import SquareHost


@pytest.mark.parametrize("name", ["custom", "nav_graph"])
def test_our_own_by_name(name, capsys):
    assert check(name) == DONE
    assert capsys.readouterr().out.endswith("no faults\n")


@pytest.mark.parametrize("transport", ["socket", "grpc"])
def test_an_endpoint(transport, capsys):
    with start(SquareHost, transport=transport) as server:
        assert check(server.endpoint) == DONE
    assert "the expert reaches the goal" in capsys.readouterr().out


def test_an_endpoint_without_a_scheme_is_a_socket(capsys):
    with start(SquareHost) as server:
        assert check(f"127.0.0.1:{server.port}") == DONE


def test_a_command(capsys):
    host = Path(__file__).parents[1] / "simulator" / "backends" / "square_host.py"
    assert check("external", f"simulator.command='{sys.executable} {host}'", "simulator.motion.turn_angle=30") == DONE


def test_faults_are_listed_and_counted(capsys):
    class Crooked(SquareHost):
        def advance(self, action, args, seed):
            return super().advance("turn_left" if action == "stop" else action, args, seed)

    with start(Crooked) as server:
        assert check(server.endpoint) == FINDINGS
    out = capsys.readouterr().out
    assert "WRONG    stop moves nothing" in out
    assert out.endswith("1 fault\n")


def test_a_single_session_is_enough(capsys):
    with start(SquareHost, max_sessions=1) as server:
        assert check(server.endpoint) == DONE
    assert "skipped  sessions are independent" in capsys.readouterr().out


def test_nobody_there_and_nothing_to_begin_with():
    with pytest.raises(SimulatorError, match="connect"):
        check("127.0.0.1:1")

    class Silent(SquareHost):
        @classmethod
        def examples(cls):
            return []

    with start(Silent) as server, pytest.raises(ConfigError, match="no episode"):
        check(server.endpoint)


def test_the_example_of_a_python_host(capsys):
    example = Path(__file__).parents[2] / "examples" / "python_host" / "host.py"
    assert check("external", f"simulator.command='{sys.executable} {example}'") == DONE
    assert "no faults" in capsys.readouterr().out
