"""Notes what a page does that it should not."""

from __future__ import annotations

from playwright.sync_api import ConsoleMessage, Dialog, Page, Request

INSIDE_THE_PAGE = ("blob:", "data:", "about:")


class Watch:
    """What a page said, asked for and opened."""

    def __init__(self, page: Page) -> None:
        self.home = "file:"  # where requests may go
        self.errors: list[str] = []
        self.requests: list[tuple[str, str]] = []
        self._allowed: tuple[str, ...] = ()
        self.dialogs: list[str] = []
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._on_request)
        page.on("dialog", self._on_dialog)

    def check(self) -> None:
        """Fail where something happened that should not."""
        away = [
            url for _, url in self.requests if not url.startswith((self.home, *INSIDE_THE_PAGE))
        ]
        errors = [error for error in self.errors if not self._is_allowed(error)]
        assert (errors, self.dialogs, away) == ([], [], [])

    def allow(self, *statuses: str) -> None:
        """Allow answers of these HTTP statuses, which Chromium logs as errors."""
        self._allowed = tuple(f"status of {status}" for status in statuses)

    def _is_allowed(self, error: str) -> bool:
        return any(words in error for words in self._allowed)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} at {message.location}")

    def _on_request(self, request: Request) -> None:
        self.requests.append((request.method, request.url))

    def _on_dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()
