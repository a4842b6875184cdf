"""What the page draws of a 3-D building: walls, storeys, fog, frames, the 3-D view. The building is made by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from nav_eval.config.schema import Config
from nav_eval.core.types import EpisodeResult
from nav_eval.engine.scene.scene import Material
from nav_eval.engine.scene.scene import Scene as Solid
from nav_eval.report.compose import small_jpeg
from nav_eval.report.document import assemble
from nav_eval.report.frames import stem, write_frames
from nav_eval.report.mesh import scene_mesh
from nav_eval.report.page import write_page
from nav_eval.report.scenery import EpisodeFacts, Scene, Scenery
from nav_eval.report.source import Run, summarise_run
from nav_eval.report.topdown import GridMap
from nav_eval.report.track import Track, centimetres
from patience import until
from report.conftest import Visit

KEY = ("house.glb", "7")
INSIDE = """([kind, places]) => { const map = document.querySelector('svg.floor'), shape = map.querySelector(kind);
  return places.map(([x, z]) => { const p = map.createSVGPoint(); p.x = x; p.y = z;
    const q = p.matrixTransform(map.getScreenCTM()).matrixTransform(shape.getScreenCTM().inverse());
    return shape.isPointInFill(q); }); }"""
"""Whether these places of the map, in metres, lie in a shape of it."""


def storey(height: float, cells: int = 30) -> GridMap:
    floor = np.zeros((cells, cells), np.bool_)
    floor[1:-1, 1:-1] = True
    floor[10, 5:25] = False
    return GridMap(height, (-1.5, -1.5), 0.1, floor, np.zeros_like(floor))


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One episode: a metre ahead on the ground floor, one upstairs; red, then blue frames, depth the other way."""
    folder = tmp_path_factory.mktemp("house")
    points = centimetres([(0, 0, 1), (0, 0, 0.5), (0, 0, 0), (0, 3, -0.5), (0, 3, -1.0), (0, 3, -1.0)])
    track = Track(points, np.zeros(6, np.int32), "fffrs", (1,), np.full(5, 0.01, np.float32))
    metrics = {"success": 0.0, "navigation_error": 2.25, "path_length": 3.5, "spl": 0.0}
    result = EpisodeResult(*KEY, "ok", None, metrics, 5, {"wall": 1.0, "agent": 0.1})
    manifest = {"profile": {"name": "p", "version": "1"}, "agent": "walker", "finished": "now", "seed": 0}
    results = {KEY: result}
    run = Run(folder / "run", Config(), manifest, summarise_run(Config(), manifest, results), results, {KEY: track})
    (run.path / "videos").mkdir(parents=True)
    shots = [small_jpeg(np.full((40, 60, 3), colour, np.uint8)) for colour in [(200, 0, 0)] * 4 + [(0, 0, 200)] * 2]
    write_frames(run.path / "videos" / f"{stem(KEY)}.frames.zip", shots, shots[::-1])
    corners = np.array([[-1.5, 0, -1.5], [1.5, 0, -1.5], [1.5, 0, 1.5], [-1.5, 0, 1.5]], np.float32)
    green, faces = np.full((4, 4), (10, 220, 10, 255), np.uint8), np.array([[0, 2, 1], [0, 3, 2]], np.int32)
    mesh = scene_mesh(Solid("floor", corners, faces, np.zeros(2, np.int32), (Material(),), colors=green))
    facts = EpisodeFacts("上楼。Go up.", "en", None, points[:3], "gt", points[-1:], 5.0)
    scenery = Scenery({KEY: facts}, {KEY[0]: Scene((storey(0.0), storey(3.0)), mesh)})
    write_page(assemble([run], scenery, None), folder / "report.html")
    return folder / "report.html"


@pytest.fixture
def page(visit: Callable[..., Visit], house: Path) -> Any:
    return visit().open(house, "#episode=7")


