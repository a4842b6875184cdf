"""The seam of physics: who may stand in it, what it may say, and what the default leaves as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import nav_eval
from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.actions import Action
from nav_eval.core.bodies import Body, Building, Physics
from nav_eval.core.types import AgentState, Contact, Contacts, Moved
from nav_eval.errors import ConfigError
from nav_eval.simulator.motion import motion_profile, perform
from nav_eval.simulator.physics.kinematic import Kinematic
from nav_eval.simulator.registry import PHYSICS, make_simulator_backend, register_physics
from nav_eval.testing import check_physics, demand
from nav_eval.testing.places import grid_graph, room

WALK = ("move_forward", "turn_left", "look_up", "move_forward", "turn_right", *["move_forward"] * 12)


@pytest.fixture
def registered() -> Iterator[None]:
    before = dict(PHYSICS._members)
    yield
    PHYSICS._members.clear()
    PHYSICS._members.update(before)


def test_the_default_keeps_the_contract() -> None:
    demand(check_physics("kinematic"))


def test_the_default_is_the_motion_on_the_navmesh_and_adds_nothing_to_its_records(tmp_path: Path) -> None:
    config, episodes = room(tmp_path, cameras=False)
    simulator = make_simulator_backend(config, 0).open_session()
    simulator.start(episodes[0])
    state, profile = simulator.get_agent_state(), motion_profile(config.motion)
    for name in WALK:
        step = simulator.advance(Action(name))
        moved = perform(simulator.navmesh(), state, Action(name), profile)  # type: ignore[attr-defined]
        state = moved.state
        assert (step.state, step.collided, step.clipped, step.events) == (state, moved.collided, moved.clipped, {})


class Wrapped(Body):
    """Changes what another body tells."""

    def __init__(self, body: Body, **changes: Any) -> None:
        self.body, self.changes = body, changes

    @property
    def state(self) -> AgentState:
        return self.body.state

    def advance(self, action: Action, seed: int) -> Moved:
        return replace(self.body.advance(action, seed), **self.changes)


def engine(body: Any, **attributes: Any) -> type[Physics]:
    class Engine(Physics):
        def __init__(self, config: SimulatorConfig) -> None:
            self.config = config

        def place(self, building: Building, state: AgentState) -> Body:
            made: Body = body(Kinematic(self.config).place(building, state))
            return made

    for name, value in attributes.items():
        setattr(Engine, name, value)
    Engine.__name__ = Engine.__qualname__ = f"Engine{id(body)}"
    return Engine


FAR = Contacts((Contact((9.0, 0.0, 9.0), 1.0, 1.0),))
ENDLESS = Contacts((Contact((-1.5, 0.0, -2.3), float("inf"), 1.0),), stuck=True)


class Teleport(Wrapped):
    """Goes through walls."""

    def advance(self, action: Action, seed: int) -> Moved:
        self.at = replace(self.state, position=(self.state.position[0], 0.0, self.state.position[2] - 0.25))
        return Moved(self.at)

    @property
    def state(self) -> AgentState:
        return getattr(self, "at", self.body.state)


class Drifts(Wrapped):
    """Each body that is made begins a little elsewhere."""

    count = 0

    def __init__(self, body: Body) -> None:
        super().__init__(body)
        Drifts.count += 1
        self.shift = Drifts.count * 1e-3

    @property
    def state(self) -> AgentState:
        x, y, z = self.body.state.position
        return replace(self.body.state, position=(x + self.shift, y, z))

    def advance(self, action: Action, seed: int) -> Moved:
        return replace(self.body.advance(action, seed), state=self.state)


FAULTS = [
    ("a wall holds", lambda body: Wrapped(body, collided=False), {}),
    ("a wall holds", Teleport, {}),
    ("the same walk is the same twice", Drifts, {}),
    ("contacts are reported", lambda body: Wrapped(body, felt=Contacts()), {}),
    ("contacts are reported", lambda body: Wrapped(body, felt=Contacts()), {"feels": True}),
    ("contacts are reported", lambda body: body, {"feels": True}),
    ("contacts are reported", lambda body: Wrapped(body, felt=FAR), {"feels": True}),
    ("contacts are reported", lambda body: Wrapped(body, felt=ENDLESS), {"feels": True}),
    ("continuous actions are limited", lambda body: Wrapped(body, clipped=False), {}),
    ("advance returns the state", lambda body: Wrapped(body, state=AgentState((0.0, 0.0, 0.0))), {}),
]


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(("check", "body", "attributes"), FAULTS)
def test_the_kit_finds(check: str, body: Any, attributes: dict[str, Any]) -> None:
    found = [finding.check for finding in check_physics(engine(body, **attributes)) if not finding.ok]
    assert check in found


@pytest.mark.usefixtures("registered")
def test_a_class_that_is_no_engine_is_refused_when_it_is_registered() -> None:
    with pytest.raises(ConfigError, match=r"has no place\. Define it in class NoEngine\(Physics\):"):
        register_physics("none")(type("NoEngine", (), {}))


@pytest.mark.usefixtures("registered")
def test_a_backend_that_moves_the_body_itself_takes_no_engine(tmp_path: Path) -> None:
    config, _ = grid_graph(tmp_path)
    PHYSICS.add("bullets", engine(Wrapped))
    with pytest.raises(ConfigError, match=r"simulator\.physics: backend nav_graph moves the body itself"):
        make_simulator_backend(config.model_copy(update={"physics": "bullets", "backend": "nav_graph"}), 0)


def test_an_unknown_engine_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="Did you mean 'kinematic'"):
        nav_eval.make_simulator("custom", scenes_dir=str(tmp_path), physics="kinematik")
