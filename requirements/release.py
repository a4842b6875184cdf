"""Builds what a release consists of, and tries it as its users will: `make release`.

Into dist/ go the wheel and the sdist of each distribution, an SBOM (CycloneDX) of what they install, and SHA256SUMS.
Each is checked: twine reads the metadata; the wheels are installed into empty environments of the oldest and the newest
Python that is there, without a compiler; there the quick demonstration runs. Exit code 1 at the first
check that fails, with its last words.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECTS = [ROOT, *sorted((ROOT / "packages").iterdir())]
SOURCE = "antlr4-python3-runtime"
"""Of hydra, which asks for a release of which there is no wheel."""
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")


def main() -> int:
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    for project in PROJECTS:
        step(f"build {project.name}", sys.executable, "-m", "hatchling", "build", "-d", str(dist), cwd=project)
    files = sorted(dist.iterdir())
    with tempfile.TemporaryDirectory() as name:
        tools = environment(Path(name, "tools"), sys.executable, "twine", "cyclonedx-bom")
        step("check the metadata", str(tools / "twine"), "check", "--strict", *map(str, files))
        pythons = usable(PYTHONS)
        tried = list(dict.fromkeys((pythons[0], pythons[-1])))
        for python in tried:
            installed = install_and_try(Path(name, python), python, dist)
        bill = dist / "sbom.cdx.json"
        of = str(installed / "python")
        step("write the SBOM", str(tools / "cyclonedx-py"), "environment", of, "-o", str(bill), "--of", "JSON")
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in sorted(dist.iterdir())]
    (dist / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")
    say(f"{dist}: {len(sums)} files and SHA256SUMS, tried on {' and '.join(tried)}")
    return 0


def usable(names: tuple[str, ...]) -> list[str]:
    """Those that are installed and start; a version manager leaves commands of versions that are switched off."""
    found = [name for name in names if shutil.which(name)]
    works = [
        name for name in found if subprocess.run([name, "-c", ""], capture_output=True, check=False).returncode == 0
    ]
    return works or [sys.executable]


def environment(folder: Path, python: str, *packages: str) -> Path:
    """The commands of a new environment with these packages, from wheels alone but for one, which is plain Python."""
    step(f"make {folder.name}", python, "-m", "venv", str(folder))
    pip = (
        str(folder / "bin" / "pip"),
        "--disable-pip-version-check",
        "-q",
        "install",
        "--only-binary",
        ":all:",
        "--no-binary",
        SOURCE,
    )
    step(f"install into {folder.name}", *pip, *packages)
    return folder / "bin"


def install_and_try(folder: Path, python: str, dist: Path) -> Path:
    """The commands of an empty environment with all wheels, in which the quick demonstration has run."""
    commands = environment(folder, python, *(str(file) for file in sorted(dist.glob("*.whl"))))
    path = os.pathsep.join([str(commands), os.environ["PATH"]])
    own = os.environ | {"PATH": path, "NAV_EVAL_CACHE": str(folder / "cache")}
    for variable in ("PYTHONPATH", "NAV_EVAL_DATA"):
        own.pop(variable, None)
    demo = (str(commands / "nav-eval"), "demo", "--quick", "--out", str(folder / "demo"))
    step(f"the demonstration on {folder.name}", *demo, cwd=folder, environment=own)
    step(
        f"the competition on {folder.name}",
        str(commands / "nav-eval"),
        "competition",
        "--help",
        cwd=folder,
        environment=own,
    )
    return commands


def step(what: str, *command: str, cwd: Path = ROOT, environment: dict[str, str] | None = None) -> None:
    """Run a command; ends the release where it fails."""
    say(f"{what} ...")
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        words = (done.stdout + done.stderr).strip().splitlines()[-15:]
        raise SystemExit("\n".join([f"release: {what} failed (exit {done.returncode}):", *words]))


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
