"""What the wire to an external simulator costs: one step is advance, observe and a distance, as an evaluation has it.

The Python host does no work (constant pictures), so its rows are the wire alone; the C++ host draws what it sends.
Run: python benchmarks/external_cost.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from nav_eval.config.schema import SensorConfig, SimulatorConfig
from nav_eval.core.interfaces import Simulator
from nav_eval.simulator.backends.external import ExternalBackend

ROOT = Path(__file__).parents[1]
HOST = ROOT / "tests" / "simulator" / "backends" / "square_host.py"
STEPS = 200


def main() -> None:
    print(f"{'host':<8}{'wire':<8}{'pictures':<22}{'wall ms/step':>13}{'our CPU ms/step':>17}")
    with TemporaryDirectory() as folder:
        for name, wire, command in commands(Path(folder)):
            for size in (None, (224, 224), (640, 480)):
                measure(name, wire, command, size)


def commands(folder: Path) -> list[tuple[str, str, str]]:
    rows = [("python", wire, f"{sys.executable} {HOST} --transport {wire}") for wire in ("socket", "grpc")]
    if shutil.which("g++"):
        program = folder / "host"
        source = ROOT / "examples" / "cpp_host" / "host.cpp"
        subprocess.run(["g++", "-std=c++17", "-O2", "-pthread", source, "-o", program], check=True)
        rows.append(("c++", "socket", f"{program} --port {{port}}"))
    return rows


def measure(name: str, wire: str, command: str, size: tuple[int, int] | None) -> None:
    cameras = {}
    if size is not None:
        cameras = {kind: SensorConfig(width=size[0], height=size[1]) for kind in ("rgb", "depth")}
    sensors = {"gps": SensorConfig(), "compass": SensorConfig(), **cameras}
    backend = ExternalBackend(SimulatorConfig(backend="external", command=command, sensors=sensors))
    session = backend.open_session()
    walk(backend, session, 20)
    wall, cpu = time.perf_counter(), time.process_time()
    walk(backend, session, STEPS)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    pictures = f"rgb+depth {size[0]}x{size[1]}" if size else "none"
    print(f"{name:<8}{wire:<8}{pictures:<22}{1e3 * wall / STEPS:>13.2f}{1e3 * cpu / STEPS:>17.2f}")
    session.close()
    backend.close()


def walk(backend: ExternalBackend, session: Simulator, steps: int) -> None:
    episode = backend.examples()[0]
    session.reset(episode)
    for number in range(steps):
        session.step("move_forward" if number % 3 else "turn_left")
        session.geodesic_distance(session.get_agent_state().position, (1.0, 0.0, 3.0))


if __name__ == "__main__":
    main()
