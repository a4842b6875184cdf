"""`nav-eval-agent`: serve an agent, check a service, ask whether it is healthy, begin a project, enter a competition.

Exit codes: 0 done; 1 done, with findings; 2 bad input; 3 the service could not be used; 4 our own fault.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from http import HTTPStatus
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NoReturn

from nav_eval_sdk import submit_cli
from nav_eval_sdk.chinese import spoken
from nav_eval_sdk.examples import BASELINES, EXAMPLES
from nav_eval_sdk.options import add_to, chosen, options_of, with_options
from nav_eval_sdk.project import TEMPLATES, create
from nav_eval_sdk.protocol.deadlines import Deadlines
from nav_eval_sdk.protocol.version import DEFAULT_PORT, SDK_VERSION
from nav_eval_sdk.usage import BAD_INPUT, FINDINGS, OUR_FAULT, UNUSABLE, Parser, Spoken, UsageError, complain, say
from nav_eval_sdk.variables import AGENT_TOKEN, AGENT_TOKEN_FILE

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""What numpy's and PyTorch's libraries read when they are imported."""
SESSIONS = ("max_sessions", "max_batch", "max_wait", "idle_timeout")
CA = "PEM; the authority that signed the service's certificate (turns TLS on)"


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the command line."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        options = parser(own_options(words)).parse_args(words)
    except ValueError as error:
        sys.exit(complain(str(error), BAD_INPUT))
    handler = logging.StreamHandler()
    handler.setFormatter(Spoken("%(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    try:
        code = options.run(options)
        sys.stdout.flush()
        sys.exit(code)
    except BrokenPipeError:  # as before `| head`: who reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except UsageError as error:
        sys.exit(_complain(str(error), BAD_INPUT, options.debug))
    except ImportError as error:
        extra = getattr(options, "protocol", None) or "rest,grpc"
        sys.exit(_complain(f"{error}. Install nav-eval-sdk[{extra}].", BAD_INPUT, options.debug))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # noqa: BLE001 - a user is told in a line; --debug shows all
        sys.exit(_complain(f"{type(error).__name__}: {error}", OUR_FAULT, options.debug))


def _complain(message: str, code: int, debug: bool) -> int:
    if debug:
        logging.getLogger(__name__).exception("")
    return complain(message, code)


def parser(own: Any = None, kind: type[Parser] = Parser) -> argparse.ArgumentParser:
    """`own`: the options of the agent that `serve` or `join` is given, a dataclass."""
    root = kind(
        prog="nav-eval-agent",
        description="Serve a navigation agent to nav_eval.",
        epilog="Exit codes: 0 done; 1 done, with findings; 2 bad input; 3 the service cannot be used; 4 our own fault.",
    )
    root.add_argument("--version", action="version", version=SDK_VERSION)
    commands = root.add_subparsers(required=True, metavar="COMMAND")
    _add_serve(commands)
    _add_join(commands)
    _add_check(commands)
    _add_health(commands)
    _add_relay(commands)
    _add_new(commands)
    for command in commands.choices.values():
        command.add_argument("--debug", action="store_true", help="show tracebacks")
    submit_cli.add(commands)
    if own:
        add_to(commands.choices["serve"], own)
        add_to(commands.choices["join"], own)
    return root


class _First(Parser):
    """Reads who the agent is, before it is known what options it has, so that none of them is an abbreviation."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more | {"allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _from_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not {text!r}")
    return int(text)


def own_options(words: Sequence[str]) -> Any:
    """The dataclass of the options of the agent that `serve` or `join` names; None if it has none or is none."""
    if not words or words[0] not in ("serve", "join"):
        return None
    try:
        given, _ = parser(kind=_First).parse_known_args([word for word in words if word not in ("-h", "--help")])
        if given.cpu_threads is not None:
            os.environ |= dict.fromkeys(THREADS, str(given.cpu_threads))
        return options_of(load_agent(given.agent))
    except Exception:  # noqa: BLE001 - whatever is wrong here is told when the command runs
        return None


def _agent_class(options: argparse.Namespace) -> Any:
    """The agent's class, with the options that its user has given."""
    agent = load_agent(options.agent)
    own = options_of(agent)
    return agent if own is None else with_options(agent, chosen(own, options))


def _add(commands: Any, name: str, about: str) -> Any:
    return commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")


def _add_token(command: Any) -> None:
    command.add_argument("--token", default=AGENT_TOKEN.get(), help=f"bearer token; or {AGENT_TOKEN}")
    command.add_argument(
        "--token-file",
        default=AGENT_TOKEN_FILE.get(),
        help=f"a file that holds it, such as a container's secret; or {AGENT_TOKEN_FILE}",
    )


def _add_serve(commands: Any) -> None:
    serve = _add(commands, "serve", "serve an agent class over REST or gRPC")
    _add_agent(serve)
    serve.add_argument(
        "--protocol", choices=("rest", "grpc"), default="rest", help="what the service speaks; default: rest"
    )
    serve.add_argument(
        "--host", default="127.0.0.1", help="0.0.0.0 lets others in, and needs a token; default: 127.0.0.1"
    )
    serve.add_argument("--port", type=int, default=DEFAULT_PORT, help="0 takes any free one; default: %(default)s")
    _add_token(serve)
    _add_sessions(serve)
    serve.add_argument("--tls-cert", help="PEM certificate chain")
    serve.add_argument("--tls-key", help="PEM private key")
    serve.add_argument("--tls-client-ca", help="PEM; clients must show a certificate signed by it (mutual TLS)")
    serve.add_argument("--insecure", action="store_true", help="allow a public address without a token")
    serve.set_defaults(run=run_serve)


def _add_agent(command: Any) -> None:
    command.add_argument(
        "agent",
        metavar="MODULE:CLASS",
        help="the agent class, for example agent:MyAgent of agent.py; or a sample agent: "
        + ", ".join((*EXAMPLES, *BASELINES)),
    )


def _add_sessions(command: Any) -> None:
    command.add_argument(
        "--max-sessions", type=int, default=1, help="episodes at once, an agent object each; default: 1"
    )
    command.add_argument(
        "--max-batch", type=int, help="most observations in one act_batch; default: 8 if the class has one"
    )
    command.add_argument(
        "--max-wait",
        type=float,
        default=0.005,
        help="least seconds that a batch waits for more requests; it waits longer if batches take long; default: 0.005",
    )
    command.add_argument(
        "--idle-timeout",
        type=float,
        default=30.0,
        help="seconds after which a silent session may be replaced; default: 30",
    )
    command.add_argument(
        "--cpu-threads",
        type=_from_one,
        metavar="N",
        help="threads of the agent's matrix products (OpenBLAS, MKL, OpenMP); use few where the evaluator runs on the "
        "same machine; default: the libraries' choice, mostly all cores",
    )


def _add_join(commands: Any) -> None:
    join = _add(commands, "join", "serve an agent class to a competition from a machine behind NAT or a firewall")
    join.description += (
        " It runs the class by itself, as serve does: there is no other service to start and no protocol to choose, "
        "REST or gRPC."
    )
    join.add_argument("server", metavar="URL", help="the competition's address, such as https://challenge.example.org")
    _add_agent(join)
    submit_cli.add_team(join)
    _add_sessions(join)
    join.set_defaults(run=run_join)


def _add_check(commands: Any) -> None:
    check = _add(commands, "check", "run synthetic episodes against a service and list what is wrong")
    check.add_argument(
        "endpoint",
        metavar="ENDPOINT",
        help="host:port or a URL; of a competition's web address it says what agents play under",
    )
    check.add_argument(
        "--protocol", choices=("rest", "grpc"), default="rest", help="what the service speaks; default: rest"
    )
    _add_token(check)
    check.add_argument("--ca", help=CA)
    check.add_argument("--timeout", type=float, default=Deadlines.act, help="seconds for one answer; default: 30")
    check.add_argument("--steps", type=int, default=5, help="steps of each synthetic episode; default: 5")
    check.add_argument("--actions", metavar="FILE", help='JSON: a task\'s own actions, name -> {"arguments": {...}}')
    check.set_defaults(run=run_check)


def _add_health(commands: Any) -> None:
    health = _add(commands, "health", "exit code 0 if a service is ready, else 1; for containers and probes")
    health.add_argument(
        "endpoint", metavar="ENDPOINT", nargs="?", default="localhost", help="host:port or a URL; default: this machine"
    )
    health.add_argument("--protocol", choices=("rest", "grpc"), default=None, help="by default whichever answers")
    _add_token(health)
    health.add_argument("--ca", help=CA)
    health.add_argument("--timeout", type=float, default=5.0, help="seconds for one answer; default: 5")
    health.set_defaults(run=run_health)


def _add_relay(commands: Any) -> None:
    relay = _add(
        commands, "relay", "reach a service on this machine through stdin and stdout, as competitions do in images"
    )
    relay.add_argument("--port", type=int, default=DEFAULT_PORT, help="where the service listens; default: %(default)s")
    relay.set_defaults(run=run_relay)


def _add_new(commands: Any) -> None:
    new = _add(commands, "new", "make a working agent project to start from")
    new.add_argument(
        "directory", type=Path, metavar="DIRECTORY", help="the folder to make; an existing one must be empty"
    )
    new.add_argument(
        "--template",
        choices=TEMPLATES,
        default="agent",
        help="agent: a class to fill in; learned: the sample model, with what trains it; default: %(default)s",
    )
    new.set_defaults(run=run_new)


def run_serve(options: argparse.Namespace) -> int:
    from nav_eval_sdk.errors import ServiceProblem
    from nav_eval_sdk.server.serving import serve
    from nav_eval_sdk.server.settings import UnsafeAddress

    try:
        serve(
            _agent_class(options),
            protocol=options.protocol,
            host=options.host,
            port=options.port,
            token=given_token(options),
            tls=_tls(options),
            insecure=options.insecure,
            **{name: getattr(options, name) for name in SESSIONS},
        )
    except (UnsafeAddress, ValueError) as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        if error.filename:
            raise UsageError(f"{error.filename}: {error.strerror}.") from error
        raise UsageError(f"cannot listen at {options.host}:{options.port}: {error.strerror or error}.") from error
    except ServiceProblem as problem:
        return _complain(f"the agent could not be created: {problem.detail}", UNUSABLE, options.debug)
    return 0


def run_relay(options: argparse.Namespace) -> int:
    from nav_eval_sdk.server.relay import relay

    try:
        relay(options.port)
    except OSError as error:
        return complain(f"localhost:{options.port}: {error.strerror or error}.", UNUSABLE)
    return 0


def run_join(options: argparse.Namespace) -> int:
    from nav_eval_sdk.errors import Refused, ServiceProblem
    from nav_eval_sdk.server.serving import join
    from nav_eval_sdk.submissions import competition, refused_token, team_token

    token = team_token(options)
    competition(options, token, "URL")
    try:
        join(
            _agent_class(options),
            options.server,
            token,
            ca=options.ca,
            **{name: getattr(options, name) for name in SESSIONS},
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    except Refused as refused:
        unknown = refused.problem.status == HTTPStatus.UNAUTHORIZED
        told = refused_token(options) if unknown else f"{options.server}: {refused.problem.detail or refused}"
        raise UsageError(told) from refused
    except ServiceProblem as problem:
        return _complain(f"the agent could not be created: {problem.detail}", UNUSABLE, options.debug)
    return 0


def given_token(options: argparse.Namespace) -> str | None:
    """--token, else what --token-file holds."""
    if options.token or not options.token_file:
        return str(options.token) if options.token else None
    from nav_eval_sdk.transport.base import read_token

    try:
        return read_token(options.token_file)
    except ValueError as error:
        raise UsageError(f"--token-file: {error}") from error


def _tls(options: argparse.Namespace) -> Any:
    from nav_eval_sdk.server.settings import ServerTls

    if bool(options.tls_cert) != bool(options.tls_key):
        raise UsageError("--tls-cert and --tls-key go together.")
    return ServerTls(options.tls_cert, options.tls_key, options.tls_client_ca) if options.tls_cert else None


def load_agent(name: str) -> Any:
    """The class called "module:attribute", or a sample agent; the current directory is looked in first."""
    known = {point.name: point.value for point in entry_points(group="nav_eval.agents")} | dict(EXAMPLES)
    if name in BASELINES and name not in known:
        raise UsageError(f"{name} comes with a package of its own: pip install nav-eval-baselines")
    module, _, attribute = known.get(name, name).partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(
            f"{name!r} cannot be imported ({error}). Write MODULE:CLASS, for example agent:Agent."
        ) from error


def run_check(options: argparse.Namespace) -> int:
    from nav_eval_sdk.conditions import ask, described
    from nav_eval_sdk.conformance import Finding, Target, check, verdict
    from nav_eval_sdk.transport.base import ClientTls, Endpoint

    try:
        Endpoint.parse(options.endpoint)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if about := ask(options.endpoint, options.ca):
        for told in described(about):
            say(told)
        return 0
    tls = ClientTls(ca=options.ca) if options.ca else None
    wires = ("rest-json", "rest-msgpack") if options.protocol == "rest" else ("grpc-unary", "grpc-stream")
    token, own = given_token(options), given_actions(options.actions)
    found: list[Finding] = []
    for wire in wires:
        target = Target(options.endpoint, wire, token, tls, options.timeout)
        for finding in check(target, steps=options.steps, own_actions=own):
            mark = "ok   " if finding.ok else "FAULT"
            say(f"{spoken(mark)} {wire:<13} {spoken(finding.check)}  {spoken(finding.detail)}")
            found.append(finding)
            if not any(one.reached for one in found):
                return UNUSABLE
    say(verdict(found))
    return 0 if all(finding.ok for finding in found) else FINDINGS


def given_actions(file: str | None) -> Any:
    """Name -> ActionSpec; raises UsageError where the file holds none."""
    import msgspec

    from nav_eval_sdk.protocol.specs import ActionSpec

    try:
        content = Path(file).read_bytes() if file else b"{}"
        actions = msgspec.json.decode(content, type=dict[str, ActionSpec])
        if fault := next(_unknown_keys(msgspec.json.decode(content)), None):
            raise UsageError(f"--actions: {file}: {fault}")
        return actions
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(f'--actions: {file}: {error}. Write {{"NAME": {{"arguments": {{...}}}}}}.') from error


def _unknown_keys(actions: dict[str, Any]) -> Iterator[str]:
    """A message lets unknown keys pass, for a newer peer's sake; a file with one is mistaken."""
    from nav_eval_sdk.protocol.specs import ActionSpec, Argument

    for name, action in actions.items():
        yield from _unknown(name, action, ActionSpec.__struct_fields__)
        for key, argument in action.get("arguments", {}).items():
            yield from _unknown(f"{name}.arguments.{key}", argument, Argument.__struct_fields__)


def _unknown(place: str, given: dict[str, Any], known: tuple[str, ...]) -> Iterator[str]:
    for key in sorted(given.keys() - {*known}):
        near = get_close_matches(key, known, n=1, cutoff=0.5)
        meant = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(known)}."
        yield f"{place}: unknown key {key!r}.{meant}"


def run_health(options: argparse.Namespace) -> int:
    from nav_eval_sdk.client import open_transport
    from nav_eval_sdk.errors import BadAnswer, WireError
    from nav_eval_sdk.transport.base import ClientTls, Connection, Deadline, Endpoint

    tls = ClientTls(ca=options.ca) if options.ca else None
    try:
        connection = Connection(Endpoint.parse(options.endpoint), given_token(options), tls)
    except ValueError as error:
        raise UsageError(str(error)) from error
    wires = {"rest": "rest-json", "grpc": "grpc-unary"}
    said = ""
    for wire in [wires[options.protocol]] if options.protocol else wires.values():
        try:
            said = open_transport(connection, wire).health(Deadline(options.timeout)).status
            break
        except BadAnswer as error:  # perhaps it speaks the other protocol
            said = str(error)
        except (WireError, ImportError) as error:
            said = str(error)
            break
    say(said)
    return 0 if said == "ready" else FINDINGS


def run_new(options: argparse.Namespace) -> int:
    try:
        created = create(options.directory, options.template)
    except FileExistsError as error:
        raise UsageError(str(error)) from error
    except ModuleNotFoundError as error:
        raise UsageError("this template comes with a package of its own: pip install nav-eval-baselines") from error
    say(f"{len(created)} files in {options.directory}. Read its README.md next.")
    return 0
