"""The one door to the queue. Rows of attempts are its truth: whoever writes shows the fence of a live one.

Pages and the team API call submit, cancel, void, rerun; workers, through their API, hello, claim, heartbeat, receive,
finish; the scheduler sweep. Each is one transaction. Locks are taken in one order: the queue's, a team's or an
attempt's row, the log's. With SQLite every transaction has the whole database for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from nav_eval.errors import NavEvalError
from nav_eval.reading import file_sha256
from nav_eval_sdk.protocol.text import line
from nav_eval_sdk.transport.address import ANY
from nav_eval_server import events
from nav_eval_server.challenge import DRY_RUN, Challenge, Images, evaluation_text
from nav_eval_server.folder import Folder
from nav_eval_server.images import storage
from nav_eval_server.join.tickets import ticket
from nav_eval_server.models import (
    Attempt,
    Charge,
    Endpoint,
    Episode,
    Mark,
    Method,
    Result,
    Submission,
    Team,
    Token,
    User,
)
from nav_eval_server.notices.outbox import tell
from nav_eval_server.notices.words import NO_GOOD_EPISODE, Kind
from nav_eval_server.queue import acceptance, endpoints, handing_over, outlook, quota, slots, turns
from nav_eval_server.queue.baselines import OURS, PEOPLE
from nav_eval_server.queue.fairness import next_up
from nav_eval_server.queue.files import GROWING, WHOLE
from nav_eval_server.queue.inbox import Inbox, Junk, Record, numbers, records
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import AT_WORK, FAULTS, FINAL, Sentence, State, sentence
from nav_eval_server.queue.tally import reasons, tally
from nav_eval_server.queue.verdict import MISCONFIGURED, Case, Ending, Next, judge
from nav_eval_server.vault import Vault

JOURNAL = "episodes.jsonl"
MANY = 500
"""Of episodes: from so many on, all of a submission are read instead of these."""


class Fenced(Exception):
    """The attempt is no longer this worker's, or is to be stopped: it ends its process and keeps nothing."""


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


