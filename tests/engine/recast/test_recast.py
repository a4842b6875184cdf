"""Odd scenes and settings against compiled Recast.

The digests are those of tiles that the C++ libraries (Recast and Detour as Debian packages them,
1.5.1+git20210215) made on our heightfields; on the recorded scenes those make what 1.6.0 makes. Scenes are boxes and
ramps on a grid of 7 mm, so that no library's sine can move a vertex.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from engine.recast.shapes import Mesh, box, join, rectangle
from nav_eval.engine.navmesh.file import parse_navmesh
from nav_eval.engine.navmesh.settings import NavmeshSettings
from nav_eval.engine.recast import build_navmesh

FINE = {"cell_height": 0.05}
CASES: dict[str, tuple[dict[str, float], str]] = {
    "defaults": ({}, "8adcb1feb4e74d84"),
    "RxR's agent": ({"agent_height": 0.88, "agent_radius": 0.18}, "c070c6d4d62ffcd5"),
    "triangles": ({"verts_per_poly": 3.0}, "aa0a5b28720cf22b"),
    "four corners, tight": ({"verts_per_poly": 4.0, "edge_max_error": 0.5, "edge_max_len": 1.0}, "85bca789fe517b69"),
    "coarse": ({"cell_size": 0.2, "edge_max_error": 3.0, "region_min_size": 4.0}, "3e82e9b171e72391"),
    "fine heights": (FINE | {"agent_max_climb": 0.3, "detail_sample_dist": 3.0}, "838084cd49289723"),
    "dense samples": (FINE | {"detail_sample_dist": 2.0, "detail_sample_max_error": 0.5}, "78b30ab5663bd7f9"),
    "small regions": ({"agent_radius": 0.0, "region_min_size": 2.0, "region_merge_size": 5.0}, "b5a9ff4375edb21a"),
}


def cluttered() -> Mesh:
    """Two storeys joined by a ramp and a stair, with boxes of all sizes standing about."""
    rng = np.random.default_rng(20)
    parts = [rectangle(0, 10.5, 0, 9.1), rectangle(0, 3.5, 5.6, 9.1, y=2.1), rectangle(3.5, 7, 7, 8.4, 2.1, -2.1)]
    parts += [box(0.28 * k, 0.28 * (k + 1), 0, 0.175 * (12 - k), 4.9, 5.6) for k in range(12)]
    for _ in range(40):
        x, z = rng.integers(0, 1400, 2) * 0.007
        w, h, d = rng.integers(10, 180, 3) * 0.007
        parts.append(box(x, x + w, 0, h, z, z + d))
    return join(*parts)


@pytest.mark.parametrize("case", CASES)
def test_tiles_are_those_of_compiled_recast(case: str) -> None:
    changes, digest = CASES[case]
    data = build_navmesh(*cluttered(), NavmeshSettings(**changes))  # type: ignore[arg-type]
    assert hashlib.sha256(parse_navmesh(data).tiles[0].data).hexdigest()[:16] == digest
