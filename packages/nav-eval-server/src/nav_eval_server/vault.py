"""Teams' service tokens, encrypted with private/vault.key: opened only to be handed to a worker, never shown."""

from __future__ import annotations

from cryptography.fernet import Fernet

from nav_eval_server.folder import Folder


class Vault:
    def __init__(self, folder: Folder) -> None:
        self._fernet = Fernet(folder.secret("vault.key"))

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode() if text else ""

    def open(self, sealed: str) -> str:
        return self._fernet.decrypt(sealed.encode()).decode() if sealed else ""


def new_key() -> str:
    return Fernet.generate_key().decode()
