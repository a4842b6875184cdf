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
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from attacks import judge
from attacks.arena import Arena
from attacks.attack import INPUT_FAULT, ONE_MESSAGE, Attack, Expectation, Outcome
from attacks.raw_rest import accept, listening
from engine.scene.made import TRIANGLE, encoded, glb, simple
from graphs import SCAN, default_items, grid_scan

CANARY = "canary"
"""Made in the sandbox by whatever of a stranger's is run."""
SECONDS = 20.0
"""Of CPU time."""
BOUND = 20 * SECONDS
DEEP = "[" * 200_000
HOSTILE = "\x1b[31m\n\u202e=1+1<script>alert(1)</script>" + "Q" * 2000
NAN = float("nan")


@dataclass(frozen=True, slots=True)
class Place:
    """`sandbox` of one attack. `run`: a copy of a finished run; `secret`: a file that is nobody's business."""

    sandbox: Path
    run: Path
    good: Path
    secret: Path
    trap: str

    def write(self, name: str, content: Content) -> Path:
        path = self.sandbox / "input" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.made(content))
        return path

    def made(self, content: Content) -> bytes:
        content = content(self) if callable(content) else content
        return content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")

    def read(self, name: str) -> bytes:
        """A file of the run."""
        return (self.run / name).read_bytes()


Content: TypeAlias = "bytes | str | Callable[[Place], bytes | str]"
Contents: TypeAlias = dict[str, Content]
Commands = Sequence[Sequence[str | Path]]
Prepare = Callable[[Place], Commands]
"""Makes the hostile files; the commands to give them to."""


def attack(name: str, prepare: Prepare, expected: Expectation = ONE_MESSAGE) -> Attack:
    def carry_out(arena: Arena) -> Outcome:
        sandbox = arena.sandbox(name)
        secret = sandbox / "secret.txt"
        secret.write_text(judge.SECRET)
        shutil.copytree(arena.good_run, sandbox / "run")
        trapped: list[str] = []
        with listening() as trap:
            accept(trap, lambda sock: trapped.append("a connection"))
            place = Place(sandbox, sandbox / "run", arena.good_run, secret, f"127.0.0.1:{trap.getsockname()[1]}")
            commands = [[str(word) for word in command] for command in prepare(place)]
            known = _files(sandbox)
            trial = arena.run(commands, sandbox=sandbox, bound=BOUND)
        outcome = arena.judged(trial, expected, bound=BOUND)
        outcome.findings += [f"took {one['cpu']:.0f} s" for one in trial.told[:-1] if one["cpu"] > SECONDS]
        outcome.findings += ["a stranger's code was run"] * any(sandbox.rglob(CANARY))
        outcome.findings += ["it connected to where a file pointed"] * bool(trapped)
        told = [path.name for path in _files(sandbox) - known if judge.SECRET.encode() in path.read_bytes()]
        outcome.findings += [f"{path} tells the secret" for path in told[:2]]
        return outcome

    return Attack(f"files/{name}", "file", expected, carry_out)


def _files(sandbox: Path) -> set[Path]:
    return {path for path in sandbox.rglob("*") if path.is_file() and not path.is_symlink()}


def attacks() -> Iterator[Attack]:
    yield from _configurations()
    yield from _runs()
    yield from _datasets()
    for what, content in _graphs().items():
        yield attack(f"graph/{what}", partial(_with_graph, content=content))
    yield from _scenes()
    for what, content in _submissions().items():
        yield attack(f"submission/{what}", partial(_submitted, content=content))


READERS = ("report", "rescore", "replay", "verify", "compare")


def _on(place: Place, command: str) -> list[str | Path]:
    """`command` on the run directory; what it writes goes beside it."""
    more: dict[str, list[str | Path]] = {
        "report": ["--out", place.sandbox / "page.html"],
        "compare": [place.good],
        "publish": ["--out", place.sandbox / "public"],
    }
    return [command, place.run, *more.get(command, [])]


def _replaced(name: str, content: Content, *commands: str) -> Prepare:
    def prepare(place: Place) -> Commands:
        (place.run / name).write_bytes(place.made(content))
        return [_on(place, command) for command in commands]

    return prepare


# --- configurations

