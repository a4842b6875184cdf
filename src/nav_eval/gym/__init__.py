"""nav_eval's episodes as gymnasium environments, for training; evaluation never goes through here.

`make_env` is one environment. `make_vec_env` is many: sessions of one process, or, with `processes`, a process for each
with observations in shared memory. Actions are one number: those without arguments in the task's order, then "move to
the k-th candidate"; actions with numbers as arguments make it {"action": number, "arguments": array}. Importing this
module registers the built-in benchmarks with gymnasium: `gymnasium.make("nav_eval/vln-demo-v1")`, `make_vec`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from nav_eval.config.loader import builtin_benchmarks
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.errors import ConfigError, from_python
from nav_eval.gym.environment import NavEnv
from nav_eval.gym.forms import text
from nav_eval.gym.order import Order, Upcoming, queue, share, shares, vocabulary
from nav_eval.gym.recording import collect, rollouts
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
    "collect",
    "make_env",
    "make_vec_env",
    "rollouts",
    "sb3_vec_env",
    "text",
    "vocabulary",
]


@from_python()
def make_env(
    benchmark: str | None = None,
    *,
    overrides: Sequence[str] = (),
    config: str | None = None,
    render_mode: str | None = None,
    dense_reward: bool = False,
    expert_actions: bool = False,
    order: Order = "random",
    shard: tuple[int, int] | None = None,
    vocabulary: Sequence[str] | None = None,
    flat: bool = False,
) -> gymnasium.Env[dict[str, Any], Any]:
    """One environment that plays a benchmark's episodes.

    `overrides`: Hydra grammar; `config`: a --config file. `dense_reward`: see DenseReward; `expert_actions`: see
    ExpertActions. `order` of the episodes: "random" (each drawn by itself), or epochs in which each comes once:
    "shuffled" (those of as many buildings mixed as stay loaded), "scenes" (shuffled scene by scene), "fixed" (the data
    set's). `shard`: (k, n), every n-th episode from the k-th on, from 0. `vocabulary`: words; tokens of instructions
    are then shown as their numbers. `flat`: one Dict of arrays without Dicts in it, `observation["instruction/text"]`
    in place of `["instruction"]["text"]`, as stable-baselines3 wants it; a text is its UTF-8 bytes, (2048,) uint8
    padded with zeros, which `text` reads.
    """
    stack = ExitStack()
    plan = stack.enter_context(_open(benchmark, config, overrides))
    play = _Play(plan, render_mode, vocabulary, flat)
    keys = share(play.keys, shard)
    upcoming = stack.enter_context(queue(keys, order, plan.backend))
    env: Any = _log_step_cost(play.env(keys, upcoming, stack.close))
    kwargs = {
        "benchmark": benchmark,
        "overrides": tuple(overrides),
        "config": config,
        "render_mode": render_mode,
        "dense_reward": dense_reward,
        "expert_actions": expert_actions,
        "order": order,
        "shard": shard,
        "vocabulary": vocabulary,
        "flat": flat,
    }
    env.spec = EnvSpec(
        _id(benchmark), "nav_eval.gym:make_env", order_enforce=False, disable_env_checker=True, kwargs=kwargs
    )
    env = DenseReward(env) if dense_reward else env
    return ExpertActions(env) if expert_actions else env


@from_python()
def make_vec_env(
    benchmark: str | None = None,
    num_envs: int = 8,
    *,
    overrides: Sequence[str] = (),
    config: str | None = None,
    render_mode: str | None = None,
    dense_reward: bool = False,
    expert_actions: bool = False,
    order: Order = "random",
    shard: tuple[int, int] | None = None,
    vocabulary: Sequence[str] | None = None,
    flat: bool = False,
    processes: bool = False,
    copy: bool = True,
) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """`num_envs` environments in this process, or in one process each (gymnasium's AsyncVectorEnv, shared memory).

    As make_env; in an `order` of epochs the environments share the episodes out, so that an epoch plays each once.
    """
    if num_envs < 1:
        raise ConfigError(f"num_envs: is {num_envs}. Give 1 or more.")
    parts = shares(shard, num_envs, order)
    if processes:
        one = partial(
            make_env,
            benchmark,
            overrides=tuple(overrides),
            config=config,
            render_mode=render_mode,
            dense_reward=dense_reward,
            expert_actions=expert_actions,
            order=order,
            vocabulary=vocabulary,
            flat=flat,
        )
        makers = [partial(one, shard=part) for part in parts]
        return gymnasium.vector.AsyncVectorEnv(makers, shared_memory=True, copy=copy, context="spawn")
    stack = ExitStack()
    plan = stack.enter_context(_open(benchmark, config, overrides))
    play = _Play(plan, render_mode, vocabulary, flat)
    share(play.keys, parts[-1])  # one for each at least
    keys = share(play.keys, shard)
    upcoming = stack.enter_context(queue(keys, order, plan.backend))
    sessions = [play.env(keys, upcoming) for _ in range(num_envs)]
    _log_step_cost(sessions[0])
    envs: Any = NavVectorEnv(sessions, plan.backend, close=stack.close, copy=copy)
    envs = VectorDenseReward(envs) if dense_reward else envs
    return VectorExpertActions(envs) if expert_actions else envs


@from_python()
def sb3_vec_env(envs: gymnasium.vector.VectorEnv[Any, Any, Any]) -> Any:
    """`envs` of make_vec_env(flat=True), without `processes`, as a VecEnv of stable-baselines3.

    PPO("MultiInputPolicy", sb3_vec_env(make_vec_env("vln-demo", 8, flat=True, dense_reward=True))).learn(100_000)

    `infos[k]["metrics"]` holds the metrics of an episode that is over. Raises ConfigError for nested observations, and
    without stable-baselines3.
    """
    if find_spec("stable_baselines3") is None:
        raise ConfigError("sb3_vec_env: stable-baselines3 is not installed. pip install stable-baselines3")
    from nav_eval.gym.sb3 import Sb3VecEnv

    return Sb3VecEnv(envs)


@dataclass(frozen=True)
class _Play:
    """How a plan's episodes are played."""

    plan: Plan
    render_mode: str | None
    vocabulary: Sequence[str] | None
    flat: bool

    @cached_property
    def _episodes(self) -> dict[EpisodeKey, Episode]:
        return {episode.key: episode for episode in self.plan.episodes}

    @property
    def keys(self) -> list[EpisodeKey]:
        return list(self._episodes)

    def env(self, keys: Iterable[EpisodeKey], upcoming: Upcoming, close: Callable[[], None] = lambda: None) -> NavEnv:
        environment = self.plan.environment()

        def close_all() -> None:
            environment.simulator.close()
            close()

        return NavEnv(
            environment,
            [self._episodes[key] for key in keys],
            upcoming=upcoming,
            vocabulary=self.vocabulary,
            render_mode=self.render_mode,
            flat=self.flat,
            close=close_all,
        )


def _id(benchmark: str | None) -> str:
    return f"nav_eval/{benchmark or 'config'}-v1"


def _register() -> None:
    """gymnasium.make("nav_eval/vln-demo-v1"), likewise make_vec, after `import nav_eval.gym`."""
    for name in builtin_benchmarks():
        gymnasium.register(
            _id(name),
            "nav_eval.gym:make_env",
            vector_entry_point="nav_eval.gym:make_vec_env",
            kwargs={"benchmark": name},
        )


def _log_step_cost(env: NavEnv) -> NavEnv:
    """`env`; the log (INFO) says what is drawn for each of its steps, because that is most of what a step costs."""
    lenses: Mapping[Any, Sequence[str]] = getattr(env.environment.simulator, "lenses", {})
    drawn = [f"{'+'.join(outputs)} {lens.width}x{lens.height}, hfov {lens.hfov:g}" for lens, outputs in lenses.items()]
    get_logger(__name__).info("each step draws %s.", "; ".join(drawn) or "nothing")
    return env


def _open(benchmark: str | None, file: str | None, overrides: Sequence[str]) -> AbstractContextManager[Plan]:
    from nav_eval.runs.plan import opened
    from nav_eval.runs.registry import benchmark_config

    return opened(benchmark_config(benchmark, file=file, overrides=overrides))


_register()
