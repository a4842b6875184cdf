"""Navmeshes from triangles: `build_navmesh`, and `build_or_load`, which remembers what it built.

Importing this compiles nothing: kernels are compiled, or read from their cache, by the first build or by `warm`.
"""

from nav_eval.engine.recast.build import build_navmesh, warm
from nav_eval.engine.recast.store import build_or_load

__all__ = ["build_navmesh", "build_or_load", "warm"]
