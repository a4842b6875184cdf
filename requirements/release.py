"""Builds what a release consists of, and tries it as its users will: `make release`.

Into dist/ go the wheel and the sdist of each distribution, an SBOM (CycloneDX) of what they install, and SHA256SUMS.
Each is checked: twine reads the metadata; the wheels are installed into empty environments of every Python that is
there, without a compiler; there the quick demonstration runs. On x86-64 Linux what it compiled becomes part of another
wheel of nav-eval for that Python, with which it runs again and may compile nothing. Exit code 1 at the first check that
fails, with its last words.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECTS = [ROOT, *sorted((ROOT / "packages").iterdir())]
SOURCE = "antlr4-python3-runtime"
"""Of hydra, which asks for a release of which there is no wheel."""
X86_LINUX = (platform.system(), platform.machine()) == ("Linux", "x86_64")
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")


def main() -> int:
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    for project in PROJECTS:
        step(f"build {project.name}", sys.executable, "-m", "hatchling", "build", "-d", str(dist), cwd=project)
    files = sorted(dist.iterdir())
    with tempfile.TemporaryDirectory() as name:
        tools = environment(Path(name, "tools"), sys.executable, "twine", "cyclonedx-bom", "wheel")
        step("check the metadata", str(tools / "twine"), "check", "--strict", *map(str, files))
        tried = usable(PYTHONS)
        plain = sorted(dist.glob("*.whl"))
        for python in tried:
            installed = install_and_try(Path(name, python), python, plain)
            if X86_LINUX:
                with_machine_code(Path(name, python), tools, next(dist.glob("nav_eval-*-none-any.whl")))
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


def install_and_try(folder: Path, python: str, wheels: list[Path]) -> Path:
    """The commands of an empty environment with all wheels, in which the quick demonstration has run.

    What it compiles, it compiles for the processors of a release: folder/cache has that then.
    """
    commands = environment(folder, python, *map(str, wheels))
    processor = processor_of_a_release(commands) if X86_LINUX else {}
    nav_eval(folder, "cache", processor, "doctor", "--warm")
    nav_eval(folder, "cache", processor, "demo", "--quick", "--out", "demo")
    nav_eval(folder, "cache", processor, "competition", "--help")
    return commands


def processor_of_a_release(commands: Path) -> dict[str, str]:
    """What numba must be told to compile for it."""
    asked = "from nav_eval.machine_code import LEVEL; print(*LEVEL[1:])"
    level = subprocess.run([commands / "python", "-c", asked], capture_output=True, text=True, check=True)
    return dict(zip(("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"), level.stdout.split()))


def with_machine_code(folder: Path, tools: Path, wheel: Path) -> None:
    """Add the wheel of this Python, with what was compiled, beside `wheel`; the demonstration then compiles nothing."""
    parts = folder / "parts"
    step("unpack the wheel", str(tools / "wheel"), "unpack", "-d", str(parts), str(wheel))
    (unpacked,) = parts.iterdir()
    compiled = sorted((folder / "cache" / "kernels").rglob("*.nbc"))
    for file in compiled:
        place = unpacked / "nav_eval" / "compiled" / file.parent.name
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    step("pack it", str(tools / "wheel"), "pack", "-d", str(parts), str(unpacked))
    tag = "cp" + folder.name.removeprefix("python").replace(".", "")
    tags = ("--python-tag", tag, "--abi-tag", tag, "--platform-tag", "manylinux_2_17_x86_64")
    step("tag it", str(tools / "wheel"), "tags", "--remove", *tags, str(parts / wheel.name))
    (made,) = parts.glob("*.whl")
    pip = str(folder / "bin" / "pip")
    step(f"install {made.name}", pip, "install", "-q", "--no-deps", "--force-reinstall", str(made))
    nav_eval(folder, "empty", {}, "demo", "--quick", "--out", "again")
    if again := sorted((folder / "empty" / "kernels").rglob("*.nbc")):
        raise SystemExit(f"release: {made.name} lacks machine code: {', '.join(file.name for file in again)}")
    shutil.copy(made, wheel.parent)
    say(f"{made.name}: {len(compiled)} kernels, {made.stat().st_size / 1e6:.1f} MB")


def nav_eval(folder: Path, cache: str, extra: dict[str, str], *words: str) -> None:
    """Run the command of an environment there, with a cache of that name."""
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    own = os.environ | {"PATH": path, "NAV_EVAL_CACHE": str(folder / cache)} | extra
    for variable in ("PYTHONPATH", "NAV_EVAL_DATA"):
        own.pop(variable, None)
    command = str(folder / "bin" / "nav-eval")
    step(f"nav-eval {' '.join(words)} on {folder.name}", command, *words, cwd=folder, environment=own)


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
