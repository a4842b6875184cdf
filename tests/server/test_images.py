"""Container images without an engine: how they arrive, what is refused, how a service in one is reached."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import tarfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from nav_eval.errors import ConfigError, InputError
from nav_eval_sdk import TestClient, start
from nav_eval_sdk.examples.random_agent import RandomAgent
from nav_eval_server import privacy
from nav_eval_server.challenge import Challenge, Images
from nav_eval_server.folder import Folder
from nav_eval_server.images import archive, engine, storage
from nav_eval_server.images.container import Door
from nav_eval_server.images.loading import Broken, Store
from nav_eval_server.models import Endpoint, Membership, Submission, Team, Token, User
from nav_eval_server.queue.dispatcher import Dispatcher
from nav_eval_server.queue.probe import parsed
from nav_eval_server.queue.refusal import Refusal
from nav_eval_server.queue.states import State, sentence
from nav_eval_server.tokens import issue
from server.calling import Caller
from server.competition import phase
from server.conftest import Make
from server.image_file import add, save

PHASES = {"dev": phase() | {"images": "also"}, "only": phase() | {"images": "only"}, "none": phase()}
PIECE = 1 << 20


@pytest.fixture
def challenge(make: Make) -> Challenge:
    return make(phases=PHASES, images={"size_gb": 3 / 1024, "keep": 2}, web={"upload_mb": 1})


@pytest.fixture
def worker() -> Caller:
    return Caller(issue(Token.Scope.WORKER, "w"))


def caller(name: str = "aurora", state: str = Team.State.APPROVED) -> Caller:
    team = Team.objects.get_or_create(name=name, defaults={"state": state})[0]
    return Caller(issue(Token.Scope.TEAM, "laptop", team))


def push(team: Caller, content: bytes, name: str, *, begin: int = 0) -> dict[str, object]:
    """In pieces, from where the server is; the last answer."""
    sha256 = hashlib.sha256(content).hexdigest()
    told = team("GET", f"/images/{sha256}").json()
    assert (told["received"], told["piece"]) == (begin, PIECE)
    while told.get("endpoint") is None:
        at = told["received"]
        answer = team(
            "PUT", f"/images/{sha256}?name={name}&offset={at}&whole={len(content)}", raw=content[at : at + PIECE]
        )
        assert answer.status_code == 200, answer.content
        told = answer.json()
    assert told["sha256"] == sha256
    found: dict[str, object] = told["endpoint"]
    return found


def files(challenge: Challenge) -> set[str]:
    return {file.name for file in Folder(challenge.folder).images.iterdir()}


def named(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_an_image_arrives_in_pieces_and_is_kept_once(challenge: Challenge) -> None:
    aurora, borealis, content = caller(), caller("borealis"), bytes(range(256)) * 10000
    sha256 = named(content)
    first = aurora("PUT", f"/images/{sha256}?name=a&offset=0&whole={len(content)}", raw=content[:PIECE])
    assert (first.json()["received"], first.json()["endpoint"]) == (PIECE, None)
    endpoint = push(aurora, content, "a", begin=PIECE)
    assert (endpoint["protocol"], endpoint["url"], endpoint["probe"]) == ("image", f"sha256:{sha256}", "ready")
    assert (Folder(challenge.folder).images / sha256).read_bytes() == content
    push(aurora, content, "again", begin=len(content))
    push(borealis, content, "mine")  # who knows the sum of another team's image does not have it
    assert files(challenge) == {sha256}


def test_what_does_not_fit_is_refused(challenge: Challenge) -> None:
    def refused(team: Caller, *, whole: int = 3, raw: bytes = b"abc") -> tuple[int, str]:
        answer = team("PUT", f"/images/{named(b'abc')}?name=a&offset=0&whole={whole}", raw=raw)
        return answer.status_code, answer.json()["code"]

    aurora = caller()
    assert refused(aurora, raw=b"abd") == (409, "unlike")
    assert refused(aurora, whole=(3 << 20) + 1) == (413, "too_large")
    assert refused(caller("new", Team.State.PENDING)) == (403, "not_approved")
    assert files(challenge) == set()


def test_the_oldest_goes_unless_it_is_needed(challenge: Challenge) -> None:
    aurora, one, two, three, four = caller(), b"1", b"2", b"3", b"4"
    push(aurora, one, "one")
    team, dispatcher = Team.objects.get(), Dispatcher(challenge)
    running = dispatcher.submit(team, "dev", endpoint=Endpoint.objects.get(name="one"))
    push(aurora, two, "two")
    push(aurora, three, "three")
    assert [*Endpoint.objects.order_by("pk").values_list("name", flat=True)] == ["two", "three"]
    assert files(challenge) == {named(one), named(two), named(three)}
    dispatcher.cancel(running, "somebody")
    push(aurora, four, "four")
    assert files(challenge) == {named(three), named(four)}
    with pytest.raises(Refusal, match="no longer kept"):
        dispatcher.rerun(running, "somebody")


def test_an_image_that_no_backup_held_is_to_be_pushed_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "images", Images(), lambda offset: b"", lambda: None)
    with pytest.raises(Broken, match=r"no longer has its archive. Push it again") as caught:
        store.have(named(b"1"))
    assert caught.value.fault == "image_unfit"


def test_a_phase_says_what_it_takes(challenge: Challenge) -> None:
    push(caller(), b"1", "image")
    team = Team.objects.get()
    Endpoint.objects.create(team=team, name="s", protocol="rest", url="http://127.0.0.1:9")
    taken = {(name, row) for name in PHASES for row in Endpoint.objects.all()}
    for name, row in [*taken]:
        try:
            Dispatcher(challenge).submit(team, name, endpoint=row)
        except Refusal:
            taken.remove((name, row))
    assert {(name, row.name) for name, row in taken} == {
        ("dev", "image"), ("dev", "s"), ("only", "image"), ("none", "s"),
    }  # fmt: skip


def test_a_worker_gets_the_image_and_its_faults_are_the_teams(challenge: Challenge, worker: Caller) -> None:
    push(caller(), b"1" * 10, "image")
    team, dispatcher = Team.objects.get(), Dispatcher(challenge)
    for _ in range(2):  # at once: each has a container of its own
        dispatcher.submit(team, "dev", endpoint=Endpoint.objects.get())
    assert worker("POST", "/worker/claim", {"instance": "i", "images": False}).status_code == 204  # without an engine
    first, second = (worker("POST", "/worker/claim", {"instance": "i"}).json() for _ in range(2))
    assert Images.model_validate(first["image"]) == challenge.images
    there = f"/worker/attempts/{first['attempt']}/image?fence={first['fence']}"
    assert [worker("GET", f"{there}&offset={at}").content for at in (0, 4, 10)] == [b"1" * 10, b"1" * 6, b""]
    put = f"/worker/attempts/{first['attempt']}/files/agent.txt?fence={first['fence']}&offset=0&whole=5"
    assert worker("PUT", put, raw=b"hello").status_code == 200
    shown = f"/submissions/{first['submission']}"
    assert caller()("GET", shown).json()["files"] == ["agent.txt"]
    assert caller()("GET", f"{shown}/files/agent.txt").content == b"hello"
    assert caller("borealis")("GET", f"{shown}/files/agent.txt").status_code == 404
    for claim, outcome, message in ((second, "image_ended", "3"), (first, "image_memory", "8")):
        ending = {"fence": claim["fence"], "outcome": outcome, "message": message}
        assert worker("POST", f"/worker/attempts/{claim['attempt']}/finish", ending).json() == {"state": "failed"}
    assert {*Submission.objects.values_list("state", "fault")} == {(State.FAILED, Submission.Fault.PARTICIPANT)}
    said = {one["sentence"].split(": ")[1] for one in caller()("GET", "/submissions").json()}
    assert said == {
        "your image ended with exit code 3, before the evaluation. Its log says more.",
        "your image needed more than the 8 GiB of memory that it may have.",
    }


def test_a_worker_gets_no_file_but_images(challenge: Challenge, worker: Caller) -> None:
    Team.objects.create(name="aurora", state=Team.State.APPROVED)
    service = Endpoint.objects.create(team=Team.objects.get(), name="s", protocol="rest", url="http://127.0.0.1:9")
    Dispatcher(challenge).submit(service.team, "dev", endpoint=service)
    claim = worker("POST", "/worker/claim", {"instance": "i"}).json()
    there = f"/worker/attempts/{claim['attempt']}/image?fence={claim['fence']}&offset="
    assert [worker("GET", f"{there}{at}").status_code for at in (0, -1)] == [404, 422]
    for name in ("../../private/vault.key", ".", f"sha256:{'0' * 63}"):
        with pytest.raises(ValueError, match="no image"):
            storage.path(challenge, name)
    with pytest.raises(InputError, match="not an address"):
        parsed("../../private/vault.key")


def test_a_name_keeps_its_kind_of_service(challenge: Challenge) -> None:
    aurora, service = caller(), {"name": "s", "protocol": "rest", "url": "127.0.0.1:9", "token": ""}
    push(aurora, b"1", "image")
    assert [aurora("POST", "/endpoints", service | {"name": name}).status_code for name in ("image", "s")] == [409, 200]
    taken = aurora("PUT", f"/images/{named(b'2')}?name=s&offset=0&whole=1", raw=b"2")
    assert (taken.status_code, taken.json()["code"]) == (409, "name")


def test_files_go_with_their_owner(challenge: Challenge) -> None:
    aurora, user = caller(), User.objects.create_user("ann")
    Membership.objects.create(team=Team.objects.get(), user=user)
    one = push(aurora, b"1", "one")
    push(aurora, b"2", "two")
    aurora("PUT", f"/images/{named(b'34')}?name=three&offset=0&whole=2", raw=b"3")
    part = f"{Team.objects.get().pk}-{named(b'34')}.part"
    aurora("DELETE", f"/endpoints/{one['id']}")
    assert files(challenge) == {named(b"2"), part}
    privacy.erase(challenge, user, "ann")
    assert files(challenge) == set()


def test_the_last_piece_may_come_again_while_it_is_summed_up(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    summed, aurora = storage.file_sha256, caller()
    monkeypatch.setattr(storage, "file_sha256", lambda file: time.sleep(0.5) or summed(file))

    def send(_: int) -> int:
        status: int = aurora("PUT", f"/images/{named(b'1')}?name=a&offset=0&whole=1", raw=b"1").status_code
        connection.close()
        return status

    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(send, range(2))] == [200, 200]


def packed(pack: Callable[[bytes], bytes], *sizes: int, sparse: int = 0) -> bytes:
    """A layer of files."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for number, size in enumerate(sizes):
            add(tar, f"file{number}", "x" * size)
        if sparse:  # as GNU tar writes a file of holes only: the block holds nothing
            about = tarfile.TarInfo("holes")
            about.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(sparse)}
            about.size = 512
            tar.addfile(about, io.BytesIO(b"0\n".ljust(512, b"\0")))
    return pack(raw.getvalue())


