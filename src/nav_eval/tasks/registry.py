"""Tasks by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from nav_eval.config.schema import Config
from nav_eval.core.interfaces import Task
from nav_eval.registry import Registry

TaskFactory: TypeAlias = Callable[[Config], Task]

TASKS: Registry[TaskFactory] = Registry("tasks", {"vln": "nav_eval.tasks.vln:VLNTask"})
register_task = TASKS.register
"""Decorator: @register_task("name") over a Task that is made from the run's Config."""
