"""The Unity package without Unity: it compiles, and its core runs behind simulator.backend=unity."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from end_to_end.test_external_hosts import ROOT, compiled_csharp
from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.simulator.backends.unity import UnityBackend
from nav_eval.testing import check_simulator, demand
from playing import document

PACKAGE = ROOT / "unity" / "com.naveval.simulator"


def test_the_whole_package_compiles_against_the_names_of_unitys_api(tmp_path):
    if shutil.which("mcs") is None:
        pytest.skip("Mono's compiler is not installed: apt-get install mono-mcs")
    sources = [*PACKAGE.rglob("*.cs"), Path(__file__).with_name("unity_stubs.cs")]
    assert len(sources) > 10
    library = f"-out:{tmp_path / 'package.dll'}"
    subprocess.run(["mcs", "-langversion:7.2", "-warnaserror", "-target:library", library, *sources], check=True)


def test_the_core_asks_nothing_of_unity():
    for source in (PACKAGE / "Runtime" / "Core").glob("*.cs"):
        assert "UnityEngine" not in source.read_text(), source.name
    assert json.loads((PACKAGE / "Runtime" / "Core" / "NavEval.Core.asmdef").read_text())["noEngineReferences"]
    manifest = document(PACKAGE, "package.json")
    assert manifest["name"] == "com.naveval.simulator"
    assert all((PACKAGE / sample["path"]).is_dir() for sample in manifest["samples"])


def test_a_player_is_started_checked_and_stopped(tmp_path):
    mono = compiled_csharp(tmp_path).rpartition(" -naveval-port")[0]
    player = tmp_path / "Room.x86_64"
    player.write_text(f'#!/bin/sh\nexec {mono} "$@"\n')
    player.chmod(0o755)
    sensors = {"rgb": SensorConfig(width=16, height=12), "gps": SensorConfig(), "compass": SensorConfig()}
    config = SimulatorConfig(backend="unity", sensors=sensors, options={"player": str(player)})
    backend = UnityBackend(config)
    demand(check_simulator(backend, backend.examples()))
    process = backend._process._process
    backend.close()
    assert process.poll() is not None
