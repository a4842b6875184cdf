"""One object of a world where it stands: what the mesh, the semantics and the geometry checks are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nav_eval_worlds.surfaces.parametric import Model

Support = Literal["floor", "wall", "ceiling", "item", "shell"]


@dataclass(frozen=True, slots=True)
class Item:
    """`at` is the model's origin in millimetres (x, y, z), `turn` in quarter turns, `size` its own (w, h, d) in metres.

    `on` is the index (in the list of items) of the object that carries it, or -1. `joins` are the two rooms between
    which a door, an opening or the stair leads. `variant` names a small thing's shape,
    `design` a large one's.
    """

    category: str
    room: int
    model: Model
    at: tuple[int, int, int] = (0, 0, 0)
    turn: int = 0
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    support: Support = "shell"
    on: int = -1
    joins: tuple[int, int] | None = None
    variant: str = ""
    design: str = ""
