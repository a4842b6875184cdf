"""Failed episodes and organisers' decisions as people meet them, in headless Chromium, on a phone and a desktop.

In both languages. Pages fit their window and axe finds nothing serious; PICTURES_OF_PAGES=FOLDER keeps pictures.
"""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from nav_eval_sdk import start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server.models import Submission, Team
from nav_eval_server.queue.dispatcher import Dispatcher
from patience import until
from server.competition import phase
from server.conftest import Make
from server.crowd import PASSWORD, person
from server.serving import serving
from server.test_pages_in_browser import STAND_IN, Person, windows
from server.test_serve import QUICK, Raising, finished, team

KINDS = [
    (("en-US", 1280, "light"), ("zh-CN", 360, "dark"), ("en-US", 360, "light")),
    (("zh-CN", 360, "light"), ("en-US", 1280, "light"), ("zh-CN", 1280, "dark")),
]
"""Of a member, an organiser and a spectator."""


def log_in(visitor: Person, name: str) -> None:
    visitor.go("/login/")
    visitor.fill("password", username=name, password=PASSWORD)


def test_a_run_in_which_everything_failed(make: Make, browser: Any, axe: str) -> None:
    challenge = make(endpoints=QUICK, phases={"final": phase() | {"board": "private"}})
    person("organiser", is_staff=True)
    with start(Raising, protocol="rest", port=0) as agent, serving(challenge) as served:
        aurora = team("Aurora", agent.endpoint)
        person("member", aurora)
        made = Dispatcher(challenge).submit(aurora, "final", endpoint=aurora.endpoints.get())
        until(lambda: finished(made), "the submission")
        shown = reverse("submission", args=[Submission.objects.get().pk])
        for kinds in KINDS:
            member, organiser, _ = windows(browser, f"http://127.0.0.1:{served.port}", axe, kinds)
            log_in(member, "member")
            log_in(organiser, "organiser")
            for visitor, others in ((member, "/team/"), (organiser, "/organiser/")):
                for address in (shown, others):
                    visitor.go(address)
                    visitor.sees(".badge.failing")
                    visitor.sees("text=ValueError: canary") if address == shown else None
                    visitor.looks()
            organiser.go(shown)
            with organiser.page.expect_download() as download:
                organiser.page.click("a[href$='log.txt']")
            assert "canary: my model" in download.value.path().read_text()
            assert [member.wrong, organiser.wrong] == [[], []]
            member.page.context.close()
            organiser.page.context.close()


def decide(organiser: Person, button: str, **values: str) -> None:
    """Fill the form that the button is in, and press it."""
    pressed = organiser.page.locator(button).first
    form = pressed.locator("xpath=ancestor::form")
    for name, value in values.items():
        form.locator(f"[name={name}]").fill(value)
    with organiser.page.expect_navigation():
        pressed.click()


def test_an_organiser_decides(make: Make, browser: Any, axe: str) -> None:
    """An appeal is won by a new run, a place comes back, a team is renamed and another disqualified."""
    challenge = make(endpoints=QUICK, phases={"final": phase(per_day=1, total=1)})
    person("organiser", is_staff=True)
    with start(RandomAgent, protocol="rest", port=0) as agent, serving(challenge, evaluator=STAND_IN) as served:
        for number, kinds in enumerate(KINDS):
            mine = team(f"Aurora{number}", agent.endpoint)
            person(f"member{number}", mine)
            made = Dispatcher(challenge).submit(mine, "final", endpoint=mine.endpoints.get())
            until(lambda made=made: finished(made), "the submission")
            member, organiser, spectator = windows(browser, f"http://127.0.0.1:{served.port}", axe, kinds)
            log_in(member, f"member{number}")
            log_in(organiser, "organiser")
            court(member, organiser, spectator, mine, made)
            assert [one.wrong for one in (member, organiser, spectator)] == [[], [], []]
            for one in (member, organiser, spectator):
                one.page.context.close()


def court(member: Person, organiser: Person, spectator: Person, mine: Team, made: Submission) -> None:
    shown = reverse("submission", args=[made.pk])
    member.go(shown)
    member.page.click("summary")
    member.fill("text", text="The line was slow.")
    organiser.go(shown)
    organiser.looks()
    decide(organiser, "button[name=decision][value=rerun]", text="We saw it too.")
    fresh = Submission.objects.get(reruns=made)
    until(lambda: finished(fresh), "the new run")
    organiser.go(reverse("submission", args=[fresh.pk]))
    organiser.looks()
    member.go(shown)
    member.sees(f"a[href='{reverse('submission', args=[fresh.pk])}']")
    member.looks()
    organiser.go(shown)
    decide(organiser, "button[formaction$='/place/']", reason="It fell to our line.")
    organiser.go(reverse("manage", args=[mine.pk]))
    decide(organiser, "button[value=grant]", places="2", reason="For the lost hour.")
    decide(organiser, "button[value=rename]", name=f"Zenith{mine.pk}", reason="As asked.")
    organiser.looks()
    spectator.comes_to_see("/board/final/", f"text=Zenith{mine.pk}")
    spectator.looks()
    organiser.go("/organiser/announcements/")
    decide(organiser, "main button", text="The final closes on Friday.")
    organiser.looks()
    organiser.go("/organiser/workers/")
    organiser.looks()
    organiser.go("/organiser/")
    organiser.page.click("summary:has-text('更改截止'), summary:has-text('Move its end')")
    organiser.looks()
    decide(organiser, "form[action$='/move/'] button", closes=f"2098-01-0{mine.pk % 9 + 1}T12:00", reason="More time.")
    member.go("/team/")
    member.looks()
    organiser.go(reverse("manage", args=[mine.pk]))
    decide(organiser, "button[value=struck]", reason="Trained on the test buildings.")
    organiser.looks()
    spectator.comes_to_see("/board/final/", "text=Trained on the test buildings.")
    spectator.looks()
