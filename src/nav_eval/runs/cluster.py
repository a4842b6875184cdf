"""Workers on a Ray cluster: the same shards, the same reports, on as many machines as the cluster has.

Each shard is a task with a worker process of its own beside it, as on one machine, whose reports it streams back. What
is wished of a running one (to drain, to stop) it learns from an actor, because Ray itself can only kill. Ray retries
nothing: what a lost machine costs is decided where it is decided for processes. A machine that has not what the run
began with plays nothing, and others play its share. A cluster that is begun here listens on the loopback interface and
asks for a token.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from nav_eval.core.workers import Job, Launcher, Message, Processes, Shard, WorkerLost, received
from nav_eval.errors import ConfigError, NavEvalError
from nav_eval.logging import get_logger
from nav_eval.runs.machines import UnfitMachine
from nav_eval.variables import RAY_ADDRESS

OURS = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray's only switch that keeps its ports on the loopback interface
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_gcs_server_port_wait_time_s": "120",  # a cold disk takes longer than Ray's 30 seconds
}
"""Environment of a cluster of our own, read when Ray is imported; what the user has set goes before it."""
NO_RAY = "evaluation.parallel.executor=ray: Ray is not installed. pip install 'nav-eval[ray]'."
PATIENCE = 5.0
"""Seconds after which a shard that waits for a place asks whether any machine is left that could give one."""
ASK_SECONDS = 0.3


class RayWorkers(Launcher):
    """`address`: the cluster's; None takes RAY_ADDRESS, else begins one of this machine alone."""

    def __init__(self, job: Job, address: str | None = None) -> None:
        self._address = address or RAY_ADDRESS.get()
        self._ray: Any = _import_module(OURS if self._address == "local" else {})
        self._job = job
        self._lock = threading.Lock()
        self._running: set[Any] = set()
        self._told: set[str] = set()
        self._wishes: Any = None

    def messages(self, shard: Shard) -> Iterator[Message]:
        unfit: dict[str, str] = {}
        while True:
            self._require_machine(unfit)
            generator, machine = self._begin(shard, unfit), "its machine"
            try:
                node = self._node(generator, unfit)
                machine = self._machine_name(node)
                try:
                    yield from received(self._ray.get(reference) for reference in generator)
                    return
                except UnfitMachine as fault:
                    unfit[node] = f"{machine}: {fault}"
                    self._tell(f"{unfit[node]} Others play its share.")
            except self._ray.exceptions.NodeDiedError:
                raise WorkerLost(f"{machine} is gone") from None
            except self._ray.exceptions.RayTaskError as error:
                raise NavEvalError(f"a Ray task failed: {str(error).strip().splitlines()[-1][:300]}") from error
            except self._ray.exceptions.RayError as error:
                raise WorkerLost(str(error).strip().splitlines()[0][:200]) from None
            finally:
                with self._lock:
                    self._running.discard(generator)
                self._ray.cancel(generator, force=True)

    def drain(self) -> None:
        self._wish("drain")

    def stop(self) -> None:
        self._wish("stop")

    def kill(self) -> None:
        with self._lock:
            for generator in self._running:
                self._ray.cancel(generator, force=True)

    def _wish(self, wish: str) -> None:
        with self._lock:
            if self._wishes is not None:
                self._wishes.wish.remote(wish)

    def _begin(self, shard: Shard, unfit: dict[str, str]) -> Any:
        with self._lock:
            if self._wishes is None:
                self._wishes = self._ray.remote(_Wishes).options(num_cpus=0).remote()
            elsewhere = {"ray.io/node-id": f"!in({','.join(unfit)})"} if unfit else None
            task = self._ray.remote(_work).options(
                num_returns="streaming", max_retries=0, num_cpus=1, label_selector=elsewhere
            )
            generator = task.remote(self._job, shard, self._wishes)
            self._running.add(generator)
            return generator

    def _node(self, generator: Any, unfit: dict[str, str]) -> str:
        """The id of the machine that plays, as soon as it does: the first that a task says."""
        while not self._ray.wait([generator], timeout=PATIENCE, fetch_local=False)[0]:
            self._require_machine(unfit)
        return str(self._ray.get(next(generator)))

    def _machine_name(self, node: str) -> str:
        """A machine as people know it: its host's name, which in containers may be that of many, and its address."""
        found = next(one for one in self._ray.nodes() if one["NodeID"] == node)
        return f"{found['NodeManagerHostname']} at {found['NodeManagerAddress']}"

    def _require_machine(self, unfit: dict[str, str]) -> None:
        """Raises UnfitMachine where no machine is left that could play; connects if need be."""
        with self._lock:
            if not self._ray.is_initialized():
                self._connect()
            alive = {node["NodeID"] for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU")}
        if not alive - unfit.keys():
            why = next(iter(unfit.values()), "evaluation.parallel.address: the Ray cluster has no machine with a CPU.")
            raise UnfitMachine(
                f"{why}\nNo machine of the Ray cluster can play these episodes; fix that, then --resume."
            )

    def _connect(self) -> None:
        _hush(self._ray)
        try:
            self._ray.init(
                address=self._address, log_to_driver=False, include_dashboard=False, logging_level=logging.ERROR
            )
        except (ConnectionError, RuntimeError, ValueError, self._ray.exceptions.RayError) as error:
            first = str(error).strip().splitlines()[0]
            raise ConfigError(
                f"evaluation.parallel.address: {self._address}: {first[:300]}\n"
                "Is the cluster up, and is its token here: RAY_AUTH_MODE=token, and the same ~/.ray/auth_token?"
            ) from error

    def _tell(self, text: str) -> None:
        with self._lock:
            if text not in self._told:
                self._told.add(text)
                get_logger(__name__).warning("%s", text)


def _import_module(environment: dict[str, str]) -> Any:
    for name, value in environment.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise ConfigError(NO_RAY) from None
    return ray


def _hush(ray: Any) -> None:
    """Send to the log what Ray prints of a machine that went away, however quiet it is asked to be: twenty lines."""
    printed = ray._private.worker.print_to_stdstream

    def print_to_log(data: Any, *args: Any, **named: Any) -> None:
        if data["pid"] != "raylet":
            printed(data, *args, **named)
            return
        get_logger(__name__).debug("Ray: %s", "\n".join(data["lines"]))

    ray._private.worker.print_to_stdstream = print_to_log


class _Wishes:
    """A Ray actor: what is wished of the workers, "" at first."""

    def __init__(self) -> None:
        self._wished = ""

    def wish(self, wished: str) -> None:
        self._wished = wished

    def wished(self) -> str:
        return self._wished


def _work(job: Job, shard: Shard, wishes: Any) -> Iterator[Any]:
    """A Ray task: first the id of the machine, then what its worker says, as it comes."""
    import ray

    yield ray.get_runtime_context().get_node_id()
    workers, done = Processes(job), threading.Event()
    threading.Thread(target=_obey, args=(workers, wishes, done), daemon=True).start()
    try:
        yield from workers.raw(shard)
    except WorkerLost as lost:
        yield lost
    finally:
        done.set()


def _obey(workers: Processes, wishes: Any, done: threading.Event) -> None:
    import ray

    obeyed = ""
    while not done.wait(ASK_SECONDS):
        with suppress(ray.exceptions.RayError):  # whoever wishes is gone; then so are we, soon
            wished = ray.get(wishes.wished.remote())
            if wished != obeyed:
                obeyed = wished
                (workers.drain if wished == "drain" else workers.stop)()
