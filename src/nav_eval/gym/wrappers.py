"""What training wants to know and evaluation never shows: the oracle's action, a reward for every step."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from nav_eval.gym.environment import NavEnv, expert_or_none


class ExpertActions(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Puts the oracle's next action into info["expert_action"] (-1: there is none), for imitation and DAgger."""

    env: NavEnv

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, {**info, "expert_action": expert_or_none(self.unwrapped)}  # type: ignore[arg-type]

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        *outcome, info = self.env.step(action)
        return (*outcome, {**info, "expert_action": expert_or_none(self.unwrapped)})  # type: ignore[arg-type,return-value]


class DenseReward(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Reward: metres that the way to the goal became shorter, minus SLACK per step, plus SUCCESS at a success."""

    SLACK, SUCCESS = 0.01, 2.5

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        before = self.unwrapped.distance_to_goal()  # type: ignore[attr-defined]
        observation, success, *rest = self.env.step(action)
        now = self.unwrapped.distance_to_goal()  # type: ignore[attr-defined]
        return (observation, float(_dense(np.array(before), np.array(now), np.array(success, float))), *rest)


def _dense(before: Any, now: Any, success: Any) -> Any:
    with np.errstate(invalid="ignore"):
        gain = np.nan_to_num(before - now, nan=0.0, posinf=0.0, neginf=0.0)
    return gain - DenseReward.SLACK + DenseReward.SUCCESS * success


class VectorExpertActions(gymnasium.vector.VectorWrapper):
    """ExpertActions for a NavVectorEnv."""

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observations, infos = self.env.reset(seed=seed, options=options)
        return observations, {**infos, "expert_action": self.unwrapped.expert_action()}  # type: ignore[attr-defined]

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        *outcome, infos = self.env.step(actions)
        return (*outcome, {**infos, "expert_action": self.unwrapped.expert_action()})  # type: ignore[attr-defined]


class VectorDenseReward(gymnasium.vector.VectorWrapper):
    """DenseReward for a NavVectorEnv; the step that resets an environment earns nothing."""

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        env: Any = self.unwrapped
        over, before = env.over.copy(), env.distance_to_goal()
        observations, success, terminated, truncated, infos = self.env.step(actions)
        rewards = np.where(over, 0.0, _dense(before, env.distance_to_goal(), success))
        return observations, rewards, terminated, truncated, infos
