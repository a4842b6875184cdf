"""The relay's process: `python -m nav_eval_server.join CHALLENGE FD`, FD being its end of fd_passing.pair()."""

from __future__ import annotations

import asyncio
import resource
import socket
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from nav_eval_server.challenge import load_challenge
from nav_eval_server.settings import configure

P = ParamSpec("P")
R = TypeVar("R")


def main(file: str, fd: str) -> None:
    configure(load_challenge(Path(file)))
    from nav_eval_server.join import presence
    from nav_eval_server.join.relay import Relay
    from nav_eval_server.join.tickets import admitted

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with_database(presence.nobody)()
    relay = Relay(with_database(presence.welcome), with_database(admitted), with_database(presence.note))
    asyncio.run(relay.run(socket.socket(fileno=int(fd))))


def with_database(call: Callable[P, R]) -> Callable[P, R]:
    """`call`, in a thread of whoever: with a connection to the database that lives, or Away."""
    from django.db import Error, close_old_connections

    from nav_eval_server.join.relay import Away

    @wraps(call)
    def answered(*args: P.args, **options: P.kwargs) -> R:
        close_old_connections()
        try:
            return call(*args, **options)
        except Error as error:
            raise Away(str(error)) from error
        finally:
            close_old_connections()

    return answered


if __name__ == "__main__":
    main(*sys.argv[1:])
