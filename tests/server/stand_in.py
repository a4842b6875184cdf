"""Stands in for `nav-eval run`: writes a run directory episode by episode, as quickly as a test wants it.

It keeps the evaluator's promises (a journal that is appended and put in order at the end, --resume, a manifest with
sums, exit codes) and looks whether the server keeps its own: two of these on one service write a line to `violations`.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path

EPISODES = 5
SECONDS = [float(word) for word in os.environ.get("STAND_IN_SECONDS", "0.08").split(",")]
"""That each episode takes; the last is for all that follow."""


def metric(submission: str, episode: int) -> float:
    """The same whoever plays it."""
    return int(hashlib.sha256(f"{submission}/{episode}".encode()).hexdigest()[:8], 16) / 2**32


def option(name: str) -> str:
    return next(word.split("=", 1)[1].strip("'") for word in sys.argv if word.startswith(f"{name}="))


def alone(endpoint: str) -> object:
    """Hold the service's lock as long as this process lives."""
    folder = Path("locks")
    folder.mkdir(exist_ok=True)
    lock = (folder / hashlib.sha256(endpoint.encode()).hexdigest()).open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with Path("violations").open("a") as file:
            file.write(f"{endpoint} {os.getpid()}\n")
    return lock


def played(journal: Path) -> dict[str, str]:
    """Lines by episode; a torn last one is cut off."""
    if not journal.exists():
        return {}
    whole = journal.read_text().rpartition("\n")[0].splitlines()
    journal.write_text("".join(f"{line}\n" for line in whole))
    return {json.loads(line)["episode_id"]: line for line in whole}


def main() -> int:
    out = Path(sys.argv[sys.argv.index("--out") + 1])
    out.mkdir(parents=True, exist_ok=True)
    lock = alone(option("agent_service.endpoint"))
    signal.signal(signal.SIGUSR1, lambda *_: sys.exit(138))
    (out / "manifest.json").write_text('{"schema": 1}')
    (out / "config.yaml").write_text("{}\n")
    journal = out / "episodes.jsonl"
    done = played(journal)
    for number in map(str, range(EPISODES)):
        if number not in done:
            time.sleep(SECONDS[min(int(number), len(SECONDS) - 1)])
            value = metric(out.parent.name, int(number))
            record = {"scene_id": "s", "episode_id": number, "status": "ok", "metrics": {"spl": value}}
            done[number] = json.dumps(record)
            with journal.open("a") as file:
                file.write(f"{done[number]}\n")
        sys.stderr.write(json.dumps({"progress": {"done": len(done), "total": EPISODES}}) + "\n")
    fresh = out / "episodes.new"
    fresh.write_text("".join(f"{done[number]}\n" for number in sorted(done, reverse=True)))
    fresh.replace(journal)
    values = [json.loads(line)["metrics"]["spl"] for line in done.values()]
    results = {"n_episodes": len(done), "n_lost": 0, "metrics": {"spl": {"mean": sum(values) / len(values)}}}
    (out / "results.json").write_text(json.dumps(results))
    names = ("config.yaml", "results.json", "episodes.jsonl")
    sums = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in names}
    (out / "manifest.json").write_text(json.dumps({"schema": 1, "files_sha256": sums}))
    assert lock
    return 0


if __name__ == "__main__":
    sys.exit(main())
