"""nav_eval's episodes as gymnasium environments, for training; evaluation never goes through here.

`make_env` is one environment. `make_vec_env` is many: sessions of one process, or, with `processes`, a process for each
with observations in shared memory. Actions are one number: those without arguments in the task's order, then "move to
the k-th candidate"; actions with numbers as arguments make it {"action": number, "arguments": array}.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium

from nav_eval.gym.environment import NavEnv
from nav_eval.gym.forms import text
from nav_eval.gym.vector import NavVectorEnv
from nav_eval.gym.wrappers import DenseReward, ExpertActions, VectorDenseReward, VectorExpertActions

if TYPE_CHECKING:
    from nav_eval.config.schema import Config
    from nav_eval.core.interfaces import SimulatorBackend

__all__ = [
    "DenseReward",
    "ExpertActions",
    "NavEnv",
    "NavVectorEnv",
    "VectorDenseReward",
    "VectorExpertActions",
    "make_env",
    "make_vec_env",
    "text",
]


def make_env(
    benchmark: str | None = None,
    *,
    overrides: Sequence[str] = (),
    config: str | None = None,
    render_mode: str | None = None,
    dense_reward: bool = False,
    expert_actions: bool = False,
) -> gymnasium.Env[dict[str, Any], Any]:
    """One environment that plays a benchmark's episodes. `overrides`: Hydra grammar; `config`: a --config file."""
    resolved, backend = _opened(benchmark, config, overrides)
    env: Any = _nav_env(resolved, backend, render_mode, backend.close)
    env = DenseReward(env) if dense_reward else env
    return ExpertActions(env) if expert_actions else env


def make_vec_env(
    benchmark: str | None = None,
    num_envs: int = 8,
    *,
    overrides: Sequence[str] = (),
    config: str | None = None,
    render_mode: str | None = None,
    dense_reward: bool = False,
    expert_actions: bool = False,
    processes: bool = False,
    copy: bool = True,
) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """`num_envs` environments in this process, or in one process each (gymnasium's AsyncVectorEnv, shared memory)."""
    if processes:
        one = partial(
            make_env,
            benchmark,
            overrides=tuple(overrides),
            config=config,
            render_mode=render_mode,
            dense_reward=dense_reward,
            expert_actions=expert_actions,
        )
        return gymnasium.vector.AsyncVectorEnv([one] * num_envs, shared_memory=True, copy=copy, context="spawn")
    resolved, backend = _opened(benchmark, config, overrides)
    envs: Any = NavVectorEnv([_nav_env(resolved, backend, render_mode) for _ in range(num_envs)], backend, copy=copy)
    envs = VectorDenseReward(envs) if dense_reward else envs
    return VectorExpertActions(envs) if expert_actions else envs


def _opened(benchmark: str | None, file: str | None, overrides: Sequence[str]) -> tuple[Config, SimulatorBackend]:
    from nav_eval.runs.builder import make_backend
    from nav_eval.runs.registry import benchmark_config

    resolved = benchmark_config(benchmark, file=file, overrides=overrides)
    return resolved, make_backend(resolved)


def _nav_env(
    config: Config, backend: SimulatorBackend, render_mode: str | None, close: Callable[[], None] = lambda: None
) -> NavEnv:
    from nav_eval.runs.builder import make_environment, make_episodes

    environment = make_environment(config, backend)

    def close_all() -> None:
        environment.simulator.close()
        close()

    return NavEnv(environment, list(make_episodes(config)), render_mode=render_mode, close=close_all)