PLUGIN = f"import pathlib; pathlib.Path({CANARY!r}).touch()\n"
BOMB_YAML = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
)
OBJECT = f"seed: !!python/object/apply:os.system ['touch {CANARY}']\n"
UNKNOWN_KEYS = "".join(f"k{i}: \x22{'Q' * 500}\x22\n" for i in range(1000))


def _with_plugin(prepare: Prepare) -> Prepare:
    def prepared(place: Place) -> Commands:
        (place.sandbox / "cwd" / judge.PLUGIN).write_text(PLUGIN)
        return prepare(place)

    return prepared


def _put(**changed: str) -> Content:
    """The run's YAML with the first line of each key replaced."""

    def change(place: Place) -> str:
        text = place.read("config.yaml").decode()
        for key, value in changed.items():
            text = _line_put(text, key, value.format(place=place))
        return text

    return change


def _line_put(text: str, key: str, value: str) -> str:
    lines = text.splitlines()
    at = next((i for i, line in enumerate(lines) if line.strip().startswith(f"{key}:")), None)
    indent = "" if at is None else lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    line = f"{indent}{key}: {value}"
    lines = [line, *lines] if at is None else [*lines[:at], line, *lines[at + 1 :]]
    return "\n".join(lines) + "\n"


CONFIGURATIONS: Contents = {
    "names an agent of its own": _put(agent="stranger:Agent"),
    "reads the environment": _put(description="${{oc.env:SECRET_OF_THE_ORGANISER}}"),
    "a billion laughs": lambda place: BOMB_YAML.encode() + place.read("config.yaml"),
    "makes an object": OBJECT,
    "200,000 lists in one another": "plugins: " + DEEP,
    "a list": "- a\n- b\n",
    "nothing": "",
    "control characters in a name": _put(name='"\\e[31m\\n\\u202e"'),
    "1,000 unknown keys": lambda place: place.read("config.yaml") + UNKNOWN_KEYS.encode(),
    "HTML as a name": _put(name="<script>alert(1)</script>"),
    "a class of another module as a metric": _put(type="os:system"),
    "a data path elsewhere": _put(data_path="{place.secret}"),
}
ALONE: Contents = {
    "names a plug-in": "plugins: [stranger]\nbenchmark: {name: x}\n",
    "names a command": f"simulator: {{backend: external, command: touch {CANARY}}}\n",
    "a billion laughs": BOMB_YAML,
    "makes an object": OBJECT,
    "20 MB of one text": "benchmark: {name: " + "Q" * 20_000_000 + "}\n",
    "200,000 lists in one another": "plugins: " + DEEP,
    "NUL and ESC": "benchmark: {name: a\x00\x1b[31m}\n",
    "no UTF-8": b"\xff\xfe\x00\x01" * 100,
    "an anchor within itself": "plugins: &a [*a]\n",
    "a value that is itself": "seed: ${seed}\n",
    "Hydra's own keys": "hydra: {run: {dir: /tmp/x}}\ndefaults: [{/tasks: ../../../etc/passwd}]\n",
}


def _configurations() -> Iterator[Attack]:
    starts = _put(backend="external", command=f"touch {{place.sandbox}}/{CANARY}")
    for command in (*READERS, "publish"):
        for what, content in (("plug-in", _put(plugins="[stranger]")), ("command", starts)):
            prepare = _with_plugin(_replaced("config.yaml", content, command))
            yield attack(f"config/names a {what}/{command}", prepare)
    for what, content in CONFIGURATIONS.items():
        prepare = _with_plugin(_replaced("config.yaml", content, "report", "rescore", "replay"))
        yield attack(f"config/{what}", prepare)
    for what, content in ALONE.items():
        yield attack(f"yaml/{what}", _with_plugin(partial(_validated, content=content)))


def _validated(place: Place, content: Content) -> Commands:
    return [["config", "validate", place.write("stranger.yaml", content)]]


# --- run directories


