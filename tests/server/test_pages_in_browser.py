"""One competition as people meet it, in headless Chromium: both languages, a phone and a desktop.

Everything is done with the mouse and the keyboard; the server, the queue and the team's service are real ones. Three
people take part, each in a language, a width and a scheme of their own. In the long form there is a team for each such
kind, seen by all three alike; its evaluator is nav-eval itself, and a spectator's download is verified. With
PICTURES_OF_PAGES=FOLDER every page that is looked at is also kept as a picture.
"""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from browsing import patient
from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server.models import Submission, Team
from nav_eval_server.queue.dispatcher import Dispatcher
from patience import until
from served import free_port
from server.competition import evaluation, phase
from server.conftest import Make
from server.crowd import PASSWORD, person
from server.mailbox import Mailbox
from server.serving import nav_eval, serving
from server.test_notices import rules
from server.test_people import code_of
from server.test_serve import QUICK as PROMPT
from server.test_serve import Raising, finished, team

STAND_IN = str(Path(__file__).with_name("stand_in.py"))
RULES = {"retry_seconds": 1, "patience_seconds": 0.5, "probe_seconds": 0.5}
QUICK = [(("zh-CN", 360, "dark"), ("en-US", 1280, "light"), ("zh-CN", 1280, "light"))]
"""A journey: member, organiser, spectator."""
ALL = [(kind,) * 3 for kind in product(("en-US", "zh-CN"), (360, 1280), ("dark", "light"))]
PICTURES = os.environ.get("PICTURES_OF_PAGES")
AXE = "axe.run().then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => v.id))"


@dataclass
class Person:
    """A browser window of somebody's, and everything that went wrong in it."""

    page: Any
    base: str
    axe: str
    width: int
    name: str = ""
    wrong: list[str] = field(default_factory=list)
    seen: int = 0

    def __post_init__(self) -> None:
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.wrong.append(m.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda r: r.url.startswith(self.base) or self.wrong.append(r.url))

    def go(self, path: str) -> None:
        self.page.goto(self.base + path)

    def log_in(self, name: str) -> None:
        self.go("/login/")
        self.fill("password", username=name, password=PASSWORD)

    def leaves(self) -> None:
        """Nothing went wrong meanwhile."""
        assert self.wrong == [], self.name
        self.page.context.close()

    def fill(self, form: str, **values: str) -> None:
        """Fill a form by the names of its fields, and send it."""
        kind = "select" if form == "endpoint" else ""
        found = self.page.locator(f"form:has({kind}[name={form}])").last
        for name, value in values.items():
            entry = found.locator(f"[name={name}]")
            entry.select_option(label=value) if name == "endpoint" else entry.fill(value)
        with self.page.expect_navigation():
            found.locator("button").click()

    def press(self, button: str, **values: str) -> None:
        """A button, or that of the form that goes to an address with /.../ in it; `values` fill in its form before."""
        found = self.page.locator(f"form[action*='{button}'] button" if button.startswith("/") else button).first
        for name, value in values.items():
            found.locator("xpath=ancestor::form").locator(f"[name={name}]").fill(value)
        with self.page.expect_navigation():
            found.click()

    def sees(self, what: str) -> None:
        self.page.wait_for_selector(what)

    def comes_to_see(self, path: str, what: str) -> None:
        """A page that may be some seconds old: opened again until it shows something."""

        def seen() -> bool:
            self.go(path)
            return self.page.locator(what).count() > 0

        until(seen, what)

    def looks(self, *paths: str) -> None:
        """The page, or each of those, fits the window, and axe finds nothing serious."""
        for path in paths or [""]:
            if path:
                self.go(path)
            self._look()

    def _look(self) -> None:
        self.page.wait_for_load_state()
        if self.page.evaluate("document.documentElement.scrollWidth") > self.width:
            self.wrong.append(f"wider than the window: {self.page.url}")
        devtools = self.page.context.new_cdp_session(self.page)
        devtools.send("Runtime.evaluate", {"expression": self.axe})
        asked = {"expression": AXE, "awaitPromise": True, "returnByValue": True}
        found = devtools.send("Runtime.evaluate", asked)["result"]["value"]
        self.wrong += [f"{name}: {self.page.url}" for name in found]
        devtools.detach()
        if PICTURES:
            self.seen += 1
            place = re.sub(r"\W+", "-", self.page.url.removeprefix(self.base)).strip("-") or "front"
            self.page.screenshot(path=f"{PICTURES}/{self.name}-{self.seen:02}-{place[:30]}.png", full_page=True)


