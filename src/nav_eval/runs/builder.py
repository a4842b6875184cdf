"""The composition root: from a configuration to objects. The only place that knows concrete classes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from nav_eval.config.schema import Config, DatasetConfig, SensorConfig, TlsConfig
from nav_eval.core.actions import ActionSpace
from nav_eval.core.aggregate import MetricsAggregator
from nav_eval.core.clock import ChargedClock
from nav_eval.core.deadline import Deadline
from nav_eval.core.definitions import Definition
from nav_eval.core.environment import Environment, Rules
from nav_eval.core.episodes import EpisodeManager, Selection
from nav_eval.core.interfaces import AgentService, Dataset, Metric, SimulatorBackend, Task
from nav_eval.core.loop import Policy
from nav_eval.core.measurements import Measurements
from nav_eval.core.perturbing import PerturbedSensors, RewordedDataset
from nav_eval.core.types import Need
from nav_eval.dataset.split import known_split, same_split
from nav_eval.errors import ConfigError
from nav_eval.runs.effective import Effective, make_task
from nav_eval.simulator.perturbations.registry import make_perturbations
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.protocol.limits import Limits

SPLIT = "{split}"


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run, a score or a worker is made of, made once of its configuration, and what it makes of that.

    `effective`: of a configuration with its split settled; its task only says what it is, because one that plays serves
    one session only. `metrics`: the `reported` ones, and those that they require; `episodes`: a part of the `whole`
    run, or all of it; `assets`: scene -> file -> SHA-256, of every scene that they are in; `notes`: what was left out.
    """

    effective: Effective
    metrics: Sequence[type[Metric]]
    reported: Mapping[str, Definition]
    actions: ActionSpace
    rules: Rules
    backend: SimulatorBackend
    whole: EpisodeManager
    episodes: EpisodeManager
    assets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @classmethod
    def of(cls, effective: Effective, backend: SimulatorBackend, episodes: EpisodeManager) -> Plan:
        """Raises ConfigError for metrics or actions that do not go together."""
        config, task = effective.config, effective.task
        names = measured_names(config, task)
        metrics = _metrics(task, names)
        defined = Measurements(metric() for metric in metrics).definitions
        return cls(
            effective=effective,
            metrics=metrics,
            reported={name: defined[name] for name in names},
            actions=ActionSpace.of(config.task.actions or task.actions, task.own_actions),
            rules=Rules(
                limits=_limits(effective),
                success_distance=effective.evaluation.success_distance,
                settings=config.task,
                cut_at_collision=effective.evaluation.cut_at_collision,
                clock=make_clock(effective),
                full_speed=config.simulator.motion.max_linear,
            ),
            backend=backend,
            whole=episodes,
            episodes=episodes,
        )

    @property
    def config(self) -> Config:
        return self.effective.config

    @property
    def task(self) -> Task:
        return self.effective.task

    def without(self, *needs: Need) -> Plan:
        """The same with those measurements only that need none of these."""
        kept = {name: one for name, one in self.reported.items() if not set(needs) & set(one.needs)}
        return replace(self, metrics=_metrics(self.task, kept), reported=kept)

    def files(self, but: Container[str] = ()) -> dict[str, str]:
        """File -> SHA-256 of all scenes but these."""
        of_scenes = (files.items() for scene, files in self.assets.items() if scene not in but)
        return dict(chain.from_iterable(of_scenes))

    @property
    def sensors(self) -> Mapping[str, SensorConfig]:
        """The simulator's, and those that tell the task's goal."""
        return self.effective.simulator.sensors

    @property
    def renders(self) -> bool:
        """Whether what a sensor shows is drawn by the renderer."""
        from nav_eval.simulator.sensors.registry import make_sensors

        return any(sensor.renders for sensor in make_sensors(self.effective.simulator).values())

    @property
    def distributions(self) -> tuple[str, ...]:
        """Those that poses depend on beside nav_eval and plug-ins."""
        from nav_eval.simulator.registry import PHYSICS

        return tuple(getattr(PHYSICS.get(self.config.simulator.physics), "distributions", ()))

    def environment(self) -> Environment:
        """One of its own for one session."""
        measurements = Measurements(metric() for metric in self.metrics)
        session = self.backend.open_session()
        return Environment(
            session, make_task(self.config), measurements, self.actions, self.rules, self._perturb_sensors()
        )

    def _perturb_sensors(self) -> PerturbedSensors | None:
        """Of a session's own; None where no reading is perturbed."""
        perturbations = make_perturbations(self.config.perturbed)
        kinds = {name: sensor.type or name for name, sensor in self.sensors.items()}
        touching = {name: one for name, one in perturbations.items() if {*kinds.values()} & {*one.sensors}}
        return PerturbedSensors(touching, kinds, self.config.seed) if touching else None

    def aggregator(self) -> MetricsAggregator:
        return make_aggregator(self.config, self.reported)

    def service(self, secret: bytes, agent: Any = None) -> AgentService:
        """Of an agent that the caller holds (a class, or one object for all sessions); None: the configured service."""
        if agent is None:
            return make_service(self.config, secret)
        _check_held(agent)
        return local_service(self.config, agent if isinstance(agent, type) else _handing_out(agent), secret)

    def policy(self) -> Policy:
        """How the run goes on; the total budget begins to count now."""
        budget, service = self.config.evaluation.budget, self.config.agent_service
        return Policy(
            seed=self.config.seed,
            on_error=service.on_error,
            episode_seconds=service.deadlines.episode,
            episode_restarts=service.episode_restarts,
            budget_seconds=budget.episode_seconds,
            budget_mb=budget.memory_mb,
            budget_run=None if budget.total_seconds is None else Deadline(budget.total_seconds),
        )


