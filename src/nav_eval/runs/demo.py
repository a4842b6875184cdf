"""The demonstration: the whole path of an evaluation on worlds of our own, with services in processes of their own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby, zip_longest
from pathlib import Path

from nav_eval.agents.registry import AGENTS as KNOWN
from nav_eval.config.schema import Config
from nav_eval.core.orchestrator import Watcher
from nav_eval.dataset.episode import Episode
from nav_eval.engine.scene.load import load_scene
from nav_eval.errors import ServiceUnavailable
from nav_eval.runs import builder
from nav_eval.runs.comparison import compare_runs, comparison_table
from nav_eval.runs.effective import Effective
from nav_eval.runs.evaluation import Evaluated, run_benchmark
from nav_eval.runs.generators import GENERATORS
from nav_eval.runs.registry import benchmark_config
from nav_eval.simulator.backends.external_process import free_port

AGENTS = {"random": "rest", "learned": "rest", "grounded": "grpc"}
"""Name -> protocol."""
FILMED = "grounded"
BESIDE = ("--max-sessions", "2", "--cpu-threads", "1")
"""The products of a small network on all cores would take them away from the frames of the evaluator beside it."""
PHRASINGS = 3
"""Of each path, in each language; English first."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the demonstration leaves: runs (random first), their comparison as text, pictures of the homes."""

    runs: Sequence[Evaluated]
    comparison: str
    pictures: Sequence[Path]


def run_demo(out: Path, *, quick: bool, say: Callable[[str], None], watcher: Watcher) -> Shown:
    """Make worlds, evaluate all agents on the same episodes, compare. `out` is made anew.

    Raises ConfigError, before anything is compiled or removed, where homes or agents are not installed.
    """
    from nav_eval.engine.warm import warm

    GENERATORS.require("homes")
    for name in AGENTS:
        KNOWN.require(name)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    warm(say, without=("people",))
    say(f"Making {2 if quick else 3} furnished homes and instructions in English and Chinese ...")
    config = demo_config(quick=quick)
    effective = Effective.of(config)
    pictures = picture_homes(Path(str(effective.simulator.scenes_dir)), out)
    for episode in builder.make_episodes(effective):
        say(f"  {episode.scene_id}: {episode.instruction.text if episode.instruction else ''}")
    with ExitStack() as stack:  # the later ones start beside the first evaluation
        services = [stack.enter_context(started(*agent)) for agent in AGENTS.items()]
        runs = [_evaluate(service, config, out, say, watcher) for service in services]
    return Shown(runs, comparison_table(compare_runs([run.path for run in runs])), pictures)


def demo_config(*, quick: bool) -> Config:
    """vln-demo on its generated homes, with a few episodes of each in both languages."""
    scenes, wanted = (2, 2) if quick else (3, 4)
    made = [f"dataset.generate.scenes={scenes}", "dataset.split=all", "evaluation.parallel.sessions=2"]
    config = benchmark_config("vln-demo", overrides=made)
    chosen = tuple(episode.episode_id for episode in _in_turn(builder.make_episodes(Effective.of(config))))[:wanted]
    return config.model_copy(update={"dataset": config.dataset.model_copy(update={"episodes": chosen})})


def _in_turn(episodes: Iterable[Episode]) -> Iterator[Episode]:
    """The shortest path of each home, then the next of each: in English, in Chinese, in turn."""
    homes = [
        sorted(list(group)[::PHRASINGS], key=lambda episode: float(episode.info["geodesic_distance"]))
        for _, group in groupby(episodes, key=lambda episode: episode.scene_id)
    ]
    phrased = zip_longest(*(zip(home[::2], home[1::2], strict=True) for home in homes))
    paths = [path for row in phrased for path in row if path is not None]
    return (path[i % 2] for i, path in enumerate(paths))


@dataclass(frozen=True, slots=True)
class Service:
    """An agent in a process of its own."""

    agent: str
    protocol: str
    process: subprocess.Popen[bytes]
    port: int

    def wait(self) -> str:
        """Its endpoint, when it listens; after half a minute it is the evaluation that waits on.

        Raises ServiceUnavailable where the process ended.
        """
        until = time.monotonic() + 30
        with socket.socket() as probe:
            while probe.connect_ex(("127.0.0.1", self.port)) and time.monotonic() < until:
                if self.process.poll() is not None:
                    raise ServiceUnavailable(
                        f"the service of {self.agent} ended with exit code {self.process.returncode}; what it printed "
                        "is above. `nav-eval doctor` says what works here."
                    )
                time.sleep(0.05)
        return f"127.0.0.1:{self.port}"


@contextmanager
def started(agent: str, protocol: str) -> Iterator[Service]:
    """An agent's service, which may not listen yet; it ends with the block."""
    port = free_port()
    command = [sys.executable, "-m", "nav_eval_sdk", "serve", agent, "--protocol", protocol, "--port", str(port)]
    environment = os.environ | {"PYTHONSAFEPATH": "1"}  # a copy.py in the user's folder is not Python's
    process = subprocess.Popen([*command, *BESIDE], stdout=subprocess.DEVNULL, env=environment)
    try:
        yield Service(agent, protocol, process, port)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _evaluate(service: Service, config: Config, out: Path, say: Callable[[str], None], watcher: Watcher) -> Evaluated:
    name, protocol, endpoint = service.agent, service.protocol, service.wait()
    say(f"Evaluating {name}, served over {protocol} at {endpoint} ...")
    where = {"type": "remote", "protocol": protocol, "endpoint": endpoint, "agent": name}
    secret = f"a demonstration's: {config.seed}"  # a service's seeds are made of it: who runs both wants them again
    asked = config.agent_service.model_copy(update={**where, "secret": secret})
    filmed = config.output.model_copy(update={"video": "sample(1)" if name == FILMED else "none"})
    shown = config.model_copy(update={"agent_service": asked, "output": filmed})
    return run_benchmark(shown, out / name, watchers=[watcher])


def picture_homes(scenes: Path, out: Path) -> list[Path]:
    """A contact sheet of the rooms of each home."""
    from nav_eval.report.views import contact_sheet

    made = []
    for path in sorted(scenes.glob("*.glb")):
        target = out / f"{path.stem}.png"
        contact_sheet(load_scene(path, "y")).save(target)
        made.append(target)
    return made