@pytest.mark.parametrize(("kinds", "evaluator"), [(QUICK, STAND_IN), pytest.param(ALL, "-", marks=pytest.mark.soak)])
def test_a_competition_from_sign_up_to_the_board(
    make: Make, browser: Any, axe: str, box: Mailbox, kinds: list[Any], evaluator: str, tmp_path: Path
) -> None:
    phases = {"dev": phase(), "files": phase("predictions")}
    more = {"slots": {"per_week": 4}, "dry_run": {"split": "rehearsal", "episodes": 2}, "notify": rules(box)}
    challenge = make(endpoints=RULES, teams={"approval": True}, phases=phases, evaluation=two_splits(), **more)
    person("organiser", is_staff=True, email="organiser@example.org")
    with start(RandomAgent, protocol="rest", port=0) as agent, serving(challenge, evaluator=evaluator) as served:
        until(lambda: served.healthz() == 200, "healthz")
        for number, theirs in enumerate(kinds):
            visitors = list(windows(browser, served.url, axe, theirs))
            journey(*visitors, f"team{number}", agent.endpoint)
            if evaluator == "-":
                download(visitors[2], f"team{number}", tmp_path)
            for visitor in visitors:
                visitor.leaves()
        for event in ("waits for approval", "is approved", "does not answer", "has ended", "appeals", "is decided"):
            until(lambda event=event: sum(event in str(mail["Subject"]) for _, mail in box.mails) == len(kinds), event)


def two_splits() -> dict[str, Any]:
    """The small graph's episodes, and the same ones to rehearse with."""
    told = evaluation()["dataset"]
    data = Path(told["data_path"])
    shutil.copy(data, data.with_name("R2R_rehearsal.json"))
    return {"dataset": told | {"data_path": str(data.with_name("R2R_${dataset.split}.json"))}}


def windows(browser: Any, base: str, axe: str, theirs: tuple[tuple[str, int, str], ...]) -> Iterator[Person]:
    for name, (locale, width, scheme) in zip(("member", "organiser", "spectator"), theirs, strict=True):
        context = patient(browser, locale=locale, viewport={"width": width, "height": 800}, color_scheme=scheme)
        yield Person(context.new_page(), base, axe, width, f"{locale}-{width}-{scheme}-{name}")


def journey(member: Person, organiser: Person, spectator: Person, name: str, service: str) -> None:
    sign_up(member, name)
    member.sees(".badge.pending")
    approve(organiser, name)
    member.go("/team/")
    member.sees(".badge.approved")
    services(member, service)
    dry_run(member)
    submissions(member)
    appeal(member, organiser)
    hours(member)
    account(member, organiser, name)
    read(spectator, name)
    the_language_is_the_readers_choice(member)


def sign_up(member: Person, name: str) -> None:
    member.looks("/", "/board/dev/", "/login/", "/login/forgotten/", "/signup/", "/entries/0/")
    member.wrong = [text for text in member.wrong if "404" not in text]  # of the last one: the browser tells it too
    member.go("/signup/")
    email = f"{name}@example.org"
    member.fill("password1", username=name, email=email, password1=PASSWORD, password2=PASSWORD)
    member.looks()
    member.page.locator("form:has([name=name])").wait_for()
    member.fill("name", name=name)


def approve(organiser: Person, name: str) -> None:
    organiser.log_in("organiser")
    organiser.looks()
    organiser.page.locator("li", has_text=name).locator("button.main").click()
    organiser.sees(f"li:has-text('{name}') .badge.approved")
    organiser.looks("/organiser/log/", "/organiser/people/")


def services(member: Person, service: str) -> None:
    """The first address is wrong; the second is right."""
    member.fill("url", name="main", url=f"http://127.0.0.1:{free_port()}")
    member.sees("#services ~ ul .badge.failed")
    member.page.locator("#services ~ details summary").click()
    member.fill("url", name="main", url=service)
    member.sees("#services ~ ul .badge.approved")
    member.page.locator("#services ~ details summary").click()
    member.fill("url", name="away", url=f"http://127.0.0.1:{free_port()}")
    member.sees("#services ~ ul .badge.failed")
    member.looks()


