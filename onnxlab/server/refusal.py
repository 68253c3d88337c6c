"""A request that is not answered, with the one line that says why."""

from __future__ import annotations

from tornado import web

__all__ = ["Refusal"]


class Refusal(web.HTTPError):
    """An HTTP error whose line is meant for the user."""

    def __init__(self, status: int, line: str, /) -> None:
        super().__init__(status)
        self.line = line
