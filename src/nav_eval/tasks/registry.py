"""Tasks by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from nav_eval.config.schema import Config
from nav_eval.core.contracts import admit_task
from nav_eval.core.interfaces import Metric, Task
from nav_eval.registry import Registry
from nav_eval_sdk.protocol.specs import ActionSpec

TaskFactory: TypeAlias = Callable[[Config], Task]


TASKS: Registry[TaskFactory] = Registry(
    "tasks",
    {
        "imagenav": "nav_eval.tasks.navigation:ImageNavTask",
        "instance_imagenav": "nav_eval.tasks.navigation:InstanceImageNavTask",
        "goat": "nav_eval.tasks.goat:GoatTask",
        "multi_objectnav": "nav_eval.tasks.multi_objectnav:MultiObjectNavTask",
        "objectnav": "nav_eval.tasks.navigation:ObjectNavTask",
        "ovon": "nav_eval.tasks.navigation:OpenVocabularyTask",
        "pointnav": "nav_eval.tasks.navigation:PointNavTask",
        "roomnav": "nav_eval.tasks.navigation:RoomNavTask",
        "socialnav": "nav_eval.tasks.social:SocialNavTask",
        "vln": "nav_eval.tasks.navigation:VLNTask",
    },
    admit_task,
)
register_task = TASKS.register
"""Decorator: @register_task("name") over a Task that is made from the run's Config."""


def own_metrics(config: Config) -> Mapping[str, type[Metric]]:
    """Metrics that only the configured task has; none of a task that is not known here."""
    told: Mapping[str, type[Metric]] = _read_attribute(config, "own_metrics")
    return told


def own_actions(config: Config) -> Mapping[str, ActionSpec]:
    """Actions that only the configured task has; none of a task that is not known here."""
    told: Mapping[str, ActionSpec] = _read_attribute(config, "own_actions")
    return told


def _read_attribute(config: Config, name: str) -> Any:
    if config.task.type not in TASKS:
        return {}
    task = TASKS.get(config.task.type)
    told = getattr(task, name, None)
    return getattr(task(config), name) if told is None else told
