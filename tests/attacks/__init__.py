"""Attacks on the product from outside, by name: `python -m attacks [--only TEXT] [--list]`, from tests/.

Each is a real server, a real client or a real file that misbehaves in one way; what may come of it is taken from the
contract. `make soak` runs them all and wants no finding.
"""

from __future__ import annotations

from attacks.attack import Attack


def everything() -> list[Attack]:
    """Every attack, in the order of the families."""
    from attacks import actions, evaluators, files, grpc_frames, grpc_messages, rest_answers, rest_http, sessions, texts

    families = (rest_answers, rest_http, grpc_messages, grpc_frames, texts, actions, sessions, evaluators, files)
    found = [attack for family in families for attack in family.attacks()]
    names = [attack.name for attack in found]
    assert len(set(names)) == len(names), "two attacks have one name"
    return found
