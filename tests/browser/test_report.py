from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from browser.models import chain, hostile
from browser.page_watch import Watch
from browser.view_on_page import View
from playwright.sync_api import Browser, Page, expect

import onnxlab
from onnxlab.render.html import write_graph


@pytest.fixture(scope="session")
def report(examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of a real model, with a control-flow node in it."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    profile = onnxlab.profile(examples / "silero_vad_op18_ifless.onnx", budget="1 s")
    profile.to_html(path)
    return path


@pytest.fixture
def view(page: Page, watch: Watch, report: Path) -> View:
    page.goto(report.as_uri())
    return View(page).wait()


def test_report_draws_graph_and_chart_from_the_file_alone(
    page: Page, watch: Watch, report: Path, view: View
) -> None:
    assert view.box_count > 20
    assert view.colour_count > 10
    expect(page.locator("#treemap .slicetext").first).to_be_visible()
    assert [url for _, url in watch.requests if not url.startswith("blob:")] == [report.as_uri()]


def test_click_in_the_graph_marks_the_row_of_the_table(page: Page, view: View) -> None:
    view.click("Equal")
    row = page.locator("tbody tr[data-selected]")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Equal")


def test_row_of_the_table_selects_in_the_graph(page: Page, view: View) -> None:
    row = page.locator("tbody tr[data-node]", has_text="Sigmoid").first
    row.click()
    expect(row).to_have_attribute("data-selected", "")
    selected = view.root.get_attribute("data-selected")
    assert selected
    view.expect_text("Sigmoid")


def test_tile_of_the_chart_selects_in_the_graph(page: Page, view: View) -> None:
    tile = page.locator("#treemap .slicetext", has_text="Equal").first
    tile.scroll_into_view_if_needed()
    tile.click(force=True)  # what takes the pointer is the tile around it
    expect(page.locator("tbody tr[data-selected]")).to_contain_text("Equal")


def test_hostile_text_is_shown_as_text(page: Page, watch: Watch, tmp_path: Path) -> None:
    onnx.save(hostile(), tmp_path / "model.onnx")
    onnxlab.profile(tmp_path / "model.onnx", budget="200 ms").to_html(tmp_path / "report.html")
    page.goto((tmp_path / "report.html").as_uri())
    view = View(page).wait()
    view.click("Relu")
    view.expect_text("<script>alert(2)</script>")
    view.expect_details("attributes")
    assert page.locator("img[src='x']").count() == 0
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_print_has_whole_tables(page: Page, view: View) -> None:
    page.emulate_media(media="print")
    table = page.locator(".scroll").filter(has=page.locator("tr[data-node]")).first
    expect(table).to_have_css("overflow", "visible")
    expect(table).to_have_css("max-height", "none")


def test_report_is_read_without_scripts(browser: Browser, report: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(report.as_uri())
        expect(page.locator("tbody tr[data-node]").first).to_be_visible()
        for part in ("graph", "chart"):
            assert f"The {part} needs JavaScript." in page.locator("main").inner_text()


def test_page_of_a_graph(page: Page, watch: Watch, tmp_path: Path) -> None:
    write_graph(onnxlab.load(chain("first", "second")), tmp_path / "graph.html")
    page.goto((tmp_path / "graph.html").as_uri())
    view = View(page).wait()
    view.click("Neg")
    view.expect_selected(1)
    view.expect_text("second")