class Dispatcher:
    """`now`: the clock, in UTC."""

    def __init__(self, challenge: Challenge, now: Callable[[], datetime] = timezone.now) -> None:
        self.challenge = challenge
        self.folder = Folder(challenge.folder)
        self._now = now

    # Teams

    def submit(
        self,
        team: Team,
        phase: str,
        *,
        endpoint: Endpoint | None = None,
        predictions: bytes | None = None,
        user: User | None = None,
        key: str | None = None,
        not_before: datetime | None = None,
    ) -> Submission:
        """Accept an entry: an endpoint of the team's, or the bytes of a predictions file, as the phase wants.

        `phase` may be DRY_RUN: of an endpoint, one at a time, without a quota. `not_before`: an hour that the team has
        booked, in which it is to begin. `key`: an Idempotency-Key; the same one again gives the same submission. Raises
        Refusal.
        """
        with transaction.atomic():
            team = Team.objects.select_for_update().get(pk=team.pk)
            earlier = Submission.objects.filter(team=team, idempotency_key=key).first() if key else None
            now = self._now()
            fresh = acceptance.drawn_up(self.challenge, team, phase, endpoint, predictions, user, key, now)
            if earlier is not None:
                return acceptance.same(earlier, fresh)
            acceptance.check_terms(self.challenge, user)
            acceptance.check(self.challenge, fresh, predictions, now)
            if not_before is not None:
                acceptance.wait_for(self.challenge, fresh, not_before)
            fresh.save(force_insert=True)
            if phase != DRY_RUN:
                quota.reserve(self.challenge, fresh, fresh.accepted_at)
            if predictions is not None:
                self._store(fresh, predictions)
            events.record("submitted", fresh.id, actor=f"team {team.name}", phase=phase)
        return fresh

    def _store(self, submission: Submission, predictions: bytes) -> None:
        path = self.folder.uploads / submission.id
        path.touch(mode=0o600)
        path.write_bytes(predictions)

    def cancel(self, submission: Submission, actor: str) -> Submission:
        """End it at a team's wish. Its service is free as soon as the worker has let go. Raises Refusal if it ended."""
        return self._end(submission, Next(State.CANCELLED), actor)

    def void(self, submission: Submission, reason: str, actor: str) -> Submission:
        """Strike it through, whatever its state; its figures stay, marked. It counts against the quota as before.

        Of people's, one of whom may have withdrawn, the run and its episodes are deleted.
        """
        with self.locked():
            found = Submission.objects.get(pk=submission.pk)
            if found.state in FINAL:
                found.state, found.detail, found.since = State.VOID, reason[:500], self._now()
                found.save()
                events.record("void", found.id, actor=actor, reason=reason)
                self._tell("ended", found)
                if (found.protocol, found.url) == (OURS, PEOPLE):
                    found.episodes.all().delete()
                    for place in (self.folder.runs, self.folder.public):
                        Inbox(place, found.id).discard()
                return found
        return self._end(submission, Next(State.VOID, detail=reason), actor)

    def _end(self, submission: Submission, to: Next, actor: str) -> Submission:
        with self.locked():
            found = Submission.objects.get(pk=submission.pk)
            if found.state in FINAL:
                raise Refusal("finished", "It has ended already.", "该提交已经结束。")
            Attempt.objects.filter(submission=found, live=True).update(stopping=True)
            self._move(found, to, actor=actor)
            return found

    def rerun(self, submission: Submission, actor: str, reason: str = "") -> Submission:
        """Queue it again, without using quota: what has failed with the episodes it has, anything else anew.

        Anew is a submission of its own; the old one is kept and struck through. Raises Refusal for what has not ended,
        and where a new run is under way already.
        """
        with self.locked() as now:
            found = Submission.objects.get(pk=submission.pk)
            if found.state not in FINAL or found.rerun_as.exclude(state__in=FINAL).exists():
                raise Refusal(
                    "unfinished", "It has not ended, or is being run again.", "该提交尚未结束，或正在重新运行。"
                )
            if found.protocol == "image" and not storage.path(self.challenge, found.url).exists():
                raise Refusal("no_image", "Its image is no longer kept.", "其镜像已不再保留。")
            if (found.protocol, found.url) == (OURS, PEOPLE):
                raise Refusal(
                    "finished",
                    "People play again by `nav-eval competition people` alone; declare this one void first.",
                    "真人只能用 `nav-eval competition people` 重新执行；请先将此项宣布无效。",
                )
            if found.state != State.FAILED:
                return self._anew(found, actor, reason, now)
            found.strikes, found.fault, found.why, found.detail, found.unready_since = 0, "", "", "", None
            found.breaks = 0
            found.save()
            self._move(found, Next(State.QUEUED, retry_at=now), actor=actor)
            return found

    def _anew(self, old: Submission, actor: str, reason: str, now: datetime) -> Submission:
        """With the service or the file, and the place among the finals, that the old one has."""
        names = ("team", "user", "phase", "kind", "protocol", "url", "sealed_token", "endpoint_key", "predictions")
        same = {name: getattr(old, name) for name in (*names, "chosen_at")}
        deadline = now + timedelta(seconds=self.challenge.queue.queued_seconds)
        fresh = Submission(**same, reruns=old, accepted_at=now, since=now, retry_at=now, deadline=deadline)
        fresh.save(force_insert=True)
        Method.objects.filter(submission=old).update(submission=fresh)
        if old.predictions:
            self._store(fresh, (self.folder.uploads / old.id).read_bytes())
        if old.state != State.VOID:
            Submission.objects.filter(pk=old.pk).update(state=State.VOID, detail=reason[:500], since=now, why="")
        events.record("rerun", old.id, actor=actor, reason=reason, new=fresh.id)
        return fresh

    def give_back(self, submission: Submission, actor: str, reason: str) -> None:
        """The place that it has used of its team's quota. Raises Refusal where it uses none."""
        with self.locked():
            if not Charge.objects.filter(submission=submission).delete()[0]:
                raise Refusal("no_place", "It uses no place in the quota.", "该提交不占用名额。")
            events.record("place_given_back", submission.id, actor=actor, reason=reason)

    def hand_over(self, team: Team, to: Team) -> None:
        """All that a team has submitted, and the quota it has used, to another one. Raises Refusal."""
        with self.locked():
            list(Team.objects.select_for_update().filter(pk__in=(team.pk, to.pk)).order_by("pk"))
            handing_over.check(self.challenge, team, to)
            handing_over.hand_over(self.challenge, team, to)

    def release(self, worker: Token) -> int:
        """A worker whose token is revoked has lost what it had; how many those were."""
        with self.locked():
            left = list(Attempt.objects.select_for_update().filter(worker=worker, live=True))
            for attempt in left:
                self._close(attempt, Ending("lost"))
            return len(left)

    # Workers

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
            taken, seconds = self._taken(), outlook.seconds(now)
            ready = [one for one in outlook.waiting(self.challenge, now) if images or not one.image]
            chosen = next_up(ready, seconds, taken, kept.booked, booked_only=full)
            if chosen is None:
                return None
            submission = Submission.objects.get(pk=chosen.submission)
            return self._claim(submission, self._begin(submission, worker, instance, now))

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

    def _idle_places(self) -> int:
        """So many evaluations may still begin, the one that a worker now asks for included."""
        return max(1, self.challenge.slots.places - Attempt.objects.filter(live=True).count())

    def _taken(self) -> set[str]:
        keys = Attempt.objects.filter(live=True).values_list("endpoint_key", flat=True)
        return {word for key in keys for word in (key or "").split()}

    def heartbeat(self, worker: Token, attempt: int, fence: int, total: int | None = None) -> bool:
        """The worker lives; whether it is to give the run up at the end of an episode (queue.turns).

        `total`: episodes of the whole run, once known. Raises Fenced.
        """
        with transaction.atomic():
            held = _held(worker, attempt, fence)
            self._beat(held)
            if total is not None:
                Submission.objects.filter(pk=held.submission_id).update(episodes_total=total)
            return turns.broken(self.challenge, held) or self._turn_over(held)

    def _turn_over(self, attempt: Attempt) -> bool:
        """Whether its run has had its turn, and who would be next has had less of the evaluator's time."""
        now, team = self._now(), attempt.submission.team_id
        if not turns.over(self.challenge, attempt, now):
            return False
        had, taken = outlook.seconds(now), self._taken()
        free = [one for one in outlook.waiting(self.challenge, now) if one.free(taken)]
        ours = attempt.submission.protocol == OURS
        return any(one.team != team and (ours or had.get(one.team, 0.0) < had[team]) for one in free if not one.ours)

    def _beat(self, attempt: Attempt) -> None:
        now = self._now()
        Attempt.objects.filter(pk=attempt.pk).update(heartbeat_at=now)
        deadline = now + timedelta(seconds=self.challenge.queue.lease_seconds)
        Submission.objects.filter(pk=attempt.submission_id).update(deadline=deadline)

    def inbox(self, submission: str) -> Inbox:
        """The submission's run directory, so far as it has arrived."""
        return Inbox(self.folder.runs, submission)

    def receive(
        self, worker: Token, attempt: int, fence: int, name: str, offset: int, data: bytes, whole: int | None = None
    ) -> int:
        """A part of a file of the run, or of one that replaces it (`whole`: its size); how much of it is here now.

        Episodes in it are counted, each once. Raises Fenced, or ValueError for a name that is no file of a run, or
        Junk, with which the attempt is over.
        """
        with self._ends_by_junk(worker, attempt, fence), transaction.atomic():
            held = _held(worker, attempt, fence)
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
                held = _held(worker, attempt, fence, stopping=True)
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
            held = _held(worker, attempt, fence, stopping=True)
            if not held.stopping:
                self._count(held, records(self.inbox(held.submission_id).read(JOURNAL)))
            self._close(held, ending)
            return State(Submission.objects.values_list("state", flat=True).get(pk=held.submission_id))

    def _close(self, attempt: Attempt, ending: Ending) -> None:
        """End an attempt, and decide what becomes of its submission, unless that is decided."""
        now = self._now()
        attempt.live, attempt.ended_at = False, now
        attempt.outcome, attempt.rc, attempt.message = ending.outcome, ending.rc, ending.message[:2000]
        attempt.save()
        submission = Submission.objects.get(pk=attempt.submission_id)
        if submission.state in FINAL:
            return
        result = self._result(submission, ending)
        unable = submission.attempts.filter(outcome="unable").count()
        case = Case(submission.kind, submission.unready_since, submission.strikes, result is not None, unable)
        to = judge(self.challenge, case, ending, now)
        if ending.outcome == "yielded" and turns.broken(self.challenge, attempt):
            to = self._paused(submission, now)
        if to.state == State.DONE and result is not None:
            quota.spend(submission, now)
            result.save()
        self._move(submission, to, attempt=attempt.pk)
        if to.why == MISCONFIGURED:
            tell(self.challenge, MISCONFIGURED, team=submission.team, said=ending.message, **_place(submission))

    def _paused(self, submission: Submission, now: datetime) -> Next:
        """Once; then it has failed. Before it goes on its service is asked whether it is ready."""
        if submission.breaks:
            return Next(State.FAILED, "service_lost")
        Submission.objects.filter(pk=submission.pk).update(breaks=1)
        again = now + timedelta(seconds=self.challenge.endpoints.retry_seconds)
        return Next(State.WAITING_SERVICE, retry_at=again, unready_since=now)

    def _result(self, submission: Submission, ending: Ending) -> Result | None:
        """What the attempt brought, if it is whole and proved."""
        if ending.outcome != "played" or ending.rc not in (0, 1):
            return None
        inbox = self.inbox(submission.id)
        try:
            proved = submission.kind == "predictions" or inbox.proved(ending.manifest)
        except NavEvalError:
            return None
        document = inbox.document("results.json" if submission.kind == "service" else "scored.json")
        if not proved or document is None or document.get("n_lost"):
            return None
        return Result(
            submission=submission, document=document, manifest_sha256=ending.manifest, at=self._at(submission)
        )

    def _at(self, submission: Submission) -> datetime:
        """When its result counts as found: that of a new run has the place of the old one among its team's."""
        old = submission.reruns
        while old is not None and old.reruns is not None:
            old = old.reruns
        earlier = Result.objects.filter(submission=old).values_list("at", flat=True).first() if old else None
        return earlier or self._now()

    # The scheduler

    def sweep(self) -> int:
        """Move everything that is late; how many that were. May be called at any time, any number of times."""
        with self.locked() as now:
            late = self._end_silent(now) + self._end_long(now) + self._end_overdue(now)
            Mark.objects.update_or_create(name="sweep", defaults={"at": now})
            return late

    def _end_silent(self, now: datetime) -> int:
        """Attempts whose worker was silent for longer than its lease; by then it has stopped by itself."""
        expired = now - timedelta(seconds=self.challenge.queue.lease_seconds)
        silent = list(Attempt.objects.select_for_update().filter(live=True, heartbeat_at__lt=expired))
        for attempt in silent:
            self._close(attempt, Ending("lost"))
        return len(silent)

    def _end_long(self, now: datetime) -> int:
        """Submissions at work that have had more time than the rules give."""
        count = 0
        for submission in Submission.objects.filter(state__in=AT_WORK):
            spans = submission.attempts.values_list("started_at", "ended_at")
            spent = sum(((ended or now) - started).total_seconds() for started, ended in spans)
            if spent > self.challenge.queue.run_seconds:
                submission.attempts.filter(live=True).update(stopping=True)
                self._move(submission, Next(State.FAILED, "too_long"))
                count += 1
        return count

    def _end_overdue(self, now: datetime) -> int:
        """Submissions that have waited too long, or are said to be at work and are not.

        A service that was silent for too long has one more try, whenever a worker comes to it: perhaps none was free.
        """
        overdue = Submission.objects.filter(deadline__lt=now).exclude(state__in=FINAL).exclude(attempts__live=True)
        for submission in overdue:
            queued = submission.state == State.QUEUED
            self._move(submission, Next(State.FAILED, "not_taken") if queued else Next(State.QUEUED, retry_at=now))
        return len(overdue)

    # All of them

    @contextmanager
    def locked(self) -> Iterator[datetime]:
        """A transaction that no other claim, end or sweep runs beside."""
        with transaction.atomic():
            Mark.objects.select_for_update().get_or_create(name="queue")
            yield self._now()

    def _move(self, submission: Submission, to: Next, *, actor: str = "", attempt: int | None = None) -> None:
        """The only place where a state changes."""
        now = self._now()
        submission.refresh_from_db(fields=["strikes", "unready_since", "episodes_total", "breaks"])
        silent = to.state == State.WAITING_SERVICE and submission.unready_since is None
        submission.state, submission.since = to.state, now
        submission.deadline = self._deadline(to, now)
        submission.retry_at = to.retry_at or submission.retry_at
        submission.unready_since = to.unready_since or submission.unready_since
        submission.strikes += to.strike
        if to.state in FINAL:
            submission.why, submission.detail = to.why, to.detail[:500]
            submission.fault = FAULTS.get(to.why, Submission.Fault.NOBODY)
            quota.settle(submission)
        submission.save()
        if to.state in FINAL or actor:
            events.record(to.state.value, submission.id, actor=actor, why=to.why, attempt=attempt)
        if submission.phase != DRY_RUN and (silent or (to.state in FINAL and to.state != State.CANCELLED)):
            self._tell("service_unready" if silent else "ended", submission)

    def _tell(self, kind: Kind, submission: Submission) -> None:
        """Its team, how it stands."""
        zone, now, counts = self.challenge.zone, self._now(), tally(submission)
        said: Sentence = {
            "en": sentence(submission, "en", zone=zone, now=now, tally=counts),
            "zh": sentence(submission, "zh", zone=zone, now=now, tally=counts),
        }
        warning: str | Sentence = NO_GOOD_EPISODE if counts.failures == "all" else ""
        why = "\n".join(f"{one.status}: {one.text}" for one in reasons(submission)) if counts.failed else ""
        more = {"failed_episodes": str(counts.failed), "reasons": why, **_place(submission)}
        tell(self.challenge, kind, team=submission.team, said=said, warning=warning, **more)

    def _deadline(self, to: Next, now: datetime) -> datetime | None:
        if to.state in FINAL:
            return None
        rules = self.challenge
        if to.state == State.WAITING_SERVICE:
            return (to.unready_since or now) + timedelta(seconds=rules.endpoints.wait_seconds)
        seconds = rules.queue.lease_seconds if to.state in AT_WORK else rules.queue.queued_seconds
        return now + timedelta(seconds=seconds)


def _place(submission: Submission) -> dict[str, str]:
    """What every notice about it says."""
    return {"path": f"/submissions/{submission.id}/", "phase": submission.phase, "submission": submission.id}


def _held(worker: Token, attempt: int, fence: int, *, stopping: bool = False) -> Attempt:
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
