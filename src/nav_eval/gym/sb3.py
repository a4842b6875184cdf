"""A vector of environments as stable-baselines3 takes it; `sb3_vec_env` alone imports this, as it is no dependency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Dict
from gymnasium.vector import VectorEnv
from stable_baselines3.common.vec_env import VecEnv

from nav_eval.errors import ConfigError


class Sb3VecEnv(VecEnv):
    """An environment whose episode ends is reset within that step; infos[k]["terminal_observation"] is its last."""

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        spaces = envs.single_observation_space
        if isinstance(spaces, Dict) and any(isinstance(part, Dict) for part in spaces.values()):
            raise ConfigError("sb3_vec_env: stable-baselines3 refuses nested observations; make_vec_env(flat=True).")
        self.envs = envs
        self._actions: Any = None
        super().__init__(envs.num_envs, spaces, envs.single_action_space)

    def reset(self) -> Any:
        observations, infos = self.envs.reset(seed=self._seeds)
        self.reset_infos = [_of(infos, place) for place in range(self.num_envs)]
        self._reset_seeds()
        return observations

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        seen, rewards, terminated, truncated, gathered = self.envs.step(self._actions)
        infos = [_of(gathered, place) for place in range(self.num_envs)]
        over = terminated | truncated
        for place, info in enumerate(infos):
            info["TimeLimit.truncated"] = bool(truncated[place] and not terminated[place])
            if over[place]:
                info["terminal_observation"] = {name: value[place].copy() for name, value in seen.items()}
        if over.any():
            seen, begun = self.envs.reset(options={"reset_mask": over})
            for place in np.flatnonzero(over).tolist():
                self.reset_infos[place] = _of(begun, place)
        return seen, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        self.envs.close()

    def get_images(self) -> list[Any]:
        return [env.render() for env in self._chosen(None)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(env, attr_name) for env in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        for env in self._chosen(indices):
            setattr(env, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        return [getattr(env, method_name)(*args, **kwargs) for env in self._chosen(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False for _ in self._chosen(indices)]

    def _chosen(self, indices: int | Iterable[int] | None) -> list[Any]:
        environments: Any = self.envs.unwrapped
        return [environments.envs[place] for place in self._get_indices(indices)]


def _of(infos: Mapping[str, Any], place: int) -> dict[str, Any]:
    """What the gathered infos say of one environment."""
    named = {name: value for name, value in infos.items() if not name.startswith("_")}
    mine = {name: value for name, value in named.items() if infos.get(f"_{name}") is None or infos[f"_{name}"][place]}
    return {name: _of(value, place) if isinstance(value, Mapping) else value[place] for name, value in mine.items()}
