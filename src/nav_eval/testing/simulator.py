"""Does a simulator keep nav_eval.core.interfaces.Simulator? Short walks, and a list of what is wrong.

Works on any backend: in 3-D, on a graph, in this process or behind a wire.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from nav_eval.config.schema import MOTION
from nav_eval.core.actions import Action
from nav_eval.core.capabilities import HasGraph
from nav_eval.core.contracts import world_faults
from nav_eval.core.interfaces import Simulator, SimulatorBackend
from nav_eval.core.specs import declaration_fault
from nav_eval.core.types import AgentState, Place, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.errors import NavEvalError, SimulatorError
from nav_eval.geometry import euclidean, yaw_of
from nav_eval.testing.findings import Finding, Skip, run_checks

FAR = 1.0e5
CLOSE = 1e-4
AHEAD = 100
WALK = ("move_forward", "turn_left", "move_forward", "turn_right", "turn_right", "move_forward", "turn_left")


@dataclass(frozen=True, slots=True)
class Trial:
    """What the checks are given. Metres and rad; `sessions`: how many may be open at once.

    `slack`: how far a discrete action may miss its amount beyond rounding, because a body with mass carries it out.
    """

    backend: SimulatorBackend
    episode: Episode
    session: Simulator
    forward_step: float
    turn_angle: float
    sessions: int
    expert_steps: int
    slack: float = 0.0

    def started(self) -> Simulator:
        self.session.start(self.episode)
        return self.session


def check_simulator(
    backend: SimulatorBackend,
    episodes: Sequence[Episode],
    *,
    forward_step: float = MOTION.forward_step,
    turn_angle: float = MOTION.turn_angle,
    sessions: int = 2,
    expert_steps: int = 200,
    slack: float = 0.0,
) -> Iterator[Finding]:
    """Findings, one by one, for each episode. The backend's sensors must be without noise of their own making.

    `forward_step` (m) and `turn_angle` (rad) are those that the backend was configured with; `expert_steps`: how long
    its expert is followed, 0 to leave that out. `slack` (m and rad): how far a discrete action may miss its amount
    where bodies have mass. The backend is not closed.
    """
    with closing(backend.open_session()) as session:
        yield from run_checks([needs_a_start], Trial(backend, episodes[0], session, 0, 0, sessions, 0))
        for episode in episodes:
            trial = Trial(backend, episode, session, forward_step, turn_angle, sessions, expert_steps, slack)
            yield from run_checks(CHECKS, trial)


def needs_a_start(trial: Trial) -> str:
    try:
        _ = trial.session.episode
    except SimulatorError:
        return ""
    return "`episode` must raise SimulatorError before the first start."


def begins_an_episode(trial: Trial) -> str:
    session = trial.started()
    if session.episode is not trial.episode:
        return "`episode` is not the one that was started."
    state, asked = session.get_agent_state(), trial.episode.start_position
    if trial.episode.start_node not in (None, state.node):
        return f"it starts at node {state.node!r}, not at {trial.episode.start_node!r}."
    if (
        asked is not None
        and state.node is None
        and math.hypot(state.position[0] - asked[0], state.position[2] - asked[2]) > 0.05
    ):
        return f"it starts at {state.position}, not at {asked}."
    return ""


def observations_fit_their_specs(trial: Trial) -> str:
    session = trial.session
    specs = dict(session.observation_spec)
    if wrong := [f"spec of {name}: {fault}" for name, spec in specs.items() if (fault := declaration_fault(spec))]:
        return "; ".join(wrong) + "."
    seen = session.reset(trial.episode)
    for action in (None, *walk(trial)):
        if action is not None:
            seen = session.step(action)
        if set(seen) != set(specs):
            return f"observed were {sorted(seen)}, declared are {sorted(specs)}."
        faults = [f"{name} {fault}" for name, spec in specs.items() if (fault := spec.fault(seen[name]))]
        if faults:
            return "; ".join(faults) + "."
    return "" if dict(session.observation_spec) == specs else "observation_spec changed during an episode."


def looking_changes_nothing(trial: Trial) -> str:
    session = trial.session
    first = session.reset(trial.episode)
    state = session.get_agent_state()
    if fault := difference(first, session.observe()):
        return f"two looks at the same moment differ: {fault}."
    if session.get_agent_state() != state:
        return "observe moved the agent."
    return _compare_walks(_play(session, trial), _play(session, trial, looks=2), "looking twice at each step")


def the_same_walk_is_the_same_twice(trial: Trial) -> str:
    first, second = (_play(trial.session, trial) for _ in range(2))
    return _compare_walks(first, second, "the same actions from the same start")


def sessions_are_independent(trial: Trial) -> str:
    """A second session walks the same walk while the first stands elsewhere."""
    if trial.sessions < 2:
        raise Skip("it runs one session at once.")
    alone = _play(trial.session, trial)
    with closing(trial.backend.open_session()) as other:
        resting = trial.session.get_agent_state()
        together = _play(other, trial)
        if trial.session.get_agent_state() != resting:
            return "a walk in one session moved the agent of another."
        return _compare_walks(alone, together, "the same actions in another session")


def a_batch_shows_what_single_sessions_show(trial: Trial) -> str:
    if trial.sessions < 2:
        raise Skip("it runs one session at once.")
    with closing(trial.backend.open_session()) as other:
        alone = [trial.session.reset(trial.episode), other.reset(trial.episode)]
        together = trial.backend.observe([trial.session, other])
        faults = [difference(a, b) for a, b in zip(alone, together, strict=True)]
        return next((f"backend.observe shows something else than observe: {fault}." for fault in faults if fault), "")


def stop_moves_nothing(trial: Trial) -> str:
    session = trial.started()
    before = session.get_agent_state()
    session.advance(Action("stop"))
    return "" if _same_pose(before, session.get_agent_state(), trial.slack) else "the action stop changed the pose."


def a_turn_is_undone_by_its_opposite(trial: Trial) -> str:
    session = trial.started()
    before = session.get_agent_state()
    session.advance(Action("turn_left"))
    turned = session.get_agent_state()
    if euclidean(before.position, turned.position) > CLOSE + trial.slack:
        return "turn_left moved the agent."
    angle = math.remainder(yaw_of(turned.rotation) - yaw_of(before.rotation), 2 * math.pi)
    if abs(angle - trial.turn_angle) > 1e-3 + trial.slack:
        return (
            f"turn_left turned by {math.degrees(angle):.2f} degrees, configured are {math.degrees(trial.turn_angle):g}."
        )
    session.advance(Action("turn_right"))
    back = session.get_agent_state()
    return "" if _same_pose(before, back, 2 * trial.slack) else "turn_left then turn_right does not return."


def a_step_goes_forward_and_no_further_than_it_says(trial: Trial) -> str:
    if trial.episode.start_node is not None:
        raise Skip("moves on a graph have their own lengths.")
    session = trial.started()
    for _ in range(math.ceil(2 * math.pi / trial.turn_angle)):
        before = session.get_agent_state()
        step = session.advance(Action("move_forward"))
        after = session.get_agent_state()
        moved = (after.position[0] - before.position[0], after.position[2] - before.position[2])
        if math.hypot(*moved) > trial.forward_step + 1e-3 + trial.slack:
            return f"move_forward went {math.hypot(*moved):.4f} m, configured are {trial.forward_step:g}."
        yaw = yaw_of(before.rotation)
        ahead = -math.sin(yaw) * moved[0] - math.cos(yaw) * moved[1]
        if not step.collided and abs(ahead - trial.forward_step) > 0.02 + trial.slack:
            return f"a free move_forward went {ahead:.3f} m ahead, configured are {trial.forward_step:g}."
        session.advance(Action("turn_left"))
    return ""


def a_wall_is_a_collision(trial: Trial) -> str:
    """Straight on until something is in the way: what is never told is in no metric of collisions."""
    if trial.episode.start_node is not None:
        raise Skip("nothing is in the way on a graph.")
    session = trial.started()
    for _ in range(AHEAD):
        before = session.get_agent_state().position
        step = session.advance(Action("move_forward"))
        after = session.get_agent_state().position
        if step.collided:
            return ""
        if (went := math.hypot(after[0] - before[0], after[2] - before[2])) < trial.forward_step - 0.02 - trial.slack:
            return f"move_forward went {went:.3f} m of {trial.forward_step:g}, and `collided` is false: set it."
    raise Skip(f"nothing is in the way within {AHEAD} steps.")


def advance_returns_what_happened(trial: Trial) -> str:
    session = trial.started()
    for action in walk(trial):
        step: object = session.advance(action)
        if not isinstance(step, StepRecord) or step.action != action:
            return f"advance returned {step}, the action was {action.name}."
        if step.state != session.get_agent_state():
            return "the state that advance returned is not the agent's."
    return ""


def an_unknown_action_is_refused(trial: Trial) -> str:
    session = trial.started()
    before = session.get_agent_state()
    try:
        session.advance(Action("fly"))
    except NavEvalError:
        return "" if session.get_agent_state() == before else "an unknown action moved the agent."
    return "the action 'fly' was carried out: unknown actions must raise."


def distances_are_distances(trial: Trial) -> str:
    """Zero to itself, no shorter than a straight line, no shorter by a detour, inf where no way leads."""
    session = trial.session
    places = _places(trial)
    for place in places:
        if (zero := session.distance_to(place, [place])) > 1e-3:
            return f"from {place} to itself it is {zero} m."
    for a, b in permutations(places, 2):
        if session.distance_to(a, [b]) < euclidean(a.position, b.position) * 0.99 - 0.01:
            return f"from {a} to {b} it is shorter than a straight line."
    for a, b, c in permutations(places, 3):
        ab, bc, ac = session.distance_to(a, [b]), session.distance_to(b, [c]), session.distance_to(a, [c])
        if ac > (ab + bc) * 1.01 + 0.01:
            return f"from {a} to {c} it is {ac:.3f} m, over {b} only {ab + bc:.3f}."
    return _distance_to_many(session, places)


def _distance_to_many(session: Simulator, places: Sequence[Place]) -> str:
    here = places[0]
    nowhere = Place((FAR, 0.0, FAR), None if here.node is None else "nowhere")
    if (far := session.distance_to(here, [nowhere])) != math.inf:
        return f"to a place that cannot be reached it is {far} m; it must be inf."
    nearest = min(session.distance_to(here, [place]) for place in places[1:])
    if abs(session.distance_to(here, [*places[1:], nowhere]) - nearest) > 1e-3:
        return "to the nearest of many it is not the least of the single distances."
    return "" if session.distance_to(here, []) == math.inf else "the distance to an empty list must be inf."


def where_the_agent_stands_is_navigable(trial: Trial) -> str:
    session = trial.session
    for place in _places(trial):
        if not session.is_navigable(place.position):
            return f"the agent stood at {place.position}, but it is not navigable."
    return "a place far outside is navigable." if session.is_navigable((FAR, 0.0, FAR)) else ""


def noise_keys_name_the_step(trial: Trial) -> str:
    """A key depends on the run's seed, the episode and the step alone, whatever was walked before."""
    session = trial.session
    walks = []
    for _ in range(2):
        session.start(trial.episode)
        keys = [session.noise_key]
        for action in walk(trial):
            session.advance(action)
            keys.append(session.noise_key)
        walks.append(keys)
    if walks[0] != walks[1]:
        return "noise_key differs between two runs of the same episode."
    return "" if walks[0][0][1:3] == trial.episode.key else "noise_key does not name scene and episode."


