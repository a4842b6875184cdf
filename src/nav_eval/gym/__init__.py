"""nav_eval's episodes as gymnasium environments, for training; evaluation never goes through here.

`make_env` is one environment. `make_vec_env` is many: sessions of one process, or, with `processes`, a process for each
with observations in shared memory. Actions are one number: those without arguments in the task's order, then "move to
the k-th candidate"; actions with numbers as arguments make it {"action": number, "arguments": array}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium

from nav_eval.gym.environment import NavEnv
from nav_eval.gym.forms import text
from nav_eval.gym.vector import NavVectorEnv
from nav_eval.gym.wrappers import DenseReward, ExpertActions, VectorDenseReward, VectorExpertActions
from nav_eval.logging import get_logger

if TYPE_CHECKING:
    from nav_eval.runs.builder import Plan

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
    stack = ExitStack()
    plan = stack.enter_context(_opened(benchmark, config, overrides))
    env: Any = _told(_nav_env(plan, render_mode, stack.close))
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
    stack = ExitStack()
    plan = stack.enter_context(_opened(benchmark, config, overrides))
    sessions = [_nav_env(plan, render_mode) for _ in range(num_envs)]
    _told(sessions[0])
    envs: Any = NavVectorEnv(sessions, plan.backend, close=stack.close, copy=copy)
    envs = VectorDenseReward(envs) if dense_reward else envs
    return VectorExpertActions(envs) if expert_actions else envs


def _told(env: NavEnv) -> NavEnv:
    """`env`; the log (INFO) says what is drawn for each of its steps, because that is most of what a step costs."""
    lenses: Mapping[Any, Sequence[str]] = getattr(env.environment.simulator, "lenses", {})
    drawn = [f"{'+'.join(outputs)} {lens.width}x{lens.height}, hfov {lens.hfov:g}" for lens, outputs in lenses.items()]
    get_logger(__name__).info("each step draws %s.", "; ".join(drawn) or "nothing")
    return env


def _opened(benchmark: str | None, file: str | None, overrides: Sequence[str]) -> AbstractContextManager[Plan]:
    from nav_eval.runs.plan import opened
    from nav_eval.runs.registry import benchmark_config

    return opened(benchmark_config(benchmark, file=file, overrides=overrides))


def _nav_env(plan: Plan, render_mode: str | None, close: Callable[[], None] = lambda: None) -> NavEnv:
    environment = plan.environment()

    def close_all() -> None:
        environment.simulator.close()
        close()

    return NavEnv(environment, list(plan.episodes), render_mode=render_mode, close=close_all)
