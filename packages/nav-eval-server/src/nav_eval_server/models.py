"""What the server knows. Rows of attempts are the truth of what runs; nothing else decides it.

Private figures stand in tables of their own (Episode, Result), so that no list of submissions can leak them.
"""

from __future__ import annotations

import secrets

from django.contrib.auth.models import AbstractUser
from django.core.validators import URLValidator
from django.db import models
from django.db.models import Q

WEB = URLValidator(schemes=("http", "https"))
"""An address that a browser may be led to."""


def new_id() -> str:
    """Of a submission: short enough to say, and not to be guessed from another one."""
    return secrets.token_hex(6)


class User(AbstractUser):
    """A person. Organisers are `is_staff`.

    `sealed_totp`: the secret of the second factor, "" without one; `totp_step`: of the last code that was used;
    `recovery`: SHA-256 of the codes that are left. See second_factor.py. `terms_sha256`: the terms that it accepted.
    """

    sealed_totp = models.TextField(blank=True)
    totp_step = models.BigIntegerField(default=0)
    recovery = models.JSONField(default=list)
    terms_sha256 = models.CharField(max_length=64, blank=True)
    terms_at = models.DateTimeField(null=True)


class Team(models.Model):
    """`role`: baselines and oracles are the organisers' own; boards mark them and give them no rank.

    `disqualified`: its entries are struck through on all boards, or are on none.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        BLOCKED = "blocked"

    class Role(models.TextChoices):
        TEAM = "team"
        BASELINE = "baseline"
        ORACLE = "oracle"

    class Disqualified(models.TextChoices):
        STRUCK = "struck"
        REMOVED = "removed"

    name = models.CharField(max_length=60, unique=True)
    disqualified = models.CharField(max_length=10, choices=Disqualified.choices, blank=True, default="")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.TEAM)
    members = models.ManyToManyField(User, through="Membership", related_name="teams")
    created_at = models.DateTimeField(auto_now_add=True)


class Membership(models.Model):
    """`captain`: may invite, and choose what counts in the final."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    user = models.ForeignKey(User, on_delete=models.CASCADE)
    captain = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("team", "user"), name="a_member_once"),)


class Invitation(models.Model):
    """Of a person on an organiser's list: who follows the link is let in at once. See web/invitations.py.

    `team`: the one to join, "" for one of their own. `user`: who has followed it.
    """

    name = models.CharField(max_length=150)
    email = models.EmailField(unique=True)
    team = models.CharField(max_length=60, blank=True)
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="invitations")
    at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class Token(models.Model):
    """What a program shows instead of a password; only its SHA-256 is kept. See tokens.py.

    `user`: the member who made it; it may do no more than that member may, and no longer.
    """

    class Scope(models.TextChoices):
        TEAM = "team"
        WORKER = "worker"

    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=10, choices=Scope.choices)
    team = models.ForeignKey(Team, null=True, on_delete=models.CASCADE, related_name="tokens")
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=60)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)


