"""Fuzzes the configuration: a --config file, NAV_EVAL_* variables and the command line's overrides.

Head of an input: a benchmark's name, or nothing. Files: a.yaml, the --config file; environment, lines NAME=value;
overrides, one a line. What resolves must be accepted again and come out the same.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import yaml

from fuzz.config_seeds import TOKENS, WHOLE
from fuzz.documents import pack, unpack
from fuzz.expect import only
from fuzz.oddities import NAMES, ODD
from nav_eval.config.loader import builtin_benchmarks, load_config
from nav_eval.errors import ConfigError

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
    insert = chance.choice((chance.choice(TOKENS), chance.choice(NAMES), _spelt(odd), text[at : at + 30], ""))
    if chance.random() < 0.4:  # put it in place of a value
        at = max(text.find(mark, at) for mark in "=: ") + 1
        ends = [end for mark in "\n,}]" if (end := text.find(mark, at)) >= 0]
        to = min(ends, default=len(text))
    if chance.random() < 0.1:
        insert = f"\n{insert}\n"
    return text[:at] + insert + text[max(at, to) :]


def _spelt(value: object) -> str:
    return value if isinstance(value, str) else repr(value)[:200]


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
