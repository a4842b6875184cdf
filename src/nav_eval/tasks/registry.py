"""Tasks by name: every module of this package is one, and names its class TASK. Adding a file adds a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from nav_eval.config.schema import Config
from nav_eval.core.interfaces import Metric, Task
from nav_eval.registry import Registry

TaskFactory: TypeAlias = Callable[[Config], Task]


def _modules() -> list[str]:
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py"))


TASKS: Registry[TaskFactory] = Registry(
    "tasks",
    {name: f"nav_eval.tasks.{name}:TASK" for name in _modules() if name not in ("__init__", "base", "registry")},
)
register_task = TASKS.register
"""Decorator: @register_task("name") over a Task that is made from the run's Config."""


def own_metrics(config: Config) -> Mapping[str, type[Metric]]:
    """Metrics that only the configured task has; none of a task that is not known here."""
    if config.task.type not in TASKS:
        return {}
    task = TASKS.get(config.task.type)
    told: Mapping[str, type[Metric]] | None = getattr(task, "own_metrics", None)
    return task(config).own_metrics if told is None else told
