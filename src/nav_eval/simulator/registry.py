"""Simulator backends by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from nav_eval.config.options import check_options
from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.contracts import admit_simulator
from nav_eval.core.interfaces import SimulatorBackend
from nav_eval.registry import Registry

BackendFactory: TypeAlias = Callable[[SimulatorConfig, int], SimulatorBackend]
"""(the simulator's configuration, the run's seed) -> a backend that many sessions share."""

SIMULATORS: Registry[BackendFactory] = Registry(
    "simulators",
    {
        "custom": "nav_eval.simulator.backends.custom:CustomBackend",
        "external": "nav_eval.simulator.backends.external:ExternalBackend",
        "nav_graph": "nav_eval.simulator.backends.nav_graph:NavGraphBackend",
        "unity": "nav_eval.simulator.backends.unity:UnityBackend",
    },
    admit_simulator,
)


def make_simulator_backend(config: SimulatorConfig, seed: int) -> SimulatorBackend:
    """The backend that `config` names. Raises ConfigError where there is none, or it does not take its options."""
    kind = SIMULATORS.get(config.backend)
    check_options("simulator.options", config.options, kind)
    return kind(config, seed)


register_simulator = SIMULATORS.register
"""Decorator: @register_simulator("name") over what makes a SimulatorBackend of (SimulatorConfig, seed)."""
