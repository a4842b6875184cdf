"""Networks trained on ever more generated homes, for `evidence.py --models`: does what they learn hold elsewhere?

    python benchmarks/evidence_transfer.py --out models [--homes 5 20 100] [--paths 10] [--epochs 10]

Of each number of homes the oracle's walks are collected and examples/first_vln_model learns from them, with all its
tricks. The same epochs for all: more homes are more walks too. It needs torch, and the first homes are in every number.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from evidence_agents import FIRST

COLLECT = "from nav_eval.cli import main; main()"


def train(out: Path, homes: int, paths: int, epochs: int) -> Path:
    """The network's file; walks and network that are there are not made again."""
    walks, network = out / f"walks-{homes}", out / f"first-{homes}.pt"
    if not walks.is_dir():
        keys = {
            "dataset.split": "train",
            "dataset.generate.scenes": homes,
            "dataset.generate.per_scene": paths,
            "simulator.options.expert_within": 1.5,
        }
        given = [f"{key}={value}" for key, value in keys.items()]
        run("-c", COLLECT, "collect", "vln-demo", *given, "--out", str(walks))
    if not network.is_file():
        run(str(FIRST / "first.py"), str(walks), "--epochs", str(epochs), "--out", str(network))
    return network


def run(*words: str) -> None:
    """A Python of its own, on one core."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, *words], env=environment, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--homes", type=int, nargs="+", default=[5, 20, 100])
    parser.add_argument("--paths", type=int, default=10, help="in each home")
    parser.add_argument("--epochs", type=int, default=10)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for homes in asked.homes:
        print(train(asked.out, homes, asked.paths, asked.epochs), flush=True)


if __name__ == "__main__":
    main()
