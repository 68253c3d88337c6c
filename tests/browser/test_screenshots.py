"""Pictures of every host, in ``build/screenshots`` for people to look at; rules look too."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from browser.lab_server import LabServer
from browser.notebook_page import Notebook
from browser.page_watch import Watch
from browser.view_on_page import View
from playwright.sync_api import Browser, Locator, Page

import onnxlab

Scheme = Literal["light", "dark"]
Shoot = Callable[[str, Locator], None]

MODEL = "silero_vad_op18_ifless.onnx"
AUDIT = (Path(__file__).parent / "audit.js").read_text()
SCHEMES: list[Scheme] = ["light", "dark"]
WIDTHS = [1280, 700]

pytestmark = [
    pytest.mark.parametrize("scheme", SCHEMES),
    pytest.mark.parametrize("width", WIDTHS),
]


@pytest.fixture
def page(browser: Browser, scheme: Scheme, width: int) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, device_scale_factor=1
    )
    return context.new_page()


@pytest.fixture
def shoot(page: Page, screenshots: Path, scheme: Scheme, width: int) -> Shoot:
    """Take a picture, and fail on what is hard to read or cut off in a part of the page."""

    def take(host: str, part: Locator) -> None:
        page.mouse.move(0, 0)
        page.wait_for_timeout(500)  # for transitions and lazy parts: it is a picture
        page.screenshot(path=screenshots / f"{host}-{scheme}-{width}.png")
        assert part.evaluate(AUDIT) == []

    return take


@pytest.fixture
def themed_lab(lab: LabServer, watch: Watch, scheme: Scheme, examples: Path) -> LabServer:
    watch.home = lab.url
    lab.set_theme(dark=scheme == "dark")
    shutil.copy(examples / MODEL, lab.root)
    return lab


def test_lab(page: Page, themed_lab: LabServer, shoot: Shoot) -> None:
    page.goto(f"{themed_lab.url}lab/tree/{MODEL}?reset")
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    view = View(page).wait()
    view.click("Equal")
    view.expect_details("operator")
    shoot("lab", page.locator(".onnxlab-lab"))


def test_notebook(page: Page, themed_lab: LabServer, shoot: Shoot) -> None:
    source = f"import onnxlab\nonnxlab.profile('{MODEL}', budget='1 s')"
    output = Notebook(page, themed_lab, "profile.ipynb", source).run()
    view = View(page, output).wait()
    outputs = output.locator(".jp-OutputArea-output").first
    shoot("notebook", outputs)
    view.root.evaluate("root => root.scrollIntoView({ block: 'center' })")
    shoot("notebook-graph", outputs)


def test_report(page: Page, watch: Watch, shoot: Shoot, examples: Path, tmp_path: Path) -> None:
    onnxlab.profile(examples / MODEL, budget="1 s").to_html(tmp_path / "report.html")
    page.goto((tmp_path / "report.html").as_uri())
    view = View(page).wait()
    shoot("report", page.locator("body"))
    view.root.evaluate("root => root.scrollIntoView({ block: 'center' })")
    shoot("report-graph", page.locator("body"))
