"""The page of one scene in headless Chromium: it shows what the agent's camera shows, and walls stop who walks."""

from __future__ import annotations

import base64
import io
import json
import math
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from nav_eval.engine.navmesh.mesh import NavMesh
from nav_eval.engine.render.renderer import make_renderer
from nav_eval.engine.scene.scene import Scene, Sky
from nav_eval.errors import SceneError
from nav_eval.report.page import resource
from nav_eval.report.walk import render_walk, write_walk
from report.conftest import Visit, serious_faults
from worlds.buildings import RELEASED, make_world

Open = Callable[..., Visit]
WALK_FOV = 1.1
"""Vertical, rad, as in walk.js."""


@pytest.fixture(scope="module")
def home() -> tuple[Scene, NavMesh]:
    world = make_world(*RELEASED[1])
    return world.scene(), NavMesh.from_bytes(world.navmesh())


def with_sky(scene: Scene) -> Scene:
    """Without its ceilings, below a sky of six colours that get lighter upwards. The walls stay: what hangs on them has
    no back, and the page draws pictures from behind, which nobody can see.
    """
    colours = np.array([(200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 40), (40, 200, 200), (200, 40, 200)])
    faces = np.full((1, 6, 32, 32, 4), 255, np.uint8)
    faces[0, ..., :3] = colours[:, None, None] * np.linspace(1, 0.5, 32)[None, :, None, None]
    assert scene.object_ids is not None
    kept = ~np.isin(scene.object_ids, [o.id for o in scene.objects if o.category == "ceiling"])
    return replace(
        scene,
        triangles=scene.triangles[kept],
        material_ids=scene.material_ids[kept],
        object_ids=scene.object_ids[kept],
        sky=Sky(faces, (0.0,)),
    )


