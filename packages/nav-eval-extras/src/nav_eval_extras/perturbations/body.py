"""Perturbations of the robot: its cameras sit elsewhere, see less or measure worse, its wheels obey worse, it is late.

Each of them is a setting of the simulator that exists already; a severity says how far it is moved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from nav_eval.config.schema import EvaluationConfig, SensorConfig, SimulatorConfig
from nav_eval.core.interfaces import Perturbation
from nav_eval.simulator.sensors.frame import HFOV

FRAMES = ("rgb", "depth", "semantic", "objects")
"""Types of sensors that look through a lens of their own."""


class CameraHeight(Perturbation):
    """Cameras 0.2, 0.4 and 0.6 m lower than the benchmark's, but never below 0.2 m.

    That VLN agents suffer from the cameras of lower bodies is what VLN-PE reports (Wang et al., ICCV 2025) for wheeled
    and legged robots; the amounts are ours.
    """

    LOWER: ClassVar = (0.2, 0.4, 0.6)
    LOWEST: ClassVar = 0.2

    def simulator(self, config: SimulatorConfig) -> SimulatorConfig:
        if config.backend == "nav_graph" or not _of_types(config, (*FRAMES, "panorama", "depth_panorama")):
            return config
        before = config.body.camera_height
        height = max(before - self.LOWER[self.severity - 1], min(self.LOWEST, before))
        return config.model_copy(update={"body": config.body.model_copy(update={"camera_height": height})})


class FieldOfView(Perturbation):
    """Cameras with 5/6, 4/6 and 3/6 of the horizontal field of view, and as many pixels as before.

    RobustNav (Chattopadhyay et al., ICCV 2021) halves it, 79 to 39.5 degrees ("Lower-FOV"): severity 3 here.
    """

    SHARES: ClassVar = (5 / 6, 4 / 6, 3 / 6)

    def simulator(self, config: SimulatorConfig) -> SimulatorConfig:
        def narrower(sensor: SensorConfig) -> SensorConfig:
            return sensor.model_copy(update={"hfov": (sensor.hfov or HFOV) * self.SHARES[self.severity - 1]})

        return _with_sensors(config, FRAMES, narrower)


class DepthNoise(Perturbation):
    """The noise of a PrimeSense depth camera, 1, 2 and 4 times what was measured; added to what is configured.

    The model is the depth sensor's own `noise: redwood` (Choi, Zhou and Koltun, CVPR 2015).
    """

    STRENGTHS: ClassVar = (1.0, 2.0, 4.0)

    def simulator(self, config: SimulatorConfig) -> SimulatorConfig:
        def noisier(sensor: SensorConfig) -> SensorConfig:
            given = sensor.options
            before = given.get("noise_multiplier", 1.0) if given.get("noise") else 0.0
            noise = {"noise": "redwood", "noise_multiplier": before + self.STRENGTHS[self.severity - 1]}
            return sensor.model_copy(update={"options": {**given, **noise}})

        return _with_sensors(config, ("depth",), noisier)


class ActuationErrors(Perturbation):
    """A LoCoBot's wheels: 0.5, 1 and 2 times the errors that PyRobot's makers measured; added to what is configured.

    The model is `simulator.motion.noise`, LoCoBot/ILQR where none is set (Murali et al., 2019). 0.5 is what the
    Habitat Challenge 2020 used, with another of its controllers; RobustNav has motion noise of its own.
    """

    STRENGTHS: ClassVar = (0.5, 1.0, 2.0)

    def simulator(self, config: SimulatorConfig) -> SimulatorConfig:
        if (config.backend, config.physics) != ("custom", "kinematic"):
            return config
        motion = config.motion
        before = motion.noise_multiplier if motion.noise else 0.0
        noise = {
            "noise": motion.noise or "LoCoBot/ILQR",
            "noise_multiplier": before + self.STRENGTHS[self.severity - 1],
        }
        return config.model_copy(update={"motion": motion.model_copy(update=noise)})


class Latency(Perturbation):
    """Every answer costs 0.5, 1 and 2 seconds more, for which the world goes on: `evaluation.clock=charged`.

    In steps of `evaluation.step_s`: a body that drives keeps its velocity, one that stands waits, people walk on, and
    the episode's steps are used up. After the streaming evaluation of Li, Wang and Ramanan ("Towards Streaming
    Perception", ECCV 2020); the amounts are ours. Answers whose time is measured are left as they are.
    """

    SECONDS: ClassVar = (0.5, 1.0, 2.0)

    def evaluation(self, config: EvaluationConfig) -> EvaluationConfig:
        if config.clock == "charged" and config.latency_s is None:
            return config
        before = config.latency_s or 0.0 if config.clock == "charged" else 0.0
        return config.model_copy(update={"clock": "charged", "latency_s": before + self.SECONDS[self.severity - 1]})


class PeopleInTheWay(Perturbation):
    """2, 4 and 6 more people, who first come along the agent's own way, from its goal.

    They walk by the social force model, make way and keep half a metre off; what is lost is lost by not making way, by
    waiting, or by taking them for walls. The numbers are ours.
    """

    MORE: ClassVar = (2, 4, 6)

    def simulator(self, config: SimulatorConfig) -> SimulatorConfig:
        people = config.people
        if config.backend != "custom" or people.motion != "social_force":
            return config
        more = {"count": people.count + self.MORE[self.severity - 1], "options": {**people.options, "crossing": 1.0}}
        return config.model_copy(update={"people": people.model_copy(update=more)})


def _of_types(config: SimulatorConfig, types: tuple[str, ...]) -> Mapping[str, SensorConfig]:
    return {name: sensor for name, sensor in config.sensors.items() if (sensor.type or name) in types}


def _with_sensors(
    config: SimulatorConfig, types: tuple[str, ...], changed: Callable[[SensorConfig], SensorConfig]
) -> SimulatorConfig:
    """The same with the sensors of these types `changed`; `config` itself where there is none."""
    found: dict[str, Any] = {name: changed(sensor) for name, sensor in _of_types(config, types).items()}
    return config.model_copy(update={"sensors": {**config.sensors, **found}}) if found else config
