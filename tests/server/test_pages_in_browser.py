"""One competition as people meet it, in headless Chromium: both languages, a phone and a desktop.

Everything is done with the mouse and the keyboard; the server, the queue and the team's service are real ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from server.competition import phase
from server.conftest import Make
from server.crowd import PASSWORD, person
from server.serving import free_port, serving, until

STAND_IN = str(Path(__file__).with_name("stand_in.py"))
RULES = {"retry_seconds": 1, "patience_seconds": 0.5, "probe_seconds": 0.5}
QUICK = [("en-US", 360, "light"), ("zh-CN", 1280, "dark")]
THE_OTHERS = [("en-US", 1280, "dark"), ("zh-CN", 360, "light")]
AXE = "axe.run().then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => v.id))"


@dataclass
class Person:
    """A browser window of somebody's, and everything that went wrong in it."""

    page: Any
    base: str
    axe: str
    width: int
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(20_000)
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.wrong.append(m.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda r: r.url.startswith(self.base) or self.wrong.append(r.url))

    def go(self, path: str) -> None:
        self.page.goto(self.base + path)

    def fill(self, form: str, **values: str) -> None:
        """Fill a form by the names of its fields, and send it."""
        found = self.page.locator(f"form:has([name={form}])").last
        for name, value in values.items():
            entry = found.locator(f"[name={name}]")
            entry.select_option(label=value) if name == "endpoint" else entry.fill(value)
        with self.page.expect_navigation():
            found.locator("button").click()

    def press(self, path: str) -> None:
        """The button of the form that goes to an address with `path` in it."""
        with self.page.expect_navigation():
            self.page.locator(f"form[action*='{path}'] button").first.click()

    def sees(self, what: str) -> None:
        self.page.wait_for_selector(what)

    def looks(self) -> None:
        """The page fits the window, and axe finds nothing serious."""
        self.page.wait_for_load_state()
        if self.page.evaluate("document.documentElement.scrollWidth") > self.width:
            self.wrong.append(f"wider than the window: {self.page.url}")
        devtools = self.page.context.new_cdp_session(self.page)
        devtools.send("Runtime.evaluate", {"expression": self.axe})
        asked = {"expression": AXE, "awaitPromise": True, "returnByValue": True}
        found = devtools.send("Runtime.evaluate", asked)["result"]["value"]
        self.wrong += [f"{name}: {self.page.url}" for name in found]
        devtools.detach()


@pytest.mark.parametrize("kinds", [QUICK, pytest.param(THE_OTHERS, marks=pytest.mark.soak)])
def test_a_competition_from_sign_up_to_the_board(make: Make, browser: Any, axe: str, kinds: list[Any]) -> None:
    challenge = make(endpoints=RULES, teams={"approval": True}, phases={"dev": phase(), "files": phase("predictions")})
    person("organiser", is_staff=True)
    with start(RandomAgent, protocol="rest", port=0) as agent, serving(challenge, evaluator=STAND_IN) as served:
        until(lambda: served.healthz() == 200, 30, "healthz")
        for number, kind in enumerate(kinds):
            visitors = list(windows(browser, f"http://127.0.0.1:{served.port}", axe, *kind))
            journey(*visitors, f"team{number}", agent.endpoint)
            assert [visitor.wrong for visitor in visitors] == [[], []], kind
            for visitor in visitors:
                visitor.page.context.close()


def windows(browser: Any, base: str, axe: str, locale: str, width: int, scheme: str) -> Iterator[Person]:
    for _ in range(2):
        context = browser.new_context(locale=locale, viewport={"width": width, "height": 800}, color_scheme=scheme)
        yield Person(context.new_page(), base, axe, width)


def journey(member: Person, organiser: Person, name: str, service: str) -> None:
    sign_up(member, name)
    member.sees(".badge.pending")
    approve(organiser, name)
    member.go("/team/")
    member.sees(".badge.approved")
    services(member, service)
    submissions(member)
    member.go("/")
    assert member.page.locator("table.board th[scope=row]", has_text=name).count() == 1
    member.looks()
    the_language_is_the_readers_choice(member)


def sign_up(member: Person, name: str) -> None:
    for path in ("/", "/board/dev/", "/login/", "/signup/"):
        member.go(path)
        member.looks()
    email = f"{name}@example.org"
    member.fill("password1", username=name, email=email, password1=PASSWORD, password2=PASSWORD)
    member.looks()
    member.page.locator("form:has([name=name])").wait_for()
    member.fill("name", name=name)


def approve(organiser: Person, name: str) -> None:
    organiser.go("/login/")
    organiser.fill("password", username="organiser", password=PASSWORD)
    organiser.looks()
    organiser.page.locator("li", has_text=name).locator("button.main").click()
    organiser.sees(f"li:has-text('{name}') .badge.approved")
    organiser.go("/organiser/log/")
    organiser.looks()


def services(member: Person, service: str) -> None:
    """The first address is wrong; the second is right."""
    member.fill("url", name="main", url=f"http://127.0.0.1:{free_port()}")
    member.sees("#services ~ ul .badge.failed")
    member.page.locator("summary").click()
    member.fill("url", name="main", url=service)
    member.sees("#services ~ ul .badge.approved")
    member.page.locator("summary").click()
    member.fill("url", name="away", url=f"http://127.0.0.1:{free_port()}")
    member.sees("#services ~ ul .badge.failed")
    member.looks()


def submissions(member: Person) -> None:
    """One is played to its end before our eyes, one waits for its service until it is cancelled."""
    member.fill("endpoint", endpoint="main")
    member.sees(".badge.done")
    member.sees("table.figures")
    member.looks()
    member.go("/team/")
    member.fill("endpoint", endpoint="away")
    member.sees(".badge.waiting_service")
    member.looks()
    member.press("/cancel/")
    member.sees(".badge.cancelled")
    member.go("/team/")
    assert member.page.locator("#submissions ~ ul > li").count() == 2
    member.looks()


def the_language_is_the_readers_choice(reader: Person) -> None:
    before = reader.page.evaluate("document.documentElement.lang")
    reader.press("/language/")
    assert {before, reader.page.evaluate("document.documentElement.lang")} == {"en", "zh-hans"}
    reader.press("/language/")
    assert reader.page.evaluate("document.documentElement.lang") == before
