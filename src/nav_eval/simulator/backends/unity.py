"""Unity as a simulator: an external one that speaks the socket framing through the package in unity/.

`simulator.options.player`: path of a player build, which is started and stopped here; `arguments`: more arguments for
it. Without a player we attach to the editor in play mode, at simulator.endpoint or port 9460 of this machine.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from nav_eval.config.schema import SimulatorConfig
from nav_eval.errors import ConfigError
from nav_eval.simulator.backends.external import ExternalBackend

EDITOR = "127.0.0.1:9460"
PLAYER_ARGUMENTS = ("-batchmode", "-logFile", "-", "-naveval-port", "{port}")
"""-batchmode draws to textures without a window; a machine without a GPU needs an X server with Mesa."""


class UnityBackend(ExternalBackend):
    """A player build or the editor."""

    class Options(ExternalBackend.Options):
        """What is started here; the rest as for `external`."""

        player: str | None = Field(None, description="a player build, started and stopped here; null: the editor")
        arguments: tuple[str, ...] = Field((), description="more arguments for the player")

    where_to_start = "Press Play in Unity's editor there, or give a player build: simulator.options.player."

    def __init__(self, config: SimulatorConfig, seed: int = 0) -> None:
        options = self.Options.of(config.options)
        if options.player is None:
            super().__init__(config.model_copy(update={"endpoint": config.endpoint or EDITOR}), seed)
        else:
            command = shlex.join(_command(Path(options.player), options.arguments))
            super().__init__(config.model_copy(update={"command": command}), seed)


def _command(player: Path, arguments: Sequence[str]) -> list[str]:
    """Raises ConfigError where there is no such program."""
    if player.suffix == ".app":
        player = next(iter(sorted((player / "Contents" / "MacOS").glob("*"))), player)
    if not player.is_file():
        raise ConfigError(f"simulator.options.player: {player} is not a file. Build the player, see unity/README.md.")
    return [str(player.resolve()), *PLAYER_ARGUMENTS, *arguments]
