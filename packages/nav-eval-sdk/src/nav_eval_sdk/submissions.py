"""`nav-eval-agent push`, `submit`, `describe`, `status` and `cancel`: a team's submissions, from its terminal.

Exit codes of `submit --wait`: 0 done; 1 refused, cancelled, void, too long, or done with more than half of its episodes
failed; 2 bad input, a bad file too; 3 the team's service or the server could not be reached; 4 a fault of the
organisers' side, which cost nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import stat
import sys
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, BinaryIO

from nav_eval_sdk.competition import Away, Competition, CompetitionError, Refusal
from nav_eval_sdk.protocol.text import line
from nav_eval_sdk.transport.base import TOKEN as PRINTABLE
from nav_eval_sdk.transport.base import read_token
from nav_eval_sdk.usage import BAD_INPUT, FINDINGS, OUR_FAULT, UNUSABLE, UsageError, complain, say
from nav_eval_sdk.variables import AGENT_TOKEN, COMPETITION, COMPETITION_TOKEN, Variable

DONE, REFUSED = 0, FINDINGS
ENDS = {"service_silent": UNUSABLE, "image_silent": UNUSABLE, "bad_file": BAD_INPUT, "image_unfit": BAD_INPUT}
"""Exit codes of what failed through the team, by the reason; of every other end 1."""
HASHED = 1 << 20
"""Bytes of a file at a time."""
METHOD = ("name", "affiliation", "paper", "code", "model_size", "sensors")
"""What is said of an entry, as the server calls it."""
LONGEST_NAME = 60
"""Of a service, in characters."""
BETWEEN = 3.0
"""Seconds between two questions how it stands."""
PATIENCE = 900.0
"""Seconds without an answer after which nobody waits any more; the submission goes on without us."""


def run(name: str, options: argparse.Namespace) -> int:
    """Run a command; what the server refuses is a line on stderr and an exit code."""
    try:
        return COMMANDS[name](competition(options, team_token(options)), options)
    except Refusal as refusal:
        if refusal.status == HTTPStatus.UNAUTHORIZED:
            return complain(refused_token(options), BAD_INPUT)
        code = BAD_INPUT if refusal.status in (400, 404, 413, 422) or 300 <= refusal.status < 400 else REFUSED
        return complain(str(refusal), code)
    except Away as away:
        return complain(f"{away} Is the address right? Try again later.", UNUSABLE)


def team_token(options: argparse.Namespace) -> str:
    """Raises UsageError where there is none."""
    token = _secret(options.token_file, "--token-file", COMPETITION_TOKEN)
    if not token:
        raise UsageError(f"say who you are: --token-file FILE, or {COMPETITION_TOKEN}. Your team's page makes a token.")
    return token


def refused_token(options: argparse.Namespace) -> str:
    """What to do about a token that the server does not take."""
    place = options.token_file or COMPETITION_TOKEN
    return f"the token in {place} is wrong or revoked. Your team's page makes another one; put it there."


def competition(options: argparse.Namespace, token: str, named: str = f"--server, {COMPETITION}") -> Competition:
    """The one of `options.server`, which the user knows as `named`; raises UsageError where an option does not fit."""
    if not options.server:
        raise UsageError(f"say which competition: --server URL, or {COMPETITION}.")
    try:
        server = Competition(options.server, token, ca=options.ca)
    except ValueError as error:
        raise UsageError(f"{named}: {error}") from error
    except OSError as error:
        raise UsageError(f"--ca: {options.ca} is not a file of certificates ({error.strerror or error}).") from error
    if server.plain:
        say("nav-eval-agent: without https, others on the network can read your token.", sys.stderr)
    return server


def _secret(file: str | None, option: str, variable: Variable) -> str:
    """What the file holds, else the variable; "" if there is none."""
    try:
        secret = read_token(file) if file else variable.get()
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error
    if secret and not PRINTABLE.fullmatch(secret):
        raise UsageError(f"{option}, {variable}: a token is printable ASCII on one line.")
    if file and _open_to_others(file):
        say(f"nav-eval-agent: others on this machine can read {file}: chmod 600 {shlex.quote(file)}", sys.stderr)
    return secret


def _open_to_others(file: str) -> bool:
    """Where files have such rights."""
    return os.name == "posix" and bool(Path(file).stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


def submit(server: Competition, options: argparse.Namespace) -> int:
    if bool(options.endpoint) == bool(options.predictions):
        raise UsageError("give a service's name or URL, or --predictions FILE.")
    if options.predictions:
        made = server.submit_file(_phase(server, options, "predictions"), _content(options.predictions), options.key)
    else:
        phase = _phase(server, options, "service")
        made = server.submit(phase, _endpoint(server, options)["id"], options.key)
    say(f"{made['id']} is accepted in {made['phase']}.", sys.stderr if options.json else sys.stdout)
    _describe_accepted(server, made["id"], options)
    if options.wait:
        return _wait(server, made["id"], options)
    if options.json:
        _print_json(server.submission(made["id"]))
    else:
        say(f"Next: nav-eval-agent status {made['id']}")
    return DONE


def _describe_accepted(server: Competition, submission: str, options: argparse.Namespace) -> None:
    """It goes on whatever is wrong with what is said of it."""
    if not (method := _method(options)):
        return
    try:
        server.describe(submission, method)
    except CompetitionError as error:
        complain(f"{error} Say it again: nav-eval-agent describe {submission} ...", BAD_INPUT)


def _method(options: argparse.Namespace) -> dict[str, str]:
    """What the options say of an entry."""
    return {name: value for name in METHOD if (value := getattr(options, name)) is not None}


def describe(server: Competition, options: argparse.Namespace) -> int:
    """Without an option it says what the entry is by now."""
    if method := _method(options):
        shown = _mine(lambda one: server.describe(one, method), options.submission)
    else:
        shown = _mine(server.submission, options.submission)
    for name in METHOD:
        if value := shown["method"].get(name):
            sys.stdout.write(f"{name:<12} {line(str(value), 300)}\n")
    return DONE


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"--predictions: {file} cannot be read ({error.strerror}).") from error


def _phase(server: Competition, options: argparse.Namespace, kind: str) -> str:
    """What --phase says, else the only open phase of that kind. Raises UsageError that names those there are."""
    if options.phase:
        return str(options.phase)
    phases = server.phases()
    fitting = [one["name"] for one in phases if one["kind"] == kind and one["status"] == "open"]
    if len(fitting) != 1:
        known = ", ".join(f"{one['name']} ({one['status']}, {one['kind']})" for one in phases)
        raise UsageError(line(f"say which phase: --phase NAME. There are {known}.", 500))
    return str(fitting[0])


def _endpoint(server: Competition, options: argparse.Namespace) -> Any:
    """The team's service of that name or URL; a URL that is none yet is registered, under itself, and asked.

    Several are those of replicas.
    """
    known, wanted = server.endpoints(), " ".join(options.endpoint)
    for key in ("name", "url"):
        found = [one for one in known if one[key] == wanted]
        if len(found) == 1:
            return _as_said(found[0], options.protocol)
        if found:
            names = ", ".join(one["name"] for one in found)
            raise UsageError(line(f"several services have that URL: give one by its name ({names})."))
    if not all(":" in one for one in options.endpoint) or not wanted:
        names = ", ".join(one["name"] for one in known) or "none yet; give its URL, and it is registered"
        raise UsageError(line(f"there is no service {wanted!r}. Yours: {names}.", 500))
    token = _secret(options.service_token_file, "--service-token-file", AGENT_TOKEN)
    protocol = options.protocol or ("grpc" if wanted.startswith(("grpc://", "grpcs://")) else "rest")
    return _probe_service(server, server.register(_service_name(wanted), protocol, wanted, token))


def _service_name(addresses: str) -> str:
    """The name of a new service: its addresses, as far as a name may be long; lists that begin alike differ in it."""
    sum_of_all = hashlib.sha256(addresses.encode()).hexdigest()[:8]
    return addresses if len(addresses) <= LONGEST_NAME else f"{addresses[: LONGEST_NAME - 9]} {sum_of_all}"


def _probe_service(server: Competition, endpoint: Any) -> Any:
    """A new service; if it, or a replica, is not ready, speaks another protocol than it is registered with, or asks for
    no token, that is said now.
    """
    try:
        found = server.probe(endpoint["id"])
    except Refusal:  # the server asks others; its answer changes nothing
        return endpoint
    if found["probe"] != "ready" or found.get("away") or not found["has_token"]:
        say(f"nav-eval-agent: {line(str(found['sentence']), 500)}", sys.stderr)
    return endpoint


def _as_said(endpoint: Any, protocol: str | None) -> Any:
    if protocol and endpoint["protocol"] != protocol:
        told = f"{endpoint['name']} is registered as {endpoint['protocol']}; change it on your team's page."
        raise UsageError(line(f"--protocol: {told}"))
    return endpoint


def _wait(server: Competition, submission: str, options: argparse.Namespace) -> int:
    try:
        return _until_ended(server, submission, options)
    except KeyboardInterrupt:
        say(f"{submission} goes on; `nav-eval-agent cancel {submission}` ends it.", sys.stderr)
        raise


def _until_ended(server: Competition, submission: str, options: argparse.Namespace) -> int:
    """What is new is said in a line; the server may be away for a while."""
    said, heard = "", time.monotonic()
    while True:
        try:
            shown, heard = server.submission(submission), time.monotonic()
            news = _news(shown)
        except Away as away:
            if time.monotonic() - heard > PATIENCE:
                return complain(f"{away} {submission} goes on; ask: nav-eval-agent status {submission}", UNUSABLE)
            shown, news = None, f"{away} It is asked again."
        if news != said:
            say(news, sys.stderr)
            said = news
        if shown is not None and shown["final"]:
            return _exit_code(shown, options)
        time.sleep(BETWEEN)


def _news(shown: Mapping[str, Any]) -> str:
    """The server's sentence, and how long the rest takes."""
    left = shown["seconds_left"]
    told = line(str(shown["sentence"]), 500)
    return told if left is None else f"{told} About {_span(left)} to go."


