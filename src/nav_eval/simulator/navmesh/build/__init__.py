"""Navmeshes from triangles: `build_navmesh`, and `build_or_load` with its cache."""
