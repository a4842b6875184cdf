"""Which protocol this is. A service lists the versions it speaks in /info; the evaluator picks one."""

from __future__ import annotations

PROTOCOL_VERSION = 1
SDK_VERSION = "0.1.0"
DEFAULT_PORT = 8085
JSON = "application/json"
MSGPACK = "application/msgpack"
PROBLEM = "application/problem+json"