def _span(seconds: float) -> str:
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _exit_code(shown: Mapping[str, Any], options: argparse.Namespace) -> int:
    if options.json:
        _print_json(shown)
    else:
        _print_figures(shown)
    _print_reasons(shown)
    if shown["state"] == "done":
        return REFUSED if 2 * shown.get("failed_episodes", 0) > shown["played"] else DONE
    return OUR_FAULT if shown["fault"] == "ours" else ENDS.get(shown["why"], REFUSED)


def push(server: Competition, options: argparse.Namespace) -> int:
    """From where an earlier try ended."""
    try:
        with options.image.open("rb") as file:
            name = _upload(server, file, options.name or options.image.stem[:60])
    except OSError as error:
        raise UsageError(f"{options.image} cannot be read ({error.strerror or error}).") from error
    say(f"Next: nav-eval-agent submit {shlex.quote(name)}")
    return DONE


def _upload(server: Competition, file: BinaryIO, name: str) -> str:
    """What it is submitted by, once all of it has arrived."""
    digest, whole = hashlib.sha256(), 0
    while data := file.read(HASHED):
        digest.update(data)
        whole += len(data)
    sha256 = digest.hexdigest()
    there = server.image(sha256)
    while True:
        file.seek(there["received"])
        there = server.send_image(sha256, name, file.tell(), whole, file.read(there["piece"]))
        if there["endpoint"]:
            say(f"sha256:{there['sha256']} has arrived.")
            return str(there["endpoint"]["name"])
        say(f"{100 * there['received'] // whole} % of {whole / 2**20:.0f} MiB", sys.stderr)


