"""Files of strangers: run directories, data sets, graphs, scenes, navmeshes, submissions, configurations.

Whatever they hold, a command loads them or gives one message; nothing of theirs is run, and nothing that they point at
is read into what is written.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import shutil
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attacks import judge
from attacks.arena import Arena
from attacks.attack import INPUT_FAULT, ONE_MESSAGE, Attack, Expectation, Outcome
from attacks.raw_rest import accept, listening
from graphs import SCAN, default_items, grid_scan

CANARY = "canary"
"""Made in the sandbox by whatever of a stranger's is run."""
MARK = "only-for-the-organiser"
"""What lies in a file and in the environment and may come to no output."""
SECONDS = 20.0
"""Of CPU time."""
BOUND = 20 * SECONDS
DEEP = "[" * 200_000


@dataclass(frozen=True, slots=True)
class Place:
    """`sandbox` of one attack. `run`: a copy of a finished run; `secret`: a file that is nobody's business."""

    sandbox: Path
    run: Path
    good: Path
    secret: Path
    trap: str

    def write(self, name: str, content: bytes | str) -> Path:
        path = self.sandbox / "input" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        return path


Prepare = Callable[[Place], Sequence[Sequence[str | Path]]]
"""Makes the hostile files; the commands to give them to."""


def attack(name: str, what: str, prepare: Prepare, expected: Expectation = ONE_MESSAGE) -> Attack:
    def carry_out(arena: Arena) -> Outcome:
        sandbox = arena.sandbox(name)
        secret = sandbox / "secret.txt"
        secret.write_text(MARK)
        shutil.copytree(arena.good_run, sandbox / "run")
        trapped: list[str] = []
        with listening() as trap:
            accept(trap, lambda sock: trapped.append("a connection"))
            place = Place(sandbox, sandbox / "run", arena.good_run, secret, f"127.0.0.1:{trap.getsockname()[1]}")
            commands = [[str(word) for word in command] for command in prepare(place)]
            known = {path for path in sandbox.rglob("*") if path.is_file() and not path.is_symlink()}
            trial = arena.run(commands, name=name, sandbox=sandbox, bound=BOUND)
        outcome = arena.judged(trial, expected, bound=BOUND)
        outcome.findings += [f"took {one['cpu']:.0f} s" for one in trial.told[:-1] if one["cpu"] > SECONDS]
        outcome.findings += ["a stranger's code was run"] * any(sandbox.rglob(CANARY))
        outcome.findings += ["it connected to where a file pointed"] * bool(trapped)
        outcome.findings += _leaks(sandbox, known)
        return outcome

    return Attack(name, "file", what, expected, carry_out)


def _leaks(sandbox: Path, known: set[Path]) -> list[str]:
    """Whether the secret came to anything that was written."""
    written = [path for path in sandbox.rglob("*") if path.is_file() and not path.is_symlink() and path not in known]
    return [f"{path.name} tells the secret" for path in written if MARK.encode() in path.read_bytes()][:2]


def attacks() -> Iterator[Attack]:
    yield from _configurations()
    yield from _runs()
    yield from _datasets()
    yield from _graphs()
    yield from _scenes()
    yield from _submissions()


READERS = ("report", "rescore", "replay", "verify", "compare")


def _on(place: Place, command: str) -> list[str | Path]:
    """`command` on the run directory; what it writes goes beside it."""
    more: dict[str, list[str | Path]] = {
        "report": ["--out", place.sandbox / "page"],
        "compare": [place.good],
        "publish": ["--out", place.sandbox / "public"],
    }
    return [command, place.run, *more.get(command, [])]


# --- configurations

PLUGIN = f"import pathlib; pathlib.Path({CANARY!r}).touch()\n"
BOMB_YAML = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
)


def _changed_config(text: Callable[[str, Place], str], *commands: str) -> Prepare:
    def prepare(place: Place) -> Sequence[Sequence[str | Path]]:
        path = place.run / "config.yaml"
        path.write_text(text(path.read_text(), place))
        (place.sandbox / "cwd" / judge.PLUGIN).write_text(PLUGIN)
        return [_on(place, command) for command in commands]

    return prepare


