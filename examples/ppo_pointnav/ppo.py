"""PPO (Schulman et al. 2017) in one file of torch: point-goal navigation by depth, from nothing, in generated homes.

A network of 0.2 million numbers sees depth and where the goal lies, and is paid for metres gained. It learns in the
homes of the split train; then it is evaluated, without exploring, in those of val_unseen, beside one that guesses.
Ctrl-C ends the learning early. Steps and goals are those of Habitat's challenge of 2020: 0.25 m, 30 degrees, 0.36 m.
    python ppo.py [--steps 500000] [--seed 1] [--out policy.pt] [key=value ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.distributions import Categorical

import nav_eval
from nav_eval_sdk import VLNAgent

ACTIONS = ("stop", "move_forward", "turn_left", "turn_right")
WORLD = (
    f"task.actions=[{','.join(ACTIONS)}]",
    "simulator.sensors={depth: {width: 32, height: 24, hfov: 90}}",
    "task.measurements=[success,spl,distance_to_goal]",
    "dataset.generate={seed: ppo, scenes: 6, rooms: 2, detail: 20000, per_scene: 100}",
    "simulator.motion.turn_angle=30",
    "evaluation.success_distance=0.36",
    "evaluation.max_steps=150",
)
ENVS, LENGTH, EPOCHS, MINIBATCHES = 16, 64, 4, 4
RATE, DISCOUNT, TRACE, CLIP, ENTROPY, VALUE = 5e-4, 0.98, 0.95, 0.2, 0.01, 0.5
STOPS = -3.0
"""Logit of the first stops: by chance one would end an episode after four steps, before there is much to learn from."""
LINE = 16
"""Updates of one line of the curve."""


class Policy(nn.Module):
    """Depth (B, 24, 32, 1) in metres and goal (B, 2), metres and radians -> logits (B, 4), value (B,)."""

    def __init__(self) -> None:
        super().__init__()
        convs = [nn.Conv2d(1, 16, 4, 2), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU(), nn.Flatten()]
        self.sight = nn.Sequential(*convs, nn.Linear(32 * 5 * 7, 128), nn.ReLU())
        self.body = nn.Sequential(nn.Linear(128 + 4, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.actor, self.critic = nn.Linear(128, len(ACTIONS)), nn.Linear(128, 1)
        for part in self.modules():
            if isinstance(part, nn.Conv2d | nn.Linear):
                nn.init.orthogonal_(part.weight, 2**0.5)
                nn.init.zeros_(part.bias)
        nn.init.orthogonal_(self.actor.weight, 0.01)
        nn.init.constant_(self.actor.bias[0], STOPS)
        nn.init.orthogonal_(self.critic.weight, 1.0)

    def forward(self, depth: Tensor, goal: Tensor) -> tuple[Tensor, Tensor]:
        far, way = goal[:, :1], goal[:, 1:]
        where = torch.cat([far / 5, torch.exp(-2 * far), way.cos(), way.sin()], -1)
        hidden = self.body(torch.cat([self.sight(depth.permute(0, 3, 1, 2).clamp(max=4) / 4), where], -1))
        return self.actor(hidden), self.critic(hidden)[:, 0]


def tensors(seen: Mapping[str, Any]) -> tuple[Tensor, Tensor]:
    """What the policy sees, of all environments."""
    return torch.from_numpy(seen["depth"]), torch.from_numpy(seen["pointgoal"])


class Rollout:
    """LENGTH steps of all environments, (LENGTH, ENVS, ...).

    `real`: False where the step only reset an environment; what it showed before is the end of its last episode, so
    that the worth of an episode that was cut short is at hand.
    """

    def __init__(self) -> None:
        self.depth = torch.zeros(LENGTH, ENVS, 24, 32, 1)
        self.goal = torch.zeros(LENGTH, ENVS, 2)
        self.action = torch.zeros(LENGTH, ENVS, dtype=torch.long)
        self.chance, self.value, self.reward = (torch.zeros(LENGTH, ENVS) for _ in range(3))
        self.ended, self.over, self.real = (torch.zeros(LENGTH, ENVS, dtype=torch.bool) for _ in range(3))

    def advantages(self, last: Tensor) -> Tensor:
        """(LENGTH, ENVS), generalised; `last` (ENVS,): what the state after the last step is held to be worth."""
        found, ahead, after = torch.zeros(LENGTH, ENVS), torch.zeros(ENVS), last
        for step in reversed(range(LENGTH)):
            error = self.reward[step] + DISCOUNT * after * ~self.ended[step] - self.value[step]
            ahead = error + DISCOUNT * TRACE * ahead * ~self.over[step]
            found[step], after = ahead, self.value[step]
        return found


class Trainer:
    """A policy that walks in environments and learns from it."""

    def __init__(self, envs: Any, seed: int, steps: int) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)  # the network is small: threads would cost more than they bring
        self.envs, self.policy, self.rollout = envs, Policy(), Rollout()
        self.optimiser = torch.optim.Adam(self.policy.parameters(), RATE, eps=1e-5)
        self.updates = -(-steps // (LENGTH * ENVS))
        self.seen = tensors(envs.reset(seed=seed)[0])
        self.over: NDArray[np.bool_] = np.zeros(ENVS, bool)
        self.ends: list[tuple[float, float]] = []
        """(success, SPL) of the episodes that ended."""

    @torch.no_grad()
    def walk(self) -> Tensor:
        """Fills the rollout; advantages (LENGTH, ENVS)."""
        held = self.rollout
        for step in range(LENGTH):
            logits, held.value[step] = self.policy(*self.seen)
            chosen = Categorical(logits=logits)
            held.depth[step], held.goal[step] = self.seen
            held.action[step] = chosen.sample()
            held.chance[step] = chosen.log_prob(held.action[step])
            held.real[step] = torch.from_numpy(~self.over)
            seen, reward, ended, cut, infos = self.envs.step(held.action[step].numpy())
            self.seen, self.over = tensors(seen), ended | cut
            held.reward[step], held.ended[step] = torch.from_numpy(reward), torch.from_numpy(ended)
            held.over[step] = torch.from_numpy(self.over)
            self._note(infos)
        return held.advantages(self.policy(*self.seen)[1])

    def _note(self, infos: Mapping[str, Any]) -> None:
        if self.over.any():
            measured = infos["metrics"]
            rows = zip(measured["success"][self.over].tolist(), measured["spl"][self.over].tolist())
            self.ends += rows

    def learn(self, advantages: Tensor) -> None:
        """EPOCHS times through the rollout, in MINIBATCHES."""
        held = self.rollout
        real = held.real.flatten().nonzero()[:, 0]
        columns = (held.depth, held.goal, held.action, held.chance, advantages, advantages + held.value)
        rows = [column.flatten(0, 1) for column in columns]
        for _ in range(EPOCHS):
            for chosen in real[torch.randperm(len(real))].chunk(MINIBATCHES):
                self.optimiser.zero_grad()
                self._loss(*(row[chosen] for row in rows)).backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
                self.optimiser.step()

    def _loss(self, depth: Tensor, goal: Tensor, action: Tensor, chance: Tensor, gain: Tensor, worth: Tensor) -> Tensor:
        logits, value = self.policy(depth, goal)
        chosen = Categorical(logits=logits)
        ratio = (chosen.log_prob(action) - chance).exp()
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        better = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain)
        return -better.mean() + VALUE * (value - worth).pow(2).mean() - ENTROPY * chosen.entropy().mean()

    def train(self) -> None:
        """All updates; a line of the curve now and then."""
        begun, used = time.monotonic(), time.process_time()
        sys.stdout.write("   steps  minutes  CPU min  episodes  success   SPL\n")
        for update in range(1, self.updates + 1):
            self.learn(self.walk())
            if update % LINE == 0:
                success, spl = np.mean(self.ends, 0) if self.ends else (np.nan, np.nan)
                spent = f"{(time.monotonic() - begun) / 60:7.1f}  {(time.process_time() - used) / 60:7.1f}"
                row = f"{update * LENGTH * ENVS:8}  {spent}  {len(self.ends):8}  {success:7.2f}  {spl:4.2f}\n"
                sys.stdout.write(row)
                sys.stdout.flush()
                self.ends = []


class Learned(VLNAgent):
    """The policy in an evaluation: its likeliest action."""

    policy: Policy

    def reset(self, episode: dict[str, Any]) -> None:
        """Nothing to remember."""

    @torch.no_grad()
    def act(self, observation: dict[str, Any]) -> str:
        seen = {name: np.array(observation[name], np.float32)[None] for name in ("depth", "pointgoal")}
        logits, _ = self.policy(*tensors(seen))
        return ACTIONS[int(logits.argmax())]


def evaluated(agent: Any, overrides: list[str]) -> str:
    """Success and SPL in homes that nobody learned in, with 95 % intervals."""
    results = nav_eval.evaluate("pointnav-demo", agent=agent, overrides=[*overrides, "dataset.split=val_unseen"])
    told = []
    for name in ("success", "spl"):
        mean, (low, high) = results.metrics[name]["mean"], results.metrics[name]["ci95"]
        told.append(f"{name} {mean:.2f} [{low:.2f}, {high:.2f}]")
    return f"{', '.join(told)} of {results.n_episodes} episodes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="policy.pt")
    given, keys = parser.parse_known_args()
    overrides = [*WORLD, *keys]
    envs = nav_eval.make_vec_env(
        "pointnav-demo", ENVS, overrides=[*overrides, "dataset.split=train"], order="shuffled", dense_reward=True
    )
    trainer = Trainer(envs, given.seed, given.steps)
    with suppress(KeyboardInterrupt):
        trainer.train()
    envs.close()
    torch.save(trainer.policy.state_dict(), given.out)
    Learned.policy = trainer.policy
    sys.stdout.write(f"unseen homes, learned: {evaluated(Learned, overrides)}\n")
    sys.stdout.write(f"unseen homes, random:  {evaluated(None, [*overrides, 'agent_service.agent=random'])}\n")


if __name__ == "__main__":
    main()
