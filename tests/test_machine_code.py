"""The kernels' cache under several processes, and after damage: nothing is wrong, nothing is compiled twice."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nav_eval import jit, machine_code
from nav_eval.metrics.dtw import dtw_points
from patience import PATIENCE

KERNELS = """
from nav_eval.jit import kernel

@kernel()
def first(values):
    return values[0]

@kernel()
def total(values):
    most = first(values)
    for value in values:
        most += value
    return most
"""
USE = """
import json, os, sys, time
sys.addaudithook(lambda event, args: time.sleep(0.05) if event == "open" and args[2] & os.O_WRONLY else None)
import numpy as np
from small import first, total
print("ready", flush=True)
kinds = json.loads(sys.stdin.readline())
sums = [int(total(np.array([3, 4], kind))) for kind in kinds]
misses = sum(sum(kernel.stats.cache_misses.values()) for kernel in (first, total))
print(json.dumps([sums, misses]))
"""
KINDS = ["float32", "int32", "float64"]


class Small:
    """A package of two kernels, one calling the other, and a cache."""

    def __init__(self, package: Path, cache: Path) -> None:
        self.package, self.cache = package, cache
        (package / "small.py").write_text(KERNELS)

    def start(self, code: str = USE, *arguments: Path, **environment: str) -> subprocess.Popen[str]:
        own = {"NAV_EVAL_CACHE": str(self.cache), "PYTHONPATH": str(self.package)}
        pipe, command = subprocess.PIPE, [sys.executable, "-c", code, *map(str, arguments)]
        given = os.environ | own | environment
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=given)

    def use(self, orders: list[list[str]]) -> list[tuple[int, str]]:
        """(overloads compiled, what was said) of a process per order, all at once."""
        processes = [self.start() for _ in orders]
        assert all(p.stdout and p.stdout.readline() == "ready\n" for p in processes)
        for process, order in zip(processes, orders, strict=True):
            print(json.dumps(order), file=process.stdin, flush=True)
        said = [process.communicate(timeout=PATIENCE) for process in processes]
        for process, (out, errors) in zip(processes, said):
            assert process.returncode == 0, errors
            assert json.loads(out)[0] == [10] * len(KINDS)
        return [(json.loads(out)[1], errors) for out, errors in said]

    def files(self) -> list[Path]:
        return sorted(self.cache.rglob("*.nbc"))


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Small, list[tuple[int, str]]]:
    """A cache that three processes filled which began together, and what they say.

    Writing is slowed down, so that they do meet: numba's own cache then gives one overload's code for another's.
    """
    small = Small(tmp_path_factory.mktemp("package"), tmp_path_factory.mktemp("small") / "cache")
    return small, small.use([KINDS[i:] + KINDS[:i] for i in range(3)])


@pytest.fixture
def small(begun: tuple[Small, list[tuple[int, str]]], tmp_path: Path) -> Small:
    """With a copy of that cache."""
    return Small(begun[0].package, Path(shutil.copytree(begun[0].cache, tmp_path / "cache")))


def test_processes_that_begin_together_share_an_empty_cache(begun: tuple[Small, list[tuple[int, str]]]) -> None:
    small, compiled = begun
    assert sum(count for count, _ in compiled) == len(small.files()) == 2 * len(KINDS)
    assert small.use([KINDS]) == [(0, "")]


def test_damaged_files_are_compiled_again_with_a_warning(small: Small) -> None:
    for file, left in zip(small.files(), (0, 10, 40, 1000, -1, None), strict=True):
        content = bytearray(file.read_bytes()[:left])
        if left is None:
            content[-100] ^= 1
        file.write_bytes(content)
    ((compiled, said),) = small.use([KINDS])
    assert compiled == said.count("is damaged: removed, and compiled again.") == 2 * len(KINDS)
    assert small.use([KINDS]) == [(0, "")]


FROM_WHEEL = """
from pathlib import Path
from nav_eval import machine_code
machine_code.WHEEL = Path(sys.argv[1])
"""


@pytest.fixture(scope="module")
def wheel(begun: tuple[Small, list[tuple[int, str]]], tmp_path_factory: pytest.TempPathFactory) -> tuple[Small, Path]:
    """A cache that was filled for the processors of a release, as what a wheel brings."""
    small = Small(begun[0].package, tmp_path_factory.mktemp("release"))
    _, processor, features = machine_code.LEVEL
    process = small.start(NUMBA_CPU_NAME=processor, NUMBA_CPU_FEATURES=features)
    assert process.communicate(json.dumps(KINDS), timeout=PATIENCE)[0].splitlines()[1:] == [json.dumps([[10] * 3, 6])]
    return small, small.cache / "kernels"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="a release brings code for x86-64 only")
def test_what_a_wheel_brings_is_not_compiled_again(wheel: tuple[Small, Path], tmp_path: Path) -> None:
    small = Small(wheel[0].package, tmp_path)
    with_wheel = USE.replace("import numpy", f"{FROM_WHEEL}import numpy", 1)

    def compiled(brought: Path, **environment: str) -> tuple[int, str]:
        out, errors = small.start(with_wheel, brought, **environment).communicate(json.dumps(KINDS), timeout=PATIENCE)
        sums, misses = json.loads(out.splitlines()[1])
        assert sums == [10] * 3
        return misses, errors

    assert compiled(wheel[1]) == (0, "")
    assert small.files() == [], "it stays where it is"
    old = {"NUMBA_CPU_NAME": "nehalem", "NUMBA_CPU_FEATURES": "+sse4.2"}
    assert compiled(wheel[1], **old)[0] == 6, "a processor that cannot run it compiles for itself"
    assert compiled(wheel[1], NAV_EVAL_CACHE="/dev/null/nowhere") == (0, ""), "nothing has to be written"
    damaged = Path(shutil.copytree(wheel[1], tmp_path / "damaged"))
    file = max(damaged.rglob("*.nbc"))
    file.write_bytes(file.read_bytes()[:-1])
    misses, errors = compiled(damaged)
    assert (misses, errors.count("is damaged: removed, and compiled again.")) == (1, 1)


def doubled(value: Any) -> Any:
    return 2 * value


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(jit, "kernel_cache", lambda package: tmp_path)
    return tmp_path


def test_who_waits_too_long_compiles_for_himself(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "MAX_WAIT", 0.1)
    with (directory / ".lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert jit.kernel()(doubled)(np.float32(4)) == 8
    assert len(list(directory.glob("*.nbc"))) == 1


def test_settings_have_files_of_their_own(directory: Path) -> None:
    jit.kernel("float64(float64)")(doubled)
    jit.kernel("float64(float64)", fastmath=True)(doubled)
    assert len(list(directory.glob("*.nbc"))) == 2


def test_a_full_disk_costs_the_cache_only(
    directory: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(machine_code.os, "fdopen", full)
    assert jit.kernel("int64(int64)")(doubled)(4) == 8
    assert "cannot be written" in caplog.text
    assert [file for file in directory.iterdir() if file.name != ".lock"] == []


ALIGN = """
import sys
import tomllib
import numpy as np
print("ready", flush=True)
sys.stdin.readline()
from nav_eval.metrics.dtw import dtw_points, fastdtw_points
path = [(float(i), 0.0, 0.0) for i in range(9)]
assert dtw_points(path, path) == 0.0 == fastdtw_points(path, path)
"""


@pytest.mark.soak
def test_twenty_times_four_processes_compile_the_metrics_into_an_empty_cache(tmp_path: Path) -> None:
    pipe = subprocess.PIPE
    for trial in range(20):
        environment = os.environ | {"NAV_EVAL_CACHE": str(tmp_path / str(trial))}
        command = [sys.executable, "-c", ALIGN]
        processes = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) for _ in range(4)]
        assert all(p.stdout and p.stdout.readline() == b"ready\n" for p in processes)
        said = [process.communicate(b"\n", timeout=PATIENCE)[1] for process in processes]
        said.append(subprocess.run(command, input=b"\n", env=environment, capture_output=True, check=True).stderr)
        assert all(line.startswith((b"Compiling", b"... still")) for text in said for line in text.splitlines())
        assert [process.returncode for process in processes] == [0] * 4


PRODUCT = """
import sys
import tomllib
import numpy as np
from numba import njit
from small import total
total(np.array([3, 4], "float32"))
print("scipy.linalg" in sys.modules, "numba.np.polynomial.polynomial_functions" in sys.modules)
total(np.array([3, 4], "int8"))
print("scipy.linalg" in sys.modules, "numba.np.polynomial.polynomial_functions" in sys.modules)
print(njit(lambda a: a @ a)(np.full((2, 2), 3.0))[0, 0])
"""


def test_what_compiles_is_imported_only_to_compile_and_scipys_linear_algebra_only_for_products(small: Small) -> None:
    """Numba's implementations of all that it knows take 0.3 s to import, and code that is loaded needs none of them."""
    said, errors = small.start(PRODUCT).communicate(timeout=PATIENCE)
    assert said.split() == ["False", "False", "False", "True", "18.0"], errors


