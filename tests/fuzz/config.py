"""Fuzzes the configuration: a --config file, NAV_EVAL_* variables and the command line's overrides.

Head of an input: a benchmark's name, or nothing. Files: a.yaml, the --config file; environment, lines NAME=value;
overrides, one a line. What resolves must be accepted again and come out the same.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import yaml

from fuzz.documents import NAMES, ODD, pack, unpack
from fuzz.expect import only
from nav_eval.config.loader import builtin_benchmarks, load_config
from nav_eval.errors import ConfigError

# A configuration that uses every section.
WHOLE = """
plugins: [json]
defaults: [/tasks: vln, /simulator: vlnce, _self_]
task: {type: vln, actions: [stop, move_forward], measurements: [success, spl], dtw: exact}
simulator:
  backend: custom
  sensors:
    rgb: {width: 64, height: 48, hfov: 79.0}
    my_depth: {type: depth, normalize: true, options: {a: [1, {b: 2}]}}
  body: &body {height: 0.88, radius: 0.18}
  motion: {sliding: false, noise: LoCoBot/ILQR}
  options: {again: *body, seconds: 1e3, when: 2024-01-01}
dataset: {type: r2r-ce, data_path: "x/{split}.json.gz", languages: [en], episodes: ['12'], generate: {rooms: 2}}
evaluation: {max_steps: 20, parallel: {workers: 2}, budget: {episode_seconds: 1.5}}
agent_service: {type: remote, protocol: grpc, encoding: stream+zstd, tls: {enabled: true, ca: ca.pem}, token: t}
output: {log_dir: "${dataset.split}/logs", video: sample(3)}
seed: 7
"""

# Of YAML, Hydra and OmegaConf.
TOKENS = (
    "++", "+", "~", "=", ".", "@", ":", ",", "[", "]", "{", "}", "'", '"', '\\', "${", "${seed}",
    "${oc.env:HOME}", "${oc.decode:'[1'}", "${oc.create:{a:1}}", "${oc.select:task,1}", "${oc.dict.keys:task}",
    "${..seed}", "???", "null", "glob(*)", "range(1,3)", "choice(a,b)", "int(3)", "float(nan)", "str(1)",
    "bool(x)", "json_str('{}')", "sample(2)", "sort(1,2)", "tag(a,1)", "interval(0,1)", "hydra.run.dir=x",
    "hydra/launcher=basic", "tasks=vln", "simulator=nav_graph", "benchmarks@x=r2r",
    "override /simulator: vlnce", "nan", "inf", "1e999", "-0", "0x10", "0o7", "1_000", "9" * 5000, "<<: *body",
    "&a [*a]", "!!python/object/apply:os.system [x]", "!!binary x", "!!set {a}", "!!timestamp 2024-01-01",
    "2024-13-45", "? a", "- - - -", "\t", "---", "...", "%YAML 9.9", "\x00", "\x1b", "\u2028", "\ud800", "seed",
    "task", "simulator", "sensors", "options", "evaluation", "max_steps", "_target_", "_self_", "_global_",
    "@package", "plugins",
)  # fmt: skip
FOLDER = Path(tempfile.mkdtemp(prefix="fuzz_config_"))
MAX_LEN = 8192
LONGEST = 60_000
"""Every fault of a configuration is told, each with the keys that are known there."""


def seeds() -> list[bytes]:
    overrides = b"evaluation.max_steps=3\n+simulator.options.x={a:1}\n~output.video\ndataset.scenes=[a,'b c']"
    environment = b"NAV_EVAL_SEED=3\nNAV_EVAL_TASK__TYPE=pointnav\nNAV_EVAL_DATA=x\nHOME=/root"
    whole = {"a.yaml": WHOLE.encode()}
    return [
        pack("", whole),
        pack("r2r-ce", {"overrides": overrides, "environment": environment}),
        pack("objectnav-hm3d", {"a.yaml": b"seed: 1\n", "overrides": b"tasks=vln\nsimulator=nav_graph"}),
        pack("", {"overrides": b"output.video=sample(3)\nagent_service.timeout=1e1\ntask.actions=[stop]"}),
    ]


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Tokens of YAML, Hydra and OmegaConf put in, taken out and swapped, and now and then plain bytes."""
    import atheris

    chance = random.Random(seed)
    head, files = unpack(data)
    if chance.random() < 0.1 or not files:
        head = chance.choice(["", "", "nonesuch", *builtin_benchmarks()])
    if not files:
        return pack(head, {"overrides": b"seed=1"})
    name = chance.choice(sorted(files))
    if chance.random() < 0.2:
        files[name] = bytes(atheris.Mutate(files[name], max_size))
    else:
        text = files[name].decode(errors="replace")
        for _ in range(chance.choice((1, 1, 2, 4))):
            text = _changed(text, chance)
        files[name] = text.encode(errors="surrogatepass" if chance.random() < 0.1 else "replace")
    return pack(head, files)[:max_size]


def _changed(text: str, chance: random.Random) -> str:
    at, to = sorted(chance.choices(range(len(text) + 1), k=2))
    to = min(to, at + chance.choice((0, 1, 4, 20)))
    odd = chance.choice(ODD)
    insert = chance.choice(
        (
            chance.choice(TOKENS),
            chance.choice(NAMES),
            odd if isinstance(odd, str) else repr(odd)[:200],
            text[at : at + 30],
            "",
        )
    )
    if chance.random() < 0.4:  # put it in place of a value
        at = max(text.find(mark, at) for mark in "=: ") + 1
        ends = [end for mark in "\n,}]" if (end := text.find(mark, at)) >= 0]
        to = min(ends, default=len(text))
    if chance.random() < 0.1:
        insert = f"\n{insert}\n"
    return text[:at] + insert + text[max(at, to) :]


def one(data: bytes) -> None:
    head, files = unpack(data)
    file = _written("a.yaml", files["a.yaml"]) if "a.yaml" in files else None
    overrides = tuple(line for line in _lines(files.get("overrides", b"")) if line)
    environment = dict(line.split("=", 1) for line in _lines(files.get("environment", b"")) if "=" in line)
    with only(ConfigError, longest=LONGEST):
        config = load_config(head or None, file=file, overrides=overrides, environment=environment)
        held = config.model_dump(mode="json")
        again = _written("b.yaml", yaml.safe_dump(held, allow_unicode=True).encode())
        assert load_config(file=again, environment={}).model_dump(mode="json") == held, "reloaded it is another"


def _lines(content: bytes) -> list[str]:
    return content.decode(errors="surrogateescape").split("\n")[:20]


def _written(name: str, content: bytes) -> Path:
    path = FOLDER / name
    path.write_bytes(content)
    return path
