"""nav_eval: evaluation of vision-and-language navigation, over REST and gRPC, on any machine.

The public names are imported when they are first used, so that `import nav_eval` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nav_eval.agents.registry import register_agent
    from nav_eval.core.actions import Action, ActionSpace
    from nav_eval.core.interfaces import Metric, Perturbation, Sensor, Simulator, Task
    from nav_eval.core.types import AgentState, EpisodeResult, Place
    from nav_eval.dataset.episode import Episode, Goal, Instruction
    from nav_eval.dataset.registry import load_dataset, register_dataset
    from nav_eval.engine.navmesh.mesh import load_navmesh
    from nav_eval.engine.render.renderer import make_renderer
    from nav_eval.engine.scene.formats import register_scene_format
    from nav_eval.engine.scene.load import load_scene
    from nav_eval.gym import collect, make_env, make_vec_env
    from nav_eval.metrics.formula import metric
    from nav_eval.metrics.registry import register_metric
    from nav_eval.report.published import register_published
    from nav_eval.runs.generators import register_generator
    from nav_eval.runs.library import Evaluation, evaluate, make_simulator
    from nav_eval.runs.registry import register_benchmark
    from nav_eval.simulator.perturbations.registry import register_perturbation
    from nav_eval.simulator.registry import register_crowds, register_physics, register_simulator
    from nav_eval.simulator.sensors.registry import register_sensor
    from nav_eval.tasks.registry import register_task
    from nav_eval_sdk.protocol.specs import ActionSpec, Argument

__version__ = "0.1.0"

_HOMES = {
    "Action": "nav_eval.core.actions",
    "ActionSpace": "nav_eval.core.actions",
    "ActionSpec": "nav_eval_sdk.protocol.specs",
    "AgentState": "nav_eval.core.types",
    "Argument": "nav_eval_sdk.protocol.specs",
    "Episode": "nav_eval.dataset.episode",
    "EpisodeResult": "nav_eval.core.types",
    "Evaluation": "nav_eval.runs.library",
    "Goal": "nav_eval.dataset.episode",
    "Instruction": "nav_eval.dataset.episode",
    "Metric": "nav_eval.core.interfaces",
    "Perturbation": "nav_eval.core.interfaces",
    "Place": "nav_eval.core.types",
    "Sensor": "nav_eval.core.interfaces",
    "Simulator": "nav_eval.core.interfaces",
    "Task": "nav_eval.core.interfaces",
    "collect": "nav_eval.gym",
    "evaluate": "nav_eval.runs.library",
    "load_dataset": "nav_eval.dataset.registry",
    "load_navmesh": "nav_eval.engine.navmesh.mesh",
    "load_scene": "nav_eval.engine.scene.load",
    "make_renderer": "nav_eval.engine.render.renderer",
    "make_env": "nav_eval.gym",
    "make_simulator": "nav_eval.runs.library",
    "make_vec_env": "nav_eval.gym",
    "metric": "nav_eval.metrics.formula",
    "register_agent": "nav_eval.agents.registry",
    "register_benchmark": "nav_eval.runs.registry",
    "register_dataset": "nav_eval.dataset.registry",
    "register_generator": "nav_eval.runs.generators",
    "register_metric": "nav_eval.metrics.registry",
    "register_published": "nav_eval.report.published",
    "register_perturbation": "nav_eval.simulator.perturbations.registry",
    "register_crowds": "nav_eval.simulator.registry",
    "register_physics": "nav_eval.simulator.registry",
    "register_scene_format": "nav_eval.engine.scene.formats",
    "register_sensor": "nav_eval.simulator.sensors.registry",
    "register_simulator": "nav_eval.simulator.registry",
    "register_task": "nav_eval.tasks.registry",
}
__all__ = [
    "Action",
    "ActionSpace",
    "ActionSpec",
    "AgentState",
    "Argument",
    "Episode",
    "EpisodeResult",
    "Evaluation",
    "Goal",
    "Instruction",
    "Metric",
    "Perturbation",
    "Place",
    "Sensor",
    "Simulator",
    "Task",
    "collect",
    "evaluate",
    "load_dataset",
    "load_navmesh",
    "load_scene",
    "make_env",
    "make_renderer",
    "make_simulator",
    "make_vec_env",
    "metric",
    "register_agent",
    "register_benchmark",
    "register_crowds",
    "register_dataset",
    "register_generator",
    "register_metric",
    "register_perturbation",
    "register_physics",
    "register_published",
    "register_scene_format",
    "register_sensor",
    "register_simulator",
    "register_task",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'nav_eval' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
