"""nav-eval simulator check: does a simulator keep its contract?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from nav_eval.cli.chinese import spoken
from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.say import cell, say
from nav_eval.config.schema import SimulatorConfig
from nav_eval.core.interfaces import SimulatorBackend
from nav_eval.dataset.episode import Episode
from nav_eval.errors import ConfigError
from nav_eval.testing.findings import Finding


def check(target: str, *overrides: str) -> int:
    """Walk a little in a simulator and list what is wrong: nav-eval simulator check ENDPOINT|NAME [key=value ...].

    Parameters
    ----------
    target
        host:port or grpc://host:port of a running simulator, or a name from `nav-eval list simulators`. custom and
        nav_graph are checked in a small world made for it, others in the episodes that they give as examples.
    overrides
        For example simulator.command='./host --port {port}', simulator.motion.turn_angle=30, plugins=MODULE;
        dataset.data_path=FILE takes the episodes from a data set.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="nav-eval-")))
        config, episodes = _prepare(target, overrides, folder)
        backend = _backend(config)
        stack.callback(backend.close)
        return _report(backend, config, episodes or _example_episodes(backend))


def _prepare(target: str, overrides: Sequence[str], folder: Path) -> tuple[SimulatorConfig, list[Episode]]:
    from nav_eval.testing.places import grid_graph, room

    given = [override for override in overrides if override.startswith("simulator.")]
    if target in ("custom", "nav_graph") and not overrides:
        return (room if target == "custom" else grid_graph)(folder)
    from nav_eval.config.loader import load_config
    from nav_eval.registry import import_plugins
    from nav_eval.runs.builder import make_episodes
    from nav_eval.runs.effective import Effective

    place = [f"simulator.backend={target}"] if ":" not in target else ["simulator.backend=external"]
    place += [f"simulator.endpoint='{target}'"] if ":" in target else []
    config = load_config(overrides=[*_cameras(given), *place, *overrides])
    import_plugins(config.plugins)
    if not config.dataset.data_path and target == "custom" and config.simulator.scenes_dir is None:
        _, episodes = room(folder)
        return config.simulator.model_copy(update={"scenes_dir": str(folder)}), episodes
    if not config.dataset.data_path:
        return config.simulator, []
    return config.simulator, list(make_episodes(Effective.of(config)))[:2]


def _cameras(given: Sequence[str]) -> list[str]:
    """A small camera, unless sensors are given."""
    if any(override.lstrip("+").startswith("simulator.sensors") for override in given):
        return []
    return ["simulator.sensors={gps: {}, compass: {}, collision: {}, rgb: {width: 64, height: 48, hfov: 79}}"]


def _backend(config: SimulatorConfig) -> SimulatorBackend:
    from nav_eval.simulator.registry import make_simulator_backend

    return make_simulator_backend(config, 0)


def _example_episodes(backend: SimulatorBackend) -> list[Episode]:
    """The episodes that a simulator gives as examples."""
    examples = list(backend.examples())
    if not examples:
        raise ConfigError("simulator check: there is no episode to check with. Add dataset.data_path=FILE.")
    return examples[:2]


def _report(backend: SimulatorBackend, config: SimulatorConfig, episodes: Sequence[Episode]) -> int:
    from nav_eval.simulator.backends.external import ExternalBackend

    sessions = backend.describe().max_sessions if isinstance(backend, ExternalBackend) else 2
    found = 0
    for finding in _findings(backend, config, episodes, sessions):
        say(finding.line(cell, spoken))
        found += not finding.ok
    say(f"{found or 'no'} fault{'s' if found != 1 else ''}")
    return FINDINGS if found else DONE


def _findings(
    backend: SimulatorBackend, config: SimulatorConfig, episodes: Sequence[Episode], sessions: int
) -> Iterator[Finding]:
    """Of the backend, and of its physics engine where it is not its own."""
    from nav_eval.simulator.registry import KINEMATIC
    from nav_eval.testing.physics import SLACK, check_physics
    from nav_eval.testing.simulator import check_simulator

    engine = config.physics != KINEMATIC
    step, angle = config.motion.forward_step, math.radians(config.motion.turn_angle)
    slack = SLACK if engine else 0.0
    yield from check_simulator(backend, episodes, forward_step=step, turn_angle=angle, sessions=sessions, slack=slack)
    if engine:
        yield from check_physics(config.physics, **config.options)
