from __future__ import annotations

import os
import shutil
from pathlib import Path

import onnx
import pytest
from browser.lab_server import LabServer
from browser.models import chain, hostile
from browser.page_watch import Watch
from browser.view_on_page import View
from playwright.sync_api import Page, Response, expect

MODEL = "silero_vad_op18_ifless.onnx"


def open_by_double_click(page: Page, lab: LabServer, name: str) -> View:
    page.goto(f"{lab.url}lab?reset")
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    page.locator(".jp-DirListing-item", has_text=name).dblclick()
    return View(page)


def scripts_of_the_extension(watch: Watch) -> int:
    return sum("lab/extensions/onnxlab/static/" in url for _, url in watch.requests)


@pytest.fixture
def model(lab: LabServer, examples: Path) -> str:
    shutil.copy(examples / MODEL, lab.root)
    return MODEL


@pytest.fixture
def small(lab: LabServer) -> Path:
    path = lab.root / "small.onnx"
    onnx.save(chain("first", "second"), path)
    return path


@pytest.fixture(autouse=True)
def at_home(lab: LabServer, watch: Watch) -> None:
    watch.home = lab.url


def test_double_click_draws_the_model_without_reading_it_into_the_browser(
    page: Page, lab: LabServer, watch: Watch, model: str
) -> None:
    view = open_by_double_click(page, lab, model).wait()
    assert view.box_count > 20
    assert view.colour_count > 10
    view.expect_text("90 nodes")

    about_the_file = [url for _, url in watch.requests if model in url]
    assert about_the_file
    for url in about_the_file:
        assert "content=0" in url or "/checkpoints" in url or "onnxlab/api/" in url
    copies = [path for path in lab.root.glob(".ipynb_checkpoints/**/*") if path.is_file()]
    assert copies == []


def test_what_draws_is_loaded_with_the_first_model_only(
    page: Page, lab: LabServer, watch: Watch, small: Path
) -> None:
    page.goto(f"{lab.url}lab?reset")
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    at_start = scripts_of_the_extension(watch)
    page.locator(".jp-DirListing-item", has_text=small.name).dblclick()
    View(page).wait()
    assert scripts_of_the_extension(watch) > at_start > 0


def test_click_selects_and_the_panel_says_what(page: Page, lab: LabServer, small: Path) -> None:
    view = open_by_double_click(page, lab, small.name).wait()
    view.click("Neg")
    view.expect_selected(1)
    view.expect_text("second")


def test_context_menu_opens_the_model(page: Page, lab: LabServer, small: Path) -> None:
    page.goto(f"{lab.url}lab?reset")
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    page.locator(".jp-DirListing-item", has_text=small.name).click(button="right")
    page.locator(".lm-Menu-itemLabel").get_by_text("Open as ONNX Model").click()
    assert View(page).wait().box_count >= 2


def test_search_box_of_jupyterlab_finds_nodes(page: Page, lab: LabServer, small: Path) -> None:
    view = open_by_double_click(page, lab, small.name).wait()
    view.click("Relu")
    page.keyboard.press("Control+f")
    page.get_by_placeholder("Find").fill("second")
    expect(page.locator(".jp-DocumentSearch-index-counter")).to_have_text("1/1")


def test_theme_change_is_followed(page: Page, lab: LabServer, small: Path) -> None:
    view = open_by_double_click(page, lab, small.name).wait()
    corner = "c => [...c.getContext('2d').getImageData(1, 1, 1, 1).data].slice(0, 3)"
    canvas = view.root.locator("canvas").first
    light = canvas.evaluate(corner)
    page.get_by_role("menuitem", name="Settings").click()
    for label in ("Theme", "JupyterLab Dark"):
        page.locator(".lm-Menu-itemLabel").get_by_text(label, exact=True).click()
    page.locator("body[data-jp-theme-light='false']").wait_for(state="attached")
    page.wait_for_function(
        f"before => String(({corner})(document.querySelector('.onnxlab-view canvas'))) !== before",
        arg=",".join(map(str, light)),
    )