def _metrics(task: Task, names: Collection[str]) -> list[type[Metric]]:
    """With those that they require."""
    from nav_eval.metrics.registry import make_metrics

    own = task.own_metrics
    return [*map(type, make_metrics(n for n in names if n not in own)), *(own[n] for n in names if n in own)]


def measured_names(config: Config, task: Task) -> Sequence[str]:
    """Of the metrics to report: none where the list is empty, the task's own where there is no list."""
    chosen = config.task.measurements
    return task.measurements if chosen is None else chosen


def _limits(effective: Effective) -> Limits:
    """As configured; agents are told of a world that does not wait, but not where a perturbation is why."""
    limits = effective.evaluation
    told = "lockstep" not in (limits.clock, effective.config.evaluation.clock)
    return Limits.of(dict(limits) | ({"step_seconds": limits.step_s} if told else {}))


def make_clock(effective: Effective) -> ChargedClock | None:
    """None where the world waits. Raises ConfigError for a tick that no velocity lasts for."""
    limits, longest = effective.evaluation, effective.config.simulator.motion.max_duration
    if limits.clock == "lockstep":
        return None
    if limits.step_s > longest:
        raise ConfigError(
            f"evaluation.step_s: {limits.step_s:g} s is more than simulator.motion.max_duration = {longest:g} s."
        )
    return ChargedClock(limits.step_s, limits.latency_s)


def make_aggregator(config: Config, definitions: Mapping[str, Definition]) -> MetricsAggregator:
    from nav_eval.results.statistics import summarise_metric

    return MetricsAggregator(definitions, partial(summarise_metric, seed=config.seed))


def make_dataset(effective: Effective) -> Dataset:
    """The configured data set; raises ConfigError without a path, DatasetError at the first fault while reading."""
    dataset = effective.dataset
    loaded = _load(dataset)
    rewording = {name: one for name, one in effective.perturbations.items() if one.rewords}
    if not rewording:
        return loaded
    every = dataset.model_copy(update={"languages": None, "instructions_per_path": None})
    return RewordedDataset(loaded, lambda: _load(every), rewording, effective.config.seed)


def _load(dataset: DatasetConfig) -> Dataset:
    from nav_eval.dataset.registry import load_dataset

    loaded: Any = load_dataset(
        dataset.type,
        data_file(dataset),
        gt_path=dataset.gt_path,
        scenes=dataset.scenes,
        languages=dataset.languages,
        max_bytes=dataset.max_bytes,
        instructions_per_path=dataset.instructions_per_path,
    )
    return loaded  # type: ignore[no-any-return]


def data_file(dataset: DatasetConfig) -> str:
    """`data_path` with {split} filled in; raises ConfigError where one of the two is missing."""
    if not dataset.data_path:
        raise ConfigError(
            "dataset.data_path: is missing. Give the data set's file, for example dataset.data_path=x.json.gz"
        )
    split = dataset.split or dataset.default_split
    if split is None and SPLIT in dataset.data_path:
        raise ConfigError(f"dataset.data_path: {dataset.data_path}: of which split? Set dataset.split.")
    return dataset.data_path.replace(SPLIT, split or "")


def settled_split(config: Config) -> Config:
    """`config` with the split that every figure is labelled with: the one set, else the one that the file is known to
    be, else none. Raises ConfigError where the two contradict each other.
    """
    dataset, wanted = config.dataset, config.dataset.split
    if dataset.data_path is None or SPLIT in dataset.data_path:
        wanted = wanted or dataset.default_split
    known = known_split(data_file(dataset), dataset.max_bytes) if dataset.data_path else None
    if wanted and known and not same_split(wanted, known):
        raise ConfigError(
            f"dataset.split: is {wanted!r}, but {data_file(dataset)} is the split {known!r}. "
            "Leave dataset.split out, or give the other file in dataset.data_path."
        )
    return config.model_copy(update={"dataset": dataset.model_copy(update={"split": wanted or known})})


def make_episodes(effective: Effective) -> EpisodeManager:
    """The selected episodes."""
    dataset, seed = effective.dataset, effective.config.seed
    selection = Selection(
        episodes=dataset.episodes,
        sample=dataset.sample,
        limit=dataset.limit,
        seed=seed,
        filtered=dataset.scenes is not None or dataset.languages is not None,
    )
    return EpisodeManager(make_dataset(effective), selection)


