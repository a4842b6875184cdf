"""What a person waits for: ms from a key to its frame on the screen, in headless Chromium over loopback.

Run: python benchmarks/human_latency.py [BENCHMARK key=value ...]
Every key turns in a generated home, so that each frame is another; its time ends when the browser has decoded the new
frame and begins to paint. Simulator, sensors, JPEG and two requests are in it. Target: p95 of 120 ms at most.
The phone is a window of such a size, touched, whose scripts and layout take four times as long (Chromium's throttle).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine
from playwright.sync_api import sync_playwright

from nav_eval.runs.registry import benchmark_config
from nav_eval_extras.human.game import Game
from nav_eval_extras.human.play import Options, for_people, play_benchmark
from nav_eval_extras.human.web import serving

WARM, KEYS = 10, 100
SCREENS: dict[str, tuple[dict[str, Any], int]] = {
    "desktop": ({"viewport": {"width": 1280, "height": 900}}, 1),
    "phone": ({"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}, 4),
}
"""A browser's context, and how many times slower its processor is."""
DEFAULT = ("vln-demo", "simulator.sensors={rgb: {width: 640, height: 480, hfov: 79}}")
PRESS = """(key) => new Promise((done) => {
  const image = document.querySelector("#view img"), began = performance.now();
  image.addEventListener("load", () => requestAnimationFrame(() => done(performance.now() - began)), { once: true });
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
})"""


def press_keys(link: str, screen: dict[str, Any], slower: int) -> list[float]:
    """Play one episode in a browser; ms of each key after the first few."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_context(**screen).new_page()
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        page.set_default_timeout(600_000)
        page.goto(link)
        page.click("#notice-button:visible")
        page.wait_for_selector("#view img")
        spent = [page.evaluate(PRESS, "a") for _ in range(WARM + KEYS)]
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=All done")
        browser.close()
    return spent[WARM:]


def main() -> None:
    benchmark, *overrides = sys.argv[1:] or DEFAULT
    config = for_people(benchmark_config(benchmark, overrides=[*overrides, "dataset.limit=1"]))
    print(f"{machine()}; key to frame, {KEYS} keys")
    for name, (screen, slower) in SCREENS.items():
        game = Game()
        with (
            tempfile.TemporaryDirectory() as folder,
            serving({"benchmark": game}, "127.0.0.1", 0) as (link,),
            ThreadPoolExecutor(1) as browser,
        ):
            spent = browser.submit(press_keys, link, screen, slower)
            play_benchmark(config, Path(folder) / "run", game, "benchmark", Options())
            middle, slow, slowest = np.quantile(spent.result(), (0.5, 0.95, 1.0))
        print(f"{name}: p50 {middle:.0f} ms, p95 {slow:.0f} ms, longest {slowest:.0f} ms")


if __name__ == "__main__":
    main()