def _put(key: str, value: str) -> Callable[[str, Place], str]:
    """The YAML with the first line of `key` replaced."""

    def change(text: str, place: Place) -> str:
        lines = text.splitlines()
        at = next((i for i, line in enumerate(lines) if line.strip().startswith(f"{key}:")), None)
        indent = "" if at is None else lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        line = f"{indent}{key}: {value}"
        lines = [line, *lines] if at is None else [*lines[:at], line, *lines[at + 1 :]]
        return "\n".join(lines) + "\n"

    return change


def _configurations() -> Iterator[Attack]:
    for command in (*READERS, "publish"):
        yield attack(
            f"files/config/plugins-{command}",
            "names a plug-in that lies in the working directory",
            _changed_config(_put("plugins", "[stranger]"), command),
        )
        yield attack(
            f"files/config/command-{command}",
            "names a command that starts a simulator",
            _changed_config(
                lambda text, place: _put("command", f"touch {place.sandbox / CANARY}")(
                    _put("backend", "external")(text, place), place
                ),
                command,
            ),
        )
    texts: dict[str, tuple[str, Callable[[str, Place], str]]] = {
        "agent": ("names an agent of its own", _put("agent", "stranger:Agent")),
        "environment": ("reads the environment", _put("description", "${oc.env:SECRET_OF_THE_ORGANISER}")),
        "laughs": ("a billion laughs", lambda text, place: BOMB_YAML + text),
        "python": (
            "makes an object",
            lambda text, place: f"seed: !!python/object/apply:os.system ['touch {CANARY}']\n",
        ),
        "deep": ("200,000 lists in one another", lambda text, place: "plugins: " + DEEP),
        "list": ("a list", lambda text, place: "- a\n- b\n"),
        "empty": ("nothing", lambda text, place: ""),
        "escapes": ("control characters in a name", _put("name", '"\\e[31m\\n\\u202e"')),
        "unknown-keys": (
            "1,000 unknown keys",
            lambda text, place: text + "".join(f"k{i}: \x22{'Q' * 500}\x22\n" for i in range(1000)),
        ),
        "html": ("HTML as a name", _put("name", "<script>alert(1)</script>")),
        "dtype": ("a class of another module as a metric", _put("type", "os:system")),
        "path": ("a data path elsewhere", lambda text, place: _put("data_path", str(place.secret))(text, place)),
    }
    for name, (what, change) in texts.items():
        yield attack(f"files/config/{name}", what, _changed_config(change, "report", "rescore", "replay"))
    alone = {
        "plugins": ("names a plug-in", "plugins: [stranger]\nbenchmark: {name: x}\n"),
        "command": ("names a command", f"simulator: {{backend: external, command: touch {CANARY}}}\n"),
        "laughs": ("a billion laughs", BOMB_YAML),
        "python": ("makes an object", f"seed: !!python/object/apply:os.system ['touch {CANARY}']\n"),
        "vast": ("20 MB of one text", "benchmark: {name: " + "Q" * 20_000_000 + "}\n"),
        "deep": ("200,000 lists in one another", "plugins: " + DEEP),
        "nul": ("NUL and ESC", "benchmark: {name: a\x00\x1b[31m}\n"),
        "binary": ("no UTF-8", b"\xff\xfe\x00\x01" * 100),
        "recursive": ("an anchor within itself", "plugins: &a [*a]\n"),
        "interpolation": ("a value that is itself", "seed: ${seed}\n"),
        "hydra": ("Hydra's own keys", "hydra: {run: {dir: /tmp/x}}\ndefaults: [{/tasks: ../../../etc/passwd}]\n"),
    }
    for name, (what, content) in alone.items():

        def prepare(place: Place, content: Any = content) -> Sequence[Sequence[str | Path]]:
            (place.sandbox / "cwd" / judge.PLUGIN).write_text(PLUGIN)
            return [["config", "validate", place.write("stranger.yaml", content)]]

        yield attack(f"files/yaml/{name}", what, prepare)


