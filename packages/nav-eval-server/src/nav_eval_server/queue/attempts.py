"""What workers do with an attempt: hello, claim, heartbeat, receive, finish. Each is one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction
from django.db.models import F

from nav_eval.reading import file_sha256
from nav_eval_sdk.protocol.text import line
from nav_eval_sdk.transport.address import ANY
from nav_eval_server import events
from nav_eval_server.challenge import DRY_RUN, Images, evaluation_text
from nav_eval_server.join.tickets import ticket
from nav_eval_server.models import Attempt, Episode, Mark, Submission, Token
from nav_eval_server.queue import endpoints, outlook, quota, slots, turns
from nav_eval_server.queue.baselines import OURS
from nav_eval_server.queue.client import Fenced
from nav_eval_server.queue.fairness import next_up
from nav_eval_server.queue.files import GROWING, WHOLE
from nav_eval_server.queue.inbox import Junk, Record, numbers, records
from nav_eval_server.queue.states import State
from nav_eval_server.queue.transitions import Transitions
from nav_eval_server.queue.verdict import Ending, Next
from nav_eval_server.vault import Vault

JOURNAL = "episodes.jsonl"
MANY = 500
"""Of episodes: from so many on, all of a submission are read instead of these."""


@dataclass(frozen=True)
class Claim:
    """What a worker needs for an attempt. `token`: the service's, in the clear; it stays in the worker's memory.

    `log`: the evaluator says all that it does, for the team to read.
    Of protocol ours `url` is the name of an agent that the worker runs by itself (queue.baselines).
    Of protocol join there is no url, it is asked for at the server's own; `token` is then a ticket (join.tickets).
    Of protocol image its url is what to ask the server for, and `image` how to run it.
    """

    attempt: int
    fence: int
    submission: str
    kind: str
    evaluation: str
    overrides: tuple[str, ...]
    log: bool
    protocol: str
    url: str
    token: str
    networks: tuple[str, ...]
    ports: tuple[str, ...]
    lease_seconds: float
    probe_seconds: float
    patience_seconds: float
    image: Images | None


class Attempts(Transitions):
    """The queue as workers see it, through their API."""

    def hello(self, worker: Token, instance: str) -> int:
        """A worker has begun: what an earlier life of this instance left behind has ended with it. How many those were.

        An instance is a folder that one process at a time can lock, and its evaluators die with that process.
        """
        with self.locked():
            left = list(Attempt.objects.select_for_update().filter(worker=worker, instance=instance, live=True))
            for attempt in left:
                self._close(attempt, Ending("lost"))
            return len(left)

    def claim(self, worker: Token, instance: str, *, images: bool = True) -> Claim | None:
        """The next attempt for a worker, or None. `images`: whether it may be an image's."""
        with self.locked() as now:
            kept = slots.keeps(self.challenge, now)
            full = kept.places > 0 and self._idle_places() <= kept.places
            taken, seconds = self._busy_endpoints(), outlook.seconds(now)
            ready = [one for one in outlook.waiting(self.challenge, now) if images or not one.image]
            chosen = next_up(ready, seconds, taken, kept.booked, booked_only=full)
            if chosen is None:
                return None
            submission = Submission.objects.get(pk=chosen.submission)
            return self._claim(submission, self._begin(submission, worker, instance, now))

    def _idle_places(self) -> int:
        """So many evaluations may still begin, the one that a worker now asks for included."""
        return max(1, self.challenge.slots.places - Attempt.objects.filter(live=True).count())

    def _busy_endpoints(self) -> set[str]:
        keys = Attempt.objects.filter(live=True).values_list("endpoint_key", flat=True)
        return {word for key in keys for word in (key or "").split()}

    def _begin(self, submission: Submission, worker: Token, instance: str, now: datetime) -> Attempt:
        attempt = Attempt.objects.create(
            submission=submission,
            n=submission.attempts.count() + 1,
            fence=_next_fence(),
            worker=worker,
            instance=instance,
            endpoint_key=submission.endpoint_key,
            started_at=now,
            heartbeat_at=now,
        )
        self._move(submission, Next(State.RUNNING if submission.kind == "service" else State.SCORING))
        return attempt

    def _claim(self, submission: Submission, attempt: Attempt) -> Claim:
        rules, joined = self.challenge.endpoints, submission.protocol == "join"
        image = submission.protocol == "image"
        where = ANY if joined or image else rules.networks
        return Claim(
            attempt=attempt.pk,
            fence=attempt.fence,
            submission=submission.id,
            kind=submission.kind,
            evaluation=evaluation_text(self.challenge, submission.phase),
            overrides=self.challenge.overrides(submission.phase),
            log=submission.phase == DRY_RUN,
            protocol=submission.protocol,
            url=submission.url,
            token=ticket(attempt) if joined else Vault(self.folder).open(submission.sealed_token),
            networks=where.names,
            ports=where.ports,
            lease_seconds=self.challenge.queue.lease_seconds,
            probe_seconds=rules.probe_seconds,
            patience_seconds=rules.patience_seconds,
            image=self.challenge.images if image else None,
        )

    def release(self, worker: Token) -> int:
        """A worker whose token is revoked has lost what it had; how many those were."""
        with self.locked():
            left = list(Attempt.objects.select_for_update().filter(worker=worker, live=True))
            for attempt in left:
                self._close(attempt, Ending("lost"))
            return len(left)

    def take_in(self, submission: Submission, run: Path, worker: Token) -> State:
        """A run that was not played by a worker, as if this one had sent it all."""
        with self.locked() as now:
            attempt, inbox = self._begin(submission, worker, "", now), self.inbox(submission.id)
            for name in (*WHOLE, *GROWING):
                if (run / name).exists():
                    inbox.append(name, 0, (run / name).read_bytes())
            self._count(attempt, records(inbox.read(JOURNAL)))
            self._close(attempt, Ending("played", rc=0, manifest=file_sha256(run / "manifest.json")))
            return State(Submission.objects.values_list("state", flat=True).get(pk=submission.pk))

    def heartbeat(self, worker: Token, attempt: int, fence: int, total: int | None = None) -> bool:
        """The worker lives; whether it is to give the run up at the end of an episode (queue.turns).

        `total`: episodes of the whole run, once known. Raises Fenced.
        """
        with transaction.atomic():
            held = _lock_attempt(worker, attempt, fence)
            self._beat(held)
            if total is not None:
                Submission.objects.filter(pk=held.submission_id).update(episodes_total=total)
            return turns.broken(self.challenge, held) or self._turn_over(held)

    def _turn_over(self, attempt: Attempt) -> bool:
        """Whether its run has had its turn, and who would be next has had less of the evaluator's time."""
        now, team = self._now(), attempt.submission.team_id
        if not turns.over(self.challenge, attempt, now):
            return False
        had, taken = outlook.seconds(now), self._busy_endpoints()
        free = [one for one in outlook.waiting(self.challenge, now) if one.free(taken)]
        ours = attempt.submission.protocol == OURS
        return any(one.team != team and (ours or had.get(one.team, 0.0) < had[team]) for one in free if not one.ours)

    def _beat(self, attempt: Attempt) -> None:
        now = self._now()
        Attempt.objects.filter(pk=attempt.pk).update(heartbeat_at=now)
        deadline = now + timedelta(seconds=self.challenge.queue.lease_seconds)
        Submission.objects.filter(pk=attempt.submission_id).update(deadline=deadline)

    def receive(
        self, worker: Token, attempt: int, fence: int, name: str, offset: int, data: bytes, whole: int | None = None
    ) -> int:
        """A part of a file of the run, or of one that replaces it (`whole`: its size); how much of it is here now.

        Episodes in it are counted, each once. Raises Fenced, or ValueError for a name that is no file of a run, or
        Junk, with which the attempt is over.
        """
        with self._ends_by_junk(worker, attempt, fence), transaction.atomic():
            held = _lock_attempt(worker, attempt, fence)
            inbox = self.inbox(held.submission_id)
            if whole is not None:
                size = inbox.replace(name, offset, data, whole)
            else:
                told = list(records(data)) if name == JOURNAL else []
                size = inbox.append(name, offset, data)
                if size == offset + len(data):
                    self._count(held, told)
            self._beat(held)
            return size

    @contextmanager
    def _ends_by_junk(self, worker: Token, attempt: int, fence: int) -> Iterator[None]:
        """Junk ends the attempt at once; what it has sent is thrown away, since nobody could go on from there."""
        try:
            yield
        except Junk as junk:
            with self.locked():
                held = _lock_attempt(worker, attempt, fence, stopping=True)
                events.record("junk", held.submission_id, attempt=held.pk, worker=worker.name)
                self.inbox(held.submission_id).discard()
                self._close(held, Ending("lost", message=str(junk)))
            raise

    def _count(self, attempt: Attempt, found: Iterable[Record]) -> None:
        """Keep some episodes; what is kept already stays, and is told if it differs."""
        told = {(record.scene_id, record.episode_id): record for record in found}
        if not told:
            return
        rows = Episode.objects.filter(submission=attempt.submission_id)
        if len(told) < MANY:
            rows = rows.filter(episode__in=[episode for _, episode in told])
        known = {(row.scene, row.episode): row for row in rows}
        fresh = [
            Episode(
                submission_id=attempt.submission_id,
                attempt=attempt,
                scene=scene,
                episode=episode,
                status=record.status,
                metrics=numbers(record.metrics),
                reason=line(record.failure_reason or "", 300),
            )
            for (scene, episode), record in told.items()
            if (scene, episode) not in known
        ]
        for key in told.keys() & known.keys():
            if known[key].metrics != numbers(told[key].metrics):
                events.record("contradiction", attempt.submission_id, attempt=attempt.pk, episode=list(key))
        if fresh:
            Episode.objects.bulk_create(fresh)
            quota.spend(attempt.submission, self._now())
            Submission.objects.filter(pk=attempt.submission_id).update(strikes=0, unready_since=None)
            if any(one.status == "ok" for one in fresh):
                Submission.objects.filter(pk=attempt.submission_id).update(breaks=0)
            endpoints.played(attempt.submission, self._now())

    def finish(self, worker: Token, attempt: int, fence: int, ending: Ending) -> State:
        """An attempt has ended, and so, perhaps, the submission. Raises Fenced only if it is not the worker's, and
        Junk.
        """
        with self._ends_by_junk(worker, attempt, fence), self.locked():
            held = _lock_attempt(worker, attempt, fence, stopping=True)
            if not held.stopping:
                self._count(held, records(self.inbox(held.submission_id).read(JOURNAL)))
            self._close(held, ending)
            return State(Submission.objects.values_list("state", flat=True).get(pk=held.submission_id))


def _lock_attempt(worker: Token, attempt: int, fence: int, *, stopping: bool = False) -> Attempt:
    """The attempt, locked. Raises Fenced unless it is live and the worker's; `stopping`: one being stopped will do."""
    rows = Attempt.objects.select_for_update().filter(pk=attempt, fence=fence, worker=worker, live=True)
    found = (rows if stopping else rows.filter(stopping=False)).first()
    if found is None:
        raise Fenced
    return found


def _next_fence() -> int:
    Mark.objects.get_or_create(name="fence")
    Mark.objects.filter(name="fence").update(value=F("value") + 1)
    return Mark.objects.values_list("value", flat=True).get(name="fence")
