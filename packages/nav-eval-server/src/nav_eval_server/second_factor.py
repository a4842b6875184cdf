"""The second factor of an organiser: codes of an app (TOTP, RFC 6238), and recovery codes for when the app is lost.

The secret is sealed (vault.py), recovery codes are kept as their SHA-256, and no code works twice.
"""

from __future__ import annotations

import base64
import secrets
from datetime import datetime
from urllib.parse import quote

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.db import transaction

from nav_eval_server import events
from nav_eval_server.models import User
from nav_eval_server.tokens import digest
from nav_eval_server.vault import Vault

SECONDS = 30
DIGITS = 6
AROUND = 1
"""Steps of 30 s by which a clock may be wrong."""
RECOVERY_CODES = 10


def new_secret() -> str:
    """160 bits in base32, as apps take it."""
    return base64.b32encode(secrets.token_bytes(20)).decode()


def uri(secret: str, name: str, issuer: str) -> str:
    """What apps read: otpauth://totp/..."""
    who, where = quote(f"{issuer}:{name}"), quote(issuer)
    return f"otpauth://totp/{who}?secret={secret}&issuer={where}&digits={DIGITS}&period={SECONDS}"


def qr_code(uri: str) -> str:
    """The same as a picture for a phone's camera: SVG of our own making, so that nobody else hears the secret."""
    import segno  # only who turns the factor on needs it

    svg: str = segno.make(uri, micro=False).svg_inline(omitsize=True, light="#fff", svgclass=None, lineclass=None)
    return svg


def step_of(secret: str, code: str, now: datetime, after: int = 0) -> int | None:
    """The step (its number since 1970) whose code this is, if it is about now and later than `after`."""
    totp = TOTP(base64.b32decode(secret), DIGITS, SHA1(), SECONDS)
    here = int(now.timestamp()) // SECONDS
    steps = (here + offset for offset in range(-AROUND, AROUND + 1))
    given = "".join(code.split()).encode()
    right = (step for step in steps if step > after and secrets.compare_digest(totp.generate(step * SECONDS), given))
    return next(right, None)


def enable(user: User, secret: str, code: str, vault: Vault, now: datetime) -> list[str] | None:
    """From now on the app is asked for; the recovery codes, which cannot be had again. None if the code is wrong."""
    step = step_of(secret, code, now)
    if step is None:
        return None
    codes = [secrets.token_hex(5) for _ in range(RECOVERY_CODES)]
    with transaction.atomic():
        told = {"sealed_totp": vault.seal(secret), "totp_step": step, "recovery": [digest(code) for code in codes]}
        User.objects.filter(pk=user.pk).update(**told)
        events.record("second_factor_on", user.username, actor=user.username)
    return codes


def disable(user: User, actor: str) -> None:
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(sealed_totp="", recovery=[])
        events.record("second_factor_off", user.username, actor=actor)


def check(user: User, code: str, vault: Vault, now: datetime) -> bool:
    """Whether it is a code of the app, or a recovery code; it is used up."""
    with transaction.atomic():
        held = User.objects.select_for_update().get(pk=user.pk)
        step = step_of(vault.open(held.sealed_totp), code, now, held.totp_step) if code.isascii() else None
        if step is not None:
            User.objects.filter(pk=user.pk).update(totp_step=step)
            return True
        used = digest("".join(code.split()).lower())
        if used not in held.recovery:
            return False
        User.objects.filter(pk=user.pk).update(recovery=[one for one in held.recovery if one != used])
        events.record("recovery_code_used", user.username, actor=user.username, left=len(held.recovery) - 1)
        return True
