"""Inner kernels: what they compute and raise comes out of the kernels that call them, and Python cannot call them."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import nav_eval
from nav_eval.inner_kernel import InnerKernel

KERNELS = """
import numpy as np
from nav_eval.jit import inner, kernel

@inner()
def third(x):
    return x / np.float32(3)

@inner()
def both(values, i):
    if i < 0:
        raise ValueError("below", i)
    return third(values[i]) + third(values[i + 1])

@kernel()
def pairs(values):
    made = np.empty(len(values) - 1, np.float32)
    for i in range(len(made)):
        made[i] = both(values, i)
    return made

@kernel()
def pair(values, i):
    return both(values, i)
"""
USE = """
import numpy as np, sys
from parts import both, pair, pairs
values = np.array([1, 2, 5], np.float32)
thirds = values / np.float32(3)
assert (pairs(values) == thirds[:-1] + thirds[1:]).all()
assert pair(values, 1) == thirds[1] + thirds[2]
try:
    pair(values, -7)
except ValueError as error:
    assert error.args == ("below", -7)
try:
    both(values, 0)
except TypeError as error:
    print(error)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "parts.py").write_text(KERNELS)
    return tmp_path


def _use(package: Path, **variables: str) -> str:
    environment = os.environ | {"NAV_EVAL_CACHE": str(package / "cache"), "PYTHONPATH": str(package)} | variables
    return subprocess.run(
        [sys.executable, "-c", USE], env=environment, text=True, capture_output=True, check=True, timeout=120
    ).stdout


def test_values_and_errors_come_through_compiled_and_from_the_cache(package: Path) -> None:
    for _ in range(2):
        assert _use(package) == "parts.both is called by kernels only: declare it @kernel() to call it from Python\n"
    kept = {path.name.split("-")[0] for path in package.rglob("*.nbc")}
    assert kept == {"parts.pair", "parts.pairs"}


def test_without_numba_they_are_functions(package: Path) -> None:
    assert _use(package, NUMBA_DISABLE_JIT="1") == ""


def test_each_kernel_that_python_calls_is_declared_so() -> None:
    """A name that a function outside the kernels reads; what is called under another name would raise TypeError."""
    root = Path(nav_eval.__file__).parent
    for path in root.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "@inner(" not in text and "jit import" not in text:
            continue
        module = importlib.import_module(".".join(path.relative_to(root.parent).with_suffix("").parts))
        plain = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and not n.decorator_list]
        names = {n.id for function in plain for n in ast.walk(function) if isinstance(n, ast.Name)}
        called = {name for name in names if isinstance(getattr(module, name, None), InnerKernel)}
        assert not called, path
