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
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nav_eval.report.facts import FACTS, facts_script
from nav_eval.results.files import write_bytes

SCRIPTS = (
    FACTS,
    "dom.js",
    "words.en.js",
    "words.zh.js",
    "kept.js",
    "words.js",
    "format.js",
    "decode.js",
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
WALK_SCRIPTS = (
    "dom.js",
    "words.en.js",
    "words.zh.js",
    "kept.js",
    "words.js",
    "format.js",
    "decode.js",
    "matrix.js",
    "gl.js",
    "pace.js",
    "simpler.js",
    "ground.js",
    "sky.js",
    "solid.js",
    "walk.js",
)
"""Of the page of one scene (walk.py)."""
GZIP = zlib.MAX_WBITS + 16
"""Of zlib: with the head and the sum of a .gz file, and no time in it."""
PIECE = 1000
"""Items of a list that are written at a time."""
_IMPORT = re.compile(r"^import\s[^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=const|let|function|async|class)", re.MULTILINE)


def write_page(document: Mapping[str, Any], out: Path) -> None:
    """Write the report atomically. Raises RunDirectoryError if the file cannot be written."""
    write_bytes(out, render_page(document).encode())


def render_page(document: Mapping[str, Any]) -> str:
    """The HTML of a document of nav_eval.report.document."""
    agents = ", ".join(dict.fromkeys(run["agent"] for run in document["runs"]))
    title = f"{agents} · {document['runs'][0]['benchmark']}"
    return filled(title, ("report", "报告"), SCRIPTS, packed(document), live=bool(document["live"]))


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
    pack, packed = zlib.compressobj(9, wbits=GZIP), bytearray()
    for piece in _json(document):
        packed += pack.compress(piece)
    packed += pack.flush()
    return base64.b64encode(packed).decode()


def _json(value: Any) -> Iterator[bytes]:
    """A document's JSON piece by piece: whole, that of 100,000 episodes is as large as half of what it is made of."""
    if isinstance(value, Mapping):
        for number, (name, part) in enumerate(value.items()):
            yield (b"," if number else b"{") + msgspec.json.encode(name) + b":"
            yield from _json(part)
        yield b"}" if value else b"{}"
    elif isinstance(value, list) and len(value) > PIECE:
        for start in range(0, len(value), PIECE):
            items = msgspec.json.encode(value[start : start + PIECE], enc_hook=_listed)
            yield (b"," if start else b"[") + items[1:-1]
        yield b"]"
    else:
        yield msgspec.json.encode(value, enc_hook=_listed)


def _listed(value: Any) -> Any:
    """An array of numpy as JSON has it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
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
