"""Proof of a result: what its files were, who signed for them, and a form of it that may be shown to everybody.

manifest.json holds the SHA-256 of every file of the run and of everything the run depended on; signature.json signs
the manifest's bytes with Ed25519 (RFC 8032). The public form leaves out every file that tells of single episodes and
the manifest stays what was signed, so that anybody can check the figures that were published.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from nav_eval.errors import RunDirectoryError
from nav_eval.reading import file_sha256
from nav_eval.results.files import explained, write_bytes, write_json
from nav_eval.results.run_directory import PER_EPISODE, RunDirectory, sha256

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SIGNATURE = "signature.json"
PUBLIC_FILES = ("manifest.json", SIGNATURE, "results.json", "config.yaml")


def check_files(directory: Path) -> list[str]:
    """What differs from the manifest, a line each. Files about single episodes may be absent, but then all of them."""
    recorded = RunDirectory(directory).manifest().get("files_sha256")
    if not recorded:
        return ["the run has not ended: its manifest holds no sums of its files"]
    missing = [name for name in recorded if not (directory / name).is_file()]
    public = set(missing) == {name for name in recorded if name in PER_EPISODE}
    faults = [] if public else [f"{name} is missing" for name in missing]
    present = (name for name in recorded if name not in missing)
    return faults + [f"{name} was changed" for name in present if file_sha256(directory / name) != recorded[name]]


def sign(directory: Path, key: Path) -> str:
    """Sign a finished run with a private key (PEM); returns the public key, hexadecimal.

    Raises RunDirectoryError if a file does not match the manifest, or the key is none.
    """
    faults = check_files(directory)
    if faults:
        raise RunDirectoryError(f"{directory}: cannot be signed: {'; '.join(faults)}.")
    private = _private_key(key)
    public = private.public_key().public_bytes_raw().hex()
    manifest = (directory / "manifest.json").read_bytes()
    content = {
        "algorithm": "Ed25519",
        "signs": {"manifest.json": sha256(manifest)},
        "public_key": public,
        "signature": private.sign(manifest).hex(),
    }
    write_json(directory / SIGNATURE, content)
    return public


def verify(directory: Path, public_key: str | None = None) -> list[str]:
    """Every reason not to believe a run directory or its public form; none if it holds.

    `public_key`: hexadecimal, from whoever is said to have signed. Without it anybody may have signed.
    """
    faults = check_files(directory)
    path = directory / SIGNATURE
    if not path.exists():
        return [*faults, "it is not signed"] if public_key is not None else faults
    try:
        content: dict[str, Any] = msgspec.json.decode(path.read_bytes())
        signer, signature = str(content["public_key"]), bytes.fromhex(content["signature"])
    except (msgspec.DecodeError, KeyError, TypeError, ValueError):
        return [*faults, f"{SIGNATURE} cannot be read"]
    if public_key is not None and public_key.lower() != signer.lower():
        faults.append(f"it was signed with another key, {signer}")
    if not _is_signed(signer, signature, (directory / "manifest.json").read_bytes()):
        faults.append("the signature does not belong to this manifest.json")
    return faults


def signer(directory: Path) -> str | None:
    """The public key, hexadecimal, that a directory which passed `verify` is signed with; None if it is not signed."""
    path = directory / SIGNATURE
    return str(msgspec.json.decode(path.read_bytes())["public_key"]) if path.exists() else None


def publish(directory: Path, out: Path) -> list[str]:
    """Copy what may be shown to everybody into `out`; the names of the files."""
    faults = check_files(directory)
    if faults:
        raise RunDirectoryError(f"{directory}: cannot be published: {'; '.join(faults)}.")
    names = [name for name in PUBLIC_FILES if (directory / name).exists()]
    with explained(out):
        out.mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copyfile(directory / name, out / name)
    return names


def tells_its_seed(directory: Path) -> bool:
    """Whether config.yaml, which is published, holds the seed from which anybody makes the run's episodes and goals."""
    dataset = RunDirectory(directory).config().dataset
    return dataset.generate is not None and not dataset.data_path


def new_key(path: Path) -> str:
    """Write a new private key (PEM, readable by its owner only); returns its public key, hexadecimal."""
    if path.exists():
        raise RunDirectoryError(f"{path}: exists already. Choose another name for the new key.")
    private = _ed25519().Ed25519PrivateKey.generate()
    from cryptography.hazmat.primitives import serialization

    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    write_bytes(path, pem, mode=0o600)
    return str(private.public_key().public_bytes_raw().hex())


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise RunDirectoryError("signatures need the package cryptography: pip install 'nav-eval[sign]'.") from None
    return ed25519


def _private_key(path: Path) -> Ed25519PrivateKey:
    kind = _ed25519().Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise RunDirectoryError(f"{path}: is not a private key in PEM form without a password ({error}).") from None
    if not isinstance(key, kind):
        raise RunDirectoryError(f"{path}: is not an Ed25519 key. `nav-eval sign --new-key FILE` makes one.")
    private: Ed25519PrivateKey = key
    return private


def _is_signed(signer: str, signature: bytes, data: bytes) -> bool:
    ed25519 = _ed25519()
    from cryptography.exceptions import InvalidSignature

    try:
        public: Ed25519PublicKey = ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(signer))
        public.verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True
