"""`nav-eval human --people`: several people play a benchmark, each episode by so many of them; DIR/run-1 and on."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from nav_eval.config.schema import Config
from nav_eval.core.orchestrator import Watcher
from nav_eval.core.types import EpisodeResult
from nav_eval.dataset.episode import Episode, name_with_scene
from nav_eval.errors import ConfigError
from nav_eval.results.files import explained
from nav_eval.runs.builder import Plan, own_secret
from nav_eval.runs.evaluation import Evaluated, run_benchmark
from nav_eval.runs.plan import opened
from nav_eval_extras.annotate.agreement import agreement, halves
from nav_eval_extras.annotate.consent import Consent
from nav_eval_extras.annotate.guest import Guest
from nav_eval_extras.annotate.hosting import host_people
from nav_eval_extras.annotate.invitations import TOGETHER, check_owner
from nav_eval_extras.annotate.journal import Given, Journal, Played, Practised
from nav_eval_extras.annotate.own_game import OwnGame
from nav_eval_extras.annotate.plays import Plays
from nav_eval_extras.annotate.session import page_files
from nav_eval_extras.annotate.studio import play
from nav_eval_extras.collecting.paths import routes
from nav_eval_extras.human.decisions import NAME, Decision, Decisions
from nav_eval_extras.human.person import Person
from nav_eval_extras.human.play import PRACTICE, check_plan, not_offered, to_practise
from nav_eval_extras.human.web import read_page

WORDS = "play-words.js"


@dataclass(frozen=True, slots=True)
class Crowd:
    """`people`: how many are invited; `each`: how many of them play each episode; `practice`: episodes that each person
    plays before; `show_results`: they are told at the end how they fared.
    """

    people: int
    each: int
    consent: Consent
    practice: int = 0
    show_results: bool = False


@dataclass(frozen=True, slots=True)
class Course:
    """What is played. `episodes`: by their names."""

    plan: Plan
    episodes: Mapping[str, Episode]

    def play(self, name: str, person: Person, stopped: Callable[[], bool]) -> EpisodeResult:
        """Raises Stopped."""
        secret = own_secret(self.plan.config, local=True) or b""
        return play(self.plan, secret, self.episodes[name], person, stopped)


class Player(Guest):
    """Somebody who plays. `practice`: before the rest."""

    def __init__(
        self,
        number: int,
        code: str,
        game: OwnGame,
        *,
        desk: Plays,
        crowd: Crowd,
        course: Course,
        practice: Course | None,
        journal: Journal,
    ) -> None:
        super().__init__(number, code, game, desk, crowd.consent)
        self._course, self._practice, self._journal, self._crowd = course, practice, journal, crowd
        self._folder = journal.decisions_of(number)

    def _practise(self) -> None:
        if self._practice is None:
            return
        done = [one.episode for one in self._journal.by(self._number, Practised)]
        for name in [one for one in self._practice.episodes if one not in done]:
            person = Person(self._game, Decisions(self._folder / PRACTICE), practice=True)
            self._practice.play(name, person, lambda: self._game.closed)
            self._desk.record(Practised(person=self._number, episode=name))

    def _farewell(self) -> dict[str, Any]:
        told = super()._farewell()
        if self._crowd.show_results:
            told["reached"] = [one.success for one in self._journal.by(self._number, Played)]
        return told

    def _do(self, job: Given) -> None:
        episode = str(job.text)
        person = Person(self._game, Decisions(self._folder))
        result = self._course.play(episode, person, lambda: self._game.closed)
        success = result.metrics.get("success")
        made = person.decided
        self._desk.record(
            Played(
                person=self._number,
                path=job.path,
                episode=episode,
                key=made[0].episode,
                actions=[one.action for one in made],
                seconds=[one.seconds for one in made],
                success=None if success is None else bool(success),
            )
        )


class Replay(Watcher):
    """Decides again what people decided, as an agent. `made`: by the opaque id of the episode."""

    def __init__(self, made: Mapping[str, Sequence[Decision]], notes: Sequence[str]) -> None:
        self._made, self._notes = made, notes

    def reset(self, episode: dict[str, Any]) -> None:
        self._left = iter(self._made[episode["episode_id"]])

    def act(self, observation: dict[str, Any]) -> dict[str, Any]:
        decision = next(self._left)
        return {"action": decision.action, "action_args": decision.action_args}

    def notes(self) -> Sequence[str]:
        return self._notes


def play_together(
    config: Config, out: Path, crowd: Crowd, host: str, port: int, say: Callable[[Sequence[str]], object]
) -> list[Evaluated]:
    """Serve until each episode was played by so many people; a run for each of them, in which every episode is once.

    Raises ConfigError where the folder is another command's, a person could not play, or too few are invited.
    """
    check_owner(out, TOGETHER)
    with closing(Journal(out)) as journal:
        with ExitStack() as stack:
            course = stack.enter_context(_laid_out(config))
            episodes = course.episodes
            desk = Plays(journal, _paths(episodes.values(), crowd), crowd.each)
            practice = stack.enter_context(_laid_out(to_practise(config, crowd.practice))) if crowd.practice else None
            guest = partial(Player, desk=desk, crowd=crowd, course=course, practice=practice, journal=journal)
            host_people(desk, out, TOGETHER, crowd.people, guest, (host, port, _page_files()), say)
        played = [[desk.of(episode)[place] for episode in episodes] for place in range(crowd.each)]
        notes = [*not_offered(course.plan), *_notes(desk, played, crowd)]
        return [_write_run(config, out, journal, plays, place, notes) for place, plays in enumerate(played, 1)]


@contextmanager
def _laid_out(config: Config) -> Iterator[Course]:
    with opened(config, agent_given=True) as plan:
        check_plan(plan)
        yield Course(plan, {name_with_scene(one.key): one for one in plan.episodes})


def _paths(episodes: Iterable[Episode], crowd: Crowd) -> dict[str, str]:
    """The path of each episode, by their names."""
    found = {
        name_with_scene((route.episode.scene_id, one.episode_id)): name_with_scene(route.key)
        for route in routes(episodes)
        for one in route.wordings
    }
    wordings = max(Counter(found.values()).values())
    if crowd.people < wordings * crowd.each:
        raise ConfigError(
            f"--people {crowd.people} --each {crowd.each}: a path has {wordings} instructions, and nobody plays a path "
            f"twice. Invite {wordings * crowd.each} people, or choose episodes with dataset.episodes."
        )
    return found


def _page_files() -> dict[str, bytes]:
    """The page of those who write, in the words of those who play."""
    files = page_files() | read_page(__package__, (WORDS,))
    before = b'<script src="page.js"'
    return files | {
        "page.html": files["page.html"].replace(
            before, b'<script src="%s" defer></script>\n%s' % (WORDS.encode(), before)
        )
    }


def _notes(desk: Plays, played: Sequence[Sequence[Played]], crowd: Crowd) -> list[str]:
    """What a reader of the results must know of how they were played."""
    people = sorted({one.person for plays in played for one in plays})
    told = [desk.attention(person) for person in people]
    checks, failed, hasty, forward = (
        sum(one[name] for one in told) for name in ("checks", "failed", "hasty", "only_forward")
    )
    typical = median(second for plays in played for one in plays for second in one.seconds)
    return [
        f"Played by {len(people)} people in browsers, each episode by {crowd.each} (consent {crowd.consent.version}).",
        f"{failed} of {checks} attention checks were failed; decisions were faster than anybody can look in {hasty} "
        f"episodes, and nothing but forward was pressed in {forward}.",
        f"A decision took {typical:.1f} s in the median; {NAME} has the time of each. agent_latency is not theirs.",
        *_outcomes(played),
    ]


def _outcomes(played: Sequence[Sequence[Played]]) -> list[str]:
    """`played`: by runs, whose episodes are in one order."""
    if any(one.success is None for plays in played for one in plays):
        return []
    told = []
    if len(played) > 1:
        alike, kappa = agreement([[bool(one.success) for one in plays] for plays in zip(*played, strict=True)])
        chance = "" if kappa is None else f" (Fleiss' kappa {kappa:.2f})"
        told.append(f"Of two people who played the same episode, {alike:.0%} both succeeded or both failed{chance}.")
    if parts := halves(one for plays in played for one in plays):
        first, second = parts
        told.append(f"Success in the first half of what each person played: {first:.0%}, in the second: {second:.0%}.")
    return told


def _write_run(
    config: Config, out: Path, journal: Journal, plays: Sequence[Played], place: int, notes: Sequence[str]
) -> Evaluated:
    """The plays as a run of its own, written anew."""
    folder = out / f"run-{place}"
    with explained(folder):
        shutil.rmtree(folder, ignore_errors=True)
    made = {one.key: Decisions(journal.decisions_of(one.person)).of(one.key) for one in plays}
    replay = Replay(made, notes)
    evaluated = run_benchmark(config, folder, watchers=[replay], agent=replay, called=Person.name)
    kept = Decisions(folder)
    for decisions in made.values():
        kept.extend(decisions)
    return evaluated