def says_what_its_world_is(trial: Trial) -> str:
    return next(world_faults(trial.backend), "")


def assets_are_named_with_their_digests(trial: Trial) -> str:
    assets: object = trial.backend.assets(trial.episode.scene_id)
    if not isinstance(assets, Mapping):
        return f"assets returned {assets!r:.60}; return a dict of file name -> SHA-256, {{}} for none."
    faulty = [name for name, digest in assets.items() if not re.fullmatch("[0-9a-f]{64}", str(digest))]
    return f"the digests of {', '.join(faulty)} are not SHA-256." if faulty else ""


def the_expert_reaches_the_goal(trial: Trial) -> str:
    session, goals = trial.session, [Place(g.position or (0.0, 0.0, 0.0), g.node) for g in trial.episode.goals]
    if not goals or not trial.expert_steps:
        raise Skip("the episode has no goal.")
    session.start(trial.episode)
    places = [session.locate(goal) for goal in goals]
    within = 2 * trial.forward_step
    for _ in range(trial.expert_steps):
        action = session.expert_action(places, within)
        if action.name == "stop":
            left = session.distance_to(session.get_agent_state().place, places)
            return "" if left <= within + 0.05 else f"the expert stopped {left:.2f} m from the goal."
        session.advance(action)
    return f"the expert did not arrive in {trial.expert_steps} steps."


