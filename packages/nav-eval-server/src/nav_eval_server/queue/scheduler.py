"""The scheduler: `python -m nav_eval_server.queue.scheduler CHALLENGE JOBS` sweeps, notes the opening, enters
baselines, keeps the boards, makes the files that prove their entries, and sends notices. Where JOBS is not 0 it also
checks what opens.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from nav_eval.logging import get_logger
from nav_eval_server.challenge import load_challenge
from nav_eval_server.settings import configure

SECONDS = 2.0
LOG = get_logger("nav_eval.competition")


def main(file: str, jobs: str) -> None:
    challenge = load_challenge(Path(file))
    configure(challenge)
    from django.db import Error, connections
    from django.utils import timezone

    from nav_eval_server import opening
    from nav_eval_server.board.places import Keeper
    from nav_eval_server.board.proofs import Maker
    from nav_eval_server.notices.delivery import MailSender
    from nav_eval_server.queue import baselines
    from nav_eval_server.queue.dispatcher import Dispatcher

    dispatcher, boards, proofs = Dispatcher(challenge), Keeper(challenge), Maker(challenge)
    openings = opening.Openings(challenge) if int(jobs) else None
    MailSender(challenge).begin()
    while True:
        try:
            dispatcher.sweep()
            opening.lock(challenge)
            baselines.enter(challenge, timezone.now())
            if openings is not None:
                openings.tend()
            boards.refresh(timezone.now())
            proofs.tend()
        except Error as error:  # the database is away; it comes back, or /healthz says that nobody sweeps
            LOG.warning("The scheduler waits for the database: %s", error)
            connections.close_all()
        time.sleep(SECONDS)


if __name__ == "__main__":
    main(*sys.argv[1:])
