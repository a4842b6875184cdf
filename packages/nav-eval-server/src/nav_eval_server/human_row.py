"""nav-eval competition people: how well people do, as a row on the board of a phase.

They play by `nav-eval human`, with what the phase gives an agent and no more; their run is then entered as the
baselines' are, by a team that is marked and has no rank.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from nav_eval.cli.say import say
from nav_eval.errors import InputError
from nav_eval.results.sensor_class import sensor_class
from nav_eval_server.archive.commands import opened_for
from nav_eval_server.challenge import Challenge, configured, evaluation_text
from nav_eval_server.evaluator import COMMAND, LANGUAGE, environment
from nav_eval_server.folder import Folder
from nav_eval_server.parent_death import killed_with_parent

AS_PEOPLE_PLAY = (
    "agent_service.type=local",
    "evaluation.parallel.workers=1",
    "evaluation.parallel.sessions=1",
    "evaluation.parallel.executor=local",
)
SHOWN = ("rgb", "panorama", "skybox")
"""What of the sensors people see."""


def people(
    file: Path,
    /,
    *,
    phase: str,
    people: int = 6,
    consent: Path | None = None,
    port: int = 8090,
    host: str = "127.0.0.1",
) -> int:
    """Let invited people play a phase, for a row on its board: nav-eval competition people FILE --phase NAME.

    Prints a link for each person and one for the progress. Once every episode was played by one of them, the board
    shows the row "people", without a rank. After Ctrl-C the same command goes on.

    Parameters
    ----------
    file
        challenge.yaml.
    phase
        The phase's name; one that takes services.
    people
        How many people are invited. Nobody plays a path twice: of a path with six instructions six are needed.
    consent
        A text file that people agree to before they begin, in place of the built-in one.
    port
        The port of their page.
    host
        The address to listen on. 0.0.0.0 lets others in your network play; the links are then sent unencrypted.
    """
    challenge = opened_for(file, phase)
    if people < 2:
        raise InputError(f"--people {people}: is 2 or more.")
    check(challenge, phase)
    _open(challenge, phase)
    out = Folder(challenge.folder).people(phase)
    options = [f"--people={people}", f"--port={port}", f"--host={host}", f"--out={out}"]
    options += [] if consent is None else [f"--consent={consent.resolve()}"]
    if _play(challenge, phase, options) not in (0, 1):
        return 1
    entry = enter(challenge, phase, out / "run-1")
    say(
        f"The board of {phase} has the row people, submission {entry}.",
        f"If somebody withdraws: nav-eval human --out {out} --withdraw NUMBER, declare it void, which deletes it here "
        "too, and run this again with a higher --people.",
    )
    return 0


def _open(challenge: Challenge, phase: str) -> None:
    """Rules that people have played by are locked. Raises InputError for a phase that is not open."""
    from nav_eval_server import opening

    if opening.status_of(challenge, phase) != "open":
        raise InputError(f"--phase {phase}: is not open. Let people play while it is.")
    opening.lock(challenge, None if opening.was_opened(challenge) else opening.verify(challenge))


def _play(challenge: Challenge, phase: str, options: Sequence[str]) -> int:
    """To the end; the exit code. The phase's seed stands in a file, and so in no list of processes."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "evaluation.yaml"
        config.write_text(evaluation_text(challenge, phase), encoding="utf-8")
        words = ["human", *challenge.overrides(phase), *AS_PEOPLE_PLAY, f"--config={config}", *options]
        command = killed_with_parent([*COMMAND, *words])
        return subprocess.run(command, cwd=challenge.folder, env=environment(LANGUAGE.get())).returncode


def check(challenge: Challenge, phase: str) -> None:
    """Raises InputError where the phase can have no such row, or has it already, or a team has its name."""
    from nav_eval_server.models import Submission, Team
    from nav_eval_server.queue.baselines import OURS, PEOPLE
    from nav_eval_server.queue.states import State

    if challenge.phases[phase].kind != "service":
        raise InputError(f"--phase {phase}: takes files. Choose a phase that takes services.")
    rows = Submission.objects.filter(protocol=OURS, url=PEOPLE, phase=phase).exclude(state=State.VOID)
    if rows.exists():
        raise InputError(f"--phase {phase}: people have played it. Declare their submission void first.")
    if Team.objects.filter(name=PEOPLE, role=Team.Role.TEAM).exists():
        raise InputError(f"A team is called {PEOPLE}. Rename it on its page first.")


def enter(challenge: Challenge, phase: str, run: Path) -> str:
    """The id of the submission that the run is from now on.

    Raises InputError where it is not whole, or the phase was frozen meanwhile.
    """
    from nav_eval_server.archive.publishing import frozen
    from nav_eval_server.models import Method, Token
    from nav_eval_server.queue.baselines import PEOPLE, submit
    from nav_eval_server.queue.dispatcher import Dispatcher
    from nav_eval_server.queue.states import State
    from nav_eval_server.tokens import find

    dispatcher = Dispatcher(challenge)
    worker = find(dispatcher.folder.worker_token.read_text().strip(), Token.Scope.WORKER)
    if worker is None:
        raise InputError(
            "The token of this machine's worker was revoked. Run this command again, which makes a new one."
        )
    with dispatcher.locked() as now:
        check(challenge, phase)
        if frozen(phase):
            raise InputError(f"--phase {phase}: was frozen while people played, so it has no such row.")
        fresh = submit(challenge, phase, PEOPLE, now)
        if fresh is None:
            raise InputError(f"The team {PEOPLE} is blocked or disqualified. Let it in on its page.")
        if dispatcher.take_in(fresh, run, worker) != State.DONE:
            dispatcher.inbox(fresh.id).discard()
            raise InputError(f"{run}: is not whole, so it cannot be entered. Run this command again.")
        length = Method._meta.get_field("name").max_length
        played = played_by(fresh.result.document["notes"])[:length]
        Method.objects.create(submission=fresh, name=played, sensors=_shown_sensors_class(challenge, phase))
    return str(fresh.id)


def played_by(notes: Iterable[str]) -> str:
    """Of a run's notes the one that says how many people played, as `nav-eval human` writes it."""
    return next(note for note in notes if note.startswith("Played by "))


def _shown_sensors_class(challenge: Challenge, phase: str) -> str:
    """The class of those sensors that people are shown."""
    every = configured(challenge, phase).simulator.sensors
    return sensor_class({name: one for name, one in every.items() if (one.type or name) in SHOWN})
