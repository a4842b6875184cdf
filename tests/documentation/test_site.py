"""The site as a reader gets it: built without a warning, every link leads somewhere, nothing comes from elsewhere."""

from __future__ import annotations

import functools
import http.server
import inspect
import re
import shutil
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import yaml

import nav_eval
import nav_eval.gym
import nav_eval.testing
import nav_eval_sdk
import nav_eval_sdk.simulator_host
from browsing import patient
from documentation.pages import ROOT
from once import once_folder

LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("audio", "src")}
STYLES = {"stylesheet", "preload", "modulepreload", "preconnect", "icon", "manifest"}


@dataclass
class Html(HTMLParser):
    """What a page links to, what it loads, and where it can be linked to."""

    path: Path
    language: str = ""
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "html":
            self.language = given["lang"]
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.loads += [given[name] for kind, name in LOADS if kind == tag and name in given]
        if tag == "link" and STYLES & set(given.get("rel", "").split()):
            self.loads.append(given["href"])


@pytest.fixture(scope="module")
def site() -> Path:
    return once_folder("project", build) / "site"


def build(project: Path) -> None:
    """The site, in a folder of its own, without a warning."""
    shutil.copytree(ROOT / "docs", project / "docs")
    for name in ("src", "packages", "docker", "theme"):
        (project / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "mkdocs.yml", project)
    command = [Path(sys.executable).parent / "zensical", "build", "--strict", "-f", "mkdocs.yml"]
    ended = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    said = re.sub(r"\x1b\[[0-9;]*m", "", ended.stdout + ended.stderr)
    assert ended.returncode == 0, f"zensical build --strict:\n{said[-6000:]}"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Html]:
    return {path: Html(path) for path in sorted(site.rglob("*.html"))}


def entries(nav: object) -> Iterator[str]:
    """The files that a navigation names."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list):
        for item in nav:
            yield from entries(item)
    elif isinstance(nav, dict):
        for item in nav.values():
            yield from entries(item)


def navigation() -> list[str]:
    return list(entries(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))


def test_the_navigation_is_of_every_page() -> None:
    written = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert {file for file in navigation() if file.endswith(".md")} == written
    assert [file for file in navigation() if not (ROOT / "docs" / file).is_file()] == []


def test_every_link_leads_somewhere(site: Path, pages: dict[Path, Html]) -> None:
    broken = [f"{page.path.relative_to(site)}: {link}" for page in pages.values() for link in wrong(page, site, pages)]
    assert not broken, "\n".join(broken)


def wrong(page: Html, site: Path, pages: dict[Path, Html]) -> Iterator[str]:
    """Links and loads of a page that lead to no file or to no place in one."""
    # The page of an unknown address can be shown anywhere: its links begin at the site's root.
    links = [] if page.path.name == "404.html" else [*page.links, *page.loads]
    for link in links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
        target = target / "index.html" if target.is_dir() else target
        anchor = unquote(parts.fragment)
        inside = target.is_relative_to(site.resolve()) and target.is_file()
        if not inside or (anchor and target in pages and anchor not in pages[target].anchors):
            yield link


def test_nothing_comes_from_the_network(site: Path, pages: dict[Path, Html]) -> None:
    asked = [f"{page.path}: {load}" for page in pages.values() for load in page.loads if urlsplit(load).netloc]
    foreign = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//""")
    assert not asked + [path.name for path in site.rglob("*.css") if foreign.search(path.read_text(encoding="utf-8"))]


def public_names() -> list[str]:
    modules = (nav_eval, nav_eval.gym, nav_eval.testing, nav_eval_sdk, nav_eval_sdk.simulator_host)
    return [f"{module.__name__}.{name}" for module in modules for name in module.__all__]


def test_every_public_name_has_an_entry(site: Path) -> None:
    lines = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode().splitlines()
    assert not set(public_names()) - {line.split(" ")[0] for line in lines}


def test_a_public_name_says_what_it_is() -> None:
    named = [name.rpartition(".") for name in public_names()]
    assert [name for module, _, name in named if not inspect.getdoc(getattr(sys.modules[module], name))] == []


def test_a_page_names_its_language(site: Path, pages: dict[Path, Html]) -> None:
    chinese = {path for path, page in pages.items() if page.language == "zh-CN"}
    assert chinese == set((site / "zh").rglob("*.html"))
    assert {page.language for path, page in pages.items() if path not in chinese} == {"en"}


def test_the_navigation_of_a_page_is_in_its_language(site: Path, browser: Any) -> None:
    page = browser.new_page()
    for file, chinese in ((site / "zh" / "quickstart.html", True), (site / "quickstart.html", False)):
        page.goto(file.as_uri())
        links = page.locator(".md-nav--primary a[href$='.html'].md-nav__link").all()
        names = [link.text_content().strip() for link in links]
        assert len(names) > 30
        assert all(bool(re.search(r"[\u4e00-\u9fff]", name)) == chinese for name in names if name != "Docker"), names
    page.close()


@pytest.mark.parametrize(
    ("name", "word", "found"),
    [("index", "soft_spl", "reference/metrics.html?h=soft_spl"), ("zh/quickstart", "鲁棒性", "zh/robustness.html")],
)
def test_search_works_where_the_site_is_opened_as_a_file(
    site: Path, browser: Any, name: str, word: str, found: str
) -> None:
    """As the README says: a browser lets such a page fetch nothing and start no worker."""
    page = browser.new_page()
    page.goto((site / f"{name}.html").as_uri())
    page.keyboard.press("Control+k")
    page.keyboard.type(word, delay=20)
    page.locator(f'a[href*="{found}"]').first.wait_for(timeout=30_000)
    page.close()


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:  # type: ignore[override]
        """Nothing: pytest shows what fails."""


def test_a_browser_shows_pages_and_finds_words(address: str, browser: Any) -> None:
    complaints: list[str] = []
    asked: list[str] = []
    page = patient(browser).new_page()
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    for name in ("index", "reference/metrics", "reference/python", "zh/quickstart"):
        page.goto(f"{address}/{name}.html", wait_until="networkidle")
        assert page.locator("h1").first.is_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("soft_spl", delay=20)
    page.locator('a[href*="reference/metrics.html?h=soft_spl"]').first.wait_for()
    page.close()
    assert not complaints
    assert not [url for url in asked if not url.startswith((address, "data:", "blob:"))]
