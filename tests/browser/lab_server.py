"""A JupyterLab server that loads the checkout's build and writes to a temporary folder only."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
START_LIMIT_S = 120
ARGUMENTS = (
    "--no-browser",
    "--allow-root",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port_retries=0",
    "--IdentityProvider.token=",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
)


class LabServer:
    """Started by the constructor; ``root`` is the folder it shows."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.root.mkdir()
        self.url = f"http://127.0.0.1:{_free_port()}/"
        self.log = folder / "server.log"
        self._settings = folder / "settings"
        self.process = self._start(folder)
        self._wait()

    @property
    def private_bytes(self) -> int:
        """Memory that the server shares with no other process."""
        rollup = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        lines = [line.split() for line in rollup.splitlines() if line.startswith("Private_")]
        return 1024 * sum(int(line[1]) for line in lines)

    def set_theme(self, *, dark: bool) -> None:
        """Choose the theme that pages take when they load next."""
        name = "JupyterLab Dark" if dark else "JupyterLab Light"
        _write(
            self._settings / "@jupyterlab/apputils-extension/themes.jupyterlab-settings",
            {"theme": name},
        )

    def close(self) -> None:
        """End the server and its kernels."""
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def _start(self, folder: Path) -> subprocess.Popen[bytes]:
        port = self.url.rstrip("/").rpartition(":")[2]
        command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.port={port}", *ARGUMENTS]
        with self.log.open("wb") as log:
            return subprocess.Popen(
                [*command, f"--ServerApp.root_dir={self.root}"],
                stdout=log,
                stderr=log,
                env=_environment(folder),
                cwd=self.root,
                start_new_session=True,
            )

    def _wait(self) -> None:
        end = time.monotonic() + START_LIMIT_S
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}api/status", timeout=5):
                    return
            except OSError:
                time.sleep(0.2)
        raise RuntimeError(self.log.read_text())


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which Jupyter finds the checkout's build and no user's settings."""
    settings = folder / "settings"
    _write(
        settings / "@jupyterlab/apputils-extension/notification.jupyterlab-settings",
        {"fetchNews": "false", "checkForUpdates": False},
    )
    _write(
        folder / "config/jupyter_server_config.d/onnxlab.json",
        {"ServerApp": {"jpserver_extensions": {"onnxlab": True}}},
    )
    extension = folder / "data/labextensions/onnxlab"
    extension.parent.mkdir(parents=True)
    extension.symlink_to(ROOT / "onnxlab/labextension", target_is_directory=True)
    return {
        **os.environ,
        "HOME": str(folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "PYTHONPATH": str(ROOT),
    }


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
