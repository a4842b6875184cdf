"""The scheduler's mail sender: sends what is due, tries again with growing pauses, and says when it gives up.

A notice is sent at least once: it is marked before it goes and tried again if nobody came back to say that it went. Its
Message-ID stays the same, so that a mail program shows it once.
"""

from __future__ import annotations

import smtplib
import threading
from datetime import datetime, timedelta

from django.core.mail import EmailMessage, get_connection
from django.db import Error, connections
from django.utils import timezone

from nav_eval.errors import InputError
from nav_eval.logging import get_logger
from nav_eval_server import events
from nav_eval_server.challenge import Challenge, Mail
from nav_eval_server.folder import Folder
from nav_eval_server.models import Notice
from nav_eval_server.notices.webhook import Undelivered, post

LOG = get_logger("nav_eval.competition")
SECONDS = 10.0
"""For one notice."""
PAUSE = 2.0
LONGEST_PAUSE = 3600.0


class MailSender:
    def __init__(self, challenge: Challenge) -> None:
        self._challenge, self._folder = challenge, Folder(challenge.folder)

    def begin(self) -> None:
        """In a thread of its own: a mail server that hangs holds up nobody else."""
        threading.Thread(target=self._go, name="mail-sender", daemon=True).start()

    def _go(self) -> None:
        pause = threading.Event()
        while not pause.wait(PAUSE):
            try:
                self.deliver()
            except Error as error:
                LOG.warning("Notices wait for the database: %s", error)
                connections.close_all()

    def deliver(self) -> int:
        """Everything that is due, once; how many that were."""
        due = list(Notice.objects.filter(state=Notice.State.WAITING, next_at__lte=timezone.now()).order_by("next_at"))
        for notice in due:
            self._try(notice)
        return len(due)

    def _try(self, notice: Notice) -> None:
        notice.tries += 1
        notice.next_at = timezone.now() + self._pause(notice.tries)
        notice.save()
        try:
            self._send(notice)
        except (Undelivered, InputError) as error:
            self._note_failure(notice, error, timezone.now())
        else:
            notice.state, notice.body, notice.said = Notice.State.SENT, "", ""
            notice.save()

    def _pause(self, tries: int) -> timedelta:
        longest = max(LONGEST_PAUSE, self._challenge.notify.retry_seconds)
        return timedelta(seconds=min(self._challenge.notify.retry_seconds * 2.0 ** min(tries - 1, 20), longest))

    def _note_failure(self, notice: Notice, error: Undelivered | InputError, now: datetime) -> None:
        notice.said = str(error)[:300]
        if getattr(error, "for_ever", False) or notice.next_at > notice.deadline:
            notice.state, notice.body = Notice.State.GIVEN_UP, ""
            events.record("notice_given_up", f"{notice.kind} {notice.pk}", tries=notice.tries)
        notice.save()

    def _send(self, notice: Notice) -> None:
        rules = self._challenge.notify
        if notice.to and rules.mail is not None:
            self._mail(rules.mail, notice)
        elif not notice.to and rules.webhook is not None:
            post(rules.webhook, notice.body.encode(), self._folder.secret("webhook.key"), SECONDS)
        else:
            raise Undelivered("challenge.yaml names no way for it any more.", for_ever=True)

    def _mail(self, mail: Mail, notice: Notice) -> None:
        connection = get_connection(
            "django.core.mail.backends.smtp.EmailBackend",
            host=mail.host,
            port=mail.port,
            username=mail.user,
            password=self._folder.secret("smtp.password") if mail.user else None,
            use_tls=mail.security == "starttls",
            use_ssl=mail.security == "tls",
            timeout=SECONDS,
        )
        domain = mail.sender.rpartition("@")[2].rstrip("> ")
        name = f"<{notice.at:%Y%m%d%H%M%S}.{notice.pk}.{self._challenge.name}@{domain}>"
        headers = {"Message-ID": name, "Auto-Submitted": "auto-generated"}
        try:
            EmailMessage(
                notice.subject, notice.body, mail.sender, [notice.to], headers=headers, connection=connection
            ).send()
        except smtplib.SMTPRecipientsRefused as refused:
            codes = [code for code, _ in refused.recipients.values()]
            raise Undelivered(
                f"{mail.host} does not take mail for this address ({codes[0]}).", for_ever=min(codes) >= 500
            ) from None
        except (OSError, smtplib.SMTPException, ValueError) as error:
            raise Undelivered(f"{mail.host}:{mail.port}: {error}") from None
