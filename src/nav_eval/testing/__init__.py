"""Conformance kits for authors of plug-ins, public and free of pytest; each tells everything that it finds wrong.

    from nav_eval.testing import check_metric, demand
    demand(check_metric(MyMetric))

A kit yields Findings, one per check; `demand` raises NotConforming with all that failed.
"""

from nav_eval.testing.agent import check_agent
from nav_eval.testing.fakes import FakeSimulator, fake_context, fake_episode, fake_walk
from nav_eval.testing.findings import Finding, NotConforming, demand
from nav_eval.testing.metric import check_metric
from nav_eval.testing.simulator import check_simulator

__all__ = [
    "FakeSimulator",
    "Finding",
    "NotConforming",
    "check_agent",
    "check_metric",
    "check_simulator",
    "demand",
    "fake_context",
    "fake_episode",
    "fake_walk",
]
