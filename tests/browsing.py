"""A real browser, and axe: fixtures for tests that look at pages."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from patience import PATIENCE

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",
    "--use-angle=swiftshader",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="the package playwright drives the browser")
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("no chromium: install the Debian package of that name")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield browser
        browser.close()


def patient(browser: Any, **settings: Any) -> Any:
    """A window that waits as tests do."""
    context = browser.new_context(**settings)
    context.set_default_timeout(1000 * PATIENCE)
    return context


@pytest.fixture(scope="session")
def axe(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core, fetched once by npm and kept in pytest's cache; workers may race for it."""
    kept = Path(request.config.cache.mkdir("axe-core")) / "axe.min.js"
    npm = shutil.which("npm")
    if not kept.is_file() and npm is None:
        pytest.skip("npm is not there: install Node.js to check accessibility")
    if not kept.is_file():
        folder = tmp_path_factory.mktemp("axe")
        command = [str(npm), "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), "axe-core@4"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"npm cannot install axe-core ({error}): check the network")
        shutil.copy(folder / "node_modules" / "axe-core" / "axe.min.js", kept.with_name(folder.name))
        kept.with_name(folder.name).replace(kept)
    return kept.read_text(encoding="utf-8")