# --- run directories


def _line(path: Path, **changed: Any) -> bytes:
    row = json.loads(path.read_text().splitlines()[0]) | changed
    return json.dumps(row).encode() + b"\n"


def _replaced(name: str, content: Callable[[Place], bytes], *commands: str) -> Prepare:
    def prepare(place: Place) -> Sequence[Sequence[str | Path]]:
        (place.run / name).write_bytes(content(place))
        return [_on(place, command) for command in commands]

    return prepare


def _linked(name: str, where: Callable[[Place], str], *commands: str) -> Prepare:
    def prepare(place: Place) -> Sequence[Sequence[str | Path]]:
        (place.run / name).unlink()
        target = where(place)
        if target == "fifo":
            os.mkfifo(place.run / name)
        elif target == "folder":
            (place.run / name).mkdir()
        else:
            (place.run / name).symlink_to(target)
        return [_on(place, command) for command in commands]

    return prepare


HOSTILE = "\x1b[31m\n\u202e=1+1<script>alert(1)</script>" + "Q" * 2000


def _runs() -> Iterator[Attack]:
    def recorded(**changed: Any) -> Callable[[Place], bytes]:
        return lambda place: _line(place.run / "episodes.jsonl", **changed)

    def walked(old: bytes, new: bytes) -> Callable[[Place], bytes]:
        return lambda place: (place.run / "trajectories.jsonl").read_bytes().replace(old, new)

    def says(**changed: Any) -> Callable[[Place], bytes]:
        return lambda place: _manifest(place, **changed)

    episodes: dict[str, tuple[str, Callable[[Place], bytes]]] = {
        "garbage": ("no JSON", lambda place: b"\x00\x01garbage\n" * 100),
        "empty": ("nothing", lambda place: b""),
        "half": ("a line cut in its middle", lambda place: (place.run / "episodes.jsonl").read_bytes()[:100]),
        "deep": ("a line 200,000 lists deep", lambda place: DEEP.encode() + b"\n"),
        "vast": ("a line of 50 MB", lambda place: b'{"scene_id":"' + b"Q" * 50_000_000 + b'"}\n'),
        "numbers": ("lines that are numbers", lambda place: b"1\n2\n3\n"),
        "twice": ("every episode 1,000 times", lambda place: (place.run / "episodes.jsonl").read_bytes() * 1000),
        "hostile": (
            "hostile ids and reasons",
            recorded(scene_id=HOSTILE, episode_id=HOSTILE, status="agent_error", failure_reason=HOSTILE),
        ),
        "status": ("a status that does not exist", recorded(status="\x1b[31mwon")),
        "metrics": (
            "metrics that are texts and hostile names",
            recorded(metrics={HOSTILE: "x", "success": "yes", "spl": [1]}),
        ),
        "nan": ("metrics that are NaN", recorded(metrics={"success": float("nan"), "spl": float("inf")})),
        "digits": (
            "a metric of 10,000 digits",
            lambda place: (
                b'{"scene_id":"a","episode_id":"b","status":"ok","metrics":{"spl":'
                + b"9" * 10_000
                + b'},"steps":1,"timing":{}}\n'
            ),
        ),
        "paths": ("ids that are paths", recorded(scene_id="../../../../tmp/owned", episode_id="/etc/passwd")),
        "types": ("every value a list", recorded(steps=[], timing=[], metrics=[], status=[])),
    }
    for name, (what, content) in episodes.items():
        yield attack(
            f"files/episodes/{name}", what, _replaced("episodes.jsonl", content, "report", "rescore", "compare")
        )
    walks: dict[str, tuple[str, Callable[[Place], bytes]]] = {
        "garbage": ("no JSON", lambda place: b"\x00\x01garbage\n" * 100),
        "deep": ("a line 200,000 lists deep", lambda place: DEEP.encode() + b"\n"),
        "nan": ("poses that are NaN", walked(b"1.5", b"NaN")),
        "far": ("poses 1e308 m away", walked(b"1.5", b"1e308")),
        "nowhere": ("nodes that do not exist", walked(b'"node":"0', b'"node":"9')),
        "actions": ("actions that do not exist", walked(b'"turn_left"', b'"\\u001b[31mfly"')),
        "many": ("a walk of 30,000 steps", lambda place: _long_walk(place.run / "trajectories.jsonl", 30_000)),
        "schema": ("a schema of the future", lambda place: _line(place.run / "trajectories.jsonl", schema=2**70)),
    }
    for name, (what, content) in walks.items():
        yield attack(
            f"files/walk/{name}", what, _replaced("trajectories.jsonl", content, "report", "rescore", "replay")
        )
    manifests: dict[str, tuple[str, Callable[[Place], bytes]]] = {
        "garbage": ("no JSON", lambda place: b"{"),
        "deep": ("200,000 lists deep", lambda place: DEEP.encode()),
        "list": ("a list", lambda place: b"[]"),
        "numbers": (
            "every value a number",
            lambda place: json.dumps(dict.fromkeys(json.loads((place.run / "manifest.json").read_text()), 7)).encode(),
        ),
        "paths": ("files elsewhere", says(files_sha256={"../secret.txt": "0" * 64, "/etc/passwd": "0" * 64})),
        "hostile": (
            "hostile texts",
            says(agent=HOSTILE, service={"name": HOSTILE, "version": HOSTILE}, plugins={HOSTILE: HOSTILE}),
        ),
    }
    for name, (what, content) in manifests.items():
        yield attack(f"files/manifest/{name}", what, _replaced("manifest.json", content, *READERS, "publish"))
    for name in ("config.yaml", "episodes.jsonl", "trajectories.jsonl", "manifest.json", "results.json"):
        for kind, where in {
            "zero": lambda place: "/dev/zero",
            "loop": lambda place, name=name: name,
            "fifo": lambda place: "fifo",
            "folder": lambda place: "folder",
            "secret": lambda place: str(place.secret),
        }.items():
            what = f"{name} is {'a link to' if kind in ('zero', 'loop', 'secret') else 'a'} {kind}"
            yield attack(
                f"files/links/{name}-{kind}", what, _linked(name, where, "report", "rescore", "publish", "verify")
            )


