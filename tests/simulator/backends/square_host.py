"""An external simulator for tests: an open square of 10 m with a camera that shows the pose. Also a program."""

from __future__ import annotations

import math
import os
import time

import numpy as np

from nav_eval_sdk.simulator_host import SimulatorHost, StartEpisode, State, Step, main


class SquareHost(SimulatorHost):
    name = "square"
    version = "1"
    sensors = ("rgb", "depth")

    @classmethod
    def examples(cls):
        return [StartEpisode("square", "1", (0.0, 0.0, 0.0), goals=((1.0, 0.0, -2.0),))]

    def start(self, episode):
        if self.setup.options.get("die") in (True, episode.episode_id):
            os._exit(7)
        time.sleep(self.setup.options.get("sleep", 0))
        self.x, _, self.z = episode.start_position
        _, y, _, w = episode.start_rotation or (0, 0, 0, 1)
        self.yaw = 2 * math.atan2(y, w)
        return self.state()

    def state(self):
        return State((self.x, 0.0, self.z), (0.0, math.sin(self.yaw / 2), 0.0, math.cos(self.yaw / 2)))

    def advance(self, action, args, seed):
        motion, hit = self.setup.motion, False
        self.yaw += {"turn_left": 1, "turn_right": -1}.get(action, 0) * motion.turn_angle
        if action == "move_forward":
            x, z = self.x - math.sin(self.yaw) * motion.forward_step, self.z - math.cos(self.yaw) * motion.forward_step
            self.x, self.z = min(max(x, -5), 5), min(max(z, -5), 5)
            hit = (x, z) != (self.x, self.z)
        return Step(self.state(), hit, events={"seed": str(seed)})

    def observe(self):
        values = {}
        for name, spec in self.observation_spec().items():
            values[name] = np.full(spec.shape, int(abs(self.x) * 10 + abs(self.z) * 3) % 200, spec.dtype)
        return values

    def distance(self, start, ends):
        inside = [end.position for end in ends if self.is_navigable(end.position)]
        return min((math.dist(start.position, end) for end in inside), default=math.inf)

    def is_navigable(self, position):
        return max(abs(position[0]), abs(position[2])) <= 5


if __name__ == "__main__":
    main(SquareHost)
