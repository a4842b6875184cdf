"""Buildings and their sites that several tests share, made once per process: each costs seconds of CPU."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.episodes.vln import VlnPath, vln_paths
from nav_eval_worlds.plan.floor_plan import Kind
from nav_eval_worlds.world import World, generate_world

Case: TypeAlias = tuple[int | str, int, int, Kind]
"""Seed, rooms, storeys and kind."""
HOME: Case = (2, 7, 1, "home")
"""With a bent corridor, in the afternoon."""
OPEN_PLAN: Case = (3, 10, 1, "home")
ATTIC: Case = (7, 9, 2, "home")
"""Two storeys round a hall, the upper one under a roof; overcast."""
OFFICE: Case = (0, 13, 2, "office")
"""Two storeys with a bent corridor, in the morning."""
STUDIO: Case = (8, 1, 1, "home")
"""One room, in the evening."""
RELEASED: tuple[Case, Case] = (("anywhere", 5, 2, "home"), ("anywhere", 4, 1, "office"))
"""Whose digests stand in test_same_everywhere.py; the office is seen at noon."""


@cache
def make_world(seed: int | str, rooms: int, storeys: int, kind: Kind) -> World:
    return generate_world(seed, rooms, storeys, kind, 20_000)


@cache
def make_site(seed: int | str, rooms: int, storeys: int, kind: Kind, radius: float = 0.1) -> Site:
    world = make_world(seed, rooms, storeys, kind)
    navmesh = NavMesh.from_bytes(world.navmesh(NavmeshSettings(agent_radius=radius)))
    return Site(f"{world.name}.glb", world.scene(), navmesh)


@cache
def make_paths(case: Case) -> tuple[VlnPath, ...]:
    """Ten with their instructions."""
    return vln_paths(make_site(*case), 10, "test").paths
