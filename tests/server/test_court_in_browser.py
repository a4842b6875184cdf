"""Failed episodes and organisers' decisions as people meet them, in headless Chromium: both languages, phone and desktop.

Pages fit their window and axe finds nothing serious; PICTURES_OF_PAGES=FOLDER keeps them as pictures.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from nav_eval_sdk import start
from nav_eval_server.models import Submission
from nav_eval_server.queue.dispatcher import Dispatcher
from patience import until
from server.competition import phase
from server.conftest import Make
from server.crowd import PASSWORD, person
from server.serving import serving
from server.test_failures import Raising
from server.test_pages_in_browser import Person, windows
from server.test_serve import QUICK, finished, team

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
