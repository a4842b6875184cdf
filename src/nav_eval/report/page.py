"""From the document to one HTML file that needs nothing else: no network, no second file, no installed font.

The scripts in static/ are ES modules; they are joined into one here (their imports of each other are dropped), because
a page opened from a file may not load modules. The document is gzipped JSON in base64, so that nothing in it can end
a script element. The Content-Security-Policy names the hashes of the one script and the one style sheet and allows
nothing else: no connection, no inline handler, no eval.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nav_eval.report.columns import Column
from nav_eval.report.facts import FACTS, facts_script
from nav_eval.results.files import write_chunks

COMMON = ("dom.js", "words.en.js", "words.zh.js", "kept.js", "words.js", "format.js", "decode.js")
SCRIPTS = (
    FACTS,
    *COMMON,
    "address.js",
    "lettering.js",
    "export.js",
    "charts.js",
    "fog.js",
    "plan.js",
    "map.js",
    "moments.js",
    "failmap.js",
    "board.js",
    "spending.js",
    "overview.js",
    "breakdown.js",
    "about.js",
    "against.js",
    "table.js",
    "matrix.js",
    "gl.js",
    "pace.js",
    "simpler.js",
    "solid.js",
    "scene3d.js",
    "phrases.js",
    "eyes.js",
    "steps.js",
    "stage.js",
    "episode.js",
    "live.js",
    "main.js",
)
WALK_SCRIPTS = (*COMMON, "matrix.js", "gl.js", "pace.js", "simpler.js", "ground.js", "sky.js", "solid.js", "walk.js")
"""Of the page of one scene (walk.py)."""
GZIP = zlib.MAX_WBITS + 16
"""Of zlib: with the head and the sum of a .gz file, and no time in it."""
DATA = 'id="data">'
"""After it a page's data stand."""
PIECE = 1000
"""Items of a list that are written at a time."""
_IMPORT = re.compile(r"^import\s[^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=const|let|function|async|class)", re.MULTILINE)


def write_page(document: Mapping[str, Any], out: Path) -> None:
    """Write the report atomically. Raises RunDirectoryError if the file cannot be written."""
    write_chunks(out, _page(document))


def render_page(document: Mapping[str, Any]) -> str:
    """The HTML of a document of nav_eval.report.document."""
    return b"".join(_page(document)).decode()


def _page(document: Mapping[str, Any]) -> Iterator[bytes]:
    agents = ", ".join(dict.fromkeys(run["agent"] for run in document["runs"]))
    title = f"{agents} · {document['runs'][0]['benchmark']}"
    empty = filled(title, ("report", "报告"), SCRIPTS, "", live=bool(document["live"]))
    before, start, after = empty.partition(DATA)
    yield (before + start).encode()
    yield from _pack(document)
    yield after.encode()


def filled(title: str, kind: tuple[str, str], scripts: Sequence[str], data: str, *, live: bool = False) -> str:
    """The HTML of a page that scripts build from its data; `kind`: what it is, in English and Chinese."""
    return shell("report.html", title, joined_scripts(scripts), _static("report.css"), live=live, kind=kind, data=data)


def shell(template: str, title: str, script: str, style: str, *, live: bool = False, **values: Any) -> str:
    """The HTML of a template that fills shell.html: one head, one policy, one style sheet and one script for all."""
    from jinja2 import Environment, FunctionLoader

    pages = Environment(
        loader=FunctionLoader(lambda name: resource("templates", name)),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rules = policy(script, style, live=live)
    return pages.get_template(template).render(title=title, policy=rules, style=style, script=script, **values)


def packed(document: Mapping[str, Any]) -> str:
    """Gzipped JSON in base64; the same bytes for the same document."""
    return b"".join(_pack(document)).decode()


def _pack(document: Mapping[str, Any]) -> Iterator[bytes]:
    pack, rest = zlib.compressobj(9, wbits=GZIP), b""
    for piece in _json(document):
        rest += pack.compress(piece)
        whole = len(rest) // 3 * 3  # base64 makes four letters of three bytes
        yield base64.b64encode(rest[:whole])
        rest = rest[whole:]
    yield base64.b64encode(rest + pack.flush())


def _json(value: Any) -> Iterator[bytes]:
    """A document's JSON piece by piece: whole, that of 100,000 episodes is as large as half of what it is made of."""
    if isinstance(value, Mapping):
        for number, (name, part) in enumerate(value.items()):
            yield (b"," if number else b"{") + msgspec.json.encode(name) + b":"
            yield from _json(part)
        yield b"}" if value else b"{}"
    elif isinstance(value, list) and any(isinstance(part, Mapping) for part in value):
        for number, part in enumerate(value):
            yield b"," if number else b"["
            yield from _json(part)
        yield b"]"
    elif isinstance(value, list | Column):
        items, before = iter(value), b"["
        while some := [*islice(items, PIECE)]:
            yield before + msgspec.json.encode(some, enc_hook=listed)[1:-1]
            before = b","
        yield b"[]" if before == b"[" else b"]"
    else:
        yield msgspec.json.encode(value, enc_hook=listed)


def listed(value: Any) -> Any:
    """An array of numpy, or a column, as JSON has it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Column):
        return list(value)
    raise TypeError(f"{type(value).__name__} in a report")


def page_policy() -> str:
    """Of every page that this version writes and that is not live: for a server that hands one out."""
    return policy(joined_scripts(), _static("report.css"), live=False)


def policy(script: str, style: str, *, live: bool) -> str:
    """The Content-Security-Policy; only a live page may talk, and only to the server that it came from."""
    connect = "'self'" if live else "'none'"
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def joined_scripts(names: Sequence[str] = SCRIPTS) -> str:
    """All modules of a page as one, in an order in which each comes after those it imports."""
    written = (facts_script() if name == FACTS else _static(name) for name in names)
    parts = (_EXPORT.sub("", _IMPORT.sub("", text)) for text in written)
    return "\n".join(f"// {name}\n{part}" for name, part in zip(names, parts, strict=True))


def _static(name: str) -> str:
    return resource("static", name)


def resource(folder: str, name: str) -> str:
    """A file of static/ or templates/."""
    return (files("nav_eval.report") / folder / name).read_text(encoding="utf-8")