def _manifest(place: Place, **changed: Any) -> bytes:
    return json.dumps(json.loads((place.run / "manifest.json").read_text()) | changed).encode()


def _long_walk(path: Path, steps: int) -> bytes:
    row = json.loads(path.read_text().splitlines()[0])
    return json.dumps(row | {"steps": row["steps"][:1] * steps, "timing": {"latency": [0.0] * steps}}).encode() + b"\n"


# --- data sets

BLANKS = gzip.compress(b" " * (16 << 20))


def _one_member(total: int) -> bytes:
    """gzip of `total` blanks as one member, made of one block over and over; only its sum at the end is wrong."""
    size = 16 << 20
    maker = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = maker.compress(b" " * size) + maker.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + first * (total // size) + b"\x03\x00" + bytes(8)


def _items(**changed: Any) -> str:
    items = default_items()
    return json.dumps([items[0] | changed, *items[1:]])


def _datasets() -> Iterator[Attack]:
    contents: dict[str, tuple[str, str, Callable[[], bytes | str]]] = {
        "bomb": ("4 MiB of gzip that unpack to 4 GiB of blanks", "x.json.gz", lambda: BLANKS * 256),
        "bomb-one-member": ("the same as one member", "x.json.gz", lambda: _one_member(4 << 30)),
        "bomb-in-text": (
            "1 GiB of gzip within a text",
            "x.json.gz",
            lambda: gzip.compress(b'[{"scan":"') + BLANKS * 64,
        ),
        "cut": ("half of a gzip file", "x.json.gz", lambda: gzip.compress(_items().encode())[:100]),
        "not-gzip": ("plain JSON, which is recognised by its content", "x.json.gz", _items),
        "gzip-in-gzip": ("gzip in gzip", "x.json.gz", lambda: gzip.compress(gzip.compress(_items().encode()))),
        "deep": ("200,000 lists in one another", "x.json", lambda: DEEP),
        "deep-value": ("a value 200,000 lists deep", "x.json", lambda: '[{"scan": ' + DEEP + "]" * 200_000 + "}]"),
        "empty": ("nothing", "x.json", lambda: ""),
        "number": ("a number", "x.json", lambda: "7"),
        "pickle": ("a pickle", "x.json", lambda: b"cposix\nsystem\n(S'touch canary'\ntR."),
        "utf-16": ("UTF-16", "x.json", lambda: _items().encode("utf-16")),
        "no-utf-8": ("no UTF-8", "x.json", lambda: b'[{"scan": "\xff\xfe"}]'),
        "surrogate": ("half of a surrogate pair", "x.json", lambda: _items(instructions=["\ud800"])),
        "escapes": ("control characters in names", "x.json", lambda: _items(scan=HOSTILE, instructions=[HOSTILE])),
        "path": ("a scan that is a path", "x.json", lambda: _items(scan="../../../../etc/passwd")),
        "nan": ("NaN as a heading", "x.json", lambda: _items(heading=float("nan"))),
        "1e400": ("1e400 as a heading", "x.json", lambda: _items().replace("0.5", "1e400")),
        "digits": (
            "a path id of 10,000 digits",
            "x.json",
            lambda: _items().replace('"path_id": 7', '"path_id": ' + "9" * 10_000),
        ),
        "types": ("every value a list", "x.json", lambda: json.dumps([{key: [] for key in default_items()[0]}])),
        "duplicate-ids": ("one path id 1,000 times", "x.json", lambda: json.dumps(default_items()[:1] * 1000)),
        "long-path": ("a path of 1,000,000 nodes", "x.json", lambda: _items(path=["0" * 32] * 1_000_000)),
        "empty-path": ("a path of no node", "x.json", lambda: _items(path=[])),
        "long-text": ("an instruction of 50 MB", "x.json", lambda: _items(instructions=["Q" * 50_000_000])),
        "many": ("one path with 300,000 instructions", "x.json", lambda: _items(instructions=["x"] * 300_000)),
    }
    for name, (what, file, content) in contents.items():

        def prepare(place: Place, file: str = file, content: Any = content) -> Sequence[Sequence[str | Path]]:
            return [["validate", place.write(file, content())]]

        yield attack(f"files/data/{name}", what, prepare, INPUT_FAULT if name in BROKEN else ONE_MESSAGE)

        if name in ALIKE:
            continue

        def prepare_run(place: Place, file: str = file, content: Any = content) -> Sequence[Sequence[str | Path]]:
            data = place.write(file, content())
            connectivity = place.write(f"connectivity/{SCAN}_connectivity.json", json.dumps(grid_scan(4, 3))).parent
            where = [f"dataset.data_path={data}", f"simulator.connectivity_dir={connectivity}", "dataset.split=val"]
            return [
                ["run", "r2r", *where, "agent_service.agent=stop", "dataset.limit=1", "--out", place.sandbox / "new"]
            ]

        yield attack(
            f"files/run/{name}", f"{what}, in a run", prepare_run, INPUT_FAULT if name in BROKEN else ONE_MESSAGE
        )
    for kind in ("zero", "fifo", "folder", "loop"):

        def special(place: Place, kind: str = kind) -> Sequence[Sequence[str | Path]]:
            path = place.write("y/z", "").parent / "x.json"
            make: dict[str, Callable[[], Any]] = {
                "zero": lambda: path.symlink_to("/dev/zero"),
                "fifo": lambda: os.mkfifo(path),
                "folder": path.mkdir,
                "loop": lambda: path.symlink_to(path),
            }
            make[kind]()
            return [["validate", path]]

        yield attack(f"files/data/{kind}", f"the file is a {kind}", special, INPUT_FAULT)


ALIKE = frozenset({"bomb", "bomb-one-member", "bomb-in-text", "long-path", "many"})
"""Take long, and meet the same reader in a run as in `validate`."""
BROKEN = frozenset({
    "bomb", "bomb-one-member", "bomb-in-text", "cut", "gzip-in-gzip", "deep", "deep-value", "empty", "number", "pickle",
    "no-utf-8", "types", "empty-path", "1e400",
})  # fmt: skip


def _graphs() -> Iterator[Attack]:
    def rows(change: Callable[[list[Any]], Any]) -> str:
        return json.dumps(change(grid_scan(4, 3)))

    def first(**changed: Any) -> Callable[[list[Any]], Any]:
        return lambda found: [found[0] | changed, *found[1:]]

    contents: dict[str, tuple[str, Callable[[], str]]] = {
        "garbage": ("no JSON", lambda: "{"),
        "deep": ("200,000 lists deep", lambda: DEEP),
        "list-of-numbers": ("numbers", lambda: "[1, 2, 3]"),
        "nan-pose": ("a pose of NaN", lambda: rows(first(pose=[float("nan")] * 16))),
        "short-pose": ("a pose of 3 numbers", lambda: rows(first(pose=[1, 2, 3]))),
        "far-pose": ("a pose of 1e308", lambda: rows(first(pose=[1e308] * 16))),
        "short-rows": ("rows of other lengths", lambda: rows(first(unobstructed=[True], visible=[]))),
        "long-rows": ("a row of 1,000,000", lambda: rows(first(unobstructed=[True] * 1_000_000))),
        "ids": (
            "ids that are numbers and texts with ESC",
            lambda: rows(lambda found: [found[0] | {"image_id": 7}, found[1] | {"image_id": "\x1b[31m"}, *found[2:]]),
        ),
        "twice": ("one id twice", lambda: rows(lambda found: [found[0], *found])),
        "empty": ("an empty list", lambda: "[]"),
        "excluded": ("nobody is included", lambda: rows(lambda found: [row | {"included": False} for row in found])),
    }
    for name, (what, content) in contents.items():

        def prepare(place: Place, content: Any = content) -> Sequence[Sequence[str | Path]]:
            connectivity = place.write(f"connectivity/{SCAN}_connectivity.json", content()).parent
            data = place.write("R2R_val.json", _items())
            where = [f"dataset.data_path={data}", f"simulator.connectivity_dir={connectivity}", "dataset.split=val"]
            run = ["run", "r2r", *where, "agent_service.agent=stop", "dataset.limit=1", "--out", place.sandbox / "new"]
            return [["validate", data, "--connectivity-dir", connectivity], run]

        yield attack(f"files/graph/{name}", what, prepare)


# --- scenes


def _glb(document: dict[str, Any], binary: bytes = b"", *, length: int | None = None) -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += bytes(-len(binary) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    if binary:
        chunks += struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks) if length is None else length) + chunks


