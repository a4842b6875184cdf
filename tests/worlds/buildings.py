"""Buildings and their sites that several tests share, made once in a run: each costs seconds of CPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import TypeAlias
from unittest.mock import patch

import numpy as np

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.scene.scene import Sky
from nav_eval_worlds import world
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.episodes.vln import VlnPath, vln_paths
from nav_eval_worlds.plan.floor_plan import Kind
from nav_eval_worlds.world import World, generate_world
from once import once

Case: TypeAlias = tuple[int | str, int, int, Kind]
"""Seed, rooms, storeys and kind."""
HOME: Case = (2, 7, 1, "home")
"""With a bent corridor."""
OPEN_PLAN: Case = (3, 10, 1, "home")
ATTIC: Case = (7, 9, 2, "home")
"""Two storeys round a hall, the upper one under a roof."""
OFFICE: Case = (0, 13, 2, "office")
"""Two storeys with a bent corridor."""
STUDIO: Case = (8, 1, 1, "home")
"""One room."""
RELEASED: tuple[Case, Case] = (("anywhere", 5, 2, "home"), ("anywhere", 4, 1, "office"))
"""Whose digests stand in test_same_everywhere.py; the home is seen in the morning, the office at noon."""
LIT = frozenset(RELEASED)
"""Of the others nobody asks for light, for the sky, or for what mirrors show: two thirds of what a building costs."""


@contextmanager
def unlit() -> Iterator[None]:
    """Buildings have all things and textures, and even light."""
    grey, blank = np.full((1, 1, 3), 128, np.uint8), np.full((1, 6, 4, 4, 4), 255, np.uint8)
    with (
        patch.object(world, "bake", lambda plan, items, mesh, *_: (np.full((len(mesh.uvs), 4), 255, np.uint8), grey)),
        patch.object(world, "make_sky", lambda *_: Sky(blank, (0.0,))),
        patch.object(world, "reflections", lambda *_: []),
    ):
        yield


@cache
def make_world(seed: int | str, rooms: int, storeys: int, kind: Kind) -> World:
    case = (seed, rooms, storeys, kind)
    with nullcontext() if case in LIT else unlit():
        return once("-".join(map(str, ("world", *case))), lambda: generate_world(*case, 20_000))


@cache
def make_site(seed: int | str, rooms: int, storeys: int, kind: Kind, radius: float = 0.1) -> Site:
    made = make_world(seed, rooms, storeys, kind)
    name = "-".join(map(str, ("navmesh", seed, rooms, storeys, kind, radius)))
    navmesh = NavMesh.from_bytes(once(name, lambda: made.navmesh(NavmeshSettings(agent_radius=radius))))
    return Site(f"{made.name}.glb", made.scene(), navmesh)


@cache
def make_paths(case: Case) -> tuple[VlnPath, ...]:
    """Ten with their instructions."""
    return once("-".join(map(str, ("paths", *case))), lambda: vln_paths(make_site(*case), 10, "test").paths)
