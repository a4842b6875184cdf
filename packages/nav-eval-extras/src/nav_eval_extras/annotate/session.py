"""`nav-eval annotate` from its options to the last decided text: what is annotated, the agent that follows first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.loop import Stopped
from nav_eval.dataset.episode import name_with_scene
from nav_eval.errors import ConfigError
from nav_eval.runs.builder import Plan, own_secret
from nav_eval.runs.generators import GENERATORS, NamesThings
from nav_eval.runs.plan import opened
from nav_eval_extras.annotate.annotator import Annotator
from nav_eval_extras.annotate.checks import Language, Names
from nav_eval_extras.annotate.consent import Consent
from nav_eval_extras.annotate.desk import Desk
from nav_eval_extras.annotate.hosting import NEWS_SECONDS, host_people
from nav_eval_extras.annotate.invitations import TEXTS, check_owner
from nav_eval_extras.annotate.journal import Journal
from nav_eval_extras.annotate.studio import Studio
from nav_eval_extras.collecting.paths import Route, routes
from nav_eval_extras.human.game import Game
from nav_eval_extras.human.play import PICTURES, check_plan, for_people
from nav_eval_extras.human.web import PAGE, read_page

OWN_PAGE = ("page.html", "annotate.css", "annotate.js", "annotate-words.js")
"""Beside the files of the page that a person plays at."""
MEASUREMENTS = ("navigation_error", "success", "spl", "dtw", "ndtw", "sdtw")
"""Those of RxR's followers."""
ON_GRAPHS = ("r2r", "r4r")
"""Data sets whose files can be written again with other texts."""


@dataclass(frozen=True, slots=True)
class Wish:
    """`people`: how many are invited; `rounds`: so often a text may be followed in vain; `sieve`: an agent, or ""."""

    language: Language
    people: int
    rounds: int
    sieve: str
    consent: Consent


def annotated(config: Config, sieve: str) -> Config:
    """The configuration that people and the sieve walk by."""
    config = for_people(config)
    service = config.agent_service.model_copy(update={"agent": sieve} if sieve else {})
    task = config.task.model_copy(update={"measurements": MEASUREMENTS})
    return config.model_copy(update={"agent_service": service, "task": task})


@contextmanager
def studio_of(config: Config, out: Path, wish: Wish) -> Iterator[tuple[Studio, list[Route]]]:
    """Raises ConfigError where the folder is another command's, a person could not walk there, there is no goal to walk
    to, or no form for the texts.
    """
    check_owner(out, TEXTS)
    config = annotated(config, wish.sieve)
    with closing(Journal(out)) as journal, opened(config, agent_given=not wish.sieve) as plan:
        check_plan(plan, PICTURES)
        _check_written(plan)
        found = routes(plan.episodes)
        if hidden := [route for route in found if not route.episode.has_goal]:
            raise ConfigError(
                f"dataset: episode {hidden[0].episode.episode_id} has no goal (a hidden test split), so nobody can "
                "tell whether a text leads there. Give the split with goals."
            )
        episodes = {name_with_scene(route.key): route.episode for route in found}
        desk = Desk(journal, list(episodes), wish.language, wish.rounds, wish.sieve)
        secret = own_secret(plan.config, local=True) or b""
        if wish.sieve:
            _check_sieve(plan, secret)
        names = _names(plan, wish.language)
        yield Studio(plan, secret, episodes, journal, desk, wish.language, names, wish.consent), found


def _check_written(plan: Plan) -> None:
    """On a graph texts are written as R2R, so the paths are to be R2R's."""
    kind = plan.config.dataset.type
    if plan.backend.starts_at == "node" and kind not in ON_GRAPHS:
        raise ConfigError(
            f"dataset.type {kind}: on a navigation graph texts are written for paths of {', '.join(ON_GRAPHS)} alone. "
            "Choose such a data set."
        )


def _check_sieve(plan: Plan, secret: bytes) -> None:
    with closing(plan.service(secret)) as service:
        if getattr(service, "privileged", False):
            raise ConfigError(f"--sieve {service.name}: knows the goal, so it would accept any text. Choose another.")


def _names(plan: Plan, language: Language) -> Names:
    """What the generator of the scenes calls its things; nothing is asked about things where nobody tells names."""
    made = plan.config.dataset.generate
    generator: Any = GENERATORS.get(made.generator) if made else None
    return generator.names(language) if isinstance(generator, NamesThings) else {}


def annotate_benchmark(
    config: Config, out: Path, wish: Wish, host: str, port: int, say: Callable[[Sequence[str]], object]
) -> dict[str, Any]:
    """Serve until every path has a text or was dropped. `say` is told the links; returns the progress."""
    with studio_of(config, out, wish) as (studio, _):

        def sift(board: Game) -> None:
            if wish.sieve:
                _sift(studio, wish.sieve, board)

        guests = partial(Annotator, studio=studio)
        return host_people(studio.desk, out, TEXTS, wish.people, guests, (host, port, page_files()), say, sift)


def page_files() -> dict[str, bytes]:
    return read_page("nav_eval_extras.human", PAGE) | read_page(__package__, OWN_PAGE)


def _sift(studio: Studio, agent: str, board: Game) -> None:
    """The agent follows every text before people do."""
    desk = studio.desk
    while not desk.done and not board.closed:
        text = desk.to_sieve()
        if text is None:
            desk.wait(NEWS_SECONDS)
            continue
        with suppress(Stopped):
            result = studio.follow(text, None, lambda: board.closed)
            seconds = [step.latency for step in result.trajectory]
            desk.record(studio.followed(text, result, seconds, person=0, agent=agent))
