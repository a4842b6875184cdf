"""nav-eval sign, verify, publish: prove a result, check it, show it without its episodes."""

from __future__ import annotations

from pathlib import Path

from nav_eval.cli.exit import DONE, FINDINGS
from nav_eval.cli.say import say


def sign(run_directory: Path | None = None, /, *, key: Path | None = None, new_key: Path | None = None) -> int:
    """Sign a finished run with Ed25519: nav-eval sign RUN_DIR --key FILE; or make a key: nav-eval sign --new-key FILE.

    Parameters
    ----------
    run_directory
        What `nav-eval run` wrote.
    key
        Your private key, a PEM file.
    new_key
        Write a new private key to this file.
    """
    from nav_eval.errors import RunDirectoryError
    from nav_eval.results import audit

    if new_key is not None:
        say(f"public key {audit.new_key(new_key)}")
        key = key or new_key
    if run_directory is not None and key is None:
        raise RunDirectoryError("sign: needs a key: --key FILE, or --new-key FILE to make one.")
    if run_directory is not None and key is not None:
        say(f"signed with public key {audit.sign(run_directory, key)}")
    return DONE


def verify(run_directory: Path, /, *, public_key: str | None = None) -> int:
    """Check the files of a run, or of its public form, against its manifest and signature; exit code 1 if any differs.

    Parameters
    ----------
    run_directory
        What `nav-eval run` or `nav-eval publish` wrote.
    public_key
        The organiser's public key, hexadecimal; without it anybody may have signed.
    """
    from nav_eval.results import audit

    faults = audit.verify(run_directory, public_key)
    say(*faults)
    if not faults:
        signer = audit.signer(run_directory)
        signed = f"signed with public key {signer}" if signer else "NOT SIGNED: anybody may have written it"
        say("every file is what the manifest says", signed)
    return FINDINGS if faults else DONE


def publish(run_directory: Path, /, *, out: Path) -> int:
    """Copy what may be public: results, configuration, manifest and signature, nothing about single episodes.

    Parameters
    ----------
    run_directory
        What `nav-eval run` wrote.
    out
        A folder for the public form; `nav-eval verify` checks it too.
    """
    from nav_eval.logging import get_logger
    from nav_eval.results import audit

    say(*(out / name for name in audit.publish(run_directory, out)))
    if audit.tells_its_seed(run_directory):
        get_logger(__name__).warning(
            "config.yaml contains dataset.generate.seed: whoever has it can regenerate these episodes and their goals. "
            "If they are to stay hidden, do not pass this on; make them with `nav-eval generate` and set "
            "dataset.data_path."
        )
    return DONE
