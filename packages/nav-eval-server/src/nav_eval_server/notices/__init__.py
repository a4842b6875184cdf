"""Notices by e-mail and webhook: `outbox.tell` writes rows, `delivery.Postman` sends them and tries again."""
