"""What an agent plays under, as configured; all phases have the same, for they differ in episodes and seed alone.

Pages, the API and `nav-eval-agent check` tell it; `init` and `doctor` compare it with what teams train on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations

from pydantic import BaseModel, ConfigDict

from nav_eval.config.loader import builtin_benchmarks, load_config
from nav_eval.config.schema import Config, SensorConfig
from nav_eval.results.sensor_class import BESIDE, CAMERAS, sensor_class

DEMO = "-demo"
"""What follows the task's name in that of the benchmark which makes its own homes."""
GOAL = re.compile("instruction|.*goal")
"""Sensors that a task adds where they are not named."""
TRUTH = frozenset({"semantic", "objects"})
"""Sensors that tell what there is to be seen: a competition that has none of them withholds them on purpose."""


class FrameSize(BaseModel):
    """In pixels; null for what is no image, and where the sensor's default holds (640 x 480)."""

    model_config = ConfigDict(frozen=True)

    width: int | None
    height: int | None

    def __str__(self) -> str:
        return "×".join(str(side) for side in (self.width, self.height) if side is not None)


class Conditions(BaseModel):
    """`sensors`: those that the rules name; a task may add what tells its goal. Seconds are the service's deadlines.

    `convention`: whose evaluator the scores follow, a name of task.convention; null where none was chosen.
    `sensor_classes`: which of them an entry may use, as one name each.
    """

    model_config = ConfigDict(frozen=True)

    task: str
    max_steps: int
    act_seconds: float
    reset_seconds: float
    episode_seconds: float | None
    sensors: dict[str, FrameSize]
    convention: str | None
    sensor_classes: tuple[str, ...]

    @classmethod
    def of(cls, config: Config) -> Conditions:
        service = config.agent_service
        return cls(
            task=config.task.type,
            max_steps=config.evaluation.max_steps,
            act_seconds=service.deadlines.act or service.timeout,
            reset_seconds=service.deadlines.reset,
            episode_seconds=service.deadlines.episode,
            sensors={
                name: FrameSize(width=sensor.width, height=sensor.height)
                for name, sensor in config.simulator.sensors.items()
            },
            convention=config.task.convention,
            sensor_classes=tuple(sensor_classes(config.simulator.sensors)),
        )

    def told(self) -> Iterator[tuple[str, str]]:
        """Key of the configuration and value of each that an agent can notice, but for what tells its goal."""
        yield "max_steps", str(self.max_steps)
        yield "timeout", f"{self.act_seconds:g} s"
        yield "deadlines.reset", f"{self.reset_seconds:g} s"
        for name, size in self.sensors.items():
            if not GOAL.fullmatch(name):
                yield name, str(size) or "given"


def sensor_classes(sensors: Mapping[str, SensorConfig]) -> list[str]:
    """The classes of all that may be used of them, all of them first."""
    known = set[str]().union(*(kinds for _, kinds in (*CAMERAS, *BESIDE)))
    kinds = sorted({sensor.type or name for name, sensor in sensors.items()} & known)
    parts = (part for size in range(len(kinds), -1, -1) for part in combinations(kinds, size))
    return list(dict.fromkeys(sensor_class(dict.fromkeys(part, SensorConfig())) for part in parts))


def training(config: Config) -> str | None:
    """The benchmark that teams can train on: the one that the rules are called after, else the demo of their task."""
    known = builtin_benchmarks()
    names = (config.benchmark.name, f"{config.task.type}{DEMO}" if config.simulator.backend == "custom" else "")
    return next((name for name in names if name in known), None)


def differences(config: Config) -> str:
    """In one line, for an organiser, where what is played differs from what teams train on; "" where it does not."""
    name = training(config)
    if name is None:
        return ""
    here, there = (dict(Conditions.of(one).told()) for one in (config, load_config(name, environment={})))
    withheld = TRUTH - here.keys()
    keys = [key for key in here | there if here.get(key) != there.get(key) and key not in withheld]
    parts = (f"{key} {here.get(key, '–')} ({there.get(key, '–')})" for key in keys)
    return f"Unlike {name}, which teams train on (its values in brackets): {', '.join(parts)}." if keys else ""