def test_map_follows_the_agent_up_the_stairs(visit: Callable[..., Visit], house: Path) -> None:
    guest = visit()
    page = guest.open(house, "#episode=7")
    assert page.get_by_role("combobox").input_value() == "1"
    page.get_by_label("Step", exact=True).focus()
    page.keyboard.press("Home")
    assert page.get_by_role("combobox").input_value() == "0"
    assert "Start" in page.locator(".step").inner_text()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.get_by_role("combobox").input_value() == "1"
    assert "Step 3 of 5" in page.locator(".step").inner_text()
    assert guest.errors == []


def test_the_way_walked_is_in_all_as_long_as_it_was_measured(page: Any) -> None:
    """The drawn points are rounded, so their distances are not the measure's: here far from it."""
    assert "walked 3.50 m" in page.locator(".step").inner_text()
    assert "It walked 3.50 m" in page.locator(".fate").inner_text()
    page.get_by_label("Step", exact=True).focus()
    page.keyboard.press("Home")
    assert "walked 0.00 m" in page.locator(".step").inner_text()


def test_walls_are_where_the_cells_are(page: Any) -> None:
    """Points in metres through the map's own transform: the wall at row 10, and open floor beside it."""
    places = [[0.05, -0.45], [0.05, -0.25], [-1.25, -0.45], [-1.45, 0]]
    assert page.evaluate(INSIDE, [".ground", places]) == [False, True, True, False]


def test_fog_hides_what_lies_behind_the_wall(page: Any) -> None:
    page.get_by_role("combobox").select_option("0")
    assert page.locator(".unseen").count() == 0
    page.get_by_label("only what the agent has seen").check()
    page.get_by_role("combobox").select_option("0")
    assert page.evaluate(INSIDE, [".unseen", [[0, -1.2], [0, 0.3]]]) == [True, False]


def test_one_slider_moves_pictures_plan_and_sentence(page: Any) -> None:
    red = """(kind) => { const i = document.querySelector('img.frame.' + kind), c = document.createElement('canvas');
        c.width = c.height = 1; const x = c.getContext('2d'); x.drawImage(i, 0, 0, 1, 1);
        const p = x.getImageData(0, 0, 1, 1).data; return p[0] > p[2]; }"""
    page.wait_for_timeout(100)
    assert page.evaluate(red, "rgb") is False
    assert page.evaluate(red, "depth") is True
    assert page.locator(".phrase.now").inner_text() == "Go up."
    page.locator("#episode-title").focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    assert page.locator(".step").inner_text().startswith("Start")
    assert not page.get_by_text("Recording begins after the first step").is_visible()
    assert page.locator("img.frame.rgb").get_attribute("alt") == "Start"
    assert page.locator(".phrase.now").inner_text() == "上楼。"
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(100)
    assert page.evaluate(red, "rgb") is True
    assert page.locator("img.frame.rgb").get_attribute("alt") == "What the agent saw after step 1"
    page.keyboard.press(" ")
    page.locator(".step", has_text="Step 5 of 5").wait_for()


def test_goal_and_its_circle_are_seen_whole_and_above_the_agent(page: Any) -> None:
    page.get_by_text("the path").first.click()
    seen = page.evaluate(
        """() => { const box = (q) => document.querySelector('svg.floor ' + q).getBoundingClientRect();
        const f = box('.radius'), m = document.querySelector('svg.floor').getBoundingClientRect(), g = box('.goal');
        const top = document.elementFromPoint(g.x + g.width / 2, g.y + g.height / 2).getAttribute('class');
        return [f.left >= m.left && f.right <= m.right && f.top >= m.top && f.bottom <= m.bottom, top]; }"""
    )
    assert seen == [True, "goal"]


