"""A disk that is full or can only be read, wherever a run meets it: exit 4, one message, nothing finished is lost."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from forked import nav_eval
from graphs import item, node, write_r2r
from nav_eval.cli import _call
from nav_eval.cli.exit import guarded
from nav_eval.errors import ResourceExhausted, RunDirectoryError, SceneError, exhausted
from nav_eval.jit import cache_home
from nav_eval.results.files import explained
from playing import play, records

PAGE = os.sysconf("SC_PAGESIZE")


@pytest.fixture
def world(tmp_path):
    paths = [[node(0, y), node(1, y), node(2, y)] for y in range(3)]
    items = [item(number, path, ["Walk.", "Go on."]) for number, path in enumerate(paths)]
    return [*write_r2r(tmp_path, items=items), "agent_service.agent=random", "agent_service.secret=s3"]


@contextmanager
def mounted(folder, pages):
    """A file system of its own with room for so many pages."""
    folder.mkdir()
    options = f"size={pages * PAGE},mode=755"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no file system may be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def run(world, out, *options):
    return guarded(_call, ["run", "r2r", *world, "--out", str(out), "--quiet", *options], debug=False)


def fill(folder, but):
    """Take all room but `but` pages."""
    with (folder / "filler").open("wb", buffering=0) as filler:
        with suppress(OSError):
            while filler.write(bytes(PAGE)) == PAGE:
                pass
        filler.truncate(max(0, filler.tell() - but * PAGE))


def test_a_full_disk_is_exit_4_wherever_it_fills(world, tmp_path, capsys):
    play(tmp_path / "undisturbed", world)
    with mounted(tmp_path / "disk", pages=60) as disk:
        codes = []
        for room in (0, 2, 4, 6, 9, 13, 40):
            out = disk / f"run{room}"
            fill(disk, room)
            codes.append(run(world, out))
            said = capsys.readouterr().err
            if codes[-1] == 0:
                break
            assert said.endswith("the disk is full. What is finished is safe; go on with --resume.\n"), said
            assert said.startswith(f"nav-eval: {disk}")
            assert len(said.splitlines()) == 1
            (disk / "filler").unlink()
            assert run(world, out, "--resume") == 0
            assert records(out) == records(tmp_path / "undisturbed")
            subprocess.run(["rm", "-r", out], check=True)
            capsys.readouterr()
        assert codes[-1] == 0
        assert set(codes[:-1]) == {4}
        assert len(codes) > 3


def test_a_read_only_disk_is_exit_4(world, tmp_path, capsys):
    with mounted(tmp_path / "disk", pages=60) as disk:
        assert run(world, disk / "run") == 0
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        for out, options in ((disk / "other", ()), (disk / "run", ("--resume",))):
            capsys.readouterr()
            assert run(world, out, *options) == 4
            said = capsys.readouterr().err
            assert said.endswith("the disk is read-only. What is finished is safe; go on with --resume.\n"), said
            assert len(said.splitlines()) == 1
        assert guarded(_call, ["report", str(disk / "run")], debug=False) == 4


@pytest.mark.parametrize("compiled", [True, pytest.param(False, marks=pytest.mark.soak)])
def test_a_cache_on_a_full_disk_costs_time_or_is_exit_4(tmp_path, compiled):
    """Kernels are compiled again, which takes long: tests/test_machine_code.py asks for that too; homes are exit 4."""
    small = "dataset.generate={seed: full, scenes: 1, rooms: 1, per_scene: 1, detail: 20000}"
    with mounted(tmp_path / "disk", pages=4) as disk:
        if compiled:
            (disk / "kernels").symlink_to(cache_home() / "kernels")
        fill(disk, 1)
        words = ["run", "vln-demo", small, "dataset.split=all", "--out", tmp_path / "run", "-q"]
        done = nav_eval(*words, cwd=tmp_path, NAV_EVAL_CACHE=str(disk))
    assert done.returncode == 4, done.stderr
    assert "the disk is full" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_standard_output_that_takes_nothing_is_exit_4():
    code = "from nav_eval.cli import main; main()"
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", code, "list", "tasks"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4
    assert done.stderr == "nav-eval: the disk is full. What is finished is safe; go on with --resume.\n"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG])
def test_what_a_disk_refuses_is_ours_whoever_wrapped_it(tmp_path, number):
    with pytest.raises(ResourceExhausted, match=str(tmp_path)), explained(tmp_path):
        raise OSError(number, "x")
    scene = SceneError("cannot be read")
    scene.__cause__ = OSError(number, "x")
    assert isinstance(exhausted(scene), ResourceExhausted)


def test_what_the_user_can_mend_stays_bad_input(tmp_path):
    with pytest.raises(RunDirectoryError, match="cannot be written"), explained(tmp_path):
        raise PermissionError(errno.EACCES, "x")
    scene = SceneError("too large")
    scene.__cause__ = MemoryError()
    assert exhausted(scene) is None
