"""A picture of one of our pages for the documentation, taken in headless Chromium.

Run: python benchmarks/page_picture.py PAGE.html[#FRAGMENT] PICTURE.png|jpg WIDTH HEIGHT [SCALE]
What the fragment names is at the top. Width and height are the window's, in pixels of the page; SCALE pixels of the
picture are one of these (1).
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

from PIL import Image


def main() -> None:
    from playwright.sync_api import sync_playwright

    place, picture, width, height, *scale = sys.argv[1:]
    file, _, fragment = place.partition("#")
    flags = ["--headless", "--no-sandbox", "--no-first-run", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        window = {"width": int(width), "height": int(height)}
        page = browser.new_page(viewport=window, device_scale_factor=float(scale[0]) if scale else 1, locale="en-US")
        page.goto(Path(file).resolve().as_uri() + (f"#{fragment}" if fragment else ""))
        page.wait_for_selector("#page[data-ready]", timeout=60_000)
        page.wait_for_timeout(500)
        found = page.locator(f"#{fragment.partition('=')[0]}" if fragment else "#page").bounding_box()
        top = max(0.0, found["y"] + page.evaluate("scrollY")) if fragment else 0.0
        page.evaluate("scrollTo(0, 0)")
        shot = page.screenshot(full_page=True, clip={"x": 0, "y": top, **window})
        browser.close()
    Image.open(io.BytesIO(shot)).convert("RGB").save(picture, quality=88)


if __name__ == "__main__":
    main()
