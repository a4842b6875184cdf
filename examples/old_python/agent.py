"""An agent in an old environment: it walks until something is near, then turns. Replace it by your model."""

import sys

from serve_old import serve


class WallAvoider:
    name = "wall_avoider"

    def reset(self, episode):
        self.steps = 0

    def act(self, observation):
        self.steps += 1
        if self.steps > 30:
            return "stop"
        depth = observation.get("depth")
        near = depth is not None and float(depth[:, depth.shape[1] // 3 : -depth.shape[1] // 3].min()) < 0.5
        return "turn_left" if near else {"action": "move_forward", "action_args": {}}


if __name__ == "__main__":
    serve(WallAvoider, port=int(sys.argv[1]) if len(sys.argv) > 1 else 8085)
