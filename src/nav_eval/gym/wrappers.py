"""What training wants to know and evaluation never shows: the oracle's action, a reward for every step."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium
import numpy as np

from nav_eval.gym.environment import NavEnv, expert_or_none


class ExpertActions(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Puts the oracle's next action into info["expert_action"] (-1: there is none), for imitation and DAgger."""

    env: NavEnv

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, {**info, "expert_action": expert_or_none(self.unwrapped)}  # type: ignore[arg-type]

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        *outcome, info = self.env.step(action)
        return (*outcome, {**info, "expert_action": expert_or_none(self.unwrapped)})  # type: ignore[arg-type,return-value]


class DenseReward(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Reward: metres that the way to the goal became shorter, minus SLACK per step, plus SUCCESS at a success."""

    SLACK, SUCCESS = 0.01, 2.5

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        outcome = self.env.reset(seed=seed, options=options)
        self._before = self.unwrapped.distance_to_goal()  # type: ignore[attr-defined]
        return outcome

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        observation, success, *rest = self.env.step(action)
        now = self.unwrapped.distance_to_goal()  # type: ignore[attr-defined]
        reward = _dense(np.array(self._before), np.array(now), np.array(success, float))
        self._before = now
        return (observation, float(reward), *rest)


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

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        outcome = self.env.reset(seed=seed, options=options)
        self._before, self._over = self.unwrapped.distance_to_goal(), np.zeros(self.num_envs, bool)  # type: ignore[attr-defined]
        return outcome

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        observations, success, terminated, truncated, infos = self.env.step(actions)
        now = self.unwrapped.distance_to_goal()  # type: ignore[attr-defined]
        rewards = np.where(self._over, 0.0, _dense(self._before, now, success))
        self._before, self._over = now, terminated | truncated
        return observations, rewards, terminated, truncated, infos
