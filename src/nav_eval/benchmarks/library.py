"""nav_eval from Python: a simulator to walk in, an evaluation in one call."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nav_eval.benchmarks import builder
from nav_eval.benchmarks.registry import benchmark_config
from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.aggregate import EvaluationResults
from nav_eval.core.interfaces import Simulator
from nav_eval.core.orchestrator import MemoryStore
from nav_eval.errors import ConfigError


def evaluate(
    benchmark: str | None = None,
    *,
    agent: Any = None,
    overrides: Sequence[str] = (),
    config: str | Path | None = None,
    out: str | Path | None = None,
) -> EvaluationResults:
    """Evaluate an agent in this process and return its figures.

    `agent`: a VLNAgent class (one object per session is made of it) or an object of one; None uses the configured
    agent_service. `overrides`: Hydra grammar. `config`: a --config file. With `out` a run directory is written.
    """
    resolved = benchmark_config(benchmark, file=config, overrides=overrides)
    if out is not None and agent is None:
        from nav_eval.benchmarks.evaluation import run_benchmark

        return run_benchmark(resolved, out).results
    if out is not None:
        raise ConfigError(
            "evaluate: a run directory needs an agent that can be named: use agent_service.agent=MODULE:CLASS."
        )
    secret = secrets.token_bytes(32)
    service = (
        builder.make_service(resolved, secret)
        if agent is None
        else builder.local_service(resolved, _factory(agent), secret)
    )
    backend = builder.make_backend(resolved)
    try:
        runner = builder.make_runner(resolved, backend, builder.make_episodes(resolved))
        return runner.run_evaluation(service, MemoryStore())
    finally:
        service.close()
        backend.close()


def _factory(agent: Any) -> Callable[[], Any]:
    return agent if isinstance(agent, type) else lambda: agent


def make_simulator(
    backend: str = "custom", *, sensors: Mapping[str, Mapping[str, Any]] | None = None, seed: int = 0, **settings: Any
) -> Simulator:
    """One session of a simulator backend, ready for reset(episode).

    `sensors`: name -> settings, for example {"rgb": {"width": 640, "height": 480}}. `settings`: keys of the
    configuration's simulator section (connectivity_dir, scenes_dir, motion, ...); `scene` fixes one scene file.
    """
    from pydantic import ValidationError

    from nav_eval.simulator.registry import SIMULATORS

    scene = settings.pop("scene", None)
    options = dict(settings.pop("options", {})) | ({"scene": str(scene)} if scene is not None else {})
    try:
        suite = {name: SensorConfig.model_validate(dict(value)) for name, value in (sensors or {}).items()}
        config = SimulatorConfig.model_validate({"backend": backend, "sensors": suite, "options": options, **settings})
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, f['loc']))}: {f['msg']}" for f in error.errors(include_url=False))
        raise ConfigError(f"make_simulator: {faults}.") from None
    return SIMULATORS.get(backend)(config, seed).open_session()
