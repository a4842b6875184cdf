"""Habitat-sim as a simulator of nav_eval: run it in habitat-sim's own environment, beside nav-eval-sdk.

Written against the documented API of habitat-sim 0.3 (Simulator, Agent, PathFinder, GreedyGeodesicFollower). Its calls
are tested against what habitat-sim 0.3.4 answered, replayed by a stand-in; it has not been run on the real one there.
Scenes: option scenes_dir (simulator.options.host.scenes_dir), a scene id is a path under it.
"""

from __future__ import annotations

import math
from pathlib import Path

import habitat_sim
import numpy as np
from habitat_sim.utils.common import quat_from_coeffs, quat_to_coeffs

from nav_eval_sdk.protocol.simulator import Choice
from nav_eval_sdk.simulator_host import SimulatorHost, State, Step, camera_specs, main

MOVES = ("move_forward", "turn_left", "turn_right")
TILTS = {"look_up": 1, "look_down": -1}


class HabitatHost(SimulatorHost):
    name = "habitat-sim"
    version = str(getattr(habitat_sim, "__version__", ""))
    actions = ("stop", *MOVES, *TILTS)
    sensors = ("rgb", "depth", "semantic")

    def __init__(self, setup):
        super().__init__(setup)
        self.simulator = None
        self.scene = ""
        self.elevation = 0.0
        self.followers = {}
        self.specs = camera_specs(setup, self.sensors)

    def start(self, episode):
        if episode.scene_id != self.scene:
            self.load(episode.scene_id)
        state = habitat_sim.AgentState()
        state.position = np.array(episode.start_position, np.float32)
        state.rotation = quat_from_coeffs(np.array(episode.start_rotation or (0, 0, 0, 1)))
        self.agent.set_state(state, reset_sensors=True)
        self.elevation = 0.0
        self.followers.clear()
        return self.state()

    def load(self, scene):
        self.close()
        config = habitat_sim.SimulatorConfiguration()
        config.scene_id = str(Path(self.setup.options.get("scenes_dir", ".")) / scene)
        config.allow_sliding = self.setup.motion.sliding
        config.enable_physics = False
        self.simulator = habitat_sim.Simulator(habitat_sim.Configuration(config, [self.agent_configuration()]))
        self.scene = scene
        if not self.simulator.pathfinder.is_loaded:
            settings = habitat_sim.NavMeshSettings()
            settings.set_defaults()
            settings.agent_radius, settings.agent_height = self.setup.body.radius, self.setup.body.height
            settings.agent_max_climb = self.setup.body.max_climb
            settings.agent_max_slope = math.degrees(self.setup.body.max_slope)
            self.simulator.recompute_navmesh(self.simulator.pathfinder, settings)

    def agent_configuration(self):
        body, motion = self.setup.body, self.setup.motion
        configuration = habitat_sim.agent.AgentConfiguration()
        configuration.height, configuration.radius = body.height, body.radius
        configuration.sensor_specifications = [self.camera(name) for name in self.specs]
        amounts = {"move_forward": motion.forward_step}
        amounts |= dict.fromkeys(("turn_left", "turn_right"), math.degrees(motion.turn_angle))
        amounts |= dict.fromkeys(TILTS, math.degrees(motion.tilt_angle))
        configuration.action_space = {
            name: habitat_sim.agent.ActionSpec(name, habitat_sim.agent.ActuationSpec(amount))
            for name, amount in amounts.items()
        }
        return configuration

    def camera(self, name):
        wanted = self.setup.sensors[name]
        kinds = habitat_sim.SensorType
        spec = habitat_sim.CameraSensorSpec()
        spec.uuid = name
        spec.sensor_type = {"rgb": kinds.COLOR, "depth": kinds.DEPTH, "semantic": kinds.SEMANTIC}[wanted.type]
        spec.resolution = [wanted.height, wanted.width]
        spec.position = [0.0, self.setup.body.camera_height, 0.0]
        spec.hfov = math.degrees(wanted.hfov)
        return spec

    @property
    def agent(self):
        return self.simulator.get_agent(0)

    def state(self):
        state = self.agent.get_state()
        rotation = tuple(float(part) for part in quat_to_coeffs(state.rotation))
        return State(tuple(float(part) for part in state.position), rotation, self.elevation)

    def advance(self, action, args, seed):
        """Agent.act moves without drawing; observe draws."""
        if action == "stop":
            return Step(self.state())
        if action in TILTS:
            return self.tilt(action)
        collided = self.agent.act(action)
        return Step(self.state(), collided=bool(collided))

    def tilt(self, action):
        motion = self.setup.motion
        elevation = self.elevation + TILTS[action] * motion.tilt_angle
        if abs(elevation) <= motion.max_tilt + 1e-6:
            self.agent.act(action)
            self.elevation = elevation
        return Step(self.state())

    def observe(self):
        images = self.simulator.get_sensor_observations()
        return {name: self.image(images[name], self.specs[name]) for name in self.specs}

    def image(self, image, spec):
        """Colour comes with an alpha channel, depth without a channel, ids unsigned."""
        pixels = np.asarray(image)
        if spec.dtype == "uint8":
            pixels = pixels[:, :, :3]
        return np.ascontiguousarray(pixels.astype(spec.dtype).reshape(spec.shape))

    def distance(self, start, ends):
        if not ends:
            return math.inf
        path = habitat_sim.MultiGoalShortestPath()
        path.requested_start = np.array(start.position, np.float32)
        path.requested_ends = [np.array(end.position, np.float32) for end in ends]
        return path.geodesic_distance if self.simulator.pathfinder.find_path(path) else math.inf

    def is_navigable(self, position):
        return self.simulator.pathfinder.is_navigable(np.array(position, np.float32))

    def expert_action(self, goals, within):
        """Habitat's greedy follower to the nearest goal; it answers None where it would stop."""
        here = self.state()
        goal = goals[0] if len(goals) == 1 else min(goals, key=lambda goal: self.distance(here, [goal]))
        if within not in self.followers:
            self.followers[within] = self.simulator.make_greedy_follower(0, within)
        action = self.followers[within].next_action_along(np.array(goal.position, np.float32))
        return Choice(action or "stop")

    def close(self):
        if self.simulator is not None:
            self.simulator.close()
        self.simulator = None


if __name__ == "__main__":
    main(HabitatHost)
