"""Sensors by name, and how a configured suite of them is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from nav_eval.admission import Blaming
from nav_eval.config.options import check_options
from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.contracts import admit_sensor
from nav_eval.core.interfaces import Sensor
from nav_eval.errors import ConfigError
from nav_eval.registry import Registry

SensorFactory: TypeAlias = Callable[[str, SensorConfig, SimulatorConfig], Sensor]
"""(name, the sensor's configuration, the simulator's) -> a sensor for one session."""

SENSORS: Registry[SensorFactory] = Registry(
    "sensors",
    {
        "instruction": "nav_eval.simulator.sensors.instruction:InstructionSensor",
        "gps": "nav_eval.simulator.sensors.pose:GpsSensor",
        "compass": "nav_eval.simulator.sensors.pose:CompassSensor",
        "heading": "nav_eval.simulator.sensors.pose:HeadingSensor",
        "rgb": "nav_eval.simulator.sensors.frame:RgbSensor",
        "depth": "nav_eval.simulator.sensors.frame:DepthSensor",
        "semantic": "nav_eval.simulator.sensors.frame:SemanticSensor",
        "panorama": "nav_eval.simulator.sensors.panorama:PanoramaSensor",
        "depth_panorama": "nav_eval.simulator.sensors.panorama:DepthPanoramaSensor",
        "pointgoal": "nav_eval.simulator.sensors.goal:PointGoalSensor",
        "objectgoal": "nav_eval.simulator.sensors.goal:ObjectGoalSensor",
        "imagegoal": "nav_eval.simulator.sensors.goal:ImageGoalSensor",
        "descriptiongoal": "nav_eval.simulator.sensors.goal:DescriptionGoalSensor",
        "objects": "nav_eval.simulator.sensors.objects:ObjectsSensor",
        "collision": "nav_eval.simulator.sensors.touch:CollisionSensor",
        "proximity": "nav_eval.simulator.sensors.touch:ProximitySensor",
        "viewpoint": "nav_eval.simulator.sensors.graph:ViewpointSensor",
        "navigable": "nav_eval.simulator.sensors.graph:NavigableSensor",
        "skybox": "nav_eval.simulator.sensors.graph:SkyboxSensor",
    },
    admit_sensor,
)
register_sensor = SENSORS.register
"""Decorator: @register_sensor("name") over what makes a Sensor of (name, SensorConfig, SimulatorConfig)."""


def make_sensors(config: SimulatorConfig) -> Mapping[str, Sensor]:
    """A fresh suite for one session, in the configuration's order. Raises ConfigError for what one does not take."""
    return {name: _make_sensor(name, sensor, config) for name, sensor in config.sensors.items()}


def _make_sensor(name: str, sensor: SensorConfig, config: SimulatorConfig) -> Sensor:
    kind = SENSORS.get(sensor.type or name)
    check_options(f"simulator.sensors.{name}.options", sensor.options, kind)
    with Blaming(f"simulator.sensors.{name}: its class", kind, ConfigError):
        return kind(name, sensor, config)
