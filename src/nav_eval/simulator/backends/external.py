"""A simulator in a process of its own, in any language: it moves and shows, we measure.

The contract is nav_eval_sdk/protocol/simulator.py, over the socket framing or gRPC. `simulator.endpoint` attaches to
a running one, `simulator.command` starts one; `simulator.options`: `deadlines` {connect, start, call} in seconds,
`host`: options for the simulator itself, `sensors`: sensors of its own, {name: {type, width, height, hfov}}.
Cameras come from the simulator; clipping, normalising and noise, GPS, compass and goals are ours, as everywhere.
"""

from __future__ import annotations

import shlex
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.interfaces import Simulator, SimulatorBackend
from nav_eval.dataset.episode import Episode, Goal, Instruction
from nav_eval.errors import ConfigError, SimulatorError, SimulatorUnavailable
from nav_eval.geometry import IDENTITY
from nav_eval.reading import file_sha256
from nav_eval.simulator.backends.external_process import SimulatorProcess
from nav_eval.simulator.backends.external_session import Deadlines, ExternalSession
from nav_eval_sdk.errors import BadAnswer, Unreachable, WireError
from nav_eval_sdk.protocol import simulator as contract
from nav_eval_sdk.protocol.simulator import Description
from nav_eval_sdk.simulator_host.client import SimulatorClient
from nav_eval_sdk.simulator_host.connecting import connect
from nav_eval_sdk.transport.base import Deadline


class ExternalBackend(SimulatorBackend):
    """One external simulator and the process it runs in, if that is ours."""

    class Options(SimulatorBackend.Options):
        """How long it may take, and what it alone knows."""

        deadlines: Deadlines = Field(Deadlines(), description="how long it may take")
        host: dict[str, Any] = Field(default_factory=dict, description="options for the simulator itself")
        sensors: dict[str, SensorConfig] = Field(
            default_factory=dict, description="sensors of its own, {name: {type, width, height, hfov}}"
        )

    where_to_start: ClassVar[str] = "Start it there, or give simulator.command."
    """What to do where nobody answers."""

    def __init__(self, config: SimulatorConfig, seed: int = 0) -> None:
        if not config.endpoint and not config.command:
            raise ConfigError(
                "simulator: backend external needs simulator.endpoint=HOST:PORT of a running simulator, "
                "or simulator.command=... that starts one."
            )
        self.config = config
        self.seed = seed
        self.options = self.Options.of(config.options)
        self.deadlines = self.options.deadlines
        self._process: SimulatorProcess | None = None
        self._lock = threading.Lock()

    def open_session(self) -> Simulator:
        return ExternalSession(self)

    def connect(self) -> SimulatorClient:
        """A new connection; a process of ours that has ended is started again.

        Raises SimulatorUnavailable where nobody answers, or a process of ours does not begin.
        """
        endpoint = self._endpoint()
        try:
            return connect(endpoint, self.deadlines.connect)
        except WireError as error:
            raise self.failure("connect", error) from None
        except ValueError as error:
            raise ConfigError(f"simulator.endpoint: {error}") from None

    def _endpoint(self) -> str:
        if not self.config.command:
            return str(self.config.endpoint)
        with self._lock:
            if self._process is None or self._process.ended:
                self._process = SimulatorProcess(self.config.command, self.config.endpoint, self.deadlines.connect)
                self._process.start()
            return str(self._process.endpoint)

    def describe(self) -> Description:
        """What the simulator says of itself."""
        client = self.connect()
        try:
            return client.call(contract.DESCRIBE, contract.Empty(), Deadline(self.deadlines.call))
        except WireError as error:
            raise self.failure("describe", error) from None
        finally:
            client.drop()

    def examples(self) -> list[Episode]:
        """The episodes that the simulator offers for its conformance check."""
        return [
            Episode(
                episode_id=example.episode_id or str(number),
                scene_id=example.scene_id,
                start_position=example.start_position,
                start_rotation=example.start_rotation or IDENTITY,
                start_node=example.start_node,
                instruction=Instruction(text="Go to the goal.", tokens=("go", "to", "the", "goal", ".")),
                goals=tuple(Goal(position=goal) for goal in example.goals),
            )
            for number, example in enumerate(self.describe().examples)
        ]

    def failure(self, call: str, error: WireError) -> SimulatorError:
        """One message: which call, what happened, and the last words of a process of ours."""
        place = self.config.endpoint or shlex.split(str(self.config.command))[0]
        broken = isinstance(error, Unreachable) and self._process is not None
        said = self._process.last_words if self._process and broken and self._process.ends_within() else ""
        told = f"the simulator at {place} failed in {call}: {str(error).rstrip('.')}.{said}"
        if call == "connect" and not self.config.command:
            return SimulatorUnavailable(f"{told} {self.where_to_start}")
        if call == "describe" and self.config.endpoint and isinstance(error, BadAnswer | Unreachable):
            told += f" Perhaps it speaks the other wire: simulator.endpoint={_other_wire(self.config.endpoint)}."
        return SimulatorError(told)

    def assets(self, scene_id: str) -> Mapping[str, str]:
        """The files that the command names; what an attached simulator is made of is not known."""
        words = shlex.split(self.config.command or "")
        paths = [Path(shutil.which(word) or word) for word in words]
        return {f"simulator: {path.name}": file_sha256(path) for path in paths if path.is_file()}

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.stop()
            self._process = None


def _other_wire(endpoint: str) -> str:
    scheme, _, place = endpoint.rpartition("://")
    return f"{'socket' if scheme == 'grpc' else 'grpc'}://{place}"
