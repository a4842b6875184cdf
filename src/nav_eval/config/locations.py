"""Keys that say where something lies: another place changes no result, as long as the same thing lies there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nav_eval.config.schema import Config

DATA = (
    "dataset.data_path",
    "dataset.gt_path",
    "simulator.scenes_dir",
    "simulator.connectivity_dir",
    "simulator.skybox_dir",
    "simulator.options.scene",
)
"""Files and folders whose content is in the manifest by its sums."""
OWN = ("agent_service.token_file", "agent_service.tls.ca", "agent_service.tls.cert", "agent_service.tls.key")


def absolute(config: Config) -> Config:
    """The same configuration for a process with another working directory."""
    content = config.model_dump()
    for key in (*DATA, *OWN):
        *sections, name = key.split(".")
        section: Any = content
        for part in sections:
            section = section[part]
        if section.get(name):
            section[name] = str(Path(section[name]).absolute())
    return Config.model_validate(content)
