"""Many attacks, some at a time."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from attacks.arena import Arena, World, forget, world
from attacks.attack import Attack, Outcome

Done = tuple[Attack, Outcome]


def campaign(attacks: Sequence[Attack], folder: Path, jobs: int = 4) -> Iterator[Done]:
    """Each attack and what came of it, as they end."""
    waiting: queue.SimpleQueue[Attack | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[Done | BaseException] = queue.SimpleQueue()
    for attack in [*attacks, *[None] * jobs]:
        waiting.put(attack)
    with world(folder) as shared:
        threads = [
            threading.Thread(target=_work, args=(shared, f"arena{number}", waiting, done), daemon=True)
            for number in range(jobs)
        ]
        for thread in threads:
            thread.start()
        for _ in attacks:
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            yield found
        for thread in threads:
            thread.join(60)


def _work(
    shared: World, name: str, waiting: queue.SimpleQueue[Attack | None], done: queue.SimpleQueue[Done | BaseException]
) -> None:
    try:
        arena = Arena(shared, name)
        while (attack := waiting.get()) is not None:
            done.put((attack, _carried_out(attack, arena)))
        arena.close()
    except BaseException as error:  # noqa: BLE001 - raised in the thread that waits for it
        done.put(error)


def _carried_out(attack: Attack, arena: Arena) -> Outcome:
    begun = time.monotonic()
    try:
        outcome = attack.carry_out(arena)
    except Exception as error:  # noqa: BLE001 - an attack that fails has found something, if only its own fault
        outcome = Outcome("the attack failed", [f"{type(error).__name__}: {error}"])
    outcome.seconds = time.monotonic() - begun
    forget(outcome)
    return outcome
