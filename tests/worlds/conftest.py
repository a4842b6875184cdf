"""Worlds and sites that several tests share, made once per process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast.build import build_navmesh
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.plan.floor_plan import Kind
from nav_eval_worlds.world import World, generate_world


@cache
def _world(seed: int, rooms: int, storeys: int, kind: Kind) -> World:
    return generate_world(seed, rooms, storeys, kind, 20_000)


@cache
def _site(seed: int, rooms: int, storeys: int, kind: Kind, radius: float) -> Site:
    world = _world(seed, rooms, storeys, kind)
    scene = world.scene()
    settings = NavmeshSettings(agent_radius=radius)
    return Site(
        f"{world.name}.glb", scene, NavMesh.from_bytes(build_navmesh(scene.positions, scene.triangles, settings))
    )


@pytest.fixture
def make_world() -> Callable[[int, int, int, Kind], World]:
    return _world


@pytest.fixture
def make_site() -> Callable[[int, int, int, Kind, float], Site]:
    return _site
