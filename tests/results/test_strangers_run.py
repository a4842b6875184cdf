"""A run directory, or a configuration, that somebody else sent: looking at it runs nothing that it names.

Each case writes a run's config.yaml anew, with a way to code that writes a file; every command that reads a run or a
configuration is then called, and the file must not be there.
"""

from __future__ import annotations

import shutil
import sys

import pytest
import yaml

from nav_eval.cli import _call
from nav_eval.cli.exit import guarded

CANARY = "from pathlib import Path\nPath({mark!r}).write_text('sung')\nclass Bird: ...\n"
ONES = {
    "plugins": {"plugins": ["canary_bird"]},
    "a plugin in a package": {"plugins": ["canaries.bird"]},
    "the simulator's command": {"simulator": {"backend": "external", "command": "{python} {bird}"}},
    "an agent": {"agent_service": {"agent": "canary_bird:Bird"}},
    "a task": {"task": {"type": "canary_bird:Bird"}},
    "a metric": {"task": {"measurements": ["canary_bird:Bird"]}},
    "a sensor": {"simulator": {"sensors": {"bird": {"type": "canary_bird:Bird"}}}},
    "a data set": {"dataset": {"type": "canary_bird:Bird"}},
    "a simulator": {"simulator": {"backend": "canary_bird:Bird"}},
    "Hydra's search path": {"hydra": {"searchpath": ["pkg://canaries"]}},
    "Hydra's defaults": {"defaults": [{"override hydra/launcher": "canary_bird"}, "canaries/bird"]},
    "Hydra's target": {"simulator": {"options": {"_target_": "canary_bird.Bird"}}},
    "a resolver": {"seed": "${canary_bird:1}"},
}
READERS = [
    ["report", "{run}", "--out", "{run}/page.html"],
    ["report", "{run}", "--out", "{run}/table.md"],
    ["report", "{run}", "--out", "{run}/page.html", "--public"],
    ["compare", "{run}", "{other}"],
    ["rescore", "{run}"],
    ["replay", "{run}"],
    ["verify", "{run}"],
    ["publish", "{run}", "--out", "{run}/public"],
    ["config", "validate", "{run}/config.yaml"],
    ["config", "show", "--config", "{run}/config.yaml"],
]

BRIEF = [READERS[0], READERS[4], READERS[-2]]


@pytest.fixture
def bird(tmp_path, monkeypatch):
    """The file that a canary writes; canaries can be imported and executed."""
    mark = tmp_path / "mark"
    (tmp_path / "canaries").mkdir()
    for file in ("canary_bird.py", "canaries/__init__.py", "canaries/bird.py"):
        (tmp_path / file).write_text(CANARY.format(mark=str(mark)))
    monkeypatch.syspath_prepend(tmp_path)
    yield mark
    for name in ("canary_bird", "canaries", "canaries.bird"):
        sys.modules.pop(name, None)


def strangers(own, bird, tmp_path, change):
    run = tmp_path / "run"
    shutil.copytree(own, run)
    content = yaml.safe_load((run / "config.yaml").read_text())
    for section, values in change.items():
        content[section] = content.get(section, {}) | values if isinstance(values, dict) else values
    text = yaml.safe_dump(content).replace("{python}", sys.executable).replace("{bird}", f"{tmp_path}/canary_bird.py")
    (run / "config.yaml").write_text(text)
    return run


def nav_eval(*words):
    return guarded(_call, list(map(str, words)), debug=False)


@pytest.mark.parametrize("change", ONES.values(), ids=ONES)
def test_looking_runs_nothing(own, bird, tmp_path, change, capfd):
    run = strangers(own, bird, tmp_path, change)
    for reader in READERS if change in (ONES["plugins"], ONES["the simulator's command"]) else BRIEF:
        code = nav_eval(*(word.format(run=run, other=own) for word in reader))
        assert code in (0, 1, 2), (reader, capfd.readouterr().err)
        assert not bird.exists(), reader


@pytest.mark.parametrize(
    ("change", "named"), [(ONES["plugins"], "import 'canary_bird'"), (ONES["the simulator's command"], "execute '")]
)
@pytest.mark.parametrize("reader", [["report"], ["rescore"], ["replay"]])
def test_what_it_would_run_is_named_and_the_way_to_allow_it(own, bird, tmp_path, change, named, reader, capfd):
    run = strangers(own, bird, tmp_path, change)
    assert nav_eval(*reader, run) == 2
    said = capfd.readouterr().err
    assert named in said
    assert "--allow-plugins" in said


@pytest.mark.parametrize("words", [["--allow-plugins"], ["plugins=[canary_bird]"]])
def test_a_plugin_is_imported_when_its_user_says_so(own, bird, tmp_path, words):
    run = strangers(own, bird, tmp_path, ONES["plugins"])
    assert nav_eval("rescore", run, *words) == 0
    assert bird.exists()


def test_validate_imports_a_plugin_when_its_user_says_so(own, bird, tmp_path, capfd):
    (tmp_path / "own.yaml").write_text("plugins: [canary_bird]\ntask: {type: nested}\n")
    assert nav_eval("config", "validate", tmp_path / "own.yaml") == 2
    assert "If you trust canary_bird, add --allow-plugins" in capfd.readouterr().err
    assert not bird.exists()
    assert nav_eval("config", "validate", tmp_path / "own.yaml", "--allow-plugins") == 2
    assert bird.exists()


def test_compare_needs_no_plugin(own, bird, tmp_path):
    assert nav_eval("compare", strangers(own, bird, tmp_path, ONES["plugins"]), own) == 0
