"""Notices by e-mail and webhook: `outbox.tell` writes rows, `delivery.MailSender` sends them and tries again."""