CHECKS = (
    begins_an_episode,
    observations_fit_their_specs,
    looking_changes_nothing,
    the_same_walk_is_the_same_twice,
    sessions_are_independent,
    a_batch_shows_what_single_sessions_show,
    stop_moves_nothing,
    a_turn_is_undone_by_its_opposite,
    a_step_goes_forward_and_no_further_than_it_says,
    a_wall_is_a_collision,
    advance_returns_what_happened,
    an_unknown_action_is_refused,
    distances_are_distances,
    where_the_agent_stands_is_navigable,
    noise_keys_name_the_step,
    says_what_its_world_is,
    assets_are_named_with_their_digests,
    the_expert_reaches_the_goal,
)


def walk(trial: Trial) -> list[Action]:
    """Actions that the backend must know: steps and turns, on a graph turns alone."""
    names = [name for name in WALK if trial.episode.start_node is None or name != "move_forward"]
    return [Action(name) for name in names]


def _play(session: Simulator, trial: Trial, looks: int = 1) -> list[tuple[AgentState, Mapping[str, Any]]]:
    seen = [session.reset(trial.episode)]
    states = [session.get_agent_state()]
    for action in walk(trial):
        for _ in range(looks - 1):
            session.observe()
        seen.append({name: np.copy(v) if isinstance(v, np.ndarray) else v for name, v in session.step(action).items()})
        states.append(session.get_agent_state())
    return list(zip(states, seen, strict=True))


