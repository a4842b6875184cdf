"""What must hold on PostgreSQL too, where transactions do run beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import connections

from nav_eval_server.challenge import Challenge
from server.conftest import Make
from server.postgres import Postgres, postgres
from server.test_dispatcher import (  # noqa: F401 - collected here a second time
    bench,
    test_a_cancelled_run_keeps_its_service_until_the_worker_lets_go,
    test_a_silent_worker_is_fenced_out_and_another_goes_on,
    test_many_workers_at_once_get_each_submission_once,
    test_one_run_per_service,
)
from server.test_names import (  # noqa: F401
    test_of_two_at_once_one_is_told_that_the_name_is_taken,
    test_of_two_teams_at_once_one_is_told_that_the_name_is_taken,
    test_who_is_listed_is_let_in,
)
from server.test_organising import test_a_doubled_team_goes_into_the_other_with_all_that_it_has  # noqa: F401
from server.test_submit_cli import (  # noqa: F401 - and with a team, over HTTP
    ask,
    challenge,
    run,
    server,
    test_submit_status_cancel,
    token,
)
from server.test_submit_cli import test_fifty_at_once_and_a_quota_of_one as test_fifty_over_http  # noqa: F401
from server.test_teams_api import (  # noqa: F401
    full,
    team,
    test_the_same_key_is_the_same_submission,
)


@pytest.fixture(scope="module")
def database() -> Iterator[Postgres]:
    with postgres() as found:
        yield found


@pytest.fixture
def make(make: Make, database: Postgres) -> Callable[..., Challenge]:
    """Of conftest, with a database of this server that has every table and nothing in them."""

    def made(**changes: object) -> Challenge:
        database.run("dropdb", "-f", *database.there, "competition")
        database.run("createdb", *database.there, *database.template, "competition")
        found = make(database=database.url, **changes)
        if not database.template:
            connections.close_all()
            database.run("createdb", *database.there, "-T", "competition", "migrated")
            database.template = ["-T", "migrated"]
        return found

    return made
