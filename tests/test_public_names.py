"""The flat public face: what __all__ says is there (what importing it costs: packaging/test_short_commands.py)."""

from __future__ import annotations

import nav_eval

CONTRACT = {
    "make_simulator", "evaluate", "make_env", "make_vec_env", "load_scene", "load_navmesh", "make_renderer",
    "register_metric", "register_task", "register_simulator", "register_sensor", "register_dataset",
    "register_agent", "register_benchmark", "register_scene_format", "register_perturbation",
}  # fmt: skip


def test_every_public_name_can_be_had():
    assert set(nav_eval.__all__) >= CONTRACT
    for name in nav_eval.__all__:
        assert getattr(nav_eval, name) is not None
    assert dir(nav_eval) == sorted(nav_eval.__all__)
