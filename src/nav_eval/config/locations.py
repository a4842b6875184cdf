"""Keys that say where something lies: another place changes no result, as long as the same thing lies there."""

from __future__ import annotations

from collections.abc import Callable, Collection
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
    return _move(config, (*DATA, *OWN), lambda place: str(Path(place).absolute()))


def as_seen_from(config: Config, folder: Path, given: Collection[str] = ()) -> Config:
    """Data where a run found it that was started in `folder`; what is not there, or `given` anew, is left as it is."""

    def there(place: str) -> str:
        return str(folder / place) if (folder / place).parent.exists() else place

    return _move(config, [key for key in DATA if key not in given], there)


def _move(config: Config, keys: Collection[str], place: Callable[[str], str]) -> Config:
    content = config.model_dump()
    for key in keys:
        *sections, name = key.split(".")
        section: Any = content
        for part in sections:
            section = section[part]
        if section.get(name):
            section[name] = place(section[name])
    return Config.model_validate(content).from_layers(config.layers)
