"""examples/ppo_pointnav: what it takes a step to be worth, and that it learns."""

from __future__ import annotations

import re

import pytest

from torch_python import EXAMPLES, run

PPO = str(EXAMPLES / "ppo_pointnav" / "ppo.py")

WORTH = f"""
import sys, torch
sys.path.insert(0, {str(EXAMPLES / "ppo_pointnav")!r})
import ppo
ppo.TRACE = 1.0
held = ppo.Rollout()
held.reward.normal_(generator=torch.Generator().manual_seed(0))
held.value.uniform_(generator=torch.Generator().manual_seed(1))
held.ended[9, 0] = held.over[9, 0] = held.over[20, 1] = True
last = torch.full((ppo.ENVS,), 3.0)
worth = held.advantages(last) + held.value
far = 0.0
for place, begin, end, after in ((0, 2, 9, 0.0), (1, 5, 20, held.value[21, 1]), (2, 7, ppo.LENGTH - 1, 3.0)):
    earned = sum(held.reward[k, place] * ppo.DISCOUNT ** (k - begin) for k in range(begin, end + 1))
    far = max(far, abs(worth[begin, place] - earned - after * ppo.DISCOUNT ** (end + 1 - begin)).item())
print(far)
"""
"""Without a trace a step's worth is what is earned until the end, and what is expected after: of an episode that the
agent ended nothing, of one that was cut what its last state is worth."""


@pytest.mark.soak
def test_a_step_is_worth_what_it_earns_until_the_end(trainer):
    assert float(run(trainer, "-c", WORTH)) < 1e-4


@pytest.mark.soak
def test_success_rises(trainer, tmp_path):
    homes = "dataset.generate={seed: ppo, scenes: 2, rooms: 2, detail: 20000, per_scene: 30}"
    printed = run(trainer, PPO, "--steps", "49152", "--out", str(tmp_path / "policy.pt"), homes)
    curve = [float(line.split()[4]) for line in printed.splitlines() if re.match(r" *\d", line)]
    learned, random = (float(found) for found in re.findall(r"success ([\d.]+)", printed))
    assert curve[-1] > curve[0] + 0.2
    assert learned > random + 0.2
    assert (tmp_path / "policy.pt").is_file()
