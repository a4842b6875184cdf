"""One session as a gymnasium environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, SupportsFloat

import gymnasium
from gymnasium import spaces

from nav_eval.core.environment import Environment
from nav_eval.dataset.episode import Episode
from nav_eval.errors import InvalidAction, NavEvalError, SimulatorError
from nav_eval.gym.forms import Actions, form


class NavEnv(gymnasium.Env[dict[str, Any], Any]):
    """Episodes of a benchmark, drawn with the generator that reset seeds. Reward: 1 for success at the end, else 0.

    `reset(options={"episode": (scene_id, episode_id)})` plays a certain one. An invalid action ends the episode, as in
    an evaluation. `info` holds the episode's key and, when it is over, its metrics.
    """

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - gymnasium's own name and type

    def __init__(
        self,
        environment: Environment,
        episodes: Sequence[Episode],
        *,
        render_mode: str | None = None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self.environment = environment
        self.render_mode = render_mode
        self._episodes = {episode.key: episode for episode in episodes}
        self._forms = {name: form(spec) for name, spec in environment.observation_spec.items()}
        self._actions = Actions(environment.action_space)
        self._close = close
        self._seen: Mapping[str, Any] = {}
        kept = {name: held.space for name, held in self._forms.items() if held is not None}
        self.observation_space = spaces.Dict(kept)
        self.action_space = self._actions.space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], Any]:
        self.start(seed=seed, options=options)
        return self.show(self.environment.observe()), self.information

    def start(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """reset without looking."""
        super().reset(seed=seed)
        wanted = (options or {}).get("episode")
        keys = list(self._episodes)
        key = tuple(wanted) if wanted is not None else keys[int(self.np_random.integers(len(keys)))]
        if key not in self._episodes:
            raise SimulatorError(f"reset: there is no episode {key!r}; the key is (scene_id, episode_id).")
        self.environment.start(self._episodes[key])

    def step(self, action: Any) -> tuple[dict[str, Any], SupportsFloat, bool, bool, dict[str, Any]]:
        outcome = self.advance(action)
        return (self.show(self.environment.observe()), *outcome)

    def advance(self, action: Any) -> tuple[float, bool, bool, dict[str, Any]]:
        """step without looking: reward, terminated, truncated, info."""
        try:
            self.environment.step(self._actions.action(action, self._seen.get("navigable") or ()))
        except InvalidAction as error:
            self.environment.over = True
            return 0.0, True, False, {**self.information, "invalid_action": str(error)}
        over, ended = self.environment.over, self.environment.ended
        reward = float(self.environment.metrics.get("success") or 0.0) if over else 0.0
        return reward, ended, over and not ended, self.information

    def show(self, observations: Mapping[str, Any]) -> dict[str, Any]:
        """Observations as this environment's space has them."""
        self._seen = observations
        return {name: held.pack(observations.get(name)) for name, held in self._forms.items() if held is not None}

    @property
    def information(self) -> dict[str, Any]:
        scene, episode = self.environment.simulator.episode.key
        info: dict[str, Any] = {"scene_id": scene, "episode_id": episode}
        if self._actions.moves:
            info["candidates"] = len(self._seen.get("navigable") or ())
        return info | ({"metrics": dict(self.environment.metrics)} if self.environment.over else {})

    def expert_action(self) -> int:
        """The number of the oracle's next action; raises SimulatorError where no way leads to the goal."""
        return self._actions.number(self.environment.expert_action(), self._seen.get("navigable") or ())

    def distance_to_goal(self) -> float:
        """Metres, geodesic; inf if no goal can be reached."""
        return self.environment.distance_to_goal()

    def render(self) -> Any:
        """The rgb sensor's frame, or None without one."""
        return self._seen.get("rgb")

    def close(self) -> None:
        self._close()


def expert_or_none(env: NavEnv) -> int:
    try:
        return -1 if env.environment.over else env.expert_action()
    except NavEvalError:
        return -1
