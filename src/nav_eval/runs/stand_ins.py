"""Generated homes and episodes where a configuration expects data, so that it runs as it stands."""

from __future__ import annotations

import shutil
from pathlib import Path

from nav_eval.config.schema import Config, GenerateConfig
from nav_eval.errors import ConfigError
from nav_eval.runs import builder
from nav_eval.runs.effective import Effective, generated_data


def make_stand_ins(config: Config) -> list[Path]:
    """Write the data set file that `config` names, and homes for it; the files and folders that are there now.

    `dataset.generate` says how many. Raises ConfigError where the file exists, or its split is none that is made.
    """
    file = Path(builder.data_file(config.dataset))
    if file.exists():
        raise ConfigError(f"{file}: exists already. Move it away, or run what is there.")
    split = builder.settled_split(config).dataset.split or "all"
    homes = Path(Effective.of(config).simulator.scenes_dir or "")
    made = generated_data(_without_file(config, split))
    source = Path(builder.data_file(made.dataset))
    shutil.copytree(str(made.simulator.scenes_dir), homes, dirs_exist_ok=True)
    return [homes, *_copy(source, file)]


def _without_file(config: Config, split: str) -> Config:
    """The same with data that are to be made. Instructions are written in R2R-CE's format, which vln reads."""
    generate = config.dataset.generate or GenerateConfig()
    kind = "r2r-ce" if config.task.type == "vln" else config.dataset.type
    changes = {"data_path": None, "generate": generate, "type": kind, "split": split}
    return config.model_copy(update={"dataset": config.dataset.model_copy(update=changes)})


def _copy(source: Path, file: Path) -> list[Path]:
    """The main file, and its reference trajectories or content where it has them, under the name that is wanted."""
    stem, _, suffix = file.name.partition(".")
    file.parent.mkdir(parents=True, exist_ok=True)
    copies = [Path(shutil.copy(source, file))]
    truth = source.with_name(source.name.replace(".", "_gt.", 1))
    if truth.is_file():
        copies.append(Path(shutil.copy(truth, file.with_name(f"{stem}_gt.{suffix}"))))
    if (source.parent / "content").is_dir():
        copies.append(Path(shutil.copytree(source.parent / "content", file.parent / "content", dirs_exist_ok=True)))
    return copies
