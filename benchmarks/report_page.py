"""How big a report of 2,000 episodes is, how long it takes to make, and how fast the page answers in Chromium.

Two runs over 2,000 invented episodes of 150 steps in 20 buildings, without frames. Targets: 3 MB, 200 ms per filter.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval.config.schema import Config
from nav_eval.core.types import EpisodeResult
from nav_eval.report.document import assemble
from nav_eval.report.page import render_page
from nav_eval.report.scenery import EpisodeFacts, Scene, Scenery
from nav_eval.report.source import Run, summarise_run
from nav_eval.report.topdown import GridMap
from nav_eval.report.track import Track, centimetres

EPISODES, STEPS, SCENES, REPEATS = 2000, 150, 20, 15
WORDS = [
    "walk",
    "past",
    "the",
    "sofa",
    "turn",
    "left",
    "at",
    "door",
    "go",
    "up",
    "stairs",
    "stop",
    "near",
    "window",
    "kitchen",
    "table",
    "bedroom",
    "hallway",
    "plant",
]


def main() -> None:
    random = np.random.default_rng(0)
    began = time.perf_counter()
    runs, scenery = [invented_run(name, random) for name in ("first", "second")], invented_scenery(random)
    made = time.perf_counter()
    html = render_page(assemble(runs, scenery, None))
    took = time.perf_counter() - made
    sys.stdout.write(
        f"{EPISODES} episodes x {STEPS} steps, 2 runs: {len(html) / 1e6:.2f} MB (target 3), "
        f"document and page in {took:.1f} s (inventing them {made - began:.1f} s)\n"
    )
    single = render_page(assemble(runs[:1], scenery, None))
    sys.stdout.write(f"the same, 1 run: {len(single) / 1e6:.2f} MB\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_text(html)
        measure(path)


def invented_run(name: str, random: np.random.Generator) -> Run:
    results, tracks = {}, {}
    for i in range(EPISODES):
        key = (f"scene{i % SCENES:02d}", f"{i}")
        turns = np.cumsum(random.integers(-2, 3, STEPS + 1)) * 15
        ahead = np.stack([-np.sin(np.radians(turns)), 0 * turns, -np.cos(np.radians(turns))], axis=1) * 0.25
        points = centimetres(np.cumsum(ahead * (random.random((STEPS + 1, 1)) < 0.7), axis=0))
        error = float(random.gamma(2, 3))
        metrics = {"success": float(error < 3), "spl": float(error < 3) * random.random(), "navigation_error": error}
        metrics |= {
            metric: float(random.random() * 10) for metric in ("path_length", "ndtw", "sdtw", "dtw", "collisions")
        }
        results[key] = EpisodeResult(*key, "ok", None, metrics, STEPS, {"wall": 1.0, "agent": 0.5})
        latency = random.gamma(2, 0.02, STEPS).astype(np.float32)
        tracks[key] = Track(points, turns.astype(np.int32), "f" * (STEPS - 1) + "s", (), latency)
    manifest = {"profile": {"name": "invented", "version": "1"}, "agent": name, "finished": "now", "seed": 0}
    return Run(Path(name), Config(), manifest, summarise_run(Config(), manifest, results), results, tracks)


def invented_scenery(random: np.random.Generator) -> Scenery:
    facts = {}
    for i in range(EPISODES):
        text = " ".join(random.choice(WORDS, 30))
        path = centimetres(np.cumsum(random.normal(0, 1, (6, 3)), axis=0))
        facts[f"scene{i % SCENES:02d}", f"{i}"] = EpisodeFacts(
            text, "en", None, path, "sparse", path[-1:], 10 * random.random()
        )
    floor = np.kron(random.random((30, 30)) < 0.8, np.ones((10, 10), np.bool_)).astype(np.bool_)
    scene = Scene((GridMap(0.0, (-15.0, -15.0), 0.1, floor, np.zeros_like(floor)),))
    return Scenery(facts, {f"scene{i:02d}": scene for i in range(SCENES)})


def measure(path: Path) -> None:
    from playwright.sync_api import sync_playwright

    executable = shutil.which("chromium")
    if executable is None:
        sys.exit("no chromium: install the Debian package of that name")
    with sync_playwright() as playwright:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        page = browser.new_page()
        began = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector("#page[data-ready]", timeout=60_000)
        sys.stdout.write(f"{'opening the page':<34} {1000 * (time.perf_counter() - began):7.0f} ms\n")
        for name, act in ACTIONS.items():
            report(name, [timed(page, act(k)) for k in range(REPEATS)])
        browser.close()


def typed(text: str) -> str:
    box = "document.querySelector('input[type=search]')"
    return f"{{const e = {box}; e.value = '{text}'; e.dispatchEvent(new Event('input'))}}"


def chosen(label: int, value: str) -> str:
    box = f"document.querySelectorAll('#episodes select')[{label}]"
    return f"{{const e = {box}; e.value = '{value}'; e.dispatchEvent(new Event('change'))}}"


ACTIONS: dict[str, Callable[[int], str]] = {
    "search a word": lambda k: typed(WORDS[k % len(WORDS)]),
    "search two words": lambda k: typed(f"{WORDS[k % len(WORDS)]} {WORDS[-1 - k % len(WORDS)]}"),
    "clear the search": lambda k: typed("" if k % 2 else "door"),
    "filter by outcome": lambda k: chosen(0, ("failure", "success", "stopped_far", "")[k % 4]),
    "filter by scene": lambda k: chosen(2, ("scene03", "scene07", "")[k % 3]),
    "sort by a column": lambda k: f"document.querySelectorAll('#episodes th button')[{k % 5}].click()",
    "open an episode": lambda k: (
        f"{{location.hash = '#episode={k * 7}'; dispatchEvent(new HashChangeEvent('hashchange'))}}"
    ),
}


def timed(page: Any, action: str) -> float:
    """Milliseconds from the action until the browser has laid the page out again."""
    found: float = page.evaluate(
        f"() => {{ const t = performance.now(); {action};"
        "document.body.getBoundingClientRect(); return performance.now() - t; }"
    )
    return found


def report(name: str, times: list[float]) -> None:
    sys.stdout.write(f"{name:<34} median {np.median(times):7.1f} ms   most {max(times):7.1f} ms\n")


if __name__ == "__main__":
    main()
