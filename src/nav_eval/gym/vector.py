"""Many sessions of one process as a gymnasium vector of environments.

They share scenes, and a backend that draws in batches draws their frames together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space, iterate

from nav_eval.core.interfaces import SimulatorBackend
from nav_eval.engine.render.recycle import ArrayPool
from nav_eval.gym.batch import column
from nav_eval.gym.environment import NavEnv, expert_or_none
from nav_eval.gym.flat import flat_arrays


class NavVectorEnv(gymnasium.vector.VectorEnv[dict[str, Any], Any, Any]):
    """Sessions of one process on one backend. An environment that is over is reset by the next step (NEXT_STEP).

    With `copy=False` all steps write into the same arrays, to be read before the next step.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": ["rgb_array"]}  # noqa: RUF012

    def __init__(
        self, envs: Sequence[NavEnv], backend: SimulatorBackend, *, close: Callable[[], None], copy: bool = True
    ) -> None:
        self.envs = tuple(envs)
        self.num_envs = len(envs)
        self.render_mode = envs[0].render_mode
        self.single_observation_space = envs[0].observation_space
        self.single_action_space = envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._backend = backend
        self._close = close
        self.over = np.zeros(self.num_envs, bool)
        """Those that the next step resets."""
        pool = ArrayPool() if copy else None
        self._columns = {name: column(held, self.num_envs, pool) for name, held in envs[0].forms.items()}

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """`seed`: one for each environment, or one number that is counted up from.

        `options`: reset_mask, (num_envs,) bool, resets some of them; episodes, (scene_id, episode_id) or None for each
        environment; episode, the same one for all.
        """
        options = dict(options or {})
        chosen = np.flatnonzero(self._mask(options.pop("reset_mask", None))).tolist()
        episodes = self._one_each("episodes", options.pop("episodes", None))
        counted = range(seed, seed + self.num_envs) if isinstance(seed, int) else seed
        seeds = self._one_each("seed", counted)
        infos: dict[str, Any] = {}
        for place in chosen:  # all of them before an epoch is drawn, which they share
            self.envs[place].reseed(seeds[place])
        for place in chosen:
            wanted = {} if episodes[place] is None else {"episode": episodes[place]}
            self.envs[place].start(options={**options, **wanted})
            self.over[place] = False
        shown = self._show([self.envs[place] for place in chosen])
        for place in chosen:
            infos = self._add_info(infos, self.envs[place].information, place)
        return shown, infos

    def _mask(self, mask: Any) -> Any:
        if mask is None:
            return np.ones(self.num_envs, bool)
        if (
            not isinstance(mask, np.ndarray)
            or mask.dtype != np.bool_
            or mask.shape != (self.num_envs,)
            or not mask.any()
        ):
            raise ValueError(f"reset_mask: an array of {self.num_envs} bools, of which one is true, not {mask!r:.80}.")
        return mask

    def _one_each(self, name: str, given: Any) -> list[Any]:
        each = [None] * self.num_envs if given is None else list(given)
        if len(each) != self.num_envs:
            raise ValueError(f"{name}: there are {self.num_envs} environments, and {len(each)} are given.")
        return each

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        infos = []
        for place, (env, action) in enumerate(zip(self.envs, iterate(self.action_space, actions), strict=True)):
            if self.over[place]:
                env.start()
                infos.append(env.information)
                continue
            rewards[place], terminated[place], truncated[place], info = env.advance(action)
            infos.append(info)
        self.over = terminated | truncated
        return self._show(self.envs), rewards, terminated, truncated, self._gather(infos)

    def _show(self, moved: Sequence[NavEnv]) -> dict[str, Any]:
        seen = self._backend.observe([env.environment.simulator for env in moved])
        for env, one in zip(moved, seen, strict=True):
            env.seen = env.environment.perturb_and_check(one)
        shown = {name: held.filled([env.seen.get(name) for env in self.envs]) for name, held in self._columns.items()}
        return flat_arrays(shown, batch=1) if self.envs[0].flat else shown

    def _gather(self, infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
        gathered: dict[str, Any] = {}
        for place, info in enumerate(infos):
            gathered = self._add_info(gathered, info, place)
        return gathered

    def expert_action(self) -> Any:
        """(num_envs,) numbers of the oracle's next actions; -1 where there is none."""
        return np.array([expert_or_none(env) for env in self.envs])

    def distance_to_goal(self) -> Any:
        """(num_envs,) metres, geodesic."""
        return np.array([env.distance_to_goal() for env in self.envs])

    def render(self) -> tuple[Any, ...]:
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **kwargs: Any) -> None:
        for env in self.envs:
            env.close()
        self._close()