@pytest.mark.parametrize(
    ("layer", "told", "times"),
    [
        (packed(bytes, 1000), "", 3),
        (packed(gzip.compress, 1 << 20), "unpacks to more than", 5),
        (packed(gzip.compress, 1000), "", 1),
        (packed(gzip.compress, 5 << 20), "unpacks to more than 0.00390625 GiB", 1),
        (packed(bytes, sparse=5 << 20), "unpacks to more than", 1),
        (packed(bytes, *[1] * 1100), "unpacks to more than", 1),
        (b"\x28\xb5\x2f\xfd" + b"x" * 100, "packed with zstd", 1),
    ],
    ids=["plain", "repeated", "gzip", "bomb", "holes", "many", "zstd"],
)
def test_what_an_archive_unpacks_to(tmp_path: Path, layer: bytes, told: str, times: int) -> None:
    save(tmp_path / "image.tar", layer, ["x"], times=times)
    with pytest.raises(InputError, match=told) if told else nullcontext():
        archive.check(tmp_path / "image.tar", 4 << 20)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("its command could not be started.", "无法启动其命令。"),
        ("its archive holds 2 images; save one.", "其归档文件含有 2 个镜像，只应保存一个。"),
        ("it unpacks to more than 0.5 GiB.", "解包后超过 0.5 GiB。"),
    ],
)
def test_what_is_wrong_with_an_image_is_said_in_both_languages(english: str, chinese: str) -> None:
    now = datetime(2026, 12, 1, tzinfo=UTC)
    failed = Submission(state=State.FAILED, why="image_unfit", detail=english, since=now)
    en, zh = (sentence(failed, language, zone=ZoneInfo("UTC"), now=now) for language in ("en", "zh"))
    assert en == f"Failed at 00:00: your image cannot be run: {english}"
    assert zh == f"已于 00:00 失败：您的镜像无法运行：{chinese}"