def _first_line(name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Content:
    """The file's first record alone, with changes."""
    return lambda place: json.dumps(change(json.loads(place.read(name).splitlines()[0]))) + "\n"


def _recorded(**changed: Any) -> Content:
    return _first_line("episodes.jsonl", lambda row: row | changed)


def _walked(old: bytes, new: bytes) -> Content:
    return lambda place: place.read("trajectories.jsonl").replace(old, new)


def _long_walk(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"steps": row["steps"][:1] * 30_000, "timing": {"latency": [0.0] * 30_000}}


def _manifest(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Content:
    return lambda place: json.dumps(change(json.loads(place.read("manifest.json"))))


NO_JSON = b"\x00\x01garbage\n" * 100
DIGITS = (
    '{"scene_id":"a","episode_id":"b","status":"ok","metrics":{"spl":' + "9" * 10_000 + '},"steps":1,"timing":{}}\n'
)
EPISODES: Contents = {
    "no JSON": NO_JSON,
    "nothing": "",
    "a line cut in its middle": lambda place: place.read("episodes.jsonl")[:100],
    "a line 200,000 lists deep": DEEP + "\n",
    "a line of 50 MB": lambda place: '{"scene_id":"' + "Q" * 50_000_000 + '"}\n',
    "lines that are numbers": "1\n2\n3\n",
    "every episode 1,000 times": lambda place: place.read("episodes.jsonl") * 1000,
    "hostile ids and reasons": _recorded(
        scene_id=HOSTILE, episode_id=HOSTILE, status="agent_error", failure_reason=HOSTILE
    ),
    "a status that does not exist": _recorded(status="\x1b[31mwon"),
    "metrics that are texts and hostile names": _recorded(metrics={HOSTILE: "x", "success": "yes", "spl": [1]}),
    "metrics that are NaN": _recorded(metrics={"success": NAN, "spl": float("inf")}),
    "a metric of 10,000 digits": DIGITS,
    "ids that are paths": _recorded(scene_id="../../../../tmp/owned", episode_id="/etc/passwd"),
    "every value a list": _recorded(steps=[], timing=[], metrics=[], status=[]),
}
WALKS: Contents = {
    "no JSON": NO_JSON,
    "a line 200,000 lists deep": DEEP + "\n",
    "poses that are NaN": _walked(b"1.5", b"NaN"),
    "poses 1e308 m away": _walked(b"1.5", b"1e308"),
    "nodes that do not exist": _walked(b'"node":"0', b'"node":"9'),
    "actions that do not exist": _walked(b'"turn_left"', b'"\\u001b[31mfly"'),
    "a walk of 30,000 steps": _first_line("trajectories.jsonl", _long_walk),
    "a schema of the future": _first_line("trajectories.jsonl", lambda row: row | {"schema": 2**70}),
}
HOSTILE_SERVICE = {"name": HOSTILE, "version": HOSTILE}
MANIFESTS: Contents = {
    "no JSON": "{",
    "200,000 lists deep": DEEP,
    "a list": "[]",
    "every value a number": _manifest(lambda said: dict.fromkeys(said, 7)),
    "files elsewhere": _manifest(
        lambda said: said | {"files_sha256": {"../secret.txt": "0" * 64, "/etc/passwd": "0" * 64}}
    ),
    "hostile texts": _manifest(
        lambda said: said | {"agent": HOSTILE, "service": HOSTILE_SERVICE, "plugins": {HOSTILE: HOSTILE}}
    ),
}


def _runs() -> Iterator[Attack]:
    for file, contents, commands in (
        ("episodes.jsonl", EPISODES, ("report", "rescore", "compare")),
        ("trajectories.jsonl", WALKS, ("report", "rescore", "replay")),
        ("manifest.json", MANIFESTS, (*READERS, "publish")),
    ):
        for what, content in contents.items():
            yield attack(f"{file}/{what}", _replaced(file, content, *commands))
    for name in ("config.yaml", "episodes.jsonl", "trajectories.jsonl", "manifest.json", "results.json"):
        for kind in ("zero", "loop", "fifo", "folder", "secret"):
            yield attack(f"{name}/is a {kind}", partial(_special, name=name, kind=kind))


def _special(place: Place, name: str, kind: str) -> Commands:
    (place.run / name).unlink()
    _make_special(place.run / name, kind, str(place.secret))
    return [_on(place, command) for command in ("report", "rescore", "publish", "verify")]


def _make_special(path: Path, kind: str, secret: str = "") -> None:
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to({"zero": "/dev/zero", "loop": path.name, "secret": secret}[kind])


# --- data sets

BLANKS = gzip.compress(b" " * (16 << 20))


def _one_member(place: Place) -> bytes:
    """gzip of 4 GiB of blanks as one member, made of one block over and over; only its sum at the end is wrong."""
    size = 16 << 20
    maker = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = maker.compress(b" " * size) + maker.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + first * ((4 << 30) // size) + b"\x03\x00" + bytes(8)


def _items(**changed: Any) -> str:
    items = default_items()
    return json.dumps([items[0] | changed, *items[1:]])


ITEMS = _items()
PICKLE = b"cposix\nsystem\n(S'touch canary'\ntR."
NO_LIST = json.dumps([{key: [] for key in default_items()[0]}])
LONG_ID = ITEMS.replace('"path_id": 7', '"path_id": ' + "9" * 10_000)
BROKEN: Contents = {
    "half of a gzip file": gzip.compress(ITEMS.encode())[:100],
    "gzip in gzip": gzip.compress(gzip.compress(ITEMS.encode())),
    "200,000 lists in one another": DEEP,
    "a value 200,000 lists deep": '[{"scan": ' + DEEP + "]" * 200_000 + "}]",
    "nothing": "",
    "a number": "7",
    "a pickle": PICKLE,
    "no UTF-8": b'[{"scan": "\xff\xfe"}]',
    "1e400 as a heading": ITEMS.replace("0.5", "1e400"),
    "every value a list": NO_LIST,
    "a path of no node": _items(path=[]),
}
ODD: Contents = {
    "plain JSON, which is recognised by its content": ITEMS,
    "UTF-16": ITEMS.encode("utf-16"),
    "half of a surrogate pair": _items(instructions=["\ud800"]),
    "control characters in names": _items(scan=HOSTILE, instructions=[HOSTILE]),
    "a scan that is a path": _items(scan="../../../../etc/passwd"),
    "NaN as a heading": _items(heading=NAN),
    "a path id of 10,000 digits": LONG_ID,
    "one path id 1,000 times": json.dumps(default_items()[:1] * 1000),
    "an instruction of 50 MB": lambda place: _items(instructions=["Q" * 50_000_000]),
}
LONG_BROKEN: Contents = {
    "4 MiB of gzip that unpack to 4 GiB of blanks": lambda place: BLANKS * 256,
    "4 GiB as one member": _one_member,
    "1 GiB of gzip within a text": lambda place: gzip.compress(b'[{"scan":"') + BLANKS * 64,
}
LONG_ODD: Contents = {
    "a path of 1,000,000 nodes": lambda place: _items(path=["0" * 32] * 1_000_000),
    "one path with 300,000 instructions": lambda place: _items(instructions=["x"] * 300_000),
}
"""LONG: take long, and meet the same reader in a run as in `validate`."""
PACKED = ("gzip", "as one member", "plain JSON")


def _datasets() -> Iterator[Attack]:
    for contents, expected in ((BROKEN, INPUT_FAULT), (ODD, ONE_MESSAGE)):
        for what, content in contents.items():
            yield attack(f"data/{what}", partial(_read, what=what, content=content), expected)
            yield attack(f"run/{what}", partial(_run_on, what=what, content=content), expected)
    for contents, expected in ((LONG_BROKEN, INPUT_FAULT), (LONG_ODD, ONE_MESSAGE)):
        for what, content in contents.items():
            yield attack(f"data/{what}", partial(_read, what=what, content=content), expected)
    for kind in ("zero", "fifo", "folder", "loop"):
        yield attack(f"data/the file is a {kind}", partial(_read_special, kind=kind), INPUT_FAULT)


def _data(place: Place, what: str, content: Content) -> Path:
    return place.write("x.json.gz" if any(text in what for text in PACKED) else "x.json", content)


def _read(place: Place, what: str, content: Content) -> Commands:
    return [["validate", _data(place, what, content)]]


def _run_on(place: Place, what: str, content: Content) -> Commands:
    return [_run(place, _data(place, what, content), json.dumps(grid_scan(4, 3)))]


def _run(place: Place, data: Path, graph: Content) -> list[str | Path]:
    agent = ["agent_service.agent=stop", "dataset.limit=1", "--out", place.sandbox / "new"]
    return ["run", "r2r", *_where(place, data, graph), *agent]


def _where(place: Place, data: Path, graph: Content) -> list[str]:
    connectivity = place.write(f"connectivity/{SCAN}_connectivity.json", graph).parent
    return [f"dataset.data_path={data}", f"simulator.connectivity_dir={connectivity}", "dataset.split=val"]


def _read_special(place: Place, kind: str) -> Commands:
    path = place.write("y/z", "").parent / "x.json"
    _make_special(path, kind)
    return [["validate", path]]


def _graphs() -> Contents:
    rows = grid_scan(4, 3)

    def first(**changed: Any) -> str:
        return json.dumps([rows[0] | changed, *rows[1:]])

    return {
        "no JSON": "{",
        "200,000 lists deep": DEEP,
        "numbers": "[1, 2, 3]",
        "a pose of NaN": first(pose=[NAN] * 16),
        "a pose of 3 numbers": first(pose=[1, 2, 3]),
        "a pose of 1e308": first(pose=[1e308] * 16),
        "rows of other lengths": first(unobstructed=[True], visible=[]),
        "a row of 1,000,000": first(unobstructed=[True] * 1_000_000),
        "ids that are numbers and texts with ESC": json.dumps(
            [rows[0] | {"image_id": 7}, rows[1] | {"image_id": "\x1b[31m"}, *rows[2:]]
        ),
        "one id twice": json.dumps([rows[0], *rows]),
        "an empty list": "[]",
        "nobody is included": json.dumps([row | {"included": False} for row in rows]),
    }


def _with_graph(place: Place, content: Content) -> Commands:
    data = place.write("R2R_val.json", ITEMS)
    run = _run(place, data, content)
    return [["validate", data, "--connectivity-dir", place.sandbox / "input" / "connectivity"], run]


# --- scenes


def _glb(points: ArrayLike = TRIANGLE, corners: ArrayLike = (0, 1, 2), **changed: Any) -> bytes:
    """A triangle, with other values in its document."""
    made = simple(np.asarray(points, np.float32), corners)
    made.json |= {"scene": 0, "scenes": [{"nodes": [0]}]} | changed
    return made.bytes()


def _first(part: str, **changed: Any) -> bytes:
    """With other values in the first accessor or view."""
    made = simple()
    made.json[part][0] |= changed
    return made.bytes()


def _nodes(*found: dict[str, Any]) -> bytes:
    return _glb(nodes=[*found, {"mesh": 0}])


def _buffer(uri: str) -> Content:
    def write(place: Place) -> bytes:
        made = simple()
        where = {"byteLength": len(made.buffer), "uri": uri.format(place=place)}
        return glb(json.dumps(made.json | {"buffers": [where]}).encode(), b"")

    return write


def _textured(uri: str) -> Content:
    def write(place: Place) -> bytes:
        made = simple()
        made.json |= {"images": [{"uri": uri.format(place=place)}], "textures": [{"source": 0}]}
        made.material(pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
        made.json["meshes"][0]["primitives"][0] |= {"attributes": {"POSITION": 0, "TEXCOORD_0": 0}, "material": 0}
        return made.bytes()

    return write


def _vast_picture() -> str:
    """A PNG that says that it is of 60,000 x 60,000, and holds a few rows of it."""
    data = bytearray(encoded(np.zeros((4, 60_000, 4), np.uint8)))
    struct.pack_into(">I", data, 20, 60_000)
    struct.pack_into(">I", data, 29, zlib.crc32(data[12:29]))
    return "data:image/png;base64," + base64.b64encode(data).decode()


DEEP_JSON = glb(b"[" * 100_000, b"")
PLY = b"ply\nformat %s 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
OUTSIDE = b"mtllib ../../secret.txt\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n"
SCENES: dict[str, tuple[str, Content]] = {
    "materials outside its folder": ("x.obj", OUTSIDE),
    "a face of vertices that do not exist": ("x.obj", b"v 0 0 0\nf 1 99999999999 -99999999999\n"),
    "numbers of 100,000 digits": ("x.obj", b"v " + b"9" * 100_000 + b" 0 0\n"),
    "no OBJ": ("x.obj", b"\x00\xff" * 10_000),
    "10^12 vertices": ("x.ply", PLY % (b"ascii", 10**12) + b"0 0 0\n"),
    "10^9 vertices, binary": ("x.ply", PLY % (b"binary_little_endian", 10**9) + bytes(100)),
    "a header without end": ("x.ply", b"ply\n" + b"comment " + b"Q" * 20_000_000),
    "a list": ("x.gltf", b"[]"),
    "no navmesh": ("x.navmesh", b"\x00\xff" * 10_000),
    "2^31 tiles": ("x.navmesh", b"TESM" + struct.pack("<II", 1, 1 << 31) + bytes(200)),
    "nothing": ("x.navmesh", b""),
}


def _glbs() -> Contents:
    whole = _glb()
    return {
        "nothing: this one can be read": whole,
        "cut in its middle": whole[:200],
        "a length of 4 GiB": whole[:8] + b"\xff" * 4 + whole[12:],
        "2^31 vertices": _first("accessors", count=1 << 31),
        "-3 vertices": _first("accessors", count=-3),
        "'3' vertices": _first("accessors", count="3"),
        "a negative offset": _first("bufferViews", byteOffset=-36),
        "an offset of 2^62": _first("bufferViews", byteOffset=1 << 62),
        "a view that does not exist": _first("accessors", bufferView=99),
        "a triangle of vertices that do not exist": _glb(corners=(0, 1, 60000)),
        "vertices that are NaN": _glb([[NAN] * 3] * 3),
        "vertices 1e38 m away": _glb([[3e38] * 3, [-3e38] * 3, [-3e38] * 3]),
        "a node that is its own child": _glb(nodes=[{"mesh": 0, "children": [0]}]),
        "100,000 nodes in one another": _nodes(*({"children": [i + 1]} for i in range(100_000))),
        "2^30 copies by shared children": _nodes(*({"children": [i + 1, i + 1]} for i in range(30))),
        "a buffer outside its folder": _buffer("../secret.txt"),
        "a buffer that is /etc/passwd": _buffer("file:///etc/passwd"),
        "a buffer on a server": _buffer("http://{place.trap}/x.bin"),
        "a buffer that is /dev/zero": _buffer("../../../../../../../../dev/zero"),
        "a texture outside its folder": _textured("../../secret.txt"),
        "a texture on a server": _textured("http://{place.trap}/x.png"),
        "a PNG of 60,000 x 60,000": _textured(_vast_picture()),
        "hostile names": _glb(nodes=[{"mesh": 0, "name": HOSTILE}], extensionsRequired=[HOSTILE]),
        "JSON 100,000 lists deep": DEEP_JSON,
    }


def _scenes() -> Iterator[Attack]:
    for what, content in _glbs().items():
        asked = partial(_scene, file="x.glb", content=content, commands=("info", "navmesh"))
        yield attack(f"glb/{what}", asked)
    for what, (file, content) in SCENES.items():
        commands = ("navmesh" if file.endswith("navmesh") else "info",)
        yield attack(f"{file}/{what}", partial(_scene, file=file, content=content, commands=commands))


def _scene(place: Place, file: str, content: Content, commands: Sequence[str]) -> Commands:
    scene = place.write(f"scenes/{file}", content)
    return [["scene", command, scene] for command in commands]


# --- submissions


def _submissions() -> Contents:
    def walk(trajectory: Any, **more: Any) -> str:
        return json.dumps([{"instr_id": "7_0", "trajectory": trajectory} | more])

    place = ["0" * 32, 0.0, 0.0]
    return {
        "no JSON": "{",
        "200,000 lists deep": DEEP,
        "a number": "7",
        "headings of NaN": walk([["0" * 32, NAN, 0.0]]),
        "viewpoints that do not exist": walk([["\x1b[31m", 0, 0]]),
        "one episode 10,000 times": json.dumps([{"instr_id": "7_0", "trajectory": [place]}] * 10_000),
        "hostile names of episodes": walk([place], instr_id=HOSTILE),
        "a walk of 1,000,000 viewpoints": walk([place] * 1_000_000),
        "a walk of nowhere": walk([]),
        "a walk that is a number": walk(7),
        "a pickle": PICKLE,
        "200 MB of blanks": lambda place: b" " * 200_000_000,
    }


def _submitted(place: Place, content: Content) -> Commands:
    where = _where(place, place.write("R2R_val.json", ITEMS), json.dumps(grid_scan(4, 3)))
    return [["score", place.write("submission.json", content), "--benchmark", "r2r", *where, "--allow-partial"]]
