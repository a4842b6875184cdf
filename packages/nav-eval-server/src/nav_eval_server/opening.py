"""The rules are locked when the first phase opens: their hash is in the audit log, and another one is not served.

So is what a phase plays: its content's hash is noted when it opens. Places of data in `evaluation` may be corrected as
long as the same data lie there. Only who serves locks them, or who ends a phase: a command that looks, or makes a
token, leaves them as free as they were.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from django.utils import timezone

from nav_eval.errors import ConfigError
from nav_eval.logging import get_logger
from nav_eval_server import events
from nav_eval_server.challenge import DRY_RUN, Challenge, configured
from nav_eval_server.folder import Folder
from nav_eval_server.images import engine
from nav_eval_server.models import Event
from nav_eval_server.notices.outbox import tell
from nav_eval_server.phase_data import Contents, absent, key, played, refuse_overlap, resolve
from nav_eval_server.queue.phases import status

LOG = get_logger("nav_eval.competition")
OPENED = "opened"
CHANGED = "changed"
"""What may be changed in challenge.yaml after the opening was: dates, queue, endpoints, teams."""
CORRECTED = "corrected"
"""So were places of data; the rules have another hash since."""
CHECKED = "checked"
"""A phase that is open was found to be playable."""
AGAIN_SECONDS = 60.0
"""Between two checks of a phase that cannot be played."""


def check(challenge: Challenge) -> None:
    """Raises ConfigError if the rules are no longer those of the opening, but for places of data."""
    last = _last_rules()
    if last is not None and last["rules_sha256"] != challenge.rules_sha256 and not _corrects(challenge, last):
        raise ConfigError(
            f"{challenge.folder}/challenge.yaml: the rules were changed after the opening "
            f"({last['rules_sha256'][:12]} is now {challenge.rules_sha256[:12]}). Restore them; "
            "dates, queue, endpoints and teams may be changed, and places of the same data. To have other rules, found "
            "the competition anew in another folder: `nav-eval competition init DIR`."
        )


def verify(challenge: Challenge) -> dict[str, Contents]:
    """What can be played by now, of every phase.

    Raises ConfigError for an open one that cannot, for two that play the same, for one that is not what it was when it
    opened, and for images that cannot be run here.
    """
    if challenge.takes_images:
        engine.refuse(challenge.images)
    found = {phase: contents for phase, contents in _resolved(challenge) if contents is not None}
    refuse_overlap(challenge, _opened(challenge) | found)
    for phase, contents in found.items():
        refuse_change(challenge, phase, contents)
    return found


def _resolved(challenge: Challenge) -> Iterator[tuple[str, Contents | None]]:
    corrected = _corrected(challenge)
    for phase in played(challenge):
        state = status_of(challenge, phase)
        if state == "closed" and not (corrected and _checked(phase)):
            continue
        if state == "upcoming" and absent(challenge, phase):
            continue
        try:
            yield phase, resolve(challenge, phase)
        except ConfigError as error:
            if state != "upcoming":
                raise
            LOG.warning("%s", error)


def refuse_change(challenge: Challenge, phase: str, found: Contents) -> None:
    """Raises ConfigError for other content than that of the opening."""
    was = _checked(phase)
    if was is not None and was != found.sha256:
        raise ConfigError(
            f"{challenge.folder}/challenge.yaml: {key(phase)}: evaluation.dataset.data_path "
            f"{configured(challenge, phase).dataset.data_path} and its scenes are not what was opened ({was[:12]} is "
            f"now {found.sha256[:12]}). Restore them, or the paths; other data are another competition: "
            "`nav-eval competition init DIR`."
        )


def lock(challenge: Challenge, found: Mapping[str, Contents] | None = None) -> None:
    """Note the opening, once a phase is open, and each change of the file after it. Raises ConfigError as check.

    `found`: what `verify` has, where data lie on this machine; without it no place of data can be corrected.
    """
    check(challenge)
    if all(challenge.opens(phase) > timezone.now() for phase in challenge.phases):
        return
    corrected = _corrected(challenge)
    if corrected and found is None:
        raise ConfigError(
            f"{challenge.folder}/challenge.yaml: evaluation: places of data were changed. Serve it once where the data "
            "lie, so that they are compared with those of the opening: `nav-eval competition serve FILE`."
        )
    _note(challenge, CORRECTED if corrected else CHANGED)
    for phase, contents in (found or {}).items():
        note_checked(challenge, phase, contents)


def _note(challenge: Challenge, change: str) -> None:
    last = Event.objects.filter(action__in=(OPENED, CHANGED, CORRECTED)).last()
    if last is None or last.details.get("challenge_sha256") != challenge.sha256:
        now = {name: getattr(challenge, f"{name}_sha256") for name in ("rules", "judging")}
        told = {f"{name}_sha256": value for name, value in now.items()} | {"challenge_sha256": challenge.sha256}
        events.record(OPENED if last is None else change, challenge.name, **told)


def note_checked(challenge: Challenge, phase: str, found: Contents) -> None:
    """Once it is open, and once only."""
    if status_of(challenge, phase) == "open" and _checked(phase) is None:
        events.record(CHECKED, phase, sha256=found.sha256, episodes=len(found.episodes), scenes=len(found.scenes))


def status_of(challenge: Challenge, phase: str) -> str:
    """A dry run can be had at any time."""
    return "open" if phase == DRY_RUN else status(challenge, phase, timezone.now())


def _last_rules() -> dict[str, str] | None:
    last = Event.objects.filter(action__in=(OPENED, CORRECTED)).last()
    return None if last is None else last.details


def _corrects(challenge: Challenge, last: Mapping[str, str]) -> bool:
    """Whether only places of data differ; competitions of before this was noted say nothing of it."""
    return last.get("judging_sha256") == challenge.judging_sha256


def was_opened(challenge: Challenge) -> bool:
    """By these very rules."""
    return _last_rules() is not None and not _corrected(challenge)


def _corrected(challenge: Challenge) -> bool:
    last = _last_rules()
    return last is not None and last["rules_sha256"] != challenge.rules_sha256


def _checked(phase: str) -> str | None:
    """The hash of what it was opened with."""
    event = Event.objects.filter(action=CHECKED, subject=phase).first()
    return None if event is None else str(event.details["sha256"])


def _opened(challenge: Challenge) -> dict[str, Contents]:
    """What phases that have opened play, those that are over included."""
    kept = {phase: Folder(challenge.folder).contents(phase) for phase in played(challenge) if _checked(phase)}
    return {phase: Contents.read(path) for phase, path in kept.items() if path.exists()}


class Openings:
    """Phases that open while it is served are checked then, beside the sweep, and again every minute until they can be
    played; organisers are told what is wrong, once.
    """

    def __init__(self, challenge: Challenge) -> None:
        self._challenge = challenge
        self._next: dict[str, float] = {}
        self._said: dict[str, str] = {}
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._asking: tuple[str, Future[Contents]] | None = None

    def tend(self) -> None:
        if self._asking is not None:
            self._settle(*self._asking)
        elif due := [phase for phase in played(self._challenge) if self._is_due(phase)]:
            phase = min(due, key=lambda one: self._next.get(one, 0.0))
            self._asking = phase, self._thread.submit(resolve, self._challenge, phase)

    def _is_due(self, phase: str) -> bool:
        late = time.monotonic() >= self._next.get(phase, 0.0)
        return late and status_of(self._challenge, phase) == "open" and _checked(phase) is None

    def _settle(self, phase: str, asked: Future[Contents]) -> None:
        if not asked.done():
            return
        self._asking, self._next[phase] = None, time.monotonic() + AGAIN_SECONDS
        try:
            found = asked.result()
            refuse_overlap(self._challenge, _opened(self._challenge) | {phase: found})
            note_checked(self._challenge, phase, found)
        except ConfigError as error:
            if self._said.get(phase) != str(error):
                self._said[phase] = str(error)
                LOG.warning("%s", error)
                tell(self._challenge, "unplayable", path="/organiser/", phase=phase, said=str(error))