def test_layout_is_restored(page: Page, lab: LabServer, small: Path) -> None:
    def is_saved(response: Response) -> bool:
        request = response.request
        told = request.method == "PUT" and "api/workspaces" in response.url
        return told and f"onnxlab:{small.name}" in (request.post_data or "")

    with page.expect_response(is_saved, timeout=90_000):
        open_by_double_click(page, lab, small.name).wait()
    page.goto(f"{lab.url}lab")
    assert View(page).wait().box_count >= 2


def test_another_tab_leaves_the_view_as_it_was(page: Page, lab: LabServer, small: Path) -> None:
    view = open_by_double_click(page, lab, small.name).wait()
    view.click("Neg")
    page.keyboard.press("+")
    page.keyboard.press("+")
    before = view.boxes
    page.get_by_role("button", name="New Launcher").first.click()
    expect(view.root).to_be_hidden()
    page.locator(".lm-DockPanel-tabBar").get_by_text(small.name).click()
    expect(view.root).to_be_visible()
    assert view.boxes == before


def test_renamed_file_is_shown_by_its_new_name(page: Page, lab: LabServer, small: Path) -> None:
    view = open_by_double_click(page, lab, small.name).wait()
    page.locator(".jp-DirListing-item", has_text=small.name).click()
    page.keyboard.press("F2")
    page.keyboard.type("renamed")
    page.keyboard.press("Enter")
    view.expect_text("renamed.onnx")
    view.click("Neg")
    view.expect_details("operator")


def test_changed_file_is_offered_again(page: Page, lab: LabServer, small: Path) -> None:
    view = open_by_double_click(page, lab, small.name).wait()
    before = view.box_count
    onnx.save(chain("a", "b", "c", "d", "e"), small)
    notice = page.get_by_text("small.onnx changed on disk")
    expect(notice).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Reload").click()
    expect(notice).to_be_hidden()
    expect(view.root).not_to_have_attribute("data-boxes", str(before))
    view.click("Exp")
    view.expect_selected(3)


def test_deleted_file_is_told_of(page: Page, lab: LabServer, watch: Watch, small: Path) -> None:
    open_by_double_click(page, lab, small.name).wait()
    small.unlink()
    expect(page.get_by_text("small.onnx changed on disk, or is gone")).to_be_visible(timeout=20_000)
    watch.allow("404")


def test_truncated_while_open_is_one_line_and_the_server_goes_on(
    page: Page, lab: LabServer, watch: Watch, small: Path
) -> None:
    view = open_by_double_click(page, lab, small.name).wait()
    os.truncate(small, 20)
    view.click("Neg")
    expect(page.get_by_text("small.onnx changed on disk")).to_be_visible(timeout=20_000)
    page.get_by_role("button", name="Reload").click()
    expect(page.get_by_role("status").filter(has_text="small.onnx").first).to_be_visible()

    onnx.save(chain("alive"), small)
    page.get_by_role("button", name="Reload").click()
    view.click("Relu")
    view.expect_selected(0)
    watch.allow("409", "422")


def test_unreadable_file_is_a_sentence_with_a_way_on(
    page: Page, lab: LabServer, watch: Watch
) -> None:
    path = lab.root / "broken.onnx"
    path.write_bytes(b"\xff" * 64)
    view = open_by_double_click(page, lab, path.name)
    reload = page.get_by_role("status").filter(has_text="broken.onnx").get_by_role("button")
    expect(reload).to_have_text("Reload")
    onnx.save(chain("mended"), path)
    reload.click()
    assert view.wait().box_count >= 1
    watch.allow("422")


def test_hostile_text_is_shown_as_text(page: Page, lab: LabServer) -> None:
    onnx.save(hostile(), lab.root / "hostile.onnx")
    view = open_by_double_click(page, lab, "hostile.onnx").wait()
    view.click("Neg")
    view.expect_selected(1)
    view.click("Relu")
    view.expect_text("<script>alert(2)</script>")
    view.expect_details("attributes")
    assert page.locator("img[src='x']").count() == 0
