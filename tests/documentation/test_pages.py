"""Every block of the documentation runs as a reader would type it; the Chinese pages hold the same blocks."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from documentation.pages import PAGES, ROOT, Block, blocks, script
from forked import program
from nav_eval.cli.chinese import catalogue
from nav_eval.jit import cache_home
from patience import PATIENCE
from served import free_port

DOCS = ROOT / "docs"
CHINESE = [page for page in PAGES if "zh" in page.relative_to(ROOT).parts or page.name == "README.zh-CN.md"]
RUN = [page for page in PAGES if page not in CHINESE and any(block.language != "text" for block in blocks(page))]
TWINS = [page for page in CHINESE if any(block.language != "text" for block in blocks(page))]
QUICK = {"docs/zh/troubleshooting.md"}
LONG = {
    *("docs/coming-from-habitat.md", "docs/data.md", "docs/paper.md", "docs/people.md", "docs/robustness.md"),
    *("docs/training-data.md", "docs/concepts/evaluation.md", "docs/concepts/results.md", "docs/concepts/worlds.md"),
    *("docs/extending/dataset.md", "docs/extending/index.md", "docs/extending/physics.md"),
}
"""Their homes and runs take 15 to 40 CPU seconds, of things that tests of their own hold to; `make soak` plays them."""
LIMIT = 5 * PATIENCE
"""Seconds: twenty times the longest page on a quiet machine."""


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="session")
def present(request: pytest.FixtureRequest) -> set[str]:
    """What blocks may need and this machine has."""
    soak = "soak" in (request.config.getoption("-m") or "").replace("not soak", "")
    found = {"shared-data", "soak" if soak else "quick"}
    if find_spec("mujoco") is not None:
        found.add("mujoco")
    if shutil.which("docker") and subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0:
        found.add("docker")
    return found | ({"mono"} if shutil.which("mcs") and shutil.which("mono") else set())


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.soak if name(page) in LONG else ()) for page in RUN], ids=name
)
def test_a_page_runs(page: Path, present: set[str], released: Path, tmp_path: Path) -> None:
    run(page, present, released, tmp_path)


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=() if name(page) in QUICK else pytest.mark.soak) for page in TWINS], ids=name
)
def test_a_chinese_page_runs_in_chinese(
    page: Path, present: set[str], released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks are those of the English page; what is not quick waits for `make soak`."""
    monkeypatch.setenv("NAV_EVAL_LANG", "zh")
    run(page, present, released, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("page", [page for page in RUN if any(b.needs == "soak" for b in blocks(page))], ids=name)
def test_a_page_runs_with_its_long_blocks(page: Path, present: set[str], released: Path, tmp_path: Path) -> None:
    run(page, present - {"quick"} | {"soak"}, released, tmp_path)


def test_what_the_pages_could_not_run_here(present: set[str]) -> None:
    """The long blocks aside, which `make soak` runs."""
    needing = [
        (page, block) for page in RUN for block in blocks(page) if block.needs not in present | {"soak", "quick", None}
    ]
    if needing:
        missing = (f"{block.needs} ({name(page)}:{block.line})" for page, block in needing)
        pytest.skip(f"blocks not run for want of {', '.join(missing)}")


def test_every_block_can_be_read() -> None:
    """One that stands on several pages is read once."""
    found = {(block.language, block.text): (page, block) for page in PAGES for block in blocks(page)}
    faults = ((page, block, fault(block)) for page, block in found.values())
    assert [f"{name(page)}:{block.line}: {said}" for page, block, said in faults if said] == []


def test_a_chinese_page_holds_the_blocks_of_the_english_one() -> None:
    assert {name(page): [*map(code, blocks(page))] for page in CHINESE} == {
        name(page): [*map(code, blocks(english(page)))] for page in CHINESE
    }


def test_a_chinese_page_has_the_sections_tables_lists_and_names_of_the_english_one() -> None:
    """Who changes one page finds here that the other is older."""
    pages = [page for page in CHINESE if page.name != "README.zh-CN.md"]
    assert {name(page): outline(page) for page in pages} == {name(page): outline(english(page)) for page in pages}


def english(page: Path) -> Path:
    """The page that a Chinese one translates."""
    return ROOT / "README.md" if page.name == "README.zh-CN.md" else DOCS / page.relative_to(DOCS / "zh")


def outline(page: Path) -> tuple[list[str], int, int, set[str]]:
    """Levels of headings; how many rows and items; keys, options and files that its prose names."""
    text = re.sub(
        r"(?ms)<!--.*?-->|^(```+)[^\n]*\n.*?^\1 *$", "", page.read_text(encoding="utf-8").replace(".zh-CN", "")
    )
    code = " ".join(re.findall(r"`([^`]+)`", text))
    names = set(re.findall(r"--[a-z][a-z-]+|[A-Za-z]\w*(?:[._/]\w+)+", code))
    levels, rows, items = (re.findall(rf"(?m)^{mark}", text) for mark in ("#+ ", r"\|", r" *(?:-|\d+\.) "))
    return levels, len(rows), len(items), names


PRINTED_BY_OTHERS = {"exit code 1", "ok       nothing is left from an earlier episode"}
"""Lines of the shell, and of a page's own Python."""
IN_BOTH_LANGUAGES = {"troubleshooting.md"}
"""It lists messages in English and Chinese."""


@pytest.mark.parametrize(
    "page", [p for p in CHINESE if p.parent.name != "reference" and p.name not in IN_BOTH_LANGUAGES], ids=name
)
def test_the_output_that_a_chinese_page_shows_is_chinese(page: Path) -> None:
    shown = {line for block in blocks(page) if block.language == "text" for line in block.text.splitlines()}
    assert [line for line in sorted(shown - PRINTED_BY_OTHERS) if catalogue().translate(line) != line] == []


def test_every_page_is_there_in_chinese() -> None:
    english = {page.relative_to(DOCS) for page in PAGES if page.is_relative_to(DOCS) and page not in CHINESE}
    written = {page.relative_to(DOCS / "zh") for page in CHINESE if page.is_relative_to(DOCS)}
    assert written == english


def test_a_chinese_page_addresses_its_reader_as_the_site_does() -> None:
    assert [name(page) for page in CHINESE if "你" in page.read_text(encoding="utf-8")] == []


def code(block: Block) -> tuple[str, str | None, str]:
    """A block without its comments: those are translated. Output that is shown is not code."""
    if block.language == "text":
        return "text", None, ""
    return block.language, block.title, re.sub(r"\s*(?:^|\s)#(?!!).*$", "", block.text, flags=re.MULTILINE)


def shell(text: str) -> None:
    subprocess.run(["bash", "-n"], input=text, text=True, check=True, capture_output=True)


READ: dict[str, Callable[[str], object]] = {
    "sh": shell,
    "python": lambda text: compile(text, "block", "exec"),
    "yaml": yaml.safe_load,
    "json": json.loads,
    "toml": tomllib.loads,
    "text": str,
}


def fault(block: Block) -> str | None:
    """What keeps a block from being read."""
    if block.language not in READ and not block.title:
        return f"{block.language!r} is no language"
    try:
        READ.get(block.language, str)(block.text)
    except (ValueError, SyntaxError, yaml.YAMLError, subprocess.CalledProcessError) as error:
        return repr(error)
    return None


def run(page: Path, present: set[str], data: Path, folder: Path) -> None:
    """Run a page's script in an empty folder; the ports it names are replaced by free ones.

    `make soak` starts every `nav-eval` and `python` of it, `make test` forks them.
    """
    home = folder / "home"
    home.mkdir()
    real = Path(sys.executable).parent
    programs = [real] if "soak" in present else [program().parent, program().parent / "scripts", real]
    environment = {
        **os.environ,
        "PATH": ":".join([*map(str, programs), os.environ["PATH"]]),
        "HOME": str(home),
        "NAV_EVAL_CACHE": str(cache_home()),
        "SHARED_DATA": str(data),
        "CHECKOUT": str(ROOT),
    }
    text = with_free_ports(script(page, present))
    work = folder / "work"
    work.mkdir()
    process = subprocess.Popen(
        ["bash", "-c", text],
        cwd=work,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail(f"{name(page)} took more than {LIMIT:g} s:\n{process.communicate()[0][-4000:]}")
    assert process.returncode == 0, f"{name(page)}:\n{output[-4000:]}"
    for block in blocks(page):
        asked = block.output and (block.needs is None or block.needs in present)
        assert not asked or re.search(pattern(block.text), output), (
            f"{name(page)}:{block.line} is not what is printed:\n{output}"
        )


def pattern(text: str) -> str:
    """Of an output in which `...` on a line stands for any lines."""
    return "".join("(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + "\n" for line in text.splitlines())


def with_free_ports(text: str) -> str:
    """Pages run side by side, so 8085 on one is not 8085 on another."""
    for port in sorted(set(re.findall(r"\b80(?:00|[89]\d)\b", text))):
        text = re.sub(rf"\b{port}\b", str(free_port()), text)
    return text