PLY = b"ply\nformat %s 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
TRIANGLE = struct.pack("<9f3H", 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2)


def _mesh(**changed: Any) -> dict[str, Any]:
    document: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 6},
        ],
        "buffers": [{"byteLength": 42}],
    }
    return document | changed


def _accessor(number: int, **changed: Any) -> dict[str, Any]:
    document = _mesh()
    document["accessors"][number] |= changed
    return document


def _view(number: int, **changed: Any) -> dict[str, Any]:
    document = _mesh()
    document["bufferViews"][number] |= changed
    return document


def _picture(width: int, height: int) -> bytes:
    """A PNG that says how large it is, and holds a few rows of it."""
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(1 << 20))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def _textured(uri: str) -> dict[str, Any]:
    return _mesh(
        images=[{"uri": uri}],
        textures=[{"source": 0}],
        materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        meshes=[{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 0}, "indices": 1, "material": 0}]}],
    )


def _scenes() -> Iterator[Attack]:
    def glb(document: dict[str, Any], binary: bytes = TRIANGLE, **lies: int) -> Callable[[Place], bytes]:
        return lambda place: _glb(document, binary, **lies)

    def nodes(*found: dict[str, Any]) -> Callable[[Place], bytes]:
        return glb(_mesh(nodes=[*found, {"mesh": 0}]))

    def buffer(uri: str) -> Callable[[Place], bytes]:
        return lambda place: _glb(_mesh(buffers=[{"byteLength": 42, "uri": uri.format(place=place)}]))

    def textured(uri: str) -> Callable[[Place], bytes]:
        return lambda place: _glb(_textured(uri.format(place=place)), TRIANGLE)

    vast = base64.b64encode(_picture(60_000, 60_000)).decode()
    deep = struct.pack("<5I", 0x46546C67, 2, 20 + 100_000, 100_000, 0x4E4F534A) + b"[" * 100_000
    glbs: dict[str, tuple[str, Callable[[Place], bytes]]] = {
        "proper": ("nothing: this one can be read", glb(_mesh())),
        "cut": ("cut in its middle", lambda place: _glb(_mesh(), TRIANGLE)[:200]),
        "length": ("a length of 4 GiB", glb(_mesh(), length=0xFFFFFFFF)),
        "count-vast": ("2^31 vertices", glb(_accessor(0, count=1 << 31))),
        "count-negative": ("-3 vertices", glb(_accessor(0, count=-3))),
        "count-text": ("'3' vertices", glb(_accessor(0, count="3"))),
        "offset-negative": ("a negative offset", glb(_view(0, byteOffset=-36))),
        "offset-vast": ("an offset of 2^62", glb(_view(0, byteOffset=1 << 62))),
        "view-missing": ("a view that does not exist", glb(_accessor(0, bufferView=99))),
        "index-far": (
            "a triangle of vertices that do not exist",
            glb(_mesh(), TRIANGLE[:36] + struct.pack("<3H", 0, 1, 60000)),
        ),
        "nan": ("vertices that are NaN", glb(_mesh(), struct.pack("<9f", *[float("nan")] * 9) + TRIANGLE[36:])),
        "far": ("vertices 1e38 m away", glb(_mesh(), struct.pack("<9f", *[3e38] * 3, *[-3e38] * 6) + TRIANGLE[36:])),
        "cycle": ("a node that is its own child", glb(_mesh(nodes=[{"mesh": 0, "children": [0]}]))),
        "deep": ("100,000 nodes in one another", nodes(*({"children": [i + 1]} for i in range(100_000)))),
        "shared": ("2^30 copies by shared children", nodes(*({"children": [i + 1, i + 1]} for i in range(30)))),
        "buffer-secret": ("a buffer outside its folder", buffer("../secret.txt")),
        "buffer-passwd": ("a buffer that is /etc/passwd", buffer("file:///etc/passwd")),
        "buffer-http": ("a buffer on a server", buffer("http://{place.trap}/x.bin")),
        "buffer-zero": ("a buffer that is /dev/zero", buffer("../../../../../../../../dev/zero")),
        "image-secret": ("a texture outside its folder", textured("../../secret.txt")),
        "image-http": ("a texture on a server", textured("http://{place.trap}/x.png")),
        "image-vast": ("a PNG of 60,000 x 60,000", textured(f"data:image/png;base64,{vast}")),
        "names": ("hostile names", glb(_mesh(nodes=[{"mesh": 0, "name": HOSTILE}], extensionsRequired=[HOSTILE]))),
        "json-deep": ("JSON 100,000 lists deep", lambda place: deep),
    }
    for name, (what, content) in glbs.items():

        def prepare(place: Place, content: Any = content) -> Sequence[Sequence[str | Path]]:
            scene = place.write("scenes/x.glb", content(place))
            return [["scene", "info", scene], ["scene", "navmesh", scene]]

        yield attack(f"files/glb/{name}", what, prepare)
    others: dict[str, tuple[str, str, bytes]] = {
        "obj-library": (
            "x.obj",
            "materials outside its folder",
            b"mtllib ../../secret.txt\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n",
        ),
        "obj-far": ("x.obj", "a face of vertices that do not exist", b"v 0 0 0\nf 1 99999999999 -99999999999\n"),
        "obj-digits": ("x.obj", "numbers of 100,000 digits", b"v " + b"9" * 100_000 + b" 0 0\n"),
        "obj-garbage": ("x.obj", "no OBJ", b"\x00\xff" * 10_000),
        "ply-count": ("x.ply", "10^12 vertices", PLY % (b"ascii", 10**12) + b"0 0 0\n"),
        "ply-binary": ("x.ply", "10^9 vertices, binary", PLY % (b"binary_little_endian", 10**9) + bytes(100)),
        "ply-endless": ("x.ply", "a header without end", b"ply\n" + b"comment " + b"Q" * 20_000_000),
        "gltf-list": ("x.gltf", "a list", b"[]"),
        "navmesh-garbage": ("x.navmesh", "no navmesh", b"\x00\xff" * 10_000),
        "navmesh-count": ("x.navmesh", "2^31 tiles", b"TESM" + struct.pack("<II", 1, 1 << 31) + bytes(200)),
        "navmesh-empty": ("x.navmesh", "nothing", b""),
    }
    for name, (file, what, content) in others.items():

        def prepare_other(place: Place, file: str = file, content: bytes = content) -> Sequence[Sequence[str | Path]]:
            scene = place.write(f"scenes/{file}", content)
            return [["scene", "navmesh" if file.endswith("navmesh") else "info", scene]]

        yield attack(f"files/scene/{name}", what, prepare_other)


