"""A whole evaluation with its run directory: what `nav-eval run` and nav_eval.evaluate do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nav_eval.config.schema import AgentServiceConfig, Config
from nav_eval.core.aggregate import EvaluationResults
from nav_eval.core.interfaces import Observer, ServiceStatus
from nav_eval.core.orchestrator import Watcher
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.logging import get_logger
from nav_eval.results.export import ORACLE, export_csv, results_document
from nav_eval.results.run_directory import RunDirectory, run_facts
from nav_eval.runs import builder
from nav_eval.runs.builder import Plan
from nav_eval.runs.execution import make_runner
from nav_eval.runs.plan import resolved
from nav_eval.runs.sharding import Part, places
from nav_eval.runs.submission import write_submission


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A finished run: its figures, the content of results.json, and where its files are."""

    results: EvaluationResults
    document: Mapping[str, Any]
    path: Path


def run_benchmark(
    config: Config,
    out: str | Path | None = None,
    *,
    resume: bool = False,
    watchers: Sequence[Watcher] = (),
    part: Part | None = None,
    agent: Any = None,
    called: str = "",
) -> Evaluated:
    """Evaluate, or one `part` of it, and write the run directory. `agent`: one that the caller holds, as for evaluate,
    and what tables call it, if not by its class.

    Raises NavEvalError's subclasses; finished episodes stay on disk.
    """
    config = config if agent is None else _with_agent(config, agent, called)
    _warn_of_a_service_not_asked(config.agent_service)
    name = "" if part is None else f"-{part.index}-of-{part.of}"
    directory = RunDirectory.named(out, config, name)
    finished = directory.finished() if resume else ()
    with resolved(config, part, finished=finished, agent_given=agent is not None) as plan, directory:
        config, whole, episodes = plan.config, plan.whole, plan.episodes
        directory.claim(resume=resume)
        secret = builder.own_secret(config) or directory.secret
        given = (config, episodes.keys, episodes.dataset.files, plan.files(), secret)
        facts = run_facts(*given, renders=plan.renders, distributions=plan.distributions)
        unmet = plan.files(but={scene for scene, _ in finished})
        directory.begin(config, facts if part is None else facts | part.facts(whole.keys), unmet)
        if part is not None:
            directory.write_json("shard.json", places(episodes.keys, whole.keys))
        observers = _observers(plan, directory, watchers)
        runner = make_runner(plan, observers, secret if agent is None else None, facts, directory.journal.attempts)
        service = plan.service(secret, agent)
        try:
            results = runner.run_evaluation(service, directory.journal, watchers)
        finally:
            service.close()
        learnt = {"privileged": getattr(service, "privileged", False)} | _service_facts(runner.service_status)
        results = replace(results, timing={"wall_seconds": round(directory.seconds(), 3), **results.timing})
        notes = [] if part is None else [part.note(len(episodes), len(whole))]
        notes += [note for watcher in watchers for note in watcher.notes()]
        return settle(config, directory, episodes.keys, results, learnt, [*plan.notes, *notes])


def _with_agent(config: Config, agent: Any, called: str) -> Config:
    """The same with the agent's name in place of a service's."""
    kind = agent if isinstance(agent, type) else type(agent)
    local = {"type": "local", "agent": called or f"{kind.__module__}:{kind.__qualname__}"}
    return config.model_copy(update={"agent_service": config.agent_service.model_copy(update=local)})


def _warn_of_a_service_not_asked(service: AgentServiceConfig) -> None:
    unset = AgentServiceConfig()
    given = [name for name in ("token", "token_file", "tls") if getattr(service, name) != getattr(unset, name)]
    if service.type == "local" and given:
        get_logger(__name__).warning(
            "agent_service.%s is given, but agent_service.type is local: the agent %r is run in this process. "
            "Set agent_service.type=remote to ask the service.",
            given[0],
            service.agent,
        )


def _observers(plan: Plan, directory: RunDirectory, watchers: Sequence[Watcher]) -> Callable[[], Sequence[Observer]]:
    """What makes each session's observers: its recorder, as output.video says, and those that watch its steps.

    Workers are other processes: whoever watches is told of their results only.
    """
    parallel = plan.config.evaluation.parallel
    here = parallel.workers == 1 and parallel.executor == "local"
    makers = [watcher.observers for watcher in watchers if watcher.observers is not None and here]
    if plan.config.output.video != "none":
        from nav_eval.report.recording import video_observers

        makers.append(video_observers(plan.config, plan.backend, plan.task, directory.path, plan.episodes.keys))
    return (lambda: tuple(observer for make in makers for observer in make())) if makers else tuple


def settle(
    config: Config,
    directory: RunDirectory,
    keys: Sequence[EpisodeKey],
    results: EvaluationResults,
    learnt: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> Evaluated:
    """Write what a run came to. `learnt`: what it taught about the agent, for the manifest."""
    directory.journal.settle(keys)
    document = results_document(config, results, [*_notes(results, learnt["privileged"]), *notes])
    directory.write_json("results.json", document)
    journal = directory.journal
    export_csv(directory.path / "results.csv", journal.in_order(keys), results)
    if config.output.save_trajectories:
        write_submission(config, keys, journal, directory)
    directory.finish({"agent": agent_name(config), **learnt})
    return Evaluated(results, document, directory.path)


def _service_facts(status: ServiceStatus | None) -> dict[str, Any]:
    """What the service called itself; nothing where nobody asked, because the run was finished already."""
    return {} if status is None else {"service": {"name": status.name, "version": status.version}}


def agent_name(config: Config) -> str | None:
    """What tables call the agent: a service has only the name that agent_service.agent gives it, if it was set."""
    service = config.agent_service
    unset = service.type == "remote" and service.agent == type(service).model_fields["agent"].default
    return None if unset else service.agent


def _notes(results: EvaluationResults, privileged: bool) -> list[str]:
    notes = []
    if privileged:
        notes.append(ORACLE)
    if results.over_budget:
        notes.append(
            f"Left out of the means, because they met evaluation.budget: {results.over_budget} of "
            f"{results.n_episodes} episodes."
        )
    if results.not_scored:
        notes.append(
            f"Played and not scored, because this file holds no goals of them (a hidden test split): "
            f"{results.not_scored} of {results.n_episodes} episodes. Send submission.json to whoever holds the goals."
        )
    return notes
