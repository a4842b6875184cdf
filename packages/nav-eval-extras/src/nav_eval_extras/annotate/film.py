"""A path as somebody who walks along it sees it: the oracle walks from each place of the reference to the next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from nav_eval.core.actions import STOP, Action
from nav_eval.core.environment import Environment
from nav_eval.core.types import AgentState, Place
from nav_eval.dataset.episode import Episode
from nav_eval.errors import SimulatorError
from nav_eval.geometry import euclidean, wrap_angle, yaw_of, yaw_rotation, yaw_towards
from nav_eval_extras.human.pictures import pictures

MAX_FRAMES = 500
KEPT_TO = 1.0
"""m; who is farther from the next frame's place does not keep to the path."""


@dataclass
class Film:
    """Columns with a row for each frame. `actions`: what leads from a frame to the next, stop at last; `stops`: frames
    at the places of the reference; `seen`: categories of the things in view, as the sensor `objects` tells them.
    """

    states: list[AgentState] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    frames: list[list[dict[str, Any]]] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.states)

    def yaw(self, frame: int) -> float:
        """Where it looks, rad."""
        return yaw_of(self.states[frame].rotation)

    def way_on(self, frame: int) -> int | None:
        """On a graph, the direction of the next place: degrees, left is positive."""
        if self.actions[frame] != "move_to":
            return None
        return round(math.degrees(wrap_angle(self.yaw(frame + 1) - self.yaw(frame))))

    def kept_until(self, track: Sequence[Any]) -> int:
        """The last frame until which these positions keep to the path."""
        place = 0
        for pose in track:
            while place + 1 < len(self) and euclidean(pose.position, self.states[place + 1].position) <= KEPT_TO:
                place += 1
        return place


def make_film(environment: Environment, episode: Episode, *, drawn: bool = True) -> Film:
    """Raises SimulatorError where no way leads on, or the way is longer than anybody would describe."""
    film, simulator = Film(), environment.simulator
    environment.start(episode)
    _take(film, environment, drawn)
    film.stops.append(0)
    for action in _along(environment, episode, film):
        film.actions.append(action.name)
        simulator.advance(action)
        _take(film, environment, drawn)
        if len(film) > MAX_FRAMES:
            raise SimulatorError(
                f"episode {episode.episode_id}: its path has more than {MAX_FRAMES} steps, too many for a person. "
                "Choose others by dataset.episodes."
            )
    film.actions.append(STOP.name)
    film.stops = sorted({*film.stops, len(film) - 1})
    return film


def places_of(environment: Environment, episode: Episode) -> list[Place]:
    """Those of the reference; the goal alone where an episode has none."""
    nodes, points = episode.reference_nodes, episode.reference_path
    places = [Place((0.0, 0.0, 0.0), node) for node in nodes] or [Place(point) for point in points]
    return [environment.simulator.locate(place) for place in places or environment.task.goals(episode)[:1]]


def _along(environment: Environment, episode: Episode, film: Film) -> Iterator[Action]:
    for place in places_of(environment, episode):
        within = environment.rules.success_distance
        while (action := environment.simulator.expert_action([place], within)).name != STOP.name:
            yield action
        film.stops.append(len(film) - 1)


def _looking_along(state: AgentState, before: Sequence[AgentState]) -> AgentState:
    """A move on a graph keeps the agent's heading; who walks looks where they go."""
    if state.node is None or not before:
        return state
    return replace(state, rotation=yaw_rotation(yaw_towards(before[-1].position, state.position)))


def _take(film: Film, environment: Environment, drawn: bool) -> None:
    state = environment.simulator.get_agent_state()
    film.states.append(_looking_along(state, film.states))
    if drawn:
        observation = environment.observe()
        specs = {name: msgspec.to_builtins(spec) for name, spec in environment.observation_spec.items()}
        film.frames.append(pictures(specs, observation, film.yaw(-1) - yaw_of(state.rotation)))
        film.seen.update(thing["category"] for thing in observation.get("objects") or ())
