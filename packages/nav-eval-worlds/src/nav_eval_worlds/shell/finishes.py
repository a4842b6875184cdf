"""What a room's walls are finished with: paint, paper, a wall that stands out, wainscot below a rail, tiles, coving."""

from __future__ import annotations

from dataclasses import dataclass

from nav_eval_worlds.exact import Stream
from nav_eval_worlds.plan.floor_plan import SIDES, Room, Side
from nav_eval_worlds.surfaces.styles import Style

ACCENT = "wall5"
"""The wall that stands out: of another colour, of brick, slats or panels."""
WAINSCOT = 900
"""How high panels reach, mm."""
_TILES, _TILED = "bathroom", ("wall_tile", "wall_tile", "wall_tile2")
_PAPERED = {"bedroom": 34, "dining room": 34, "living room": 26, "study": 22, "foyer": 20}
"""Percent of rooms that have wallpaper."""
_PANELLED = {"dining room": 45, "hallway": 45, "foyer": 45, "study": 40, "living room": 25, "bedroom": 25, "stairs": 0}
_PANELS = {"classic": 100, "coastal": 80, "rustic": 60, "eclectic": 60, "scandinavian": 35, "mid-century": 30}
"""Percent of the chances above that a style takes."""
_COVED = {"classic": 95, "coastal": 50, "eclectic": 45, "rustic": 20, "mid-century": 20, "scandinavian": 15}
_PAINTS = ("wall0", "wall0", "wall1", "wall1", "wall2", "wall3", "wall3", "wall4", ACCENT, ACCENT)
_QUIET = ("wall0", "wall0", "wall1", "wall2", "wall3")


@dataclass(frozen=True, slots=True)
class Finish:
    """`walls`: the material of each side. Up to `cut` mm it is `lower` on all of them, if that is not empty."""

    walls: dict[Side, str]
    lower: str = ""
    cut: int = 0
    coved: bool = False

    @property
    def railed(self) -> bool:
        """Whether a rail ends what is below."""
        return self.lower == "wainscot"


def finish_of(room: Room, style: Style, stream: Stream) -> Finish:
    """How a room is finished: each its own, from the home's few materials."""
    coved = stream.child("coving").chance(_COVED.get(style.name, 0)) and not room.eaves and room.type != "stairs"
    if room.type == _TILES:
        cut = stream.choice((2000, 2000, 1200, 4000))
        return Finish(dict.fromkeys(SIDES, stream.choice(_QUIET)), stream.choice(_TILED), cut)
    percent = _PANELLED.get(room.type, 0) * _PANELS.get(style.name, 10) // 100
    lower = "wainscot" if stream.child("panels").chance(percent) and not room.eaves else ""
    return Finish(_walls(room, stream), lower, WAINSCOT if lower else 0, coved)


def _walls(room: Room, stream: Stream) -> dict[Side, str]:
    """One material all round; what stands out on one wall only, before quieter ones."""
    paint = stream.choice(_QUIET if room.type in ("hallway", "stairs") else _PAINTS)
    if stream.chance(_PAPERED.get(room.type, 0)):
        paper = stream.choice(("paper0", "paper0", "paper1"))
        if stream.chance(45):
            return dict.fromkeys(SIDES, paper)
        return dict.fromkeys(SIDES, "wall0") | {stream.choice(SIDES): paper}
    if paint == ACCENT:
        return dict.fromkeys(SIDES, stream.choice(("wall0", "wall0", "wall2"))) | {stream.choice(SIDES): paint}
    return dict.fromkeys(SIDES, paint)
