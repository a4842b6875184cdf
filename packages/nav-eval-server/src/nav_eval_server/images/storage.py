"""Archives of container images as teams send them, each content once, below state/images.

A team keeps its newest (`images.keep`), each as an endpoint whose url is sha256:...; a file goes when neither an
endpoint nor an unfinished submission, nor one that a team has chosen for the final board, names it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from nav_eval.reading import file_sha256
from nav_eval_server import events
from nav_eval_server.challenge import Challenge
from nav_eval_server.folder import Folder
from nav_eval_server.models import Endpoint, Mark, Submission, Team
from nav_eval_server.queue import endpoints
from nav_eval_server.queue.inbox import put
from nav_eval_server.queue.refusal import Refusal, not_let_in
from nav_eval_server.queue.states import FINAL
from nav_eval_server.visible import visible

PREFIX = "sha256:"
NAME = re.compile(r"([0-9]+-)?[0-9a-f]{64}(\.part)?")
PIECE = 16 << 20
"""Bytes of an archive in one request, at most."""
ROOM = 1 << 30
"""Bytes that an archive leaves free on the disk."""


def path(challenge: Challenge, url: str) -> Path:
    name = url.removeprefix(PREFIX)
    if not NAME.fullmatch(name):
        raise ValueError(f"{url} is no image")
    return Folder(challenge.folder).images / name


def received(challenge: Challenge, team: Team, sha256: str) -> int:
    """Bytes of it that are here; an image of another team must be sent as if it were not."""
    for file in (path(challenge, sha256) if _keeps(team, sha256) else None, _part(challenge, team, sha256)):
        if file is not None and file.exists():
            return file.stat().st_size
    return 0


def receive(
    challenge: Challenge, team: Team, name: str, sha256: str, offset: int, data: bytes, whole: int
) -> tuple[int, Endpoint | None]:
    """Keep a piece; how much is here now, and the endpoint once that is all. Raises InputError and Refusal."""
    name = visible(name)
    _check(challenge, team, whole)
    endpoints.check_name(team, name, "image")
    part, here = _part(challenge, team, sha256), received(challenge, team, sha256)
    if _keeps(team, sha256) and here == whole:
        return whole, _register(challenge, team, name, sha256, None)
    _discard_parts(challenge, team, but=part)
    if shutil.disk_usage(part.parent).free < whole - here + ROOM:
        raise Refusal("busy", "The server's disk is full. Tell the organisers.", "服务器磁盘已满，请告知主办方。")
    size = put(part, offset, data) if here < whole else here
    return size, _register_image(challenge, team, name, sha256, part, whole) if size >= whole else None


def _register_image(challenge: Challenge, team: Team, name: str, sha256: str, part: Path, whole: int) -> Endpoint:
    """Raises Refusal. A large one takes so long that its last piece may be sent again meanwhile."""
    with _alone(part.parent):
        if _keeps(team, sha256):
            return _register(challenge, team, name, sha256, None)
        if not part.exists() or part.stat().st_size > whole or file_sha256(part) != sha256:
            part.unlink(missing_ok=True)
            raise Refusal("unlike", "What arrived has another SHA-256. Send it again.", "SHA-256 不符，请重新发送。")
        return _register(challenge, team, name, sha256, part)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """In all processes of the server, and without holding up the database."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _check(challenge: Challenge, team: Team, whole: int) -> None:
    if team.state != Team.State.APPROVED or team.disqualified:
        raise not_let_in(team)
    if not challenge.takes_images:
        raise Refusal("wrong_kind", "This competition takes no container images.", "本次竞赛不接受容器镜像。")
    most = challenge.images.size_gb
    if whole > most * 2**30:
        raise Refusal("too_large", f"The archive is larger than {most:g} GiB.", f"文件超过 {most:g} GiB。")


def _keeps(team: Team, sha256: str) -> bool:
    return Endpoint.objects.filter(team=team, protocol="image", url=PREFIX + sha256).exists()


def _part(challenge: Challenge, team: Team, sha256: str) -> Path:
    return path(challenge, f"{team.pk}-{sha256}.part")


def _discard_parts(challenge: Challenge, team: Team, but: Path) -> None:
    """A team sends one archive at a time."""
    for other in Folder(challenge.folder).images.glob(f"{team.pk}-*.part"):
        if other != but:
            other.unlink(missing_ok=True)


def _register(challenge: Challenge, team: Team, name: str, sha256: str, part: Path | None) -> Endpoint:
    told = {"protocol": "image", "url": PREFIX + sha256, "sealed_token": "", "probe": "ready"}
    with _marked():
        if part is not None:
            part.replace(path(challenge, sha256))
        endpoint = Endpoint.objects.update_or_create(
            team=team, name=name, defaults=told | {"probed_at": timezone.now()}
        )[0]
        events.record("image", team.name, actor=f"team {team.name}", sha256=sha256)
        _prune(challenge, team)
    return endpoint


@contextmanager
def _marked() -> Iterator[None]:
    with transaction.atomic():
        Mark.objects.select_for_update().get_or_create(name="images")
        yield


def tidy(challenge: Challenge) -> None:
    """Drop the files that nothing needs any more, after services or teams are gone."""
    with _marked():
        _drop_files(challenge)


def _prune(challenge: Challenge, team: Team) -> None:
    rows = Endpoint.objects.filter(protocol="image")
    newest = rows.filter(team=team).order_by("-probed_at", "-pk").values_list("pk", flat=True)
    rows.filter(pk__in=list(newest[challenge.images.keep :])).delete()
    _drop_files(challenge)


def _drop_files(challenge: Challenge) -> None:
    rows = Endpoint.objects.filter(protocol="image")
    entered = Submission.objects.filter(protocol="image")
    needed = {*rows.values_list("url", flat=True), *entered.exclude(state__in=FINAL).values_list("url", flat=True)}
    needed |= {*entered.exclude(chosen_at=None).values_list("url", flat=True)}
    teams = {*Team.objects.filter(state=Team.State.APPROVED).values_list("pk", flat=True)}
    for file in Folder(challenge.folder).images.glob("*"):
        partly = file.suffix == ".part"
        if int(file.name.partition("-")[0]) not in teams if partly else PREFIX + file.name not in needed:
            file.unlink(missing_ok=True)
