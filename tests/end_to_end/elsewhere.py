"""A plug-in for tests of several machines on one: scenes_dir holds what this machine's ROOMS says."""

from __future__ import annotations

import os

from nav_eval.simulator.backends.custom import CustomBackend
from nav_eval.simulator.registry import register_simulator


@register_simulator("rooms-of-this-machine")
class RoomsOfThisMachine(CustomBackend):
    def __init__(self, config, seed):
        here = os.environ.get("ROOMS", config.scenes_dir)
        super().__init__(config.model_copy(update={"scenes_dir": here}), seed)
