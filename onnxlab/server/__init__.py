"""The Jupyter server's side: REST handlers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp


def _load_jupyter_server_extension(server: ServerApp) -> None:
    from onnxlab.server.handlers import add_handlers

    add_handlers(server.web_app)