@pytest.mark.parametrize(
    ("name", "gpus", "told"),
    [
        ("podman", "", set()),
        ("docker", "", set()),
        ("podman", "all", {"--device=nvidia.com/gpu=all"}),
        ("podman", "1", {"--device=nvidia.com/gpu=1"}),
        ("docker", "all", {"--gpus=all"}),
        ("docker", "1", {"--gpus=device=1"}),
    ],
)
def test_an_image_has_a_gpu_only_where_the_rules_say_so(name: str, gpus: str, told: set[str]) -> None:
    """Whatever else it may or may not do stays."""
    without, given = (set(engine.confined(Images(engine=name, gpus=one))) for one in ("", gpus))  # type: ignore[arg-type]
    assert given - without == told
    assert {"--network=none", "--read-only", "--cap-drop=all"} <= without <= given


def test_a_phase_with_images_wants_an_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    engine.probe.cache_clear()
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\necho There is no daemon. >&2\nexit 1\n")
    docker.chmod(0o755)
    with pytest.raises(ConfigError, match=r"images: docker runs no container here \(There is no daemon"):
        engine.refuse(Images(engine="docker"))
    docker.write_text("#!/bin/sh\n[ $1 != run ] || echo max max\n")  # as an engine that limits nothing
    with pytest.raises(ConfigError, match="docker does not limit memory and processes here"):
        engine.refuse(Images(engine="docker"))
    assert "without limits" in engine.refuse(Images(engine="docker", allow_unlimited=True))
    engine.probe.cache_clear()


@pytest.mark.parametrize(("protocol", "wire"), [("rest", "rest-msgpack"), ("grpc", "grpc-stream")])
def test_a_service_is_reached_by_its_relay(protocol: str, wire: str) -> None:
    with start(RandomAgent, protocol=protocol, port=0).wait_loaded() as server:
        door = Door([sys.executable, "-m", "nav_eval_sdk", "relay", "--port", str(server.port)])
        client = TestClient(door.address, wire=wire)
        assert (client.info().name, client.health().status) == ("random", "ready")
        client.close()
        door.close()
