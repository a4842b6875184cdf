"""Farama MiniWorld as a simulator of nav_eval: run it in an environment of its own (requirements.txt).

A scene id is ENVIRONMENT/SEED, for example MiniWorld-FourRooms-v0/7. Agent, walls, doors and pictures are MiniWorld's;
shortest ways go over the corners of its walls (ways.py). Without a display Mesa's EGL draws.
"""

from __future__ import annotations

import math
import os

import gymnasium
import numpy as np
import pyglet
from ways import Ways

from nav_eval_sdk.simulator_host import SimulatorHost, StartEpisode, State, Step, camera_specs, main

pyglet.options["headless"] = not os.environ.get("DISPLAY")
NEAR, FAR = 0.04, 100.0
SCENES = ("MiniWorld-FourRooms-v0/1", "MiniWorld-FourRooms-v0/2")


class MiniWorldHost(SimulatorHost):
    name = "miniworld"
    sensors = ("rgb", "depth")

    def __init__(self, setup):
        from miniworld.opengl import FrameBuffer

        super().__init__(setup)
        self.worlds = {}
        self.scene = ""
        self.specs = camera_specs(setup, self.sensors)
        self.buffers = {name: FrameBuffer(c.width, c.height, 4) for name, c in setup.sensors.items()}

    @classmethod
    def examples(cls):
        """From MiniWorld's own start to its red box."""
        worlds = [(scene, make_world(scene)) for scene in SCENES]
        return [StartEpisode(scene, scene, *pose(world), goals=beside_the_box(world)) for scene, world in worlds]

    def start(self, episode):
        if episode.scene_id not in self.worlds:
            world = make_world(episode.scene_id)
            self.worlds[episode.scene_id] = (world, Ways(world.wall_segs[:, :, ::2], world.agent.radius))
        self.scene = episode.scene_id
        agent = self.agent
        agent.cam_height = self.setup.body.camera_height
        if episode.start_position is not None:
            agent.pos = np.array(episode.start_position)
        if episode.start_rotation is not None:
            _, y, _, w = episode.start_rotation
            agent.dir = 2 * math.atan2(y, w) + math.pi / 2
        return self.state()

    @property
    def world(self):
        return self.worlds[self.scene][0]

    @property
    def agent(self):
        return self.world.agent

    def state(self):
        return State(*pose(self.world))

    def advance(self, action, args, seed):
        turn = math.degrees(self.setup.motion.turn_angle)
        free = True
        if action == "move_forward":
            free = self.world.move_agent(self.setup.motion.forward_step, 0)
        elif action != "stop":
            self.world.turn_agent(turn if action == "turn_left" else -turn)
        return Step(self.state(), collided=not free)

    def observe(self):
        return {name: self.draw(name) for name in self.specs}

    def draw(self, name):
        camera = self.setup.sensors[name]
        self.agent.cam_fov_y = math.degrees(2 * math.atan(math.tan(camera.hfov / 2) * camera.height / camera.width))
        if camera.type == "rgb":
            return np.ascontiguousarray(self.world.render_obs(self.buffers[name]))
        self.world.render_obs(self.buffers[name])
        return self.buffers[name].get_depth_map(NEAR, FAR)

    def distance(self, start, ends):
        places = [end.position[::2] for end in ends if self.inside(end.position)]
        ways = self.worlds[self.scene][1]
        return min((ways.distance(start.position[::2], place) for place in places), default=math.inf)

    def is_navigable(self, place):
        return self.inside(place) and not self.world.intersect(self.agent, np.array(place), self.agent.radius)

    def inside(self, place):
        x, y, z = place
        rooms = self.world.rooms
        return abs(y) < 0.5 and any(r.min_x <= x <= r.max_x and r.min_z <= z <= r.max_z for r in rooms)


def make_world(scene):
    """A MiniWorld environment as its seed makes it."""
    import miniworld  # noqa: F401 - it registers its environments with gymnasium

    name, _, seed = scene.partition("/")
    world = gymnasium.make(name).unwrapped
    world.reset(seed=int(seed or 0))
    return world


def pose(world):
    """Position and rotation of the agent. MiniWorld's direction 0 is +x, nav_eval's is -z."""
    half = (world.agent.dir - math.pi / 2) / 2
    return position(world.agent.pos), (0.0, math.sin(half), 0.0, math.cos(half))


def beside_the_box(world):
    """Free places round the red box; the box itself is solid."""
    angles = [k * math.pi / 4 for k in range(8)]
    reach = 1.1 * (world.agent.radius + world.box.radius)
    ring = [world.box.pos + reach * np.array([math.cos(a), 0, math.sin(a)]) for a in angles]
    return tuple(position(p) for p in ring if not world.intersect(world.agent, p, world.agent.radius))


def position(point):
    return (float(point[0]), float(point[1]), float(point[2]))


if __name__ == "__main__":
    main(MiniWorldHost)
