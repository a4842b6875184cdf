"""One session as a gymnasium environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, SupportsFloat

import gymnasium
from gymnasium import spaces

from nav_eval.core.environment import Environment
from nav_eval.core.types import AgentState
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.errors import InvalidAction, NavEvalError, SimulatorError
from nav_eval.gym.flat import flat_arrays, flat_space
from nav_eval.gym.forms import Actions, form
from nav_eval.gym.order import Upcoming


class NavEnv(gymnasium.Env[dict[str, Any], Any]):
    """Episodes of a benchmark, drawn with the generator that reset seeds. Reward: 1 for success at the end, else 0.

    `episodes`: those that can be played, by key; `upcoming`: says which comes next.
    `reset(options={"episode": (scene_id, episode_id)})` plays a certain one. An invalid action ends the episode, as in
    an evaluation. `info` holds the episode's key and, when it is over, its metrics. A step of an episode that is over,
    or of none, raises gymnasium.error.ResetNeeded.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012 - gymnasium's own name and type

    def __init__(
        self,
        environment: Environment,
        episodes: Sequence[Episode],
        *,
        upcoming: Upcoming,
        vocabulary: Sequence[str] | None = None,
        render_mode: str | None = None,
        flat: bool = False,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.environment = environment
        self.render_mode = render_mode
        self.episodes: Mapping[EpisodeKey, Episode] = {episode.key: episode for episode in episodes}
        self.upcoming = upcoming
        forms = {name: form(spec, vocabulary=vocabulary) for name, spec in environment.observation_spec.items()}
        self.forms = {name: held for name, held in forms.items() if held is not None}
        """How each observation is held."""
        self._actions = Actions(environment.action_space)
        self._close = close
        self.seen: Mapping[str, Any] = {}
        """What was observed last, as an agent in an evaluation has it."""
        self.flat = flat
        nested = spaces.Dict({name: held.space for name, held in self.forms.items()})
        self.observation_space = flat_space(nested) if flat else nested
        self.action_space = self._actions.space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], Any]:
        self.start(seed=seed, options=options)
        return self.show(self.environment.observe()), self.information

    def reseed(self, seed: int | None) -> None:
        """Draw from here on with `seed`, in a new epoch; None: go on as before."""
        super().reset(seed=seed)
        if seed is not None:
            self.upcoming.restart()

    def start(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """reset without looking."""
        self.reseed(seed)
        options = dict(options or {})
        wanted = options.pop("episode", None)
        if options:
            raise SimulatorError(f"reset: {', '.join(map(str, options))} is not an option here; there is `episode`.")
        key = self.upcoming.next(self.np_random) if wanted is None else tuple(wanted)
        if key not in self.episodes:
            raise SimulatorError(f"reset: there is no episode {key!r}; the key is (scene_id, episode_id).")
        self.environment.start(self.episodes[key])

    def set_agent_state(self, state: AgentState) -> dict[str, Any]:
        """Put the agent there (m, y up; xyzw) and look. Steps count on, measurements begin anew from there.

        Raises SimulatorError where nobody can stand.
        """
        self._require_running("set_agent_state")
        self.environment.place(state)
        return self.show(self.environment.observe())

    def _require_running(self, call: str) -> None:
        if self.environment.over:
            raise gymnasium.error.ResetNeeded(f"{call}: no episode is being played. Call reset() first.")

    def step(self, action: Any) -> tuple[dict[str, Any], SupportsFloat, bool, bool, dict[str, Any]]:
        outcome = self.advance(action)
        return (self.show(self.environment.observe()), *outcome)

    def advance(self, action: Any) -> tuple[float, bool, bool, dict[str, Any]]:
        """step without looking: reward, terminated, truncated, info."""
        self._require_running("step")
        try:
            self.environment.step(self._actions.action(action, self.seen.get("navigable") or ()))
        except InvalidAction as error:
            self.environment.over = True
            return 0.0, True, False, {**self.information, "invalid_action": str(error)}
        over, ended = self.environment.over, self.environment.ended
        reward = float(self.environment.metrics.get("success") or 0.0) if over else 0.0
        return reward, ended, over and not ended, self.information

    def show(self, observations: Mapping[str, Any]) -> dict[str, Any]:
        """Observations as this environment's space has them."""
        self.seen = observations
        shown = {name: held.pack(observations.get(name)) for name, held in self.forms.items()}
        return flat_arrays(shown) if self.flat else shown

    @property
    def information(self) -> dict[str, Any]:
        scene, episode = self.environment.simulator.episode.key
        info: dict[str, Any] = {"scene_id": scene, "episode_id": episode}
        if self._actions.moves:
            info["candidates"] = len(self.seen.get("navigable") or ())
        return info | ({"metrics": dict(self.environment.metrics)} if self.environment.over else {})

    def expert_action(self) -> int:
        """The number of the oracle's next action; raises SimulatorError where no way leads to the goal."""
        return self._actions.number(self.environment.expert_action(), self.seen.get("navigable") or ())

    def distance_to_goal(self) -> float:
        """Metres, geodesic; inf if no goal can be reached."""
        return self.environment.distance_to_goal()

    def render(self) -> Any:
        """The rgb sensor's frame, or None without one."""
        return self.seen.get("rgb")

    def close(self) -> None:
        self._close()


def expert_or_none(env: NavEnv) -> int:
    try:
        return -1 if env.environment.over else env.expert_action()
    except NavEvalError:
        return -1
