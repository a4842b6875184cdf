"""A container image as `docker save` writes it, made from this machine's own files without registry and engine."""

from __future__ import annotations

import hashlib
import io
import json
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterable
from pathlib import Path

import flask

import nav_eval_sdk

LEFT_OUT = re.compile(r"/(test|tests|site-packages|idlelib|ensurepip|lib2to3|turtledemo|config-.*)$")
NEEDED = (
    "numpy", "numpy.libs", "msgspec", "flask", "werkzeug", "jinja2", "click", "blinker", "itsdangerous", "markupsafe",
    "waitress", "grpc", "google", "PIL", "pillow.libs", "typing_extensions.py",
)  # fmt: skip


def libraries(*files: Path) -> set[Path]:
    """What they are linked with."""
    told = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True, check=True).stdout
    return {Path(found) for found in re.findall(r"(/\S+) \(", told)}


def python_layer(agent: str) -> bytes:
    """A root with Python, the SDK and agent.py: some 200 MB."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        python, stdlib = Path(sys.executable).resolve(), Path(sysconfig.get_path("stdlib"))
        site = Path(flask.__file__).parent.parent
        modules = [*(stdlib / "lib-dynload").glob("*.so"), *site.glob("numpy/**/*.so"), *site.glob("grpc/**/*.so")]
        linked = libraries(python, *modules, Path("/bin/sh"))
        for path in {python, Path("/bin/sh"), *linked - {one for one in linked if one.is_relative_to(site)}}:
            tar.add(path.resolve(), str(path), filter=_public)
        tar.add(stdlib, str(stdlib), filter=_public)
        for name in NEEDED:
            if (site / name).exists():
                tar.add(site / name, f"/packages/{name}", filter=_public)
        tar.add(Path(nav_eval_sdk.__file__).parent, "/packages/nav_eval_sdk", filter=_public)
        add(tar, "/app/agent.py", agent)
        command = f"#!{python} -P\nfrom nav_eval_sdk.cli import main; main()\n"
        add(tar, "/usr/local/bin/nav-eval-agent", command, mode=0o755)
    return raw.getvalue()


def _public(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    info.uid = info.gid = 0
    return None if LEFT_OUT.search(info.name) else info


def add(tar: tarfile.TarFile, name: str, content: str | bytes, mode: int = 0o644) -> None:
    data = content.encode() if isinstance(content, str) else content
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), mode
    tar.addfile(info, io.BytesIO(data))


def save(
    path: Path, layer: bytes, command: Iterable[str], tag: str = "agent:latest", times: int = 1, **config: object
) -> str:
    """Write the archive, whose image has the layer so many times; its SHA-256."""
    environment = ["PATH=/usr/local/bin:/bin", "PYTHONPATH=/packages"]
    runs = {"Cmd": [*command], "WorkingDir": "/app", "Env": environment, **config}
    root = {"type": "layers", "diff_ids": times * [f"sha256:{hashlib.sha256(layer).hexdigest()}"]}
    content = json.dumps({"architecture": "amd64", "os": "linux", "config": runs, "rootfs": root})
    name = f"{hashlib.sha256(content.encode()).hexdigest()}.json"
    with tarfile.open(path, "w") as tar:
        add(tar, name, content)
        add(tar, "layer.tar", layer)
        add(tar, "manifest.json", json.dumps([{"Config": name, "RepoTags": [tag], "Layers": times * ["layer.tar"]}]))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
