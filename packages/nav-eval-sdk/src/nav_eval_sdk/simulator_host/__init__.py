"""Serve any Python simulator to nav_eval from its own environment: subclass SimulatorHost, call main(YourHost).

See examples/miniworld for a whole one. `start` serves in the background, for tests; `connect` is the other end.
"""

from nav_eval_sdk.protocol.simulator import Body, Motion, OpenSession, Place, StartEpisode, State, Step
from nav_eval_sdk.simulator_host.client import SimulatorClient
from nav_eval_sdk.simulator_host.connecting import connect
from nav_eval_sdk.simulator_host.host import SimulatorHost, camera_specs
from nav_eval_sdk.simulator_host.serving import Server, main, start

__all__ = [
    "Body",
    "Motion",
    "OpenSession",
    "Place",
    "Server",
    "SimulatorClient",
    "SimulatorHost",
    "StartEpisode",
    "State",
    "Step",
    "camera_specs",
    "connect",
    "main",
    "start",
]
