"""A run on a navigation graph and its report compile nothing: numba alone would take 110 MB and half a second."""

from __future__ import annotations

import subprocess
import sys

from graphs import item, node, write_r2r

LOADED = """
import sys
from nav_eval.cli import main
try:
    main()
finally:
    sys.stderr.write(f"loaded: {sorted({'numba', 'llvmlite'} & set(sys.modules))}")
"""


def loaded_by(*words: str) -> str:
    done = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr.rpartition("loaded: ")[2]


def test_a_graph_is_walked_and_reported_without_a_compiler(tmp_path):
    overrides = write_r2r(tmp_path, width=4, height=4, items=[item(1, [node(0, 0), node(0, 3)], ["Walk on."])])
    asked = ["agent_service.agent=random", "evaluation.max_steps=5", "--out", str(tmp_path / "run")]
    assert loaded_by("run", "r2r", *overrides, *asked) == "[]"
    assert loaded_by("report", str(tmp_path / "run")) == "[]"
