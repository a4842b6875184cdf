"""The smallest simulator in Python: an open square of 10 m. Run it: nav-eval finds out the rest from what it prints."""

import math

import numpy as np

from nav_eval_sdk.simulator_host import SimulatorHost, StartEpisode, State, Step, main


class Square(SimulatorHost):
    name = "square"

    @classmethod
    def examples(cls):
        return [StartEpisode("square", start_position=(0, 0, 0), goals=((1, 0, -2),))]

    def start(self, episode):
        self.x, _, self.z = episode.start_position
        self.yaw = 2 * math.atan2(*(episode.start_rotation or (0, 0, 0, 1))[1::2])
        return self.state()

    def advance(self, action, args, seed):
        self.yaw += {"turn_left": 1, "turn_right": -1}.get(action, 0) * self.setup.motion.turn_angle
        step = self.setup.motion.forward_step if action == "move_forward" else 0
        x, z = self.x - step * math.sin(self.yaw), self.z - step * math.cos(self.yaw)
        self.x, self.z = min(max(x, -5), 5), min(max(z, -5), 5)
        return Step(self.state(), collided=(x, z) != (self.x, self.z))

    def state(self):
        return State((self.x, 0, self.z), (0, math.sin(self.yaw / 2), 0, math.cos(self.yaw / 2)))

    def observe(self):
        shade = int(25 * (self.x + 5) + (self.z + 5)) % 256
        return {name: np.full(spec.shape, shade, spec.dtype) for name, spec in self.observation_spec().items()}

    def distance(self, start, ends):
        inside = [end.position for end in ends if self.is_navigable(end.position)]
        return min((math.dist(start.position, end) for end in inside), default=math.inf)

    def is_navigable(self, position):
        return max(abs(position[0]), abs(position[2])) <= 5


if __name__ == "__main__":
    main(Square)
