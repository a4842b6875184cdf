"""What teams and organisers do with a submission: submit, cancel, void, rerun. Each is one transaction."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from nav_eval_server import events
from nav_eval_server.challenge import DRY_RUN
from nav_eval_server.images import storage
from nav_eval_server.models import Attempt, Charge, Endpoint, Method, Submission, Team, User
from nav_eval_server.queue import acceptance, handing_over, quota
from nav_eval_server.queue.baselines import OURS, PEOPLE
from nav_eval_server.queue.inbox import Inbox
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import FINAL, State
from nav_eval_server.queue.transitions import Transitions
from nav_eval_server.queue.verdict import Next


class Submissions(Transitions):
    """The queue as its pages and the team API see it."""

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
