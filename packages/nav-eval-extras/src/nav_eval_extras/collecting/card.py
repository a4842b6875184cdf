"""The card of a collection, README.md: where it comes from, what it holds, what reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nav_eval
import nav_eval_extras
from nav_eval.config.schema import Config
from nav_eval.results.files import write_bytes
from nav_eval_extras.collecting.formats.base import Format

if TYPE_CHECKING:
    from nav_eval_extras.collecting.collection import Journal

GENERATED = (
    "None but yours: buildings, paths and instructions were made by a generator, no scan or photograph is in them."
)
LICENSED = "The owners of the scenes and episodes license them, and pictures of the scenes with them: see their terms."


def write_card(out: Path, writer: Format, config: Config, policy: str | None, beta: float, journal: Journal) -> None:
    languages = Counter(tag for record in journal for tag in record["languages"])
    rows = {
        "Benchmark": f"{config.benchmark.name}, profile {config.benchmark.profile} {config.benchmark.version}",
        "Data": _data(config),
        "Seed": str(config.seed),
        "Licence": LICENSED if config.dataset.generate is None or config.dataset.data_path else GENERATED,
        "Who walks": "the oracle" if policy is None else f"the oracle with probability {beta:g}, else {policy}",
        "Made with": f"nav_eval {nav_eval.__version__}, nav_eval_extras {nav_eval_extras.__version__}",
        "Episodes": str(journal.kept),
        "Instructions": ", ".join(f"{count} {tag}" for tag, count in sorted(languages.items())),
        "Frames": f"{journal.frames}, {writer.about.lens.width}x{writer.about.lens.height}, hfov "
        f"{writer.about.lens.hfov:g} degrees, camera {writer.about.height:g} m above the floor",
        "Pictures": f"{journal.size / 1e9:.3f} GB",
        "Skipped": str(len(journal.skipped)),
    }
    asked = Counter(row["language"] for row in journal.questions())
    if asked:
        rows["Questions"] = ", ".join(f"{count} {tag}" for tag, count in sorted(asked.items())) + ": questions.json"
    text = "\n".join(
        (_front(writer), f"# {config.benchmark.name}: walks to learn from\n", _table(rows), writer.loading())
    )
    text += ACTIONS.format(step=writer.about.forward_step, turn=writer.about.turn_angle)
    text += "".join(f"\nSkipped: {one}" for one in journal.skipped) + ("\n" if journal.skipped else "")
    write_bytes(out / "README.md", text.encode())


ACTIONS = """

Actions: -1 none, 0 stop, 1 forward {step:g} m, 2 left {turn:g} degrees, 3 right {turn:g} degrees, 4 look up, 5 look
down. Positions are in metres with y up, rotations xyzw; camera poses (4x4) take camera coordinates (x right, y down,
z ahead) to the world's. A pixel is (column, row); (-1, -1): out of view. `relative_goal_frame_id` or the first number
of `subgoal`: steps until the agent stands at the farthest point of its way that is in view, and that point's pixel.
`clause_index`: which of an instruction's `clauses`, from 0, a step carries out; joined, they are the instruction; -1:
not known.
"""


def _front(writer: Format) -> str:
    configs = writer.configs()
    return "" if not configs else f"---\n{configs}---\n"


def _table(rows: Mapping[str, Any]) -> str:
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]) + "\n"


def _data(config: Config) -> str:
    dataset = config.dataset
    if dataset.generate is None or dataset.data_path:
        return f"{dataset.data_path}, split {dataset.split or dataset.default_split}"
    made = dataset.generate
    return (
        f"generator {made.generator} {made.version}, seed {made.seed}, split {dataset.split or dataset.default_split}, "
        f"{made.rooms} rooms, {made.per_scene} paths a building"
    )
