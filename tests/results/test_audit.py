from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from graphs import SCAN, node
from nav_eval import cli
from nav_eval.errors import RunDirectoryError
from nav_eval.results import audit
from nav_eval.results.run_directory import RunDirectory
from nav_eval.runs.registry import benchmark_config
from playing import document

EMPTY_FACTS = {"dataset_sha256": {}, "assets_sha256": {}, "episodes_sha256": "", "secret_sha256": ""}


def test_the_manifest_holds_the_sum_of_every_file(own, run):
    manifest = document(run, "manifest.json")
    for name, digest in manifest["files_sha256"].items():
        assert hashlib.sha256((run / name).read_bytes()).hexdigest() == digest
    private = {"manifest.json", "secret.key", ".lock"}
    assert {path.name for path in run.iterdir()} - private == set(manifest["files_sha256"])
    data = own.parent / "R2R_val.json"
    assert manifest["dataset_sha256"] == {data.name: hashlib.sha256(data.read_bytes()).hexdigest()}
    assert audit.verify(run) == []


@pytest.mark.parametrize("name", ["episodes.jsonl", "trajectories.jsonl", "results.json", "config.yaml"])
def test_a_changed_or_missing_file_is_named(run, name):
    path = run / name
    path.write_bytes(path.read_bytes() + b"\n")
    assert audit.verify(run) == [f"{name} was changed"]
    path.unlink()
    assert audit.verify(run) == [f"{name} is missing"]
    with pytest.raises(RunDirectoryError, match=name):
        audit.publish(run, run.parent / "public")


def test_a_signature_is_checked_by_another_program(run, tmp_path):
    """openssl, where it is installed, must accept what we signed."""
    public = audit.new_key(tmp_path / "key.pem")
    assert audit.sign(run, tmp_path / "key.pem") == public
    assert audit.verify(run, public) == []
    assert (tmp_path / "key.pem").stat().st_mode & 0o077 == 0
    content = document(run, "signature.json")
    (tmp_path / "signature").write_bytes(bytes.fromhex(content["signature"]))
    command = ["openssl", "pkeyutl", "-verify", "-inkey", "key.pem", "-rawin", "-in", "run/manifest.json"]
    try:
        done = subprocess.run([*command, "-sigfile", "signature"], cwd=tmp_path, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    assert "Signature Verified Successfully" in done.stdout + done.stderr


def test_another_key_another_manifest_and_no_signature_are_told_apart(run, tmp_path):
    audit.new_key(tmp_path / "key.pem")
    stranger = audit.new_key(tmp_path / "other.pem")
    assert audit.verify(run, stranger) == ["it is not signed"]
    audit.sign(run, tmp_path / "key.pem")
    assert "another key" in audit.verify(run, stranger)[0]
    manifest = run / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"seed": 0', '"seed": 1'))
    assert audit.verify(run) == ["the signature does not belong to this manifest.json"]
    (run / "signature.json").write_text("{}")
    assert audit.verify(run) == ["signature.json cannot be read"]


def test_what_is_no_key_is_refused(run, tmp_path):
    path = tmp_path / "no.pem"
    for content in (b"", b"nonsense"):
        path.write_bytes(content)
        with pytest.raises(RunDirectoryError, match=r"no\.pem"):
            audit.sign(run, path)
    with pytest.raises(RunDirectoryError, match="exists already"):
        audit.new_key(path)


def test_the_public_form_tells_nothing_of_single_episodes_and_can_be_verified(run, tmp_path):
    secret = RunDirectory(run).secret.decode()
    public = audit.new_key(tmp_path / "key.pem")
    audit.sign(run, tmp_path / "key.pem")
    out = tmp_path / "public"
    assert set(audit.publish(run, out)) == {path.name for path in out.iterdir()}
    assert audit.verify(out, public) == []
    text = "".join(path.read_text() for path in Path(out).iterdir())
    for told in ("7_0", "8_1", node(1, 0), "Walk straight", secret):
        assert told not in text
    assert SCAN not in (out / "results.json").read_text()
    (out / "results.json").write_text("{}")
    assert audit.verify(out, public) == ["results.json was changed"]


@pytest.mark.parametrize(("benchmark", "told"), [("vln-demo", True), ("r2r", False)])
def test_a_seed_that_makes_the_episodes_again_is_told_of(tmp_path, benchmark, told):
    with RunDirectory(tmp_path / "run") as directory:
        directory.claim(resume=False)
        directory.begin(benchmark_config(benchmark), EMPTY_FACTS)
    assert audit.tells_its_seed(tmp_path / "run") is told


@pytest.mark.parametrize("arguments", [("--new-key", "key.pem"), ("run", "--key", "key.pem")])
def test_without_the_extra_sign_says_what_to_install(run, tmp_path, monkeypatch, capsys, arguments):
    for name in ("cryptography", "cryptography.hazmat.primitives", "cryptography.hazmat.primitives.asymmetric"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["nav-eval", "sign", *arguments])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    told = "nav-eval: signatures need the package cryptography: pip install 'nav-eval[sign]'.\n"
    assert capsys.readouterr().err == told
