"""Builds the distributions as their users get them: a wheel, an sdist, and the wheel that the sdist makes."""

from __future__ import annotations

import tarfile
import zipfile
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from hatchling.build import build_sdist, build_wheel
from packaging.metadata import Metadata

ROOT = Path(__file__).parents[1]
FOLDERS = {"nav-eval": ROOT, **{folder.name: folder for folder in sorted((ROOT / "packages").iterdir())}}


@dataclass(frozen=True)
class Built:
    """The files of one distribution; `project` is the folder of its pyproject.toml."""

    name: str
    project: Path
    wheel: Path
    sdist: Path
    rebuilt: Path

    @property
    def package(self) -> str:
        return self.name.replace("-", "_")

    @property
    def metadata(self) -> bytes:
        return next(data for name, data in contents(self.wheel).items() if name.endswith(".dist-info/METADATA"))

    def oldest(self, *extras: str) -> list[str]:
        """The oldest release that each dependency may have, as pins; those of `extras` too. Ours are left out."""
        wanted = Metadata.from_email(self.metadata).requires_dist or []
        asked = [
            one for one in wanted if not one.marker or any(one.marker.evaluate({"extra": name}) for name in extras)
        ]
        bounds = {one.name: bound.version for one in asked for bound in one.specifier if bound.operator == ">="}
        return [f"{name}=={version}" for name, version in bounds.items()]


def contents(path: Path) -> dict[str, bytes]:
    """{path: bytes} of a wheel or an sdist; the sdist's own top folder is left off."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(path) as archive:
        held = {member.name.split("/", 1)[1]: archive.extractfile(member) for member in archive if member.isfile()}
        return {name: stream.read() for name, stream in held.items() if stream}


def build(name: str, out: Path) -> Built:
    """Everything of distribution `name`, below the empty folder `out`."""
    sdist = _hatch(FOLDERS[name], out / "sdist", "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(out / "unpacked", filter="data")
    unpacked = next((out / "unpacked").iterdir())
    wheel = _hatch(FOLDERS[name], out / "wheel", "wheel")
    return Built(name, FOLDERS[name], wheel, sdist, _hatch(unpacked, out / "rebuilt", "wheel"))


def _hatch(project: Path, out: Path, target: str) -> Path:
    """By the hook that pip calls, without the isolation that would fetch hatchling again."""
    out.mkdir()
    make = {"sdist": build_sdist, "wheel": build_wheel}[target]
    with chdir(project):
        return out / make(str(out))
