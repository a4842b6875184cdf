"""What a navmesh is made with: Habitat's NavMeshSettings, field for field, in file order.

The 13 floats and 4 booleans are the block that version 2 of a `.navmesh` file carries, so a mesh read from
a file and one built here say the same about themselves. Names are ours, meanings and defaults Habitat's
(facebookresearch/habitat-sim, src/esp/nav/PathFinder.h, MIT): lengths in metres, angles in degrees, region
sizes as the side of a square in cells (20 keeps 400 cells), edge_max_error in cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from nav_eval.errors import NavmeshError


@dataclass(frozen=True, slots=True, kw_only=True)
class NavmeshSettings:
    """Parameters of a navmesh build; `checked()` refuses what no build can use."""

    cell_size: float = 0.05
    """Side of a voxel in x and z, metres."""
    cell_height: float = 0.2
    """Height of a voxel, metres; floors are quantised to it."""
    agent_height: float = 1.5
    """Least clearance above a floor, metres."""
    agent_radius: float = 0.1
    """Distance kept from walls, metres."""
    agent_max_climb: float = 0.2
    """Highest step that is walked up, metres."""
    agent_max_slope: float = 45.0
    """Steepest walkable slope, degrees."""
    region_min_size: float = 20.0
    """Side in cells of the smallest isolated region that is kept."""
    region_merge_size: float = 20.0
    """Side in cells below which a region is merged with its neighbour."""
    edge_max_len: float = 12.0
    """Longest border edge, metres."""
    edge_max_error: float = 1.3
    """How far a simplified border may stray from the cells, in cells."""
    verts_per_poly: float = 6.0
    """Most vertices of a polygon, 3 to 6."""
    detail_sample_dist: float = 6.0
    """Spacing of height samples, in cells; below 0.9 there are none."""
    detail_sample_max_error: float = 1.0
    """How far the detail mesh may stray from the heightfield, in cell heights."""
    filter_low_hanging_obstacles: bool = True
    filter_ledge_spans: bool = True
    filter_walkable_low_height_spans: bool = True
    include_static_objects: bool = False

    def checked(self) -> NavmeshSettings:
        """Self, or NavmeshError naming the first field that no build can use."""
        for field in fields(self):
            value = getattr(self, field.name)
            if not math.isfinite(value) or value < 0:
                raise NavmeshError(f"navmesh setting {field.name} is {value}: give a finite number >= 0")
        for name in ("cell_size", "cell_height"):
            if getattr(self, name) <= 0:
                raise NavmeshError(f"navmesh setting {name} is {getattr(self, name)}: give more than 0 m")
        if not 3 <= self.verts_per_poly <= 6:
            raise NavmeshError(f"navmesh setting verts_per_poly is {self.verts_per_poly}: give 3 to 6")
        if self.agent_max_slope >= 90:
            raise NavmeshError(f"navmesh setting agent_max_slope is {self.agent_max_slope}: give under 90")
        return self
