"""challenge.yaml: the rules of a competition, checked whole and then locked.

`evaluation` is a configuration of nav-eval; the rest says when and how often teams may be judged by it. Every fault is
told at once, with its key.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args
from zoneinfo import ZoneInfo, available_timezones

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from nav_eval.config.faults import unknown
from nav_eval.config.loader import load_config
from nav_eval.config.locations import DATA
from nav_eval.config.schema import Config
from nav_eval.errors import ConfigError
from nav_eval_sdk.examples import BASELINES, EXAMPLES
from nav_eval_sdk.transport.address import Networks
from nav_eval_server.conditions import Conditions

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
DRY_RUN = "dry_run"
"""In the place of a phase: no phase can have this name."""
DEMO = (
    "simulator.scenes_dir=null",
    "dataset.data_path=null",
    "dataset.generate={seed: demo}",
    "dataset.split=val_unseen",
)
"""The homes of vln-demo and its kin, which everybody has; a worker makes them when they are first needed."""
FOREVER = datetime(9999, 1, 1, tzinfo=UTC)
"""When a phase closes that has no end."""
ORACLE = "shortest_path"
"""The one of our agents that is told the way."""
AGENTS = (*EXAMPLES, *BASELINES, ORACLE)
DATES = ("opens", "closes")
"""Keys of a phase that may still be moved after the opening."""


def _networks(names: tuple[str, ...]) -> tuple[str, ...]:
    Networks(names)
    return names


NetworkNames = Annotated[tuple[str, ...], AfterValidator(_networks)]


class Part(BaseModel):
    """A section of the file: unknown keys are faults, and nothing is changed once it is read."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Title(Part):
    """The same words in both languages."""

    en: str
    zh: str


class Quota(Part):
    """How many submissions a team has. A day ends at midnight in the challenge's time zone."""

    per_day: int = Field(1, ge=1)
    total: int | None = Field(None, ge=1)
    concurrent: int = Field(1, ge=1)
    """Unfinished submissions of one team at a time."""


class Phase(Part):
    """`split`: what `dataset.split` is set to. Dates without a zone are of the challenge's time zone."""

    board: Literal["public", "private"] = "public"
    """public: it shows what is done so far; private: only the final board is shown, once an organiser reveals it."""
    ladder: float | None = Field(None, gt=0)
    """A team's public score moves only if it is better by more than this step, and is rounded to it (board.ladder)."""
    finals: int = Field(1, ge=1)
    """How many of its submissions a team may choose for the final board; the best of them counts."""

    opens: datetime
    closes: datetime = FOREVER
    split: str
    seed: int | None = Field(None, ge=0)
    """In the place of `evaluation.seed`, so that nothing of one phase tells what is drawn in another."""
    kind: Literal["service", "predictions"] = "service"
    images: Literal["also", "only"] | None = None
    """Whether teams may enter a container image, in place of a service that they run, or have to."""
    quota: Quota = Quota()

    @model_validator(mode="after")
    def _ladder_is_public(self) -> Phase:
        if self.ladder is not None and self.board == "private":
            raise ValueError("ladder: a private board shows no score that could move; take one of the two out.")
        return self

    @model_validator(mode="after")
    def _images_are_services(self) -> Phase:
        if self.images is not None and self.kind == "predictions":
            raise ValueError("images: a phase of predictions takes files; take one of the two out.")
        return self


class DryRun(Part):
    """A run that teaches a team how its service fares: it costs no quota, and its records are the team's to read.

    `split`: of one's own that is thrown away by this; by default the embedded demo's homes.
    """

    split: str | None = None
    episodes: int = Field(3, ge=1, le=20)


class Ranking(Part):
    """`by`: the one measure that ranks; `secondary_metrics`: those that boards without a Ladder show next to it.

    Older files call the latter `beside`; sums are made under that name, so that they stay what they were.
    """

    by: str = "spl"
    secondary_metrics: tuple[str, ...] = Field((), max_length=3, serialization_alias="beside")

    @model_validator(mode="before")
    @classmethod
    def _rename_old_key(cls, content: Any) -> Any:
        if not isinstance(content, dict) or "beside" not in content:
            return content
        if "secondary_metrics" in content:
            raise ValueError("beside: is the old name of secondary_metrics; name the latter only.")
        return {"secondary_metrics" if key == "beside" else key: value for key, value in content.items()}

    @model_validator(mode="after")
    def _each_once(self) -> Ranking:
        if len({self.by, *self.secondary_metrics}) <= len(self.secondary_metrics):
            raise ValueError("secondary_metrics: names a measure twice, or the one of by; name each once.")
        return self