def make_backend(effective: Effective) -> SimulatorBackend:
    from nav_eval.simulator.registry import make_simulator_backend

    return make_simulator_backend(effective.simulator, effective.config.seed)


def make_service(config: Config, secret: bytes) -> AgentService:
    """The participant: a built-in agent, a class of the user's, or a service behind a wire."""
    service = config.agent_service
    if service.type == "remote":
        return _remote_service(config, secret)
    agent = agent_class(service.agent)
    if issubclass(agent, AgentService):
        return agent()  # type: ignore[no-any-return]
    if ":" not in service.agent:
        return local_service(config, agent, secret, limited=not agent.__module__.startswith("nav_eval."))
    from nav_eval.api.process import ProcessService

    parallel = config.evaluation.parallel
    keep = parallel.workers == 1 and parallel.executor == "local"
    return ProcessService(service.agent, agent, keep=keep, **_service_options(config, secret))


def local_service(config: Config, factory: Callable[[], Any], secret: bytes, *, limited: bool = True) -> AgentService:
    """Agents made by `factory`, one per session, in this process; `limited`: held to their deadlines."""
    from nav_eval.api.local import LocalService

    return LocalService(factory, limited=limited, **_service_options(config, secret))


def _check_held(agent: Any) -> None:
    """Raises ConfigError for what is no agent."""
    if isinstance(agent, str):
        raise ConfigError(f"agent: {agent!r} is a name. Give it by overrides=['agent_service.agent={agent}'].")
    if not all(callable(getattr(agent, method, None)) for method in ("reset", "act")):
        raise ConfigError(
            f"agent: {agent!r:.60} has no reset and act. Give a nav_eval_sdk.VLNAgent class, or an object of one."
        )


def _handing_out(agent: Any) -> Callable[[], Any]:
    """A factory that gives every session this one object, and is named as it is."""

    def hand_out() -> Any:
        return agent

    hand_out.__name__ = str(getattr(agent, "name", "") or type(agent).__name__)
    return hand_out


def _service_options(config: Config, secret: bytes) -> dict[str, Any]:
    return {"disclosure": config.agent_service.disclosure, "secret": secret, "deadlines": _deadlines(config)}


def own_secret(config: Config, *, local: bool = False) -> bytes | None:
    """The secret that does not differ from run to run: the one that was set, or a local agent's, made of the seed.

    What is secret is so from participants; who runs an agent on this machine wants the same run again.
    """
    service = config.agent_service
    if service.secret:
        return service.secret.encode()
    return f"a local agent's: {config.seed}".encode() if local or service.type == "local" else None


def agent_class(name: str) -> Any:
    """MODULE:CLASS, or a built-in agent with the options that the environment gives it; raises ConfigError."""
    if ":" not in name:
        from nav_eval.agents.registry import AGENTS
        from nav_eval_sdk.options import configured

        try:
            return configured(AGENTS.get(name))
        except ValueError as error:
            raise ConfigError(str(error)) from error
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise no_agent(name, error) from error


def no_agent(name: str, error: Exception) -> ConfigError:
    return ConfigError(
        f"agent_service.agent: {name!r} cannot be imported ({error}). Write MODULE:CLASS, for example agent:Agent."
    )


def _remote_service(config: Config, secret: bytes) -> AgentService:
    from nav_eval.api.connecting import connect, given_token
    from nav_eval.api.replicas import Replicas
    from nav_eval.api.settings import Retry
    from nav_eval_sdk.transport.base import ClientTls

    service = config.agent_service
    _check_tls(service.tls)
    tls = ClientTls(service.tls.ca, service.tls.cert, service.tls.key) if service.tls.enabled else None
    open_service = partial(
        connect,
        protocol=service.protocol,
        token=given_token(service.token, service.token_file),
        tls=tls,
        encoding=service.encoding,
        jpeg=service.jpeg,
        deadlines=_deadlines(config),
        retry=Retry(service.retries),
        disclosure=service.disclosure,
        secret=secret,
        networks=service.allowed_networks,
    )
    if not service.endpoints:
        return open_service(service.endpoint)
    if len(set(service.endpoints)) < len(service.endpoints):
        raise ConfigError("agent_service.endpoints: names one replica twice. Leave one out.")
    return Replicas([open_service(endpoint) for endpoint in service.endpoints])


def _check_tls(tls: TlsConfig) -> None:
    """Raises ConfigError for a file that is not there, or that would be passed over and the token sent in clear."""
    for name in ("ca", "cert", "key"):
        file = getattr(tls, name)
        if file and not tls.enabled:
            raise ConfigError(
                f"agent_service.tls.{name}: is given, but agent_service.tls.enabled is false. Set it to true."
            )
        if file and not Path(file).is_file():
            raise ConfigError(f"agent_service.tls.{name}: {file}: there is no such file.")


def _deadlines(config: Config) -> Deadlines:
    given = config.agent_service.deadlines
    return Deadlines(given.connect, given.ready, given.reset, given.act or config.agent_service.timeout, given.episode)
