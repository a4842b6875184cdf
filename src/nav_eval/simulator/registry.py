"""Simulator backends by name, and in one of them physics engines that move bodies and crowds of people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from nav_eval.config.options import check_options
from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.bodies import PedestrianModel, Physics
from nav_eval.core.contracts import admit_crowds, admit_physics, admit_simulator
from nav_eval.core.interfaces import SimulatorBackend
from nav_eval.errors import ConfigError
from nav_eval.registry import Registry
from nav_eval.simulator.adapted import as_backend

BackendFactory: TypeAlias = Callable[[SimulatorConfig, int], SimulatorBackend]
"""(the simulator's configuration, the run's seed) -> a backend that many sessions share."""


def _admit(name: str, member: Any) -> Any:
    return admit_simulator(name, as_backend(name, member))


SIMULATORS: Registry[BackendFactory] = Registry(
    "simulators",
    {
        "custom": "nav_eval.simulator.backends.custom:CustomBackend",
        "external": "nav_eval.simulator.backends.external:ExternalBackend",
        "nav_graph": "nav_eval.simulator.backends.nav_graph:NavGraphBackend",
        "unity": "nav_eval.simulator.backends.unity:UnityBackend",
    },
    _admit,
)

PhysicsFactory: TypeAlias = Callable[[SimulatorConfig], Physics]
"""(the simulator's configuration) -> an engine that many sessions share."""

KINEMATIC = "kinematic"
PHYSICS: Registry[PhysicsFactory] = Registry(
    "physics",
    {KINEMATIC: "nav_eval.simulator.physics.kinematic:Kinematic"},
    admit_physics,
    elsewhere={"mujoco": "nav-eval[mujoco]"},
)

PedestrianModelFactory: TypeAlias = Callable[[SimulatorConfig], PedestrianModel]
"""(the simulator's configuration) -> a way of moving people that many sessions share."""

CROWDS: Registry[PedestrianModelFactory] = Registry(
    "crowds", admit=admit_crowds, elsewhere=dict.fromkeys(("recorded", "social_force"), "nav-eval-extras")
)


def make_simulator_backend(config: SimulatorConfig, seed: int) -> SimulatorBackend:
    """The backend that `config` names. Raises ConfigError where there is none, or it does not take its options."""
    check_physics(config)
    check_people(config)
    if config.people.count or config.people.options:
        check_options("simulator.people.options", config.people.options, CROWDS.get(config.people.motion))
    check_options("simulator.options", config.options, *option_owners(config))
    return SIMULATORS.get(config.backend)(config, seed)


def option_owners(config: SimulatorConfig) -> list[object]:
    """Whose `simulator.options` are: the backend's, and its physics engine's where it takes one."""
    kind = SIMULATORS.get(config.backend)
    return [kind, PHYSICS.get(config.physics)] if getattr(kind, "takes_physics", False) else [kind]


def check_physics(config: SimulatorConfig) -> None:
    """Raises ConfigError for an engine that there is not, or of a backend that moves the body itself."""
    PHYSICS.require(config.physics)
    takes = config.backend not in SIMULATORS or getattr(SIMULATORS.get(config.backend), "takes_physics", False)
    if config.physics != KINEMATIC and not takes:
        raise ConfigError(
            f"simulator.physics: backend {config.backend} moves the body itself. Leave the key out, "
            "or choose simulator.backend=custom."
        )


def check_people(config: SimulatorConfig) -> None:
    """Raises ConfigError for a motion that there is not, or people where none can walk."""
    if config.people.count or config.people.motion not in CROWDS.elsewhere:
        CROWDS.require(config.people.motion)
    if not config.people.count:
        return
    if config.backend in SIMULATORS and not getattr(SIMULATORS.get(config.backend), "takes_people", False):
        raise ConfigError(
            f"simulator.people: there are no people in backend {config.backend}. Leave it out, or choose "
            "simulator.backend=custom."
        )


register_simulator = SIMULATORS.register
"""Decorator: @register_simulator("name") over what makes a SimulatorBackend of (SimulatorConfig, seed), or over a class
with the specification's five methods (see adapted)."""
register_physics = PHYSICS.register
"""Decorator: @register_physics("name") over what makes a Physics of (SimulatorConfig)."""
register_crowds = CROWDS.register
"""Decorator: @register_crowds("name") over what makes a PedestrianModel of (SimulatorConfig)."""
