"""Farama MiniWorld from its own environment: conformance and a full evaluation, as its README says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from nav_eval.simulator.backends.external import ExternalBackend
from nav_eval.testing import check_simulator, demand

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "miniworld"


@pytest.fixture(scope="module")
def python(request, tmp_path_factory):
    """The interpreter of an environment with MiniWorld, made once and kept in pytest's cache, if it has one."""
    cache = getattr(request.config, "cache", None)
    folder = (cache.mkdir("miniworld") if cache else tmp_path_factory.mktemp("miniworld")) / "venv"
    program = folder / "bin" / "python"
    wanted = [line for line in (EXAMPLE / "requirements.txt").read_text().split() if line != "nav-eval-sdk"]
    if not (folder / "made").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [program, "-m", "pip", "install", "-q", "--disable-pip-version-check", *wanted, "msgspec", "pillow"]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"MiniWorld cannot be installed here: {done.stderr.strip()[-300:]}")
        (folder / "made").touch()
    sdk = ROOT / "packages" / "nav-eval-sdk" / "src"
    draws = (
        "import pyglet; pyglet.options['headless'] = True; import miniworld.opengl as gl; gl.pyglet.window.Window(1, 1)"
    )
    done = subprocess.run([program, "-c", draws], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no EGL, apt-get install libegl1 libgl1-mesa-dri libglu1-mesa: {done.stderr.strip()[-300:]}")
    return ["env", "-u", "DISPLAY", f"PYTHONPATH={sdk}", str(program)]


@pytest.mark.soak
def test_miniworld_conforms_and_is_evaluated(python, tmp_path):
    make = [*python, EXAMPLE / "make_episodes.py", "--episodes", "3", "--out", tmp_path / "episodes.json"]
    subprocess.run(make, check=True, capture_output=True)
    command = " ".join([*python, str(EXAMPLE / "host.py")])
    overrides = [f"dataset.data_path={tmp_path / 'episodes.json'}", f"simulator.command='{command}'"]
    config = benchmark_config(None, file=EXAMPLE / "run.yaml", overrides=overrides)

    backend = ExternalBackend(config.simulator)
    try:
        demand(check_simulator(backend, backend.examples()[:1]))
        session = backend.open_session()
        seen = session.reset(backend.examples()[0])
        assert len({tuple(pixel) for pixel in seen["rgb"].reshape(-1, 3)}) > 50
        assert 0 < seen["depth"].min() < seen["depth"].max() <= 10
    finally:
        backend.close()

    evaluated = run_benchmark(config, tmp_path / "run")
    means = {name: summary["mean"] for name, summary in evaluated.results.metrics.items()}
    assert evaluated.results.n_episodes == 3
    assert evaluated.results.n_failed == 0
    assert means["success"] == 1.0
    assert means["spl"] > 0.85