class Endpoint(models.Model):
    """A team's service. `sealed_token`: its bearer token, encrypted (vault.py). `probe`: "", or what a probe said;
    `machine`: where the name led then, "" if nowhere.

    Replicas of it have an address each, with a blank between two in `url` and a comma in `machine`; `away`: those that
    were not ready while others were.

    Of protocol join it calls us and has no url; `probe` then says whether it is here (join.presence). Of protocol image
    its url is sha256:..., an archive that the team has sent (images.storage).
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="endpoints")
    name = models.CharField(max_length=60)
    protocol = models.CharField(max_length=5, choices=[(name, name) for name in ("rest", "grpc", "join", "image")])
    url = models.CharField(max_length=1000, blank=True)
    sealed_token = models.TextField(blank=True)
    probe = models.CharField(max_length=20, blank=True)
    probed_at = models.DateTimeField(null=True)
    machine = models.CharField(max_length=400, blank=True, default="")
    away = models.CharField(max_length=1000, blank=True, default="")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("team", "name"), name="a_name_of_an_endpoint_once"),)


class Submission(models.Model):
    """One entry of a team in a phase. Only queue.dispatcher writes its state.

    protocol, url and sealed_token are the endpoint's as they were when it was submitted; of protocol ours the url
    is the name of one of our agents (queue.baselines). `predictions` is the SHA-256 of the file uploads/<id>.
    `why`: a reason of queue.states; `detail`: words for it, fit for the team.
    `chosen_at`: when the team chose it for the final board (board.decisions). `not_before`: a booked hour.
    `reruns`: the struck submission that it runs again. `breaks`: how often it was paused because its service lost one
    episode after the other; 0 again once one was played.
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        WAITING_SERVICE = "waiting_service"
        RUNNING = "running"
        SCORING = "scoring"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"
        VOID = "void"

    class Fault(models.TextChoices):
        NOBODY = ""
        PARTICIPANT = "participant"
        OURS = "ours"

    id = models.CharField(max_length=12, primary_key=True, default=new_id)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL)
    phase = models.CharField(max_length=40)
    kind = models.CharField(max_length=12)
    protocol = models.CharField(max_length=5, blank=True)
    url = models.CharField(max_length=1000, blank=True)
    sealed_token = models.TextField(blank=True)
    endpoint_key = models.CharField(max_length=1500, null=True)
    predictions = models.CharField(max_length=64, blank=True)
    idempotency_key = models.CharField(max_length=100, null=True)
    accepted_at = models.DateTimeField()
    state = models.CharField(max_length=16, choices=State.choices, default=State.QUEUED, db_index=True)
    since = models.DateTimeField()
    deadline = models.DateTimeField(null=True)
    retry_at = models.DateTimeField()
    unready_since = models.DateTimeField(null=True)
    strikes = models.PositiveIntegerField(default=0)
    episodes_total = models.PositiveIntegerField(null=True)
    fault = models.CharField(max_length=12, choices=Fault.choices, blank=True)
    why = models.CharField(max_length=30, blank=True)
    detail = models.CharField(max_length=500, blank=True)
    chosen_at = models.DateTimeField(null=True)
    not_before = models.DateTimeField(null=True)
    breaks = models.PositiveIntegerField(default=0)
    reruns = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="rerun_as")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("team", "idempotency_key"), name="an_idempotency_key_once"),
            models.CheckConstraint(
                condition=Q(state__in=("done", "failed", "cancelled", "void")) | Q(deadline__isnull=False),
                name="no_state_without_a_deadline",
            ),
        )


class Method(models.Model):
    """What a team says of an entry of its, for boards and the entry's page. `sensors`: the class of those it uses."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="method")
    name = models.CharField(max_length=80, blank=True)
    affiliation = models.CharField(max_length=80, blank=True)
    paper = models.CharField(max_length=300, blank=True, validators=[WEB])
    code = models.CharField(max_length=300, blank=True, validators=[WEB])
    model_size = models.CharField(max_length=40, blank=True)
    sensors = models.CharField(max_length=60, blank=True)

    @property
    def told(self) -> dict[str, str]:
        """What of it is not empty."""
        names = ("name", "affiliation", "paper", "code", "model_size", "sensors")
        return {name: value for name in names if (value := getattr(self, name))}


class Charge(models.Model):
    """A place in a team's quota: reserved when the submission is accepted, spent at its first played episode.

    It is deleted, and so given back, if the submission ends without an episode, or through a fault of ours.
    `granted`: it is one of those that an organiser has added (Grant).
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT)
    phase = models.CharField(max_length=40)
    day = models.DateField()
    slot = models.PositiveIntegerField()
    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="charge")
    spent_at = models.DateTimeField(null=True)
    granted = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("team", "phase", "day", "slot"), name="a_slot_once"),)


class Attempt(models.Model):
    """A worker's try at a submission. Every write of the worker must show `fence`, and that it is still `live`.

    `stopping`: the worker is to end it; until it says so, or is silent too long, the endpoint stays taken.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="attempts")
    n = models.PositiveIntegerField()
    fence = models.BigIntegerField(unique=True)
    worker = models.ForeignKey(Token, on_delete=models.PROTECT)
    instance = models.CharField(max_length=64)
    endpoint_key = models.CharField(max_length=1500, null=True)
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    live = models.BooleanField(default=True)
    stopping = models.BooleanField(default=False)
    outcome = models.CharField(max_length=20, blank=True)
    rc = models.IntegerField(null=True)
    message = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("submission", "n"), name="an_attempt_once"),
            models.UniqueConstraint(fields=("submission",), condition=Q(live=True), name="one_live_per_submission"),
            models.UniqueConstraint(fields=("endpoint_key",), condition=Q(live=True), name="one_live_per_endpoint"),
        )


class Episode(models.Model):
    """A played episode of a submission; the first record counts, a second one never does.

    `reason`: why it failed, as the evaluator wrote it; queue.tally says which of it a team reads.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="episodes")
    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE)
    scene = models.CharField(max_length=300)
    episode = models.CharField(max_length=200)
    status = models.CharField(max_length=20)
    metrics = models.JSONField()
    reason = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("submission", "scene", "episode"), name="an_episode_once"),)


