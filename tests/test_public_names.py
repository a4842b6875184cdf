"""The flat public face: what __all__ says is there, and importing it costs nothing."""

from __future__ import annotations

import subprocess
import sys

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


def test_importing_it_imports_nothing_heavy():
    heavy = "{'numpy', 'numba', 'pydantic', 'hydra', 'grpc', 'scipy', 'PIL'}"
    code = f"import sys, nav_eval; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
