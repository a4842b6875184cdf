"""Many sessions of one process as a gymnasium vector of environments.

They share scenes, and a backend that draws in batches draws their frames together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from nav_eval.core.interfaces import SimulatorBackend
from nav_eval.gym.environment import NavEnv, expert_or_none


class NavVectorEnv(gymnasium.vector.VectorEnv[dict[str, Any], Any, Any]):
    """Sessions of one process on one backend. An environment that is over is reset by the next step (NEXT_STEP).

    Observations are written into arrays that are kept; `copy=False` hands these out, to be read before the next step.
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
        self._copy = copy
        self._over = np.zeros(self.num_envs, bool)
        self._arrays: Any = create_empty_array(self.single_observation_space, self.num_envs, np.zeros)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """`seed`: one for each environment, or one number that is counted up from."""
        seeds = (
            [None if seed is None else seed + place for place in range(self.num_envs)]
            if (seed is None or isinstance(seed, int))
            else list(seed)
        )
        for env, one in zip(self.envs, seeds, strict=True):
            env.start(seed=one, options=options)
        self._over[:] = False
        return self._show(), self._gathered([env.information for env in self.envs])

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        infos = []
        for place, (env, action) in enumerate(zip(self.envs, iterate(self.action_space, actions), strict=True)):
            if self._over[place]:
                env.start()
                infos.append(env.information)
                continue
            rewards[place], terminated[place], truncated[place], info = env.advance(action)
            infos.append(info)
        self._over = terminated | truncated
        return self._show(), rewards, terminated, truncated, self._gathered(infos)

    def _show(self) -> dict[str, Any]:
        seen = self._backend.observe([env.environment.simulator for env in self.envs])
        shown = [env.show(env.environment.shown(one)) for env, one in zip(self.envs, seen, strict=True)]
        arrays: Any = concatenate(self.single_observation_space, shown, self._arrays)
        return deepcopy(arrays) if self._copy else arrays

    def _gathered(self, infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
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