def status(server: Competition, options: argparse.Namespace) -> int:
    found = _mine(server.submission, options.submission) if options.submission else server.submissions()
    if options.save:
        _save(server, found, options.save)
    if options.json:
        _print_json(found)
        return DONE
    rows = [found] if options.submission else found
    for one in rows:
        _print_row(one)
    if options.submission:
        _print_figures(found)
        _print_reasons(found)
    if not rows:
        say("Nothing is submitted yet.")
    return DONE


def _save(server: Competition, found: Any, folder: Path) -> None:
    """The files that may be read. Raises UsageError where there are none."""
    names = [Path(name).name for name in found["files"]] if isinstance(found, dict) else []
    if not names:
        raise UsageError(
            "--save: give the id of a dry run that has been played, or of an image that has run; no other submission "
            "has files to read."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            (folder / name).write_bytes(server.file(found["id"], name))
    except OSError as error:
        raise UsageError(f"--save: {folder} cannot be written ({error.strerror}).") from error
    say(f"{', '.join(names)} in {folder}", sys.stderr)


def cancel(server: Competition, options: argparse.Namespace) -> int:
    try:
        shown = _mine(server.cancel, options.submission)
    except Refusal as refusal:
        if refusal.code != "finished":
            raise
        shown = server.submission(options.submission)  # perhaps by a request of ours whose answer was lost
        if shown["state"] != "cancelled":
            raise
    _print_row(shown)
    return DONE


def _mine(call: Callable[[str], Any], submission: str) -> Any:
    """What `call` answers of it. Raises UsageError where the team has no such submission."""
    try:
        return call(submission)
    except Refusal as refusal:
        if refusal.status != HTTPStatus.NOT_FOUND or not refusal.code:  # without a code it is no competition server
            raise
        told = f"There is no submission {submission!r} of your team: `nav-eval-agent status` lists yours."
        raise UsageError(line(told)) from refusal


def _print_row(shown: Mapping[str, Any]) -> None:
    say(f"{shown['id']}  {shown['phase']:<12} {shown['state']:<15} {_news(shown)}")


def _print_figures(shown: Mapping[str, Any]) -> None:
    """Those that the team may see by now."""
    for name, value in (shown["figures"] or {}).items():
        sys.stdout.write(f"{line(str(name), 40):<24} {'-' if value is None else f'{value:.4f}'}\n")


def _print_reasons(shown: Mapping[str, Any]) -> None:
    """Why the newest episodes failed, as the service said; and what organisers have decided."""
    for reason in shown.get("reasons", ()):
        say(f"  {line(str(reason['status']), 40)}: {line(str(reason['text']), 300)}", sys.stderr)
    for one in shown.get("decisions", ()):
        say(f"  {line(str(one['sentence']), 100)}: {line(str(one['reason']), 500)}", sys.stderr)


def _print_json(value: Any) -> None:
    sys.stdout.write(f"{json.dumps(value, indent=2)}\n")


COMMANDS = {"push": push, "submit": submit, "describe": describe, "status": status, "cancel": cancel}