def test_three_dimensions(visit: Callable[..., Visit], house: Path) -> None:
    guest = visit()
    page = guest.open(house, "#episode=7")
    page.locator("label.chip", has_text="3-D").click()
    if page.locator("canvas.scene").count() == 0:
        pytest.skip("this Chromium offers no WebGL")
    page.locator("canvas.scene[data-painted]").wait_for()
    greens = """() => { const c = document.querySelector('canvas.scene'), g = c.getContext('webgl2');
        const p = new Uint8Array(c.width * c.height * 4);
        g.readPixels(0, 0, c.width, c.height, g.RGBA, g.UNSIGNED_BYTE, p);
        let n = 0; for (let i = 0; i < p.length; i += 4) n += p[i + 1] > 80 && p[i] < 60 && p[i + 2] < 60;
        return n; }"""

    def still() -> int:
        """Once nothing moves any more: what moves is drawn coarser, on a machine at work for long."""
        seen = [-1, -2]
        for _ in range(60):
            page.wait_for_timeout(900)
            seen.append(page.evaluate(greens))
            if len({*seen[-3:]}) == 1:
                break
        return seen[-1]

    before = still()
    assert before > 1000
    page.locator("canvas.scene").focus()
    for _ in range(6):
        page.keyboard.press("-")
    until(lambda: page.evaluate(greens) < before / 2)  # the page's own rules forbid it to wait for a function
    page.locator("label.chip", has_text="follow").click()
    page.locator("canvas.scene[data-painted]").wait_for()
    followed = still()
    page.get_by_role("button", name="To the start").click()
    until(lambda: page.evaluate(greens) != followed)
    assert [error for error in guest.errors if "GPU stall" not in error and "GL Driver" not in error] == []


def test_floor_of_one_building_only_is_worst(visit: Callable[..., Visit], house: Path) -> None:
    text = visit().open(house).locator(".brief").inner_text()
    assert "walker reached the goal in 0 of 1 episode, 0.0\u00a0% (95\u00a0%" in text
    assert "stopped" in text


def test_hostile_names_and_messages(visit: Callable[..., Visit], tmp_path: Path) -> None:
    """What a participant's service or a data set may say: its name, its error, scene and episode ids."""
    evil = "</title></script><img src=x onerror=window.hacked=1>\u202e"
    key = (f"{evil}scene", f"{evil}id")
    result = EpisodeResult(*key, "agent_error", f"{evil}reason", {"success": 0.0}, 0, {})
    config = Config.model_validate({"benchmark": {"name": f"{evil}benchmark"}})
    manifest = {"profile": {"name": evil, "version": evil}, "agent": f"{evil}agent", "finished": evil, "seed": 0}
    run = Run(tmp_path / "run", config, manifest, summarise_run(config, manifest, {key: result}), {key: result}, {})
    scenery = Scenery({key: EpisodeFacts(evil, evil, evil)}, {}, (evil,))
    write_page(assemble([run], scenery, {"refused": evil, "rows": []}), tmp_path / "report.html")
    guest = visit()
    page = guest.open(tmp_path / "report.html")
    page.goto(f"{(tmp_path / 'report.html').as_uri()}#episode={quote(f'{evil}id')}")
    text = page.locator("main").inner_text()
    assert f"{evil}reason" in text
    assert f"Scene {evil}scene" in text
    assert page.locator("main img").count() == 0
    assert page.evaluate("window.hacked") is None
    assert guest.errors == []
    assert page.title().startswith("</title></script>")


@pytest.mark.parametrize("count", [0, 3])
def test_a_hidden_test_split_or_an_empty_run(visit: Callable[..., Visit], tmp_path: Path, count: int) -> None:
    """Episodes without a goal have no metric at all; a run that just began has no episode."""
    keys = [(f"scene{i}", str(i)) for i in range(count)]
    results = {key: EpisodeResult(*key, "ok", None, {}, 4, {}) for key in keys}
    manifest = {"profile": {"name": "p", "version": "1"}, "agent": "a", "finished": "now", "seed": 0, "n_episodes": 3}
    run = Run(tmp_path / "run", Config(), manifest, summarise_run(Config(), manifest, results), results, {})
    write_page(assemble([run], Scenery(), None), tmp_path / "report.html")
    guest = visit()
    page = guest.open(tmp_path / "report.html")
    text = page.locator("#excluded").inner_text()
    assert ("3 episodes have no goal" if count else "3 of 3 episodes are not in yet") in text
    if count:
        page.locator("#episodes a").first.click()
        assert "No trajectory was recorded" in page.locator("#episode").inner_text()
    assert guest.errors == []
