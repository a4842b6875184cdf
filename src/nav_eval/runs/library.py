"""nav_eval from Python: a simulator to walk in, an evaluation in one call."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.aggregate import EvaluationResults
from nav_eval.core.interfaces import Simulator
from nav_eval.core.orchestrator import BenchmarkRunner, MemoryStore
from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import Episode, require
from nav_eval.errors import ConfigError, from_python
from nav_eval.results.export import export_csv, results_document
from nav_eval.results.files import write_json
from nav_eval.runs import builder
from nav_eval.runs.execution import make_runner
from nav_eval.runs.plan import resolved
from nav_eval.runs.registry import benchmark_config


@from_python()
def evaluate(
    benchmark: str | None = None,
    *,
    agent: Any = None,
    overrides: Sequence[str] = (),
    config: str | Path | None = None,
    out: str | Path | None = None,
) -> EvaluationResults:
    """Evaluate an agent and return its figures.

    `agent`: a VLNAgent class (one object per session is made of it), an object of one, or a name as for
    agent_service.agent. The first two are run in this process, each call in a thread, so deadlines hold, but one that
    ends the process ends the evaluation; None uses the configured agent_service. `overrides`: Hydra grammar.
    `config`: a --config file. With `out` a run directory is written.
    """
    if isinstance(agent, str):
        overrides, agent = [*overrides, "agent_service.type=local", f"agent_service.agent={agent}"], None
    if out is None:
        with Evaluation(benchmark, overrides=overrides, config=config) as evaluation:
            return evaluation.run_evaluation(agent)
    from nav_eval.runs.evaluation import run_benchmark

    return run_benchmark(benchmark_config(benchmark, file=config, overrides=overrides), out, agent=agent).results


class Evaluation:
    """The specification's orchestrator (3.1) on one configuration, in memory: a context manager.

    `episodes`: the chosen ones, in order. Raises what makes the configuration not valid.

    >>> keys = ["dataset.limit=1", "agent_service.agent=forward", "evaluation.max_steps=5", "simulator.sensors={}"]
    >>> with Evaluation("pointnav-demo", overrides=keys) as demo:
    ...     result = demo.run_episode(next(iter(demo.episodes)))
    >>> result.status, result.steps
    ('ok', 5)
    """

    @from_python()
    def __init__(
        self, benchmark: str | None = None, *, overrides: Sequence[str] = (), config: str | Path | None = None
    ) -> None:
        self._open = ExitStack()
        given = benchmark_config(benchmark, file=config, overrides=overrides)
        self._plan = self._open.enter_context(resolved(given))
        self.config, self.episodes = self._plan.config, self._plan.episodes

    @from_python()
    def run_evaluation(self, agent: Any = None) -> EvaluationResults:
        """Play every episode. `agent`: a class or an object, as for evaluate; None: the configured agent_service."""
        store, secret = MemoryStore(), self._secret(agent)
        with closing(self._plan.service(secret, agent)) as service:
            results = self._runner(secret, agent).run_evaluation(service, store)
        return replace(results, episodes=tuple(store.in_order(self.episodes.keys)))

    @from_python()
    def run_episode(self, episode: Episode, agent: Any = None) -> EpisodeResult:
        """Play one episode, the data set's or your own: its metrics, its status and its trajectory."""
        require(Episode, episode, "run_episode")
        secret = self._secret(agent)
        with closing(self._plan.service(secret, agent)) as service:
            service.health_check()
            return self._runner(secret, agent).run_episode(service, episode)

    def aggregate_metrics(self, episode_results: Iterable[EpisodeResult]) -> dict[str, Any]:
        """Metric name -> {"mean", "ci95", "n", "n_nonfinite", ...} of these episodes."""
        return dict(self._plan.aggregator().aggregate_metrics(episode_results).metrics)

    def export_results(self, results: EvaluationResults, out: str | Path = ".") -> None:
        """Write results.json, and results.csv with a row per episode, into the folder `out`, by default this one."""
        Path(out).mkdir(parents=True, exist_ok=True)
        write_json(Path(out) / "results.json", results_document(self.config, results))
        export_csv(Path(out) / "results.csv", results.episodes, results)

    def _secret(self, agent: Any) -> bytes:
        return builder.own_secret(self.config, local=agent is not None) or secrets.token_bytes(32)

    def _runner(self, secret: bytes, agent: Any) -> BenchmarkRunner:
        return make_runner(self._plan, secret=secret if agent is None else None)

    def close(self) -> None:
        self._open.close()

    def __enter__(self) -> Evaluation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def make_simulator(
    backend: str = "custom", *, sensors: Mapping[str, Mapping[str, Any]] | None = None, seed: int = 0, **settings: Any
) -> Simulator:
    """One session of a simulator backend, ready for reset(episode).

    `sensors`: name -> settings, for example {"rgb": {"width": 640, "height": 480}}. `settings`: keys of the
    configuration's simulator section (connectivity_dir, scenes_dir, motion, ...); `scene` fixes one scene file.
    """
    from pydantic import ValidationError

    from nav_eval.simulator.registry import make_simulator_backend

    scene = settings.pop("scene", None)
    options = dict(settings.pop("options", {})) | ({"scene": str(scene)} if scene is not None else {})
    suite: Any = sensors or {}
    if isinstance(suite, Mapping):
        suite = {name: dict(given) if isinstance(given, Mapping) else given for name, given in suite.items()}
    try:
        config = SimulatorConfig.model_validate({"backend": backend, "sensors": suite, "options": options, **settings})
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, f['loc']))}: {f['msg']}" for f in error.errors(include_url=False))
        raise ConfigError(f"make_simulator: {faults}.") from None
    return make_simulator_backend(config, seed).open_session()