def dry_run(member: Person) -> None:
    member.go("/team/")
    member.press("#services ~ ul > li:has-text('main') form:has([value=dry_run]) button")
    member.sees(".badge.done")
    member.sees("a[href*='/files/']")
    member.looks()


def submissions(member: Person) -> None:
    """One waits for its service until it is cancelled, the next is played to its end before our eyes, and chosen."""
    member.go("/team/")
    member.fill("endpoint", endpoint="away")
    member.sees(".badge.waiting_service")
    member.looks()
    member.press("/cancel/")
    member.sees(".badge.cancelled")
    member.go("/team/")
    member.fill("endpoint", endpoint="main")
    member.sees(".badge.done")
    member.sees("table.figures")
    member.press("/choose/")
    member.sees("form[action*='/choose/'] button[value=no]")
    member.looks()
    done = member.page.url
    member.looks("/team/")
    assert member.page.locator("#submissions ~ ul > li").count() == 3
    member.page.goto(done)


def appeal(member: Person, organiser: Person) -> None:
    member.page.locator("#appeals ~ details summary").click()
    member.fill("text", text="Our machine restarted at 10:02. 我们的机器在 10:02 重启。")
    member.sees(".thread .badge.open")
    organiser.looks("/organiser/")
    organiser.page.locator("#appeals ~ ul a").first.click()
    organiser.looks()
    organiser.press("button[value=stands]", text="We looked at the log: it was played to its end.")
    organiser.sees(".thread .badge.stands")
    member.page.reload()
    member.sees(".thread .word.answer")
    member.looks()


def hours(member: Person) -> None:
    member.go("/team/")
    member.press("form[action$='/hours/'] button")
    member.sees("#hours ~ ul time")
    member.looks()
    member.press("/give-back/")
    assert member.page.locator("#hours ~ ul").count() == 0


def account(member: Person, organiser: Person, name: str) -> None:
    member.looks("/account/", "/account/erase/", "/account/password/", "/account/second/")
    key = member.page.locator("code.secret").inner_text().replace(" ", "")
    member.fill("code", code=code_of(key))
    member.looks()
    recovery = member.page.locator(".codes code").first.inner_text()
    member.looks("/account/")
    member.press("/logout/")
    member.log_in(name)
    member.looks()
    member.fill("code", code=recovery)
    member.sees("#submit")
    organiser.go("/organiser/people/")
    organiser.press("/link/")
    organiser.sees("code.secret")
    organiser.looks()


def read(spectator: Person, name: str) -> None:
    spectator.go("/")
    assert spectator.page.locator("table.board th[scope=row]", has_text=name).count() == 1
    spectator.looks()
    spectator.page.locator("table.board a", has_text=name).click()
    spectator.sees("#proof")
    spectator.looks()


def download(spectator: Person, name: str, folder: Path) -> None:
    """The report in its sandbox, and the files: they are what the organisers signed."""
    link = spectator.page.locator("a[href$='/report/']")
    for _ in range(90):
        if link.count():
            break
        spectator.page.wait_for_timeout(1000)
        spectator.page.reload()
    spectator.looks()
    with spectator.page.expect_download() as downloaded:
        spectator.page.locator("a[href$='archive.zip']").click()
    with zipfile.ZipFile(downloaded.value.path()) as archive:
        archive.extractall(folder / name)
    words = spectator.page.locator("pre.secret").inner_text().splitlines()[1].split()
    said = nav_eval(*words[1:], cwd=folder / name)
    assert said.returncode == 0, said.stdout
    link.click()
    spectator.sees("h1")
    spectator.page.wait_for_timeout(500)
    if PICTURES:
        spectator.page.screenshot(path=f"{PICTURES}/{spectator.name}-report.png")


def the_language_is_the_readers_choice(reader: Person) -> None:
    before = reader.page.evaluate("document.documentElement.lang")
    reader.press("/language/")
    assert {before, reader.page.evaluate("document.documentElement.lang")} == {"en", "zh-hans"}
    reader.press("/language/")
    assert reader.page.evaluate("document.documentElement.lang") == before


# Failed episodes and organisers' decisions, in both languages on both devices