class Teams(Part):
    """`approval`: a new team waits until an organiser lets it in."""

    approval: bool = True


class Endpoints(Part):
    """Where services may lie, and how long we wait for one that does not answer."""

    allowed_networks: NetworkNames = ("public",)
    allowed_ports: tuple[Annotated[str, BeforeValidator(str)], ...] = ("80", "443", "1024-65535")
    """By default none of those below 1024 but the web's: no mail, no remote log-in."""
    probe_seconds: float = Field(3.0, gt=0, le=30)
    patience_seconds: float = Field(60.0, ge=0)
    """So long a worker waits for a service to be ready before it takes the next submission."""
    retry_seconds: float = Field(60.0, gt=0)
    wait_seconds: float = Field(3600.0, gt=0)
    """After so long without an answer a submission has failed."""
    join: bool = True
    """Whether a service may call us, in place of being called (`nav-eval-agent join`)."""

    @field_validator("allowed_ports")
    @classmethod
    def _ports(cls, ports: tuple[str, ...]) -> tuple[str, ...]:
        Networks(ports=ports)
        return ports

    @property
    def networks(self) -> Networks:
        return Networks(self.allowed_networks, self.allowed_ports)


class Images(Part):
    """Teams' container images: what workers run them with, always without a network, and what one of them may have."""

    engine: Literal["podman", "docker"] = "podman"
    size_gb: float = Field(8.0, gt=0)
    """GiB of an archive, and of what it unpacks to."""
    keep: int = Field(3, ge=1)
    """Images of a team; a new one takes the place of the oldest."""
    memory_gb: float = Field(8.0, gt=0)
    """GiB, what it writes to /tmp included."""
    cpus: float = Field(2.0, gt=0)
    pids: int = Field(256, ge=16)
    """Processes and threads."""
    gpus: Annotated[str, StringConstraints(pattern=r"^(all|[0-9]+)?$")] = ""
    """all, or the number of one; by default none."""
    ready_seconds: float = Field(300.0, gt=0)
    """So long it may take to be ready."""
    allow_unlimited: bool = False
    """Open even where the engine cannot limit memory and processes."""


class Slots(Part):
    """Hours that teams may book, for services that run only then."""

    per_week: int = Field(0, ge=0, le=168)
    """Of a team; a week begins on Monday in the challenge's time zone. 0: nothing can be booked."""
    days_ahead: int = Field(14, ge=1, le=90)
    places: int = Field(1, ge=1)
    """Evaluations that all workers together play at a time; so many teams may book the same hour."""
    lead_minutes: float = Field(60.0, ge=0)
    """So long before a booked hour nothing else begins on the place that is kept for it."""
    grace_minutes: float = Field(10.0, ge=0, le=60)
    """So long into it the place is kept for a team that has nothing to play yet."""


class Queue(Part):
    """Deadlines of the queue, in seconds."""

    lease_seconds: float = Field(120.0, ge=1)
    """A worker that is silent for so long is taken for dead."""
    queued_seconds: float = Field(7 * 86400.0, gt=0)
    """A submission that no worker took for so long has failed, and the fault is ours."""
    run_seconds: float = Field(12 * 3600.0, gt=0)
    """Evaluator's time that one submission may take, over all its attempts."""
    breaker: int = Field(5, ge=0)
    """After so many episodes in a row that a service lost, its run is paused, and ended the next time; 0: never."""
    turn_minutes: float = Field(10.0, ge=0)
    """After so long a run hands its worker over where another team waits; 0: never."""
    strikes: int = Field(5, ge=1)
    """After so many attempts in a row that brought no episode the fault is ours."""


class Mail(Part):
    """A mail server. With `user`, its password lies in private/smtp.password."""

    host: str
    port: int = Field(587, ge=1, le=65535)
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    sender: str


class Webhook(Part):
    """Where each notice is also sent as JSON; `text` in it is what chat programs show."""

    url: Annotated[str, StringConstraints(pattern=r"^https?://[A-Za-z0-9.\[\]:_-]+(/[!-~]*)?$")]
    allowed_networks: NetworkNames = ("public",)


class Notify(Part):
    """Notices by e-mail and webhook; none of the two by default."""

    mail: Mail | None = None
    webhook: Webhook | None = None
    retry_seconds: float = Field(60.0, gt=0)
    """Before the second try; each pause is twice the one before, up to an hour."""
    give_up_seconds: float = Field(86400.0, gt=0)


