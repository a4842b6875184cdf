"""DAgger (Ross, Gordon, Bagnell 2011) in numpy: imitate nav_eval's expert on point-goal episodes, then be evaluated.

The learner walks, the expert says at every step what it would have done, and a softmax policy is fitted to all that
was said so far. Features: distance and direction of the goal, the nearest obstacle in eleven columns of the depth.
    python dagger.py [BENCHMARK] [key=value ...]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import nav_eval
from nav_eval_sdk import VLNAgent

ROUNDS, STEPS, ENVS, COLUMNS, SECTORS = 6, 250, 8, 11, 49
ACTIONS = ("stop", "move_forward", "turn_left", "turn_right")


def features(observation: dict[str, Any]) -> Any:
    """(..., F) from observations with `pointgoal` (..., 2): distance m, direction rad, and `depth` (..., H, W, 1)."""
    distance, direction = observation["pointgoal"][..., 0], observation["pointgoal"][..., 1]
    depth = observation["depth"][..., 0]
    columns = np.stack([part.min(axis=(-2, -1)) for part in np.array_split(depth, COLUMNS, axis=-1)], axis=-1)
    sector = np.floor((direction + np.pi) / (2 * np.pi) * SECTORS).astype(int) % SECTORS
    near = [distance < 0.2, np.minimum(distance, 1.0), np.ones_like(distance)]
    free = np.minimum(columns, 2.0) / 2.0
    ahead = np.eye(SECTORS)[sector]
    return np.concatenate([ahead, ahead * free.min(axis=-1, keepdims=True), np.stack(near, axis=-1), free], axis=-1)


def fitted(seen: Any, said: Any, classes: int, rounds: int = 600) -> Any:
    """(F, classes) weights of a softmax regression, by gradient descent with momentum."""
    weights, momentum = np.zeros((seen.shape[1], classes)), 0.0
    target = np.eye(classes)[said]
    for _ in range(rounds):
        scores = seen @ weights
        chance = np.exp(scores - scores.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        momentum = 0.9 * momentum + 2.0 * seen.T @ (target - chance) / len(seen)
        weights = weights + momentum - 1e-5 * weights
    return weights


def trained(benchmark: str, overrides: list[str]) -> Any:
    """Weights after ROUNDS of DAgger with ENVS environments side by side."""
    envs = nav_eval.make_vec_env(benchmark, ENVS, overrides=overrides, expert_actions=True)
    rng = np.random.default_rng(0)
    seen, said, weights = [], [], None
    for number in range(ROUNDS):
        observation, infos = envs.reset(seed=number * ENVS)
        agreed = []
        for _ in range(STEPS):
            expert, rows = infos["expert_action"], features(observation)
            told = expert >= 0
            seen.append(rows[told])
            said.append(expert[told])
            own = np.zeros(ENVS, int) if weights is None else (rows @ weights).argmax(axis=1)
            agreed.append((own == expert)[told].mean() if told.any() else np.nan)
            follow = (rng.random(ENVS) < 0.5**number) & told
            observation, *_, infos = envs.step(np.where(follow, expert, own))
        weights = fitted(np.concatenate(seen), np.concatenate(said), len(ACTIONS))
        sys.stdout.write(
            f"round {number}: learner agreed with the expert in {100 * np.nanmean(agreed):.0f} % of steps\n"
        )
    envs.close()
    return weights


class Learned(VLNAgent):
    """The learner in an evaluation, where no expert speaks."""

    weights: Any = None

    def reset(self, episode: dict[str, Any]) -> None:
        """Nothing to remember."""

    def act(self, observation: dict[str, Any]) -> str:
        return ACTIONS[int((features(observation) @ self.weights).argmax())]


def main() -> None:
    arguments = sys.argv[1:] or ["pointnav-demo"]
    benchmark, overrides = arguments[0], [*arguments[1:], f"task.actions=[{','.join(ACTIONS)}]"]
    overrides.append("simulator.sensors={pointgoal: {}, depth: {width: 44, height: 32, hfov: 90}}")
    Learned.weights = trained(benchmark, overrides)
    for name, agent in (("random", "random"), ("learned", None)):
        chosen = [] if agent is None else [f"agent_service.agent={agent}"]
        results = nav_eval.evaluate(
            benchmark, agent=Learned if agent is None else None, overrides=[*overrides, *chosen]
        )
        figures = {key: round(results.metrics[key]["mean"], 3) for key in ("success", "spl", "distance_to_goal")}
        sys.stdout.write(f"{name}: {figures}\n")


if __name__ == "__main__":
    main()
