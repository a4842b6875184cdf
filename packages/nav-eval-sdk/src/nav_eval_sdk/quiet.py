"""grpc, with the logging of its C core off: it writes to stderr what peers send, escape characters included.

The core reads its level when it is loaded, so every module here takes grpc from this one. Whoever wants to see it sets
GRPC_VERBOSITY.
"""

import os

os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc

__all__ = ["grpc"]