NEWER = """
import numba
numba.__version__ = "99.0.1"
import numpy as np
from nav_eval.metrics.kernels.rows import align_point, first_row
from nav_eval.jit import inner, kernel

@inner()
def one_more(x):
    return x + 1

@kernel()
def two_more(x):
    return one_more(one_more(x))

assert two_more(1) == 3
row = first_row(5)
for i in range(9):
    align_point(row, np.array([(2.0 * i, 0.0, 0.1) for i in range(5)]), float(i), 0.5, 0.0)
print(repr(float(row[-1])))
"""


def test_a_numba_that_nobody_has_tested_computes_the_same_and_is_warned_of(tmp_path: Path) -> None:
    script = tmp_path / "newer.py"
    script.write_text(NEWER)
    environment = os.environ | {"NAV_EVAL_CACHE": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    command = [sys.executable, str(script)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stderr
    first, second = [(float(i), 0.5, 0.0) for i in range(9)], [(2.0 * i, 0.0, 0.1) for i in range(5)]
    assert float(ran.stdout) == dtw_points(first, second)
    assert ran.stderr.count("numba 99.0.1 is newer than nav_eval knows") == 1
    assert not (tmp_path / "kernels").exists()


def test_the_distribution_asks_for_a_numba_that_is_tested() -> None:
    below = ".".join(map(str, jit.UNTESTED_NUMBA))
    asked = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["dependencies"]
    assert [one for one in asked if one.startswith("numba")] == [f"numba>=0.66,<{below}"]
