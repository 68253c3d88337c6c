from __future__ import annotations

import shutil
from pathlib import Path

import onnx
import pytest
from browser.lab_server import LabServer
from browser.models import chain, hostile
from browser.notebook_page import Notebook
from browser.page_watch import Watch
from browser.view_on_page import View
from playwright.sync_api import Locator, Page, expect

MODEL = "silero_vad_op18_ifless.onnx"
OPS = ("Equal", "Reshape")  # of which one node each runs


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
    assert page.evaluate("globalThis.onnxlabLoaded.size") == 1


@pytest.fixture
def profile(page: Page, lab: LabServer, examples: Path, request: pytest.FixtureRequest) -> Locator:
    """The output of a cell that shows a profile, in the theme that the test asks for."""
    lab.set_theme(dark=getattr(request, "param", "light") == "dark")
    shutil.copy(examples / MODEL, lab.root)
    source = f"import onnxlab\nonnxlab.profile('{MODEL}', budget='500 ms')"
    output = Notebook(page, lab, "profile.ipynb", source).run()
    View(page, output).wait()
    expect(output.locator(".onnxlab-chart .slicetext").first).to_be_visible()
    return output


def lightness_of_tiles(output: Locator) -> list[float]:
    """Return the lightness of each tile of the chart, from 0 to 1."""
    fills = output.locator(".onnxlab-chart .trace.treemap path.surface").evaluate_all(
        "paths => paths.map(path => getComputedStyle(path).fill.match(/[\\d.]+/g).map(Number))"
    )
    return [sum(fill[:3]) / 3 / 255 for fill in fills]


@pytest.mark.parametrize("profile", ["light", "dark"], indirect=True)
def test_chart_of_a_profile_takes_the_colours_of_the_notebook(
    profile: Locator, request: pytest.FixtureRequest
) -> None:
    tiles = lightness_of_tiles(profile)
    assert len(tiles) > 10
    is_dark = request.node.callspec.params["profile"] == "dark"
    assert (sum(tiles) / len(tiles) < 0.5) == is_dark


def test_chart_and_graph_of_a_profile_share_the_selection(page: Page, profile: Locator) -> None:
    view = View(page, profile)
    tiles = profile.locator(".onnxlab-chart .slice")
    equal, reshape = (tiles.filter(has_text=op).locator("path.surface") for op in OPS)
    tiles.filter(has_text=OPS[0]).click()
    view.expect_text("node_eq_2")
    expect(equal).to_have_css("stroke-width", "3px")
    expect(reshape).to_have_css("stroke-width", "1px")
    view.click(OPS[1])
    expect(equal).to_have_css("stroke-width", "1px")
    expect(reshape).to_have_css("stroke-width", "3px")
    assert page.evaluate("globalThis.onnxlabLoaded.size") == 2


def test_hostile_text_is_shown_as_text(page: Page, lab: LabServer) -> None:
    onnx.save(hostile(), lab.root / "hostile_cell.onnx")
    source = "import onnxlab\nonnxlab.show('hostile_cell.onnx')"
    view = View(page, Notebook(page, lab, "hostile.ipynb", source).run()).wait()
    view.click("Relu")
    view.expect_text("<script>alert(2)</script>")
    view.expect_details("attributes")
    assert page.locator("img[src='x']").count() == 0
