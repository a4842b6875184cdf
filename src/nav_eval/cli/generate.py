"""nav-eval generate data: what a configuration expects, made by its generator."""

from __future__ import annotations

from pathlib import Path

from nav_eval.cli.exit import DONE
from nav_eval.cli.say import say


def data(*overrides: str, config: Path) -> int:
    """Make homes and episodes where a configuration expects data, so that it runs as it stands.

    Parameters
    ----------
    overrides
        How many: for example dataset.generate.scenes=8 dataset.generate.per_scene=10; the defaults are vln-demo's.
    config
        A configuration file. What its dataset.data_path names is made, of the split that it is known to be; the homes
        go to its simulator.scenes_dir.
    """
    from nav_eval.runs.registry import benchmark_config
    from nav_eval.runs.stand_ins import make_stand_ins

    say(*make_stand_ins(benchmark_config(None, file=config, overrides=overrides)))
    return DONE
