"""What a command says on stdout: the one place where names out of files and peers' words become fit for a terminal.

Errors and log messages become so in `errors.printable`, which `guarded` gives to both.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from nav_eval.cli.chinese import spoken
from nav_eval.errors import is_printable, one_line


def say(*lines: object) -> None:
    """Each on a line of its own, whatever it quotes; text in the user's language, a path as it is."""
    told = (one_line(str(line)) for line in lines)
    sys.stdout.writelines(f"{spoken(one) if isinstance(line, str) else one}\n" for line, one in zip(lines, told))
    sys.stdout.flush()


def cell(text: str, width: int) -> str:
    """`text` in the user's language, padded to `width` terminal columns; a Chinese character takes two."""
    from rich.cells import cell_len

    told = spoken(text)
    return told + " " * (width - cell_len(told))


def say_json(value: Any) -> None:
    """`value` as indented JSON, with JSON's own escapes where a terminal would obey what it holds."""
    import msgspec

    encoded = msgspec.json.encode(value)
    text = msgspec.json.format(encoded).decode()
    say_document(text if is_printable(text) else json.dumps(json.loads(encoded), indent=2))


def say_yaml(value: Any) -> None:
    """`value` as YAML, with YAML's own escapes where a terminal would obey what it holds."""
    import yaml

    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
    say_document((text if is_printable(text) else yaml.safe_dump(value, sort_keys=False)).rstrip("\n"))


def say_document(text: str) -> None:
    """Printable text of many lines."""
    sys.stdout.write(f"{text}\n")
