"""`plugins`: modules that register something are imported before names are looked up, and again in workers."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest

import forked
from nav_eval.config.loader import load_config
from nav_eval.errors import ConfigError
from nav_eval.runs.registry import benchmark_config
from playing import document

MODULE = '''
from nav_eval import Metric, register_metric

@register_metric("decisions")
class Decisions(Metric):
    """Steps, counted once more."""

    category = "efficiency"

    def reset_metric(self, context): self.count = 0
    def update_metric(self, step, others): self.count += 1
    def get_metric(self): return float(self.count)
'''

SENSOR = """
from nav_eval import register_sensor
from nav_eval.core.interfaces import Sensor
from nav_eval.core.specs import NumberSpec

@register_sensor("guess")
class Guess(Sensor):
    spec = NumberSpec()
    def __init__(self, name, config, simulator): self.steps = 0
    def update(self, step): self.steps += 1
    def observe(self, simulator): return 1 / (FAULTY - self.steps)
"""


@pytest.mark.parametrize("given", ["json", "[json]", "'json,math'", "[json,math]"])
def test_one_or_several(given):
    assert benchmark_config(None, overrides=[f"plugins={given}"]).plugins[0] == "json"


@pytest.mark.parametrize("name", ["there_is_no_such_module", "''", "json.there_is_none"])
def test_what_cannot_be_imported_is_named(name):
    with pytest.raises(ConfigError, match=r"plugins: .*cannot be imported"):
        benchmark_config(None, overrides=[f"plugins={name}"])


def test_a_broken_module_is_named(tmp_path, monkeypatch):
    (tmp_path / "broken_plugin.py").write_text("def f(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match="broken_plugin"):
        benchmark_config(None, overrides=["plugins=broken_plugin"])


def test_an_installed_plug_in_that_is_broken_is_named(tmp_path, monkeypatch):
    (tmp_path / "torn.py").write_text("import math\nimport nav_eva\n")
    info = tmp_path / "torn_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torn-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[nav_eval.metrics]\ntorn = torn:Torn\n")
    command = [sys.executable, "-c", "from nav_eval.cli import main; main()", "config", "validate", "vln-demo"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [*command, "task.measurements=[torn]"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "metrics: 'torn' is installed, but torn (torn.py, line 2) imports 'nav_eva'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import math\nimport nav_eva\n", r"faulty \(faulty.py, line 2\) imports 'nav_eva', which is not installed\."),
        ("from nav_eval import metrik\n", r"faulty \(faulty.py, line 1\) .*cannot import name 'metrik'"),
        ("def f(:\n", r"faulty \(faulty.py, line 1\) .*SyntaxError"),
        ("class A:\n    x = y\n", r"faulty \(faulty.py, line 1\) .*NameError: name 'y' is not defined"),
        ("import json\njson.loads('{')\n", r"faulty \(faulty.py, line 2\) .*JSONDecodeError"),
    ],
)
def test_what_fails_in_a_plug_in_is_told_with_its_line(tmp_path, monkeypatch, text, told):
    """Whoever wrote it must look there, not for a package of its name."""
    (tmp_path / "faulty.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=told) as refused:
        benchmark_config(None, overrides=["plugins=faulty"])
    assert "Install it" not in str(refused.value)


def test_a_module_of_the_working_directory_serves_workers_and_rescoring(tmp_path):
    (tmp_path / "count_decisions.py").write_text(MODULE)
    run = ["run", "pointnav-demo", "plugins=count_decisions", "task.measurements=[steps,decisions]"]
    run += ["dataset.limit=2", "evaluation.max_steps=5", "agent_service.agent=forward", "--out", "run"]
    assert nav_eval(tmp_path, *run, "evaluation.parallel.workers=2", "evaluation.parallel.sessions=2") == 0
    assert nav_eval(tmp_path, "rescore", "run", "--allow-plugins") == 0
    assert "decisions" in (tmp_path / "run" / "results.csv").read_text()
    plugins = document(tmp_path / "run", "manifest.json")["plugins"]
    assert plugins["count_decisions"] == hashlib.sha256(MODULE.encode()).hexdigest()


def test_a_changed_module_is_not_resumed_and_is_named_wherever_its_values_are_looked_at(tmp_path):
    module, ranked = tmp_path / "count_decisions.py", MODULE.replace("category", 'better = "lower"\n    category')
    module.write_text(ranked)
    run = ["run", "pointnav-demo", "plugins=count_decisions", "task.measurements=[steps,decisions]"]
    run += ["dataset.limit=1", "evaluation.max_steps=3", "agent_service.agent=forward", "--out"]
    assert forked.nav_eval(*run, "run", cwd=tmp_path).returncode == 0
    module.write_text(ranked.replace("+= 1", "+= 10"))
    resumed = forked.nav_eval(*run, "run", "--resume", cwd=tmp_path)
    assert (resumed.returncode, "began with: plug-in count_decisions.\n" in resumed.stderr) == (2, True)
    for command in ("rescore", "replay"):
        again = forked.nav_eval(command, "run", "--allow-plugins", cwd=tmp_path)
        assert (again.returncode, "decisions was 3.0, is 30.0" in again.stdout) == (1, True)
        assert "plug-in count_decisions is no longer the one" in again.stderr
    assert forked.nav_eval(*run, "other", cwd=tmp_path).returncode == 0
    for command in (["compare"], ["rank", "--by", "decisions"]):
        told = forked.nav_eval(*command, "run", "other", cwd=tmp_path).stderr
        assert told.count("different versions of the plug-in count_decisions") == 1, told


def test_after_a_fault_in_a_plug_in_the_advice_can_be_followed(tmp_path):
    module = tmp_path / "guess.py"
    module.write_text(SENSOR.replace("FAULTY", "2"))
    run = ["run", "pointnav-demo", "plugins=guess", "+simulator.sensors.guess={}", "dataset.limit=1"]
    run += ["evaluation.max_steps=3", "agent_service.agent=forward", "--out"]
    failed = forked.nav_eval(*run, "run", cwd=tmp_path)
    assert (failed.returncode, "guess.py, line 11: ZeroDivisionError" in failed.stderr) == (1, True)
    assert "a changed plug-in needs another --out" in failed.stdout
    module.write_text(SENSOR.replace("FAULTY", "12"))  # longer: Python knows changed files by second and size
    assert forked.nav_eval(*run, "run", "--resume", cwd=tmp_path).returncode == 2
    assert forked.nav_eval(*run, "other", cwd=tmp_path).returncode == 0


def test_the_environment_names_them_for_commands_without_a_configuration(tmp_path, capfd):
    (tmp_path / "count_decisions.py").write_text(MODULE)
    assert nav_eval(tmp_path, "list", "metrics", NAV_EVAL_PLUGINS="[json,count_decisions]") == 0
    assert "decisions" in capfd.readouterr().out
    assert nav_eval(tmp_path, "list", "metrics", NAV_EVAL_PLUGINS="count_decision") == 2


def test_a_list_without_brackets_is_told_how_it_is_written():
    with pytest.raises(ConfigError, match=r"\(environment\) .* write a list in brackets: plugins=\[json,math\]$"):
        load_config("vln-demo", environment={"NAV_EVAL_PLUGINS": "json,math"})


def nav_eval(folder, *arguments, **variables):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    command = [sys.executable, "-P", "-c", "from nav_eval.cli import main; main()", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode
