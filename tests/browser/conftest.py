"""Chromium, a JupyterLab server of our own, and a page whose every step is watched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.lab_server import LabServer
from browser.page_watch import Watch
from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]
# Of pytest-base-url, which pytest-playwright brings.
IGNORED_WARNING = "ignore:Session-scoped fixtures defined as instance methods"
NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark these tests, and run them last: Playwright's loop stays in the way of other loops."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker("browser")
            item.add_marker(pytest.mark.filterwarnings(IGNORED_WARNING))
    items.sort(key=lambda item: item.path.is_relative_to(here))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on PATH")
    arguments = ["--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": arguments}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, object]) -> dict[str, object]:
    return {**browser_context_args, "viewport": {"width": 1280, "height": 800}}


@pytest.fixture(scope="session")
def examples() -> Path:
    return ROOT / "examples/models"


@pytest.fixture(scope="session")
def screenshots() -> Path:
    folder = ROOT / "build/screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    if not (ROOT / "onnxlab/labextension/package.json").exists():
        pytest.fail("the front end is not built: run `make build`")
    server = LabServer(tmp_path_factory.mktemp("lab"))
    yield server
    server.close()


@pytest.fixture
def watch(page: Page) -> Iterator[Watch]:
    """Fails the test on a console error, a dialog, or a request to anywhere but ``watch.home``."""
    page.set_default_timeout(30_000)
    watching = Watch(page)
    yield watching
    watching.check()