@pytest.fixture(scope="module")
def page_of_home(home: tuple[Scene, NavMesh], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk") / "home.html"
    write_walk(*home, path)
    return path


def unpacked(html: str) -> tuple[dict[str, Any], bytes]:
    """The head of a page's data, and its body."""
    found = re.search(r'id="data">([^<]*)<', html)
    assert found is not None
    data = zlib.decompress(base64.b64decode(found[1]), zlib.MAX_WBITS + 16)
    end = 4 + int.from_bytes(data[:4], "little")
    return json.loads(data[4:end]), data[end:]


@pytest.mark.parametrize("outdoors", [False, True])
def test_on_foot_one_sees_what_the_agent_would(
    visit: Open, home: tuple[Scene, NavMesh], tmp_path: Path, outdoors: bool
) -> None:
    scene, path = with_sky(home[0]) if outdoors else home[0], tmp_path / "home.html"
    write_walk(scene, home[1], path)
    guest = visit(viewport={"width": 420, "height": 500})
    page = guest.open(path)
    page.get_by_text("on foot").click()
    seen = np.asarray(Image.open(io.BytesIO(page.locator("canvas").screenshot())).convert("RGB"), float)
    height, width = seen.shape[:2]
    start = unpacked(path.read_text())[0]["start"]
    hfov = 2 * math.degrees(math.atan(math.tan(WALK_FOV / 2) * width / height))
    camera = make_renderer("cpu", scene, width=width, height=height, hfov=hfov)
    eye = np.add(start["feet"], (0, 1.45, 0))
    drawn = camera.render(eye, start["yaw"]).rgb.astype(float)
    inner = (slice(20, -20), slice(20, -20))  # the canvas has round corners
    off = np.abs(seen - drawn)[inner].mean()
    assert off < 10, off  # cloth has threads, which the page draws from smaller pictures
    assert np.abs(seen[:, ::-1] - drawn)[inner].mean() > 2 * off
    assert [error for error in guest.errors if "GL Driver" not in error] == []
    assert {url for url in guest.requests if not url.startswith("data:")} == {path.as_uri()}


def test_ceilings_are_cut_and_keys_walk(visit: Open, page_of_home: Path) -> None:
    page = visit(viewport={"width": 420, "height": 500}).open(page_of_home)
    canvas = page.locator("canvas")
    cut = canvas.screenshot()
    page.get_by_role("slider").press("End")
    assert canvas.screenshot() != cut
    page.get_by_text("on foot").click()
    begun = canvas.screenshot()
    page.keyboard.down("w")
    page.wait_for_timeout(500)
    page.keyboard.up("w")
    assert canvas.screenshot() != begun


def test_a_step_never_leaves_the_floor(visit: Open, page_of_home: Path, home: tuple[Scene, NavMesh]) -> None:
    """The page's own Ground, walked at random, beside the navmesh it was made of."""
    page = visit().open(page_of_home)
    source = (Path(__file__).parents[2] / "src/nav_eval/report/static/ground.js").read_text().replace("export ", "")
    corners = home[1].layout.triangles.reshape(-1).tolist()
    start = [float(value) for value in home[1].random_point(0)]
    script = f"""([corners, start]) => {{ {source}
        const ground = new Ground(corners), out = []; let at = start, seed = 1;
        for (let i = 0; i < 4000; i++) {{
            if (i % 40 === 0) seed = (seed * 48271) % 2147483647;
            at = ground.step(at, Math.sin(seed) * 0.05, Math.cos(seed) * 0.05); out.push(at);
        }} return out; }}"""
    walked = np.array(page.evaluate(script, [corners, start]))
    assert np.linalg.norm(walked.max(axis=0) - walked.min(axis=0)) > 1.5
    assert all(home[1].is_navigable(point, 0.2) for point in walked[::50])


def test_positions_keep_their_millimetres(home: tuple[Scene, NavMesh], page_of_home: Path) -> None:
    head, body = unpacked(page_of_home.read_text())
    begin, length = head["parts"]["places"]
    shares = np.frombuffer(body[begin : begin + length], "<u2").reshape(-1, 4)[:, :3] / 65535
    assert np.abs(np.array(head["low"]) + shares * head["extent"] - home[0].positions).max() < 1e-3
    begin, length = head["parts"]["triangles"]
    counted = sum(count for _, _, count in head["ranges"])
    assert length == 4 * counted == 12 * len(home[0].triangles)


def test_too_much_for_a_browser_is_refused(home: tuple[Scene, NavMesh], monkeypatch: pytest.MonkeyPatch) -> None:
    scene, navmesh = home
    monkeypatch.setattr("nav_eval.report.walk.MAX_TRIANGLES", 1000)
    with pytest.raises(SceneError, match=r"a page takes 1 to 1,000. Look at it with --kind"):
        render_walk(scene, navmesh)
    monkeypatch.undo()
    texture = np.full((64, 64, 4), 255, np.uint8)
    monkeypatch.setattr("nav_eval.report.walk.MAX_TEXELS", 1024)
    small = replace(scene, textures=tuple(texture for _ in scene.textures))
    halved = unpacked(render_walk(small, None))[0]["shrunk"]
    assert len(scene.textures) * (64 / halved) ** 2 <= 1024 < len(scene.textures) * (128 / halved) ** 2


def test_no_serious_accessibility_issue_on_the_walk(visit: Open, page_of_home: Path, axe: str) -> None:
    page = visit(bypass_csp=True).open(page_of_home)
    for mode in ("from outside", "on foot"):
        page.get_by_text(mode).click()
        assert serious_faults(page, axe) == []


SIMPLER = """async ([source, scene, places, corners]) => {
  const { simplified } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const found = simplified(scene, Uint16Array.from(places), Uint32Array.from(corners));
  return [[...found.corners], found.ranges];
}"""


def test_what_moves_is_simpler_and_keeps_its_shape(visit: Open) -> None:
    """No corner moves farther than a cell's diagonal; what is large, lightmapped or has holes stays as it is."""
    fine, side = 40, 6.0
    ticks = np.arange(fine + 1) * 0.02
    grid = np.stack(np.meshgrid(ticks, [1.0], ticks, indexing="ij"), -1).reshape(-1, 3)
    floor = np.array([[0.0, 0, 0], [side, 0, 0], [0, 0, side]])
    points = np.concatenate([grid, floor])
    places = np.zeros((len(points), 4), np.uint16)
    places[:, :3] = np.rint(points / side * 65535)
    at = np.arange((fine + 1) ** 2).reshape(fine + 1, fine + 1)
    a, b, c, d = at[:-1, :-1], at[1:, :-1], at[:-1, 1:], at[1:, 1:]
    small = np.concatenate([np.stack([a, b, c], -1), np.stack([b, d, c], -1)]).reshape(-1, 3)
    count = small.size
    corners = np.concatenate([small.ravel(), len(grid) + np.arange(3), small.ravel(), small.ravel()])
    ranges = [[0, 0, count + 3], [1, count + 3, count], [2, 2 * count + 3, count]]
    kinds = [(-1, -1.0), (0, -1.0), (-1, 0.5)]
    scene = {
        "ranges": ranges,
        "materials": [{"lightmap": lightmap, "cutoff": cutoff} for lightmap, cutoff in kinds],
        "low": [0, 0, 0],
        "extent": [side] * 3,
    }
    page = visit().page
    page.goto("about:blank")
    source = resource("static", "simpler.js")
    given = [source, scene, places.ravel().tolist(), corners.tolist()]
    flat, pieces = page.evaluate(SIMPLER, given)
    first, *others = [np.array(flat[start : start + number]).reshape(-1, 3) for start, number in pieces]
    assert 0 < len(first) < len(small) / 6
    assert (first == len(grid) + np.arange(3)).all(axis=1).sum() == 1
    assert all((other == small).all() for other in others)
    kept = points[np.unique(first)]
    apart = np.linalg.norm(grid[:, None] - kept[None], axis=2).min(axis=1)
    assert apart.max() <= 0.1 * math.sqrt(2) + 1e-3