class Web(Part):
    """`hosts`: names under which the server answers, besides those of this machine."""

    hosts: tuple[str, ...] = ()
    upload_mb: int = Field(64, ge=1, le=1024)


class Challenge(Part):
    """A whole competition. `folder`: where its file lies; not part of the file."""

    name: Name
    title: Title
    timezone: str = "UTC"
    database: str | None = None
    """postgresql://... for several workers; by default SQLite in the folder."""
    evaluation: Mapping[str, Any]
    phases: Mapping[Name, Phase] = Field(min_length=1)
    allow_overlap: bool = False
    """Two phases may play the same episodes, or in the same scenes."""
    ranking: Ranking = Ranking()
    baselines: tuple[str, ...] = ()
    """Agents of ours that workers play in each phase, so that boards have them too; see queue.baselines."""
    teams: Teams = Teams()
    dry_run: DryRun | None = None
    endpoints: Endpoints = Endpoints()
    images: Images = Images()
    queue: Queue = Queue()
    slots: Slots = Slots()
    web: Web = Web()
    notify: Notify = Notify()
    folder: Path = Field(default=Path(), exclude=True)

    @field_validator("timezone")
    @classmethod
    def _zone(cls, name: str) -> str:
        if name not in available_timezones():
            raise ValueError("is not a time zone; write for example Europe/Berlin, Asia/Shanghai or UTC.")
        return name

    @field_validator("baselines")
    @classmethod
    def _agents(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if strange := [name for name in names if name not in AGENTS]:
            raise ValueError(f"{strange[0]!r} is no agent of ours. There are {', '.join(AGENTS)}.")
        return tuple(dict.fromkeys(names))

    @model_validator(mode="after")
    def _in_order(self) -> Challenge:
        late = [name for name in self.phases if self.opens(name) >= self.closes(name)]
        if late:
            raise ValueError(f"phases.{late[0]}: closes before it opens.")
        return self

    @model_validator(mode="after")
    def _thrown_away(self) -> Challenge:
        if self.dry_run is not None and self.dry_run.split in {phase.split for phase in self.phases.values()}:
            raise ValueError("dry_run.split: is the split of a phase, whose episodes teams would read; name another.")
        return self

    def overrides(self, phase: str) -> tuple[str, ...]:
        """Of `evaluation`, for a phase or a dry run, whose seed is not the phases'."""
        if phase != DRY_RUN:
            return (f"dataset.split={self.phases[phase].split}",)
        rules = self.dry_run or DryRun()
        split = (f"dataset.split={rules.split}",) if rules.split else DEMO
        return (*split, f"dataset.limit={rules.episodes}", "seed=0")

    def images_in(self, phase: str) -> Literal["also", "only"] | None:
        """As the phase says; a dry run takes them if any phase does."""
        if phase != DRY_RUN:
            return self.phases[phase].images
        return "also" if self.takes_images else None

    @property
    def takes_images(self) -> bool:
        return any(phase.images for phase in self.phases.values())

    @cached_property
    def config(self) -> Config:
        """Of every phase, for they differ in episodes and seed alone. Raises ConfigError."""
        return configured(self, next(iter(self.phases)))

    @cached_property
    def conditions(self) -> Conditions:
        """Of every phase."""
        return Conditions.of(self.config)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    def opens(self, phase: str) -> datetime:
        return self._moment(self.phases[phase].opens)

    def closes(self, phase: str) -> datetime:
        return self._moment(self.phases[phase].closes)

    def _moment(self, value: datetime) -> datetime:
        return (value if value.tzinfo else value.replace(tzinfo=self.zone)).astimezone(UTC)

    @property
    def address(self) -> str:
        """Under which the world reaches it; "" where `web.hosts` names none."""
        return f"https://{self.web.hosts[0]}" if self.web.hosts else ""

    @property
    def rules_sha256(self) -> str:
        """Of all that decides a rank; stands on every page, and does not change after the opening.

        Of what the file says, so that it stays what it was when a later version knows more keys.
        """
        return content_sha256(self._rules())

    @property
    def judging_sha256(self) -> str:
        """Of the rules without the places of data: other places of the same data change no result."""
        content = self._rules()
        for key in DATA:
            _remove(content["evaluation"], key)
        return content_sha256(content)

    def _rules(self) -> dict[str, Any]:
        content = self.model_dump(
            mode="json", include={"name", "evaluation", "phases", "ranking"}, exclude_unset=True, by_alias=True
        )
        for phase in content["phases"].values():
            for date in DATES:
                phase.pop(date, None)
        return content

    @property
    def sha256(self) -> str:
        """Of all that the file says, dates, endpoints, queue and teams included."""
        return content_sha256(self.model_dump(mode="json", exclude_unset=True, by_alias=True))


def _remove(content: Any, key: str) -> None:
    """The dotted key, where it is set."""
    *sections, name = key.split(".")
    for section in sections:
        content = content.get(section) or {}
    content.pop(name, None)


def content_sha256(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def load_challenge(path: Path) -> Challenge:
    """Read and check a file, the configuration of the evaluation too. Raises ConfigError with every fault."""
    content = _read(path)
    try:
        challenge = Challenge.model_validate({**content, "folder": path.resolve().parent})
    except ValidationError as error:
        raise ConfigError(_describe_faults(path, error)) from None
    _check_evaluation(path, challenge)
    return challenge


def _read(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file. `nav-eval competition init DIR` makes one.") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: cannot be read as YAML: {error}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: must hold keys such as name, evaluation and phases at its top.")
    if "folder" in content:
        raise ConfigError(f"{path}: folder: is not a key of this file; it is the folder that the file is in.")
    return content


def _describe_faults(path: Path, error: ValidationError) -> str:
    lines = [f"{_key(fault['loc'])}{_describe_fault(fault)}" for fault in error.errors()]
    count = f"{len(lines)} faults" if len(lines) > 1 else "1 fault"
    return "\n  ".join([f"{path}: {count}:", *lines])


def _describe_fault(fault: Any) -> str:
    if fault["type"] == "extra_forbidden":
        return unknown(str(fault["loc"][-1]), _keys_at(fault["loc"][:-1]))
    told = str(fault["ctx"]["error"]) if fault["type"] == "value_error" else fault["msg"]
    return f"{told.rstrip('.')}."


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    """The keys of the section that stands there."""
    model: Any = Challenge
    for part in location:
        fields = getattr(model, "model_fields", None)
        model = get_args(model)[-1] if fields is None else fields[part].annotation
        model = get_args(model)[0] if NoneType in get_args(model) else model
    return [name for name, field in model.model_fields.items() if not field.exclude]


def _key(location: tuple[int | str, ...]) -> str:
    return f"{'.'.join(map(str, location))}: " if location else ""


def _check_evaluation(path: Path, challenge: Challenge) -> None:
    config = _evaluation(path, challenge, ())
    _check_dry_run(path, challenge)
    measured, asked = config.task.measurements, challenge.ranking
    for key, name in (("by", asked.by), *(("secondary_metrics", name) for name in asked.secondary_metrics)):
        if measured and name not in measured:
            raise ConfigError(
                f"{path}: ranking.{key}: {name!r} is not measured. "
                f"Add it to evaluation.task.measurements, or take one of {', '.join(measured)}."
            )


def _evaluation(path: Path, challenge: Challenge, overrides: tuple[str, ...]) -> Config:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "evaluation.yaml"
        file.write_text(evaluation_text(challenge), encoding="utf-8")
        try:
            return load_config(file=file, overrides=overrides, environment={})
        except ConfigError as error:
            raise ConfigError(f"{path}, evaluation: {error}".replace(str(file), "challenge.yaml")) from None


def configured(challenge: Challenge, phase: str) -> Config:
    """The evaluation as it is played in a phase, or a dry run. Raises ConfigError."""
    return _evaluation(challenge.folder / "challenge.yaml", challenge, challenge.overrides(phase))


def _check_dry_run(path: Path, challenge: Challenge) -> None:
    if challenge.dry_run is None:
        return
    config = _evaluation(path, challenge, challenge.overrides(DRY_RUN))
    if challenge.dry_run.split is None and config.simulator.backend != "custom":
        raise ConfigError(
            f"{path}: dry_run: the demo's homes are for simulator.backend custom only, this is "
            f"{config.simulator.backend}. Name a split of your own that teams may read: dry_run: {{split: NAME}}."
        )


def evaluation_text(challenge: Challenge, phase: str = DRY_RUN) -> str:
    """The file that workers give to `nav-eval --config`; a phase's own seed stands in it, and so in no command."""
    rules = challenge.phases.get(phase)
    own = {} if rules is None or rules.seed is None else {"seed": rules.seed}
    return yaml.safe_dump({**challenge.evaluation, **own}, sort_keys=False, allow_unicode=True)