def _compare_walks(first: Sequence[Any], second: Sequence[Any], what: str) -> str:
    for index, ((state, seen), (other, shown)) in enumerate(zip(first, second, strict=True)):
        if not _same_pose(state, other):
            return f"{what} led to {other.position} at step {index}, not to {state.position}."
        if fault := difference(seen, shown):
            return f"{what} showed something else at step {index}: {fault}."
    return ""


def _places(trial: Trial) -> list[Place]:
    """Up to four places that can be reached, the start first."""
    session = trial.started()
    places = [session.get_agent_state().place]
    for _ in range(12):
        if len(places) == 4:
            break
        for action in _onwards(session, trial):
            session.advance(action)
        place = session.get_agent_state().place
        if all(euclidean(place.position, known.position) > 0.1 for known in places):
            places.append(place)
    return places


def _onwards(session: Simulator, trial: Trial) -> list[Action]:
    if not isinstance(session, HasGraph):
        return [*(Action("move_forward") for _ in range(3)), Action("turn_left"), Action("turn_left")]
    return [Action("move_to", {"viewpoint": session.candidates()[0]["viewpoint"]})]


def _same_pose(a: AgentState, b: AgentState, slack: float = 0.0) -> bool:
    half = abs(sum(p * q for p, q in zip(a.rotation, b.rotation, strict=True)))
    same = abs(half - 1) < 1e-6 + slack**2 / 8  # the cosine of half the angle between them
    near = euclidean(a.position, b.position) < CLOSE + slack
    return same and near and a.node == b.node and abs(a.elevation - b.elevation) < CLOSE


def difference(a: Mapping[str, Any], b: Mapping[str, Any]) -> str:
    """The names of sensors that show something else."""
    return ", ".join(name for name in a if not _equal(a[name], b.get(name)))


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b)
    return bool(a == b)