COURT = [
    (("en-US", 1280, "light"), ("zh-CN", 360, "dark"), ("en-US", 360, "light")),
    (("zh-CN", 360, "light"), ("en-US", 1280, "light"), ("zh-CN", 1280, "dark")),
]


def test_a_run_in_which_everything_failed(make: Make, browser: Any, axe: str) -> None:
    challenge = make(endpoints=PROMPT, phases={"final": phase() | {"board": "private"}})
    person("organiser", is_staff=True)
    with start(Raising, protocol="rest", port=0) as agent, serving(challenge) as served:
        aurora = team("Aurora", agent.endpoint)
        person("member", aurora)
        made = Dispatcher(challenge).submit(aurora, "final", endpoint=aurora.endpoints.get())
        until(lambda: finished(made), "the submission")
        shown = reverse("submission", args=[made.pk])
        for kinds in COURT:
            member, organiser, spectator = windows(browser, served.url, axe, kinds)
            for visitor, name, others in ((member, "member", "/team/"), (organiser, "organiser", "/organiser/")):
                visitor.log_in(name)
                for address in (others, shown):
                    visitor.looks(address)
                    visitor.sees(".badge.failing")
                visitor.sees("text=ValueError: canary")
            with organiser.page.expect_download() as download:
                organiser.page.click("a[href$='log.txt']")
            assert "canary: my model" in download.value.path().read_text()
            for visitor in (member, organiser, spectator):
                visitor.leaves()


def test_an_organiser_decides(make: Make, browser: Any, axe: str) -> None:
    """An appeal is won by a new run, a place comes back, a team is renamed and another disqualified."""
    challenge = make(endpoints=PROMPT, phases={"final": phase(per_day=1, total=1)})
    person("organiser", is_staff=True)
    with start(RandomAgent, protocol="rest", port=0) as agent, serving(challenge, evaluator=STAND_IN) as served:
        for number, kinds in enumerate(COURT):
            mine = team(f"Aurora{number}", agent.endpoint)
            person(f"member{number}", mine)
            made = Dispatcher(challenge).submit(mine, "final", endpoint=mine.endpoints.get())
            until(lambda made=made: finished(made), "the submission")
            member, organiser, spectator = windows(browser, served.url, axe, kinds)
            member.log_in(f"member{number}")
            organiser.log_in("organiser")
            court(member, organiser, spectator, mine, made)
            for visitor in (member, organiser, spectator):
                visitor.leaves()


def court(member: Person, organiser: Person, spectator: Person, mine: Team, made: Submission) -> None:
    shown, managed = reverse("submission", args=[made.pk]), reverse("manage", args=[mine.pk])
    member.go(shown)
    member.page.click("summary")
    member.fill("text", text="The line was slow.")
    organiser.looks(shown)
    organiser.press("button[name=decision][value=rerun]", text="We saw it too.")
    fresh = Submission.objects.get(reruns=made)
    until(lambda: finished(fresh), "the new run")
    organiser.looks(reverse("submission", args=[fresh.pk]))
    member.looks(shown)
    member.sees(f"a[href='{reverse('submission', args=[fresh.pk])}']")
    organiser.go(shown)
    organiser.press("button[formaction$='/place/']", reason="It fell to our line.")
    organiser.go(managed)
    organiser.press("button[value=grant]", places="2", reason="For the lost hour.")
    organiser.press("button[value=rename]", name=f"Zenith{mine.pk}", reason="As asked.")
    organiser.looks()
    spectator.comes_to_see("/board/final/", f"text=Zenith{mine.pk}")
    spectator.looks()
    organiser.go("/organiser/announcements/")
    organiser.press("main button", text="The final closes on Friday.")
    organiser.looks()
    organiser.looks("/organiser/workers/")
    organiser.go("/organiser/")
    organiser.page.click("summary:has-text('更改截止'), summary:has-text('Move its end')")
    organiser.looks()
    organiser.press("form[action$='/move/'] button", closes=f"2098-01-0{mine.pk % 9 + 1}T12:00", reason="More time.")
    member.looks("/team/")
    organiser.go(managed)
    organiser.press("button[value=struck]", reason="Trained on the test buildings.")
    organiser.looks()
    spectator.comes_to_see("/board/final/", "text=Trained on the test buildings.")
    spectator.looks()
