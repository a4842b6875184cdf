"""What is said where nav-eval-extras is not installed: one sentence with the line that installs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

WITHOUT = """
import json, os, sys
from importlib.metadata import EntryPoints, entry_points
import nav_eval.runs.evaluation
from nav_eval import registry
from nav_eval.cli import main
from nav_eval.config.loader import load_config

found = entry_points()
points = [point for group in found.groups for point in found.select(group=group)]
registry.entry_points = lambda: EntryPoints(one for one in points if not one.value.startswith("nav_eval_extras"))
load_config("r2r", environment={})  # imports what each fork needs
for number, arguments in enumerate(json.loads(sys.argv[1])):
    if os.fork() == 0:
        os.dup2(os.open(str(number), os.O_CREAT | os.O_WRONLY), 2)
        sys.argv[1:] = arguments
        sys.exit(main())
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""
EXTRAS = "pip install nav-eval-extras"
SAID = {
    "list perturbations": EXTRAS,
    "run pointnav-demo simulator.people.count=2": EXTRAS,
    "run vln-ask-demo": EXTRAS,
    "sweep vln-demo suite=robustness": EXTRAS,
    "annotate vln-demo --out texts": EXTRAS,
    "config validate pointnav perturbations=[{name:blur,severity:2}]": EXTRAS,
    "collect vln-demo --out walks": "pip install 'nav-eval[collect]'",
    "run pointnav-demo simulator.physics=mujoco": "pip install 'nav-eval[mujoco]'",
}
"""Commands, and what installs what they need: a feature, the formats with it, physics with MuJoCo."""
VALID = "config validate vln-demo dataset.generate.scenes=1"


def test_a_missing_feature_is_named_with_what_installs_it(tmp_path: Path) -> None:
    """Each in a fork of one process that finds no entry point of the extras; who needs none of them is told of none."""
    commands = [command.split() for command in (*SAID, VALID)]
    asked = [sys.executable, "-c", WITHOUT, json.dumps(commands)]
    codes = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()
    said = [(tmp_path / str(number)).read_text() for number in range(len(commands))]
    assert codes == ["2"] * len(SAID) + ["valid", "0"]
    assert "pip install" not in said[-1]
    lacking = [(one, command) for one, (command, line) in zip(said, SAID.items(), strict=False)
               if f"comes with a package of its own: {line}" not in one]  # fmt: skip
    assert lacking == []
