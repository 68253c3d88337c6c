from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from browser.lab_server import LabServer
from browser.models import chain, save_with_external_hole, save_with_inline_hole
from browser.page_watch import Watch
from browser.view_on_page import View
from playwright.sync_api import Page

GIB = 1 << 30
MB = 1_000_000


@pytest.mark.parametrize(
    ("save", "size_bytes"),
    [(save_with_external_hole, 3 * GIB), (save_with_inline_hole, int(1.9 * GIB))],
    ids=["3 GiB external", "1.9 GiB inline"],
)
def test_large_model_opens_in_little_memory(
    page: Page,
    lab: LabServer,
    watch: Watch,
    save: Callable[[Path, int], None],
    size_bytes: int,
) -> None:
    watch.home = lab.url
    folder = lab.root / "large"
    folder.mkdir(exist_ok=True)
    onnx.save(chain("only"), folder / "small.onnx")
    page.goto(f"{lab.url}lab/tree/large/small.onnx?reset")
    View(page).wait()
    before = lab.private_bytes

    save(folder / "large.onnx", size_bytes)
    page.goto(f"{lab.url}lab/tree/large/large.onnx?reset")
    view = View(page).wait()
    view.click("Relu")
    view.expect_selected(1)
    assert lab.private_bytes - before < 200 * MB
    assert not [path for path in folder.glob(".ipynb_checkpoints/*") if path.is_file()]
    for path in folder.glob("*"):
        if path.is_file():
            path.unlink()
