"""What every format does: write one walk, whole or not at all, and at the end the files that list all of them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from nav_eval.engine.render.camera import Lens
from nav_eval.errors import ConfigError
from nav_eval.results.files import write_atomically
from nav_eval_extras.collecting.walking import Walk


@dataclass(frozen=True)
class About:
    """What the files say of the whole. `height`: of the camera above the floor; lengths in m, angles in degrees."""

    benchmark: str
    lens: Lens
    height: float
    forward_step: float
    turn_angle: float
    max_steps: int
    semantic: bool = False


class Format(ABC):
    """One collection in one folder. What `write` returns is kept in the journal, and `finish` is given all of it.

    `write` may be called again for an episode that a kill interrupted, and then leaves the same bytes.
    """

    fps: ClassVar[int] = 0
    """Of videos; 0: single frames."""
    depth: ClassVar[bool] = True
    """Whether it holds more than RGB and text: depth, object ids, and the pixels of what is in view."""

    def __init__(self, out: Path, about: About) -> None:
        self.out, self.about = out, about

    @classmethod
    def collect(cls, benchmark: str | None, out: str | Path, **wish: Any) -> Path:
        """`nav_eval.collect(benchmark, out, format=...)`: fields of Wish, and `processes`."""
        from nav_eval_extras.collecting.collection import Wish, collect_into

        processes = wish.pop("processes", 1)
        return collect_into(cls, Path(out), Wish(benchmark, **wish), processes=processes)

    @abstractmethod
    def write(self, walk: Walk, index: int) -> Mapping[str, Any]:
        """`index`: of the episode, from 0, without gaps. The answer holds `languages`, the tags of its instructions,
        and `size`, bytes of its pictures, where these are not the walk's own."""

    @abstractmethod
    def finish(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write the files that list the episodes; `records` are read one by one, and may be iterated again."""

    def resume(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Go on after these episodes: called once, before the first `write`."""

    def question(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """A row of questions.json, with what this format's readers want beside what Journal.questions tells."""
        return row

    def configs(self) -> str:
        """YAML at the top of the card, for Hugging Face's `load_dataset`."""
        return ""

    def loading(self) -> str:
        """Markdown: what reads it."""
        return ""


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """A JSON array, a row a line."""

    def write(fresh: Path) -> None:
        with fresh.open("w", encoding="utf-8") as file:
            separator = "[\n"
            for row in rows:
                file.write(separator + json.dumps(row, ensure_ascii=False))
                separator = ",\n"
            file.write("\n]\n")

    write_atomically(path, write)


def conversation(question: str, answer: str) -> list[dict[str, str]]:
    """As LLaVA's descendants have it; `question` with an <image> for each picture or film."""
    return [{"from": "human", "value": question}, {"from": "gpt", "value": answer}]


def require_pyarrow() -> None:
    """Raises ConfigError that says how to get it."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ConfigError(
            "collect: this format needs the package pyarrow. Install it: pip install 'nav-eval-extras[collect]'"
        ) from None


def require_even(lens: Lens) -> None:
    """Raises ConfigError where no video can have these sides."""
    if lens.width % 2 or lens.height % 2:
        raise ConfigError(
            f"collect: a video's sides must be even, not {lens.width}x{lens.height}. Set width and height of "
            "simulator.sensors."
        )


def steps_of(walk: Walk) -> dict[str, Any]:
    """All columns of a walk but its pictures as plain JSON, a row a step; of `intrinsics` the one matrix."""
    return {
        "action": walk.actions,
        "expert_action": walk.expert_actions,
        "pose": walk.poses,
        "camera_pose": [camera.tolist() for camera in walk.cameras],
        "intrinsics": walk.intrinsics.tolist(),
        "distance_to_goal": walk.distances,
        "goal_pixel": walk.goals,
        "subgoal": walk.subgoals,
        "clause_index": walk.clauses,
    }


def wordings(walk: Walk) -> list[dict[str, Any]]:
    """All instructions, as plain JSON."""
    return [asdict(one) for one in walk.route.wordings]
