"""The end of a phase, and what is published of a competition: figures for a static site, and all that proves them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from nav_eval.errors import InputError
from nav_eval.reading import file_sha256
from nav_eval.results import audit
from nav_eval_server import events
from nav_eval_server.archive import site
from nav_eval_server.archive.evidence import values
from nav_eval_server.board import decisions
from nav_eval_server.board.places import Board, Keeper, document, keep
from nav_eval_server.board.visibility import Sight, visible_to
from nav_eval_server.challenge import Challenge, content_sha256
from nav_eval_server.folder import Folder
from nav_eval_server.models import Event, Ranking, Submission
from nav_eval_server.queue.baselines import OURS
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.states import FINAL
from nav_eval_server.web.standings import Standings, standings


def freeze(challenge: Challenge, phase: str, now: datetime, actor: str = "organiser") -> str | None:
    """End a phase. The SHA-256 of state/frozen/PHASE.json: board, values, submissions; None while some are unfinished.

    What agents of ours have not ended is cancelled. Once the hash is in the audit log, nothing of it can be changed
    without being seen.
    """
    decisions.close(phase, actor, now)
    if decisions.unfinished(phase):
        return None
    for late in Submission.objects.filter(phase=phase, protocol=OURS).exclude(state__in=FINAL):
        Dispatcher(challenge).cancel(late, actor)
    board = document(challenge, phase, Board.FINAL)
    keep(board, now)
    ended = Submission.objects.filter(phase=phase).order_by("id")
    content = {
        "board": board,
        "values": values(challenge, phase, Board.FINAL),
        "submissions": list(ended.values_list("id", "team__name", "state", "result__manifest_sha256")),
    }
    digest = content_sha256(content)
    place = Folder(challenge.folder).path / "state" / "frozen"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    (place / f"{phase}.json").write_text(json.dumps(content, sort_keys=True, separators=(",", ":")))
    last = frozen(phase)
    if last is None or last.details["sha256"] != digest:
        events.record("frozen", phase, actor=actor, sha256=digest)
    return digest


def frozen(phase: str) -> Event | None:
    """When it was frozen last, as every phase is whose final board is revealed."""
    return Event.objects.filter(action="frozen", subject=phase).order_by("-pk").first()


def reveal(challenge: Challenge, phase: str, now: datetime, actor: str = "organiser") -> Ranking:
    """Show the final board of a phase that is over to everybody, and freeze it. Raises Refusal (board.decisions)."""
    with transaction.atomic():
        kept = decisions.reveal(challenge, phase, actor, now)
        freeze(challenge, phase, now, actor)
        return kept


def publish(challenge: Challenge, out: Path, now: datetime) -> list[str]:
    """Write what everybody may see, and of revealed phases everything that their ranks follow from; names of boards.

    Raises InputError where a revealed board is no longer what the rows say.
    """
    if out.exists() and any(out.iterdir()):
        raise InputError(f"{out}: is not empty. Choose a new folder.")
    Keeper(challenge).refresh(now)
    boards = [board for phase in challenge.phases for board in standings(phase, AnonymousUser())]
    for board in boards:
        _write_board(out / "boards" / board.name, board)
    for phase in challenge.phases:
        _write_values(challenge, phase, out)
    key = _write_runs(challenge, visible_to(None), out)
    names = sorted(board.name for board in boards)
    _write_index(challenge, out, names, key, now)
    site.write(challenge, out, boards, key, now)
    shutil.copyfile(Path(__file__).with_name("recompute.py"), out / "recompute.py")
    _write_sums(out)
    return names


def _write_board(path: Path, board: Standings) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").write_text(
        json.dumps(board.published, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    path.with_suffix(".csv").write_text(board.table, encoding="utf-8")


def _write_values(challenge: Challenge, phase: str, out: Path) -> None:
    """Of a revealed phase only: single episodes tell what a board hides."""
    shown = decisions.board_state(challenge, phase)
    if shown == "hidden":
        return
    if shown == "changed":
        raise InputError(f"{phase}: its final board has changed since it was revealed. Reveal it again.")
    (out / "values").mkdir(exist_ok=True)
    boards = (Board.FINAL, Board.PUBLIC) if challenge.phases[phase].board == "public" else (Board.FINAL,)
    for board in boards:
        content = json.dumps(values(challenge, phase, board))
        (out / "values" / f"{phase}-{board.value}.json").write_text(content + "\n")


def _write_runs(challenge: Challenge, sight: Sight, out: Path) -> str | None:
    """Signed public forms of the runs whose figures everybody may see; the public key, if there are any."""
    folder, key = Folder(challenge.folder), None
    for submission in Submission.objects.filter(kind="service").order_by("id"):
        run = folder.runs / submission.id
        if sight.evidence(submission.id) and not audit.tells_its_seed(run):
            key = audit.sign(run, folder.private / "organiser.pem")
            audit.publish(run, out / "runs" / submission.id)
    return key


def _write_index(challenge: Challenge, out: Path, boards: Sequence[str], key: str | None, now: datetime) -> None:
    out.mkdir(parents=True, exist_ok=True)
    last = Event.objects.order_by("-pk").first()
    index = {
        "competition": challenge.name,
        "title": challenge.title.model_dump(),
        "rules_sha256": challenge.rules_sha256,
        "published_at": now.isoformat(),
        "boards": {name: f"boards/{name}.json" for name in boards},
        "public_key": key,
        "audit_log_sha256": last.sha256 if last else None,
    }
    (out / "index.json").write_text(json.dumps(index, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_sums(out: Path) -> None:
    paths = sorted(path for path in out.rglob("*") if path.is_file())
    lines = (f"{file_sha256(path)}  {path.relative_to(out).as_posix()}\n" for path in paths)
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
