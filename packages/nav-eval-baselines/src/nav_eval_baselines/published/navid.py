"""NaVid and Uni-NaVid in this process: every frame of the episode and the instruction, answered in words.

As of jzhzhang/NaVid-VLN-CE, navid_agent.py: `NaVid_Agent(model_path, result_path, require_map=False)`, then
`act({"rgb": ..., "instruction": {"text": ...}}, info, episode_id)` for every step, which answers {"action": 0 to 3}; it
keeps what is left of "move forward 75 cm" itself, and draws an action at random where the model names none.
As of jzhzhang/Uni-NaVid, offline_eval_uninavid.py: `UniNaVid_Agent(model_path)`, `act({"observations": ...,
"instruction": ...})`, which answers {"actions": ["forward", "left", ...]} and takes frames that lie in its `rgb_list`.
Pictures are (H, W, 3) uint8.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from nav_eval_baselines.published.base import PublishedAgent, PublishedError, PublishedOptions, imported
from nav_eval_sdk.options import option

WORDS = {"stop": 0, "forward": 1, "left": 2, "right": 3}


class NaVidAgent(PublishedAgent):
    """NaVid in a checkout of its repository: `NaVidAgent(PublishedOptions("NaVid-VLN-CE", "weights"))`."""

    name = "navid"
    version = "1"
    every_frame = True
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {"rgb": (0, 0)}

    def load(self) -> Any:
        module = imported("navid_agent", self.options.repository, "VLN_CE")
        folder = tempfile.mkdtemp(prefix="navid-")  # the published agent makes folders for logs, and writes none here
        return module.NaVid_Agent(self.options.checkpoint, folder, require_map=False)

    def start(self) -> None:
        self.model.reset()

    def ask(self, rgb: Any) -> tuple[Sequence[int], str]:
        seen = {"rgb": rgb, "instruction": {"text": self.instruction}}
        return [int(self.model.act(seen, None, "")["action"])], ""


@dataclass(frozen=True)
class UniNaVidOptions(PublishedOptions):
    """`UniNaVidOptions("Uni-NaVid", "model_zoo/uninavid-7b-full-224-video-fps-1-grid-2")`"""

    actions: int = option(1, "how many of the four words are carried out before the model is asked again")
    channels: str = option("rgb", "the order of colours that it is shown", choices=("rgb", "bgr"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.actions < 1:
            raise ValueError("--actions must be at least 1.")


class UniNaVidAgent(PublishedAgent):
    """Uni-NaVid in a checkout of its repository: `UniNaVidAgent(UniNaVidOptions("Uni-NaVid", "weights"))`."""

    name = "uninavid"
    version = "1"
    every_frame = True
    sensors: ClassVar[Mapping[str, tuple[int, int]]] = {"rgb": (0, 0)}
    Options = UniNaVidOptions

    def load(self) -> Any:
        return imported("offline_eval_uninavid", self.options.repository).UniNaVid_Agent(self.options.checkpoint)

    def start(self) -> None:
        self.model.reset()

    def see(self, rgb: Any) -> None:
        self.model.rgb_list.append(self._ordered(rgb))

    def ask(self, rgb: Any) -> tuple[Sequence[int], str]:
        answer = self.model.act({"observations": self._ordered(rgb), "instruction": self.instruction})
        words = [str(word) for word in answer["actions"]]
        numbers = [WORDS[word] for word in words if word in WORDS]
        if not numbers:
            raise PublishedError(f"the model names no action: {' '.join(words)[:200]}")
        return numbers[: self.options.actions], " ".join(words)

    def _ordered(self, rgb: Any) -> Any:
        return rgb if self.options.channels == "rgb" else rgb[..., ::-1].copy()
