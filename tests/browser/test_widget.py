from __future__ import annotations

import onnx
import pytest
from browser.lab_server import LabServer
from browser.models import chain, hostile
from browser.notebook_page import Notebook
from browser.page_watch import Watch
from browser.view_on_page import View
from playwright.sync_api import Page, expect


@pytest.fixture(autouse=True)
def at_home(lab: LabServer, watch: Watch) -> None:
    watch.home = lab.url


def test_cell_shows_the_model_and_shares_the_selection(page: Page, lab: LabServer) -> None:
    onnx.save(chain("first", "second", "third"), lab.root / "cell.onnx")
    notebook = Notebook(
        page,
        lab,
        "cell.ipynb",
        "import onnxlab\nview = onnxlab.show('cell.onnx')\nview",
        # Messages of widgets may come by another thread than the cell's, so a moment later.
        "import time\nwhile not view.selection: time.sleep(0.05)\nview.selection",
        "view.select('0', '2')",
        "onnxlab.load('cell.onnx')",
    )
    output = notebook.run()
    view = View(page, output).wait()
    assert view.box_count >= 3
    assert view.colour_count > 10
    view.click("Neg")
    view.expect_selected(1)
    view.expect_text("second")

    expect(notebook.run()).to_contain_text("['1']")
    notebook.run()
    view.expect_selected(0, 2)

    assert View(page, notebook.run()).wait().box_count >= 3
    assert page.evaluate("globalThis.onnxlabCores.size") == 1


def test_hostile_text_is_shown_as_text(page: Page, lab: LabServer) -> None:
    onnx.save(hostile(), lab.root / "hostile_cell.onnx")
    source = "import onnxlab\nonnxlab.show('hostile_cell.onnx')"
    view = View(page, Notebook(page, lab, "hostile.ipynb", source).run()).wait()
    view.click("Relu")
    view.expect_text("<script>alert(2)</script>")
    view.expect_details("attributes")
    assert page.locator("img[src='x']").count() == 0