# --- submissions


def _submissions() -> Iterator[Attack]:
    good = [{"instr_id": "7_0", "trajectory": [["0" * 32, 0.0, 0.0]]}]
    contents: dict[str, tuple[str, Callable[[], bytes | str]]] = {
        "garbage": ("no JSON", lambda: "{"),
        "deep": ("200,000 lists deep", lambda: DEEP),
        "number": ("a number", lambda: "7"),
        "nan": ("headings of NaN", lambda: json.dumps([good[0] | {"trajectory": [["0" * 32, float("nan"), 0.0]]}])),
        "nowhere": (
            "viewpoints that do not exist",
            lambda: json.dumps([good[0] | {"trajectory": [["\x1b[31m", 0, 0]]}]),
        ),
        "twice": ("one episode 10,000 times", lambda: json.dumps(good * 10_000)),
        "foreign": ("hostile names of episodes", lambda: json.dumps([good[0] | {"instr_id": HOSTILE}])),
        "long": (
            "a walk of 1,000,000 viewpoints",
            lambda: json.dumps([good[0] | {"trajectory": [["0" * 32, 0.0, 0.0]] * 1_000_000}]),
        ),
        "empty-walk": ("a walk of nowhere", lambda: json.dumps([good[0] | {"trajectory": []}])),
        "types": ("a walk that is a number", lambda: json.dumps([good[0] | {"trajectory": 7}])),
        "pickle": ("a pickle", lambda: b"cposix\nsystem\n(S'touch canary'\ntR."),
        "blanks": ("200 MB of blanks", lambda: b" " * 200_000_000),
    }
    for name, (what, content) in contents.items():

        def prepare(place: Place, content: Any = content) -> Sequence[Sequence[str | Path]]:
            connectivity = place.write(f"connectivity/{SCAN}_connectivity.json", json.dumps(grid_scan(4, 3))).parent
            where = [f"dataset.data_path={place.write('R2R_val.json', _items())}", "dataset.split=val"]
            graph = f"simulator.connectivity_dir={connectivity}"
            submission = place.write("submission.json", content())
            return [["score", submission, "--benchmark", "r2r", *where, graph, "--allow-partial"]]

        yield attack(f"files/submission/{name}", what, prepare)
