"""What everybody may download of an entry: the signed public form of its run, and a report without single episodes.

The scheduler makes both, once, below state/public/<submission>, and only of entries whose figures everybody sees
(board.visibility). The report is a command of its own; its name holds the sum of the policy that its one script has,
so that a new version of the page is made anew.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import time
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from nav_eval.errors import NavEvalError
from nav_eval.logging import get_logger
from nav_eval.report.page import page_policy
from nav_eval.results import audit
from nav_eval_server import events
from nav_eval_server.board.visibility import visible_to
from nav_eval_server.challenge import Challenge
from nav_eval_server.evaluator import COMMAND
from nav_eval_server.folder import Folder
from nav_eval_server.models import Ranking, Submission
from nav_eval_server.parent_death import killed_with_parent

LOG = get_logger("nav_eval.competition")
REPORT = "report.html"
NICENESS = 10
SECONDS = 1800.0
"""That a report may take."""
FAILED = ".failed"


@cache
def report_name() -> str:
    """Of the file; readers are given it as report.html."""
    return f"report-{hashlib.sha256(page_policy().encode()).hexdigest()[:12]}.html"


class Proof:
    """What there is of one entry."""

    def __init__(self, folder: Folder, submission: str) -> None:
        self.path = folder.public / submission
        self.report = self.path / report_name()

    @property
    def names(self) -> list[str]:
        """The files of the signed form that are there; none before it is made."""
        return [name for name in audit.PUBLIC_FILES if (self.path / name).is_file()]

    @property
    def failed(self) -> bool:
        """Whether there will be no report, or none at all."""
        return Path(f"{self.report}{FAILED}").exists()

    @property
    def made(self) -> bool:
        return self.report.exists() or self.failed

    def packed(self) -> bytes:
        """All of it in one archive, the same bytes each time."""
        found = [(name, self.path / name) for name in self.names]
        found += [(REPORT, self.report)] if self.report.exists() else []
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, path in found:
                archive.writestr(zipfile.ZipInfo(f"{self.path.name}/{name}"), path.read_bytes(), zipfile.ZIP_DEFLATED)
        return content.getvalue()


class Maker:
    """Makes what is missing, one report at a time; `tend` is called again and again and never waits."""

    def __init__(self, challenge: Challenge) -> None:
        self._challenge, self._folder = challenge, Folder(challenge.folder)
        self._process: subprocess.Popen[bytes] | None = None
        self._proof: Proof | None = None
        self._since = 0.0

    def tend(self) -> None:
        if self._process is not None and not self._has_ended(self._process):
            return
        self._process = self._proof = None
        proof = next(self._missing(), None)
        if proof is not None and self._is_signed(proof):
            self._begin(proof)

    def _missing(self) -> Iterator[Proof]:
        sight = visible_to(None)
        for phase in self._challenge.phases:
            boards = (sight.board(phase, board) for board in Ranking.Board.values)
            shown = dict.fromkeys(line["submission"] for board in boards if board for line in board["entries"])
            proofs = {name: Proof(self._folder, name) for name in shown}
            bare = [name for name, proof in proofs.items() if not proof.made]
            services = set(Submission.objects.filter(pk__in=bare, kind="service").values_list("pk", flat=True))
            yield from (proofs[name] for name in bare if name in services and sight.evidence(name))

    def _is_signed(self, proof: Proof) -> bool:
        """Whether the signed form is there now. There is none of a run whose configuration would tell its seed."""
        try:
            if not proof.names:
                self._sign(proof)
        except NavEvalError as error:
            self._give_up(proof, str(error))
            return False
        return True

    def _sign(self, proof: Proof) -> None:
        run, place = self._folder.runs / proof.path.name, proof.path.with_name(f".{proof.path.name}")
        if audit.tells_its_seed(run):
            raise NavEvalError("its configuration holds the seed of its episodes")
        shutil.rmtree(place, ignore_errors=True)
        audit.publish(run, place)
        audit.sign(place, self._folder.private / "organiser.pem")
        shutil.rmtree(proof.path, ignore_errors=True)
        place.replace(proof.path)

    def _begin(self, proof: Proof) -> None:
        run = self._folder.runs / proof.path.name
        command = [*COMMAND, "report", str(run), "--public", "--out", str(proof.report)]
        self._process = subprocess.Popen(
            killed_with_parent(command), cwd=self._folder.path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        os.setpriority(os.PRIO_PROCESS, self._process.pid, NICENESS)
        self._proof, self._since = proof, time.monotonic()

    def _has_ended(self, process: subprocess.Popen[bytes]) -> bool:
        if process.poll() is None and time.monotonic() - self._since > SECONDS:
            process.kill()
            process.wait()
        if process.poll() is None:
            return False
        said = process.communicate()[1].decode(errors="replace").strip()
        if self._proof is not None and not self._proof.report.exists():
            self._give_up(self._proof, said[-500:] or f"it ended with {process.returncode}")
        return True

    def _give_up(self, proof: Proof, why: str) -> None:
        LOG.warning("There is no report of %s: %s", proof.path.name, why)
        proof.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        Path(f"{proof.report}{FAILED}").touch()
        events.record("no_report", proof.path.name, why=why[:300])
