"""Conformance kits for authors of plug-ins, public and free of pytest; each tells everything that it finds wrong.

    from nav_eval.testing import check_metric, demand
    demand(check_metric(MyMetric))

A kit yields Findings, one per check; `demand` raises NotConforming with all that failed.
"""

from nav_eval.testing.agent import check_agent
from nav_eval.testing.crowds import check_crowds
from nav_eval.testing.dataset import check_dataset
from nav_eval.testing.fakes import FakeSimulator, fake_context, fake_episode, fake_walk
from nav_eval.testing.findings import Finding, NotConforming, demand
from nav_eval.testing.metric import check_metric
from nav_eval.testing.perturbation import check_perturbation
from nav_eval.testing.physics import check_physics
from nav_eval.testing.scene import check_scene_format
from nav_eval.testing.sensor import check_sensor
from nav_eval.testing.simulator import check_simulator
from nav_eval.testing.task import check_task

__all__ = [
    "FakeSimulator",
    "Finding",
    "NotConforming",
    "check_agent",
    "check_crowds",
    "check_dataset",
    "check_metric",
    "check_perturbation",
    "check_physics",
    "check_scene_format",
    "check_sensor",
    "check_simulator",
    "check_task",
    "demand",
    "fake_context",
    "fake_episode",
    "fake_walk",
]
