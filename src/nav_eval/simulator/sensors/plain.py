"""What a sensor is that shows the same whatever its section and the simulator's say: its spec is its class's."""

from __future__ import annotations

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.interfaces import Sensor


class PlainSensor(Sensor):
    """Give it `spec = TextSpec(...)` in the class, and `observe`."""

    def __init__(self, name: str, config: SensorConfig, simulator: SimulatorConfig) -> None:
        """As every sensor is made."""