class Result(models.Model):
    """results.json of a finished submission, or what `nav-eval score` wrote; its files lie in state/runs/<id>."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="result")
    document = models.JSONField()
    manifest_sha256 = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField()


class Ranking(models.Model):
    """A board as it was at a moment; a row is never changed. The last one of a phase and board is the one in force.

    `document`: see board.places. `revealed`: a final board that everybody may see.
    """

    class Board(models.TextChoices):
        PUBLIC = "public"
        FINAL = "final"

    phase = models.CharField(max_length=40)
    board = models.CharField(max_length=10, choices=Board.choices)
    revealed = models.BooleanField(default=False)
    at = models.DateTimeField()
    document = models.JSONField()
    sha256 = models.CharField(max_length=64)


class Appeal(models.Model):
    """A team's objection to how a submission ended; one at a time. `Word`s are what both sides said. See appeals.py."""

    class State(models.TextChoices):
        OPEN = "open"
        STANDS = "stands"
        RERUN = "rerun"
        PLACE = "place"
        VOID = "void"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="appeals")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    opened_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("submission",), condition=Q(state="open"), name="one_open_appeal"),
        )


class Word(models.Model):
    """What somebody said about an appeal. `organiser`: on whose side; who it was is told to organisers only."""

    appeal = models.ForeignKey(Appeal, on_delete=models.CASCADE, related_name="words")
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL)
    organiser = models.BooleanField()
    at = models.DateTimeField()
    text = models.TextField(max_length=2000)


class Decision(models.Model):
    """What an organiser has decided about a team or a submission of its, with the reason that the team reads.

    `kind`: see organising.KINDS; `user`: told to organisers only. The audit log has it too.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="decisions")
    submission = models.ForeignKey(Submission, null=True, on_delete=models.CASCADE, related_name="decisions")
    kind = models.CharField(max_length=20)
    reason = models.CharField(max_length=500)
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL)
    at = models.DateTimeField()


class Grant(models.Model):
    """Places in a team's quota of a phase beside those of the rules, for any day."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="grants")
    phase = models.CharField(max_length=40)
    places = models.PositiveIntegerField()
    at = models.DateTimeField()


class MovedDate(models.Model):
    """When a phase closes, in the place of what challenge.yaml says."""

    phase = models.CharField(max_length=40, primary_key=True)
    closes = models.DateTimeField()
    at = models.DateTimeField()


class Announcement(models.Model):
    """What organisers say to all teams."""

    text = models.TextField(max_length=2000)
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL)
    at = models.DateTimeField()


class Closing(models.Model):
    """A phase that an organiser has ended before its time: it takes no submission any more."""

    phase = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()


class Event(models.Model):
    """What happened, for the audit: append-only, each row holding the SHA-256 of the one before. See events.py."""

    at = models.DateTimeField()
    actor = models.CharField(max_length=100)
    action = models.CharField(max_length=40)
    subject = models.CharField(max_length=100)
    details = models.JSONField()
    previous = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64, unique=True)


class Slot(models.Model):
    """An hour that a team has booked. `place`: of the hours that run side by side (challenge.yaml, slots.places)."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="slots")
    begins = models.DateTimeField()
    place = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("begins", "place"), name="an_hour_once"),
            models.UniqueConstraint(fields=("begins", "team"), name="an_hour_of_a_team_once"),
        )


class Notice(models.Model):
    """The outbox: a mail to `to`, or, where that is empty, a message to the webhook. See notices/.

    `body` is emptied when it is sent or given up; `said`: why the last try failed.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        GIVEN_UP = "given_up"

    kind = models.CharField(max_length=20)
    to = models.CharField(max_length=254, blank=True)
    subject = models.CharField(max_length=200)
    body = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING, db_index=True)
    at = models.DateTimeField()
    deadline = models.DateTimeField()
    next_at = models.DateTimeField()
    tries = models.PositiveIntegerField(default=0)
    said = models.CharField(max_length=300, blank=True)


class Mark(models.Model):
    """A number or a moment that there is one of: the last fence, the last sweep. Its row is also the lock for it."""

    name = models.CharField(max_length=20, primary_key=True)
    value = models.BigIntegerField(default=0)
    at = models.DateTimeField(null=True)
