"""What a short command, or one warm run, need not import, it does not: that is most of the time that users wait."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

ALWAYS = ("numba", "scipy", "PIL", "grpc", "flask", "jinja2", "nav_eval_worlds", "nav_eval.engine")
STARTED = """
import json, sys
sys.argv[0] = "nav-eval"
from nav_eval.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
sys.stderr.write(json.dumps(sorted(sys.modules)))
"""


def modules_after(code: str, *arguments: str) -> set[str]:
    """Names that `code` leaves in sys.modules, told on stderr."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr
    return set(json.loads(done.stderr))


@pytest.mark.parametrize(
    ("command", "needless"),
    [
        ("--help", ("numpy", "pydantic", "hydra", "yaml", "msgspec", "multiprocessing")),
        ("list benchmarks", ("numpy", "pydantic", "hydra", "omegaconf", "msgspec", "rich", "multiprocessing")),
        ("list agents", ("numpy.random", "nav_eval.config.schema", "hydra", "omegaconf", "rich", "multiprocessing")),
        ("config show r2r", ("numpy", "rich", "multiprocessing")),
    ],
)
def test_a_short_command_imports_no_more_than_it_needs(command: str, needless: tuple[str, ...]) -> None:
    assert modules_after(STARTED, *command.split()).isdisjoint([*ALWAYS, *needless])


def test_homes_that_are_made_are_found_without_their_words() -> None:
    code = "import json, sys, nav_eval_worlds.generator; sys.stderr.write(json.dumps(sorted(sys.modules)))"
    of_worlds = {name for name in modules_after(code) if name.startswith("nav_eval_worlds.")}
    assert of_worlds == {f"nav_eval_worlds.{part}" for part in ("cached", "shares", "generator")}


def test_machine_code_that_is_kept_is_loaded_without_what_compiles() -> None:
    code = "import json, sys, nav_eval.engine.navmesh.queries; sys.stderr.write(json.dumps(sorted(sys.modules)))"
    modules_after(code)  # a first time, on this machine, compiles
    assert modules_after(code).isdisjoint({"numba.np.arrayobj", "numba.np.linalg", "scipy.linalg"})


ENDED = """
import atexit, gc, os, sys
atexit.register(lambda: sys.stderr.write(f"{gc.get_freeze_count()} {os.environ['OPENBLAS_THREAD_TIMEOUT']}"))
sys.argv[0] = "nav-eval"
from nav_eval.cli import main
main()
"""


@pytest.mark.parametrize("given", [None, "20"])
def test_a_command_ends_without_a_search_for_cycles_and_numpys_idle_threads_sleep(
    given: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    if given is not None:
        monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", given)
    command = [sys.executable, "-c", ENDED, "--version"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    left_alone, spins = map(int, told.split())
    assert left_alone > 10_000
    assert spins == int(given or 4)
