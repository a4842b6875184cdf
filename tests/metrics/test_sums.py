"""A record does not depend on the Python that wrote it: `sum` corrects for rounding since 3.12, no record uses it."""

from __future__ import annotations

import ast
import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path

import pytest

from nav_eval.geometry import euclidean, total
from nav_eval.metrics.functional import path_length

SOURCE = Path(__file__).parents[2] / "src"
LENGTHS = """
import json, sys
from nav_eval.geometry import euclidean, total
paths = json.load(sys.stdin)
print(json.dumps([total(map(euclidean, path[:-1], path[1:])).hex() for path in paths]))
"""


def compensated(values: Sequence[float]) -> float:
    """What `sum` does since Python 3.12 (Neumaier 1974)."""
    whole = lost = 0.0
    for value in values:
        after = whole + value
        lost += (whole - after) + value if abs(whole) >= abs(value) else (value - after) + whole
        whole = after
    return whole + lost


def looped(values: Sequence[float]) -> float:
    whole = 0.0
    for value in values:
        whole += value
    return whole


@pytest.fixture(scope="module")
def paths(released: Path) -> list[list[tuple[float, float, float]]]:
    """Where R2R-CE's val_seen agents went."""
    truth = json.loads(gzip.decompress((released / "r2r-ce" / "val_seen_gt.json.gz").read_bytes()))
    return [[(x, y, z) for x, y, z in entry["locations"]] for entry in truth.values()]


def test_a_sum_is_the_plain_loop() -> None:
    assert total([]) == 0.0
    assert total([0.1] * 10) == 0.9999999999999999
    assert compensated([0.1] * 10) == 1.0


def test_real_lengths_are_those_of_the_loop_and_not_of_the_new_sum(
    paths: list[list[tuple[float, float, float]]],
) -> None:
    legs = [[euclidean(a, b) for a, b in pairwise(path)] for path in paths]
    assert [path_length(path) for path in paths] == [looped(leg) for leg in legs]
    differ = [leg for leg in legs if looped(leg) != compensated(leg)]
    assert len(differ) > len(legs) // 2
    if sys.version_info >= (3, 12):
        assert [sum(leg) for leg in legs] == [compensated(leg) for leg in legs]


def other_pythons() -> Iterator[str]:
    """Pythons from 3.11 on that start; pyenv's own commands may not."""
    homes = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in {11, 12, 13, 14} - {sys.version_info.minor}:
        named = [shutil.which(f"python3.{minor}"), *map(str, sorted(homes.glob(f"3.{minor}.*/bin/python3")))]
        starts = (
            name for name in named if name and subprocess.run([name, "-c", ""], capture_output=True).returncode == 0
        )
        yield from islice(starts, 1)


def test_other_pythons_measure_the_same_paths(paths: list[list[tuple[float, float, float]]]) -> None:
    others = list(other_pythons())
    if not others:
        pytest.skip("no other Python from 3.11 on")
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
    for python in others:
        command, given = [python, "-c", LENGTHS], json.dumps(paths)
        done = subprocess.run(command, input=given, env=environment, text=True, capture_output=True, check=True)
        assert json.loads(done.stdout) == [path_length(path).hex() for path in paths]


@pytest.mark.parametrize("package", ["metrics", "results"])
def test_nothing_that_reaches_a_record_is_added_up_otherwise(package: str) -> None:
    for file in sorted((SOURCE / "nav_eval" / package).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum"
            assert not plain, f"{file}:{node.lineno}: use nav_eval.geometry.total"  # type: ignore[attr-defined]
