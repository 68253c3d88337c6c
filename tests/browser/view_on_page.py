"""A view as a user meets it: what is drawn, a click on a node, what the panel says."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

WAIT_MS = 60_000
COLOURS_OF = """canvas => {
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""


class View:
    """The only view on a page, or in a part of it."""

    def __init__(self, page: Page, within: Locator | None = None) -> None:
        self.page = page
        self.root = (within or page.locator("body")).locator(".onnxlab-view")

    def wait(self) -> View:
        """Wait until something is drawn."""
        self.page.locator(".onnxlab-view[data-ready='1']").first.wait_for(timeout=WAIT_MS)
        expect(self.root).to_have_attribute("data-ready", "1", timeout=WAIT_MS)
        return self

    @property
    def box_count(self) -> int:
        """Boxes in the drawing, whether on screen or not."""
        return int(self.root.get_attribute("data-boxes") or 0)

    @property
    def colour_count(self) -> int:
        """Different colours among the canvas's pixels: 1 where it is blank."""
        return int(self.root.locator("canvas").first.evaluate(COLOURS_OF))

    @property
    def boxes(self) -> list[dict[str, Any]]:
        """Boxes on screen: ``label`` and place in the canvas."""
        return list(self.root.evaluate("root => root.onnxlabView.boxes()"))

    def click(self, label: str) -> None:
        """Click the box with this label."""
        canvas = self.root.locator("canvas").first
        canvas.scroll_into_view_if_needed()
        box = next(box for box in self.boxes if label in box["label"])
        canvas.click(position={"x": box["x"] + box["w"] / 2, "y": box["y"] + box["h"] / 2})

    def expect_selected(self, *rows: int) -> None:
        """Expect these node rows to be selected."""
        expect(self.root).to_have_attribute("data-selected", " ".join(map(str, rows)))

    def expect_text(self, text: str) -> None:
        """Expect the view to say this, beside what is drawn."""
        expect(self.root.get_by_text(text, exact=False).first).to_be_visible()

    def expect_details(self, heading: str) -> None:
        """Expect the panel to show what came on request, and nothing that failed to come."""
        expect(self.root.get_by_text(heading, exact=True)).to_be_visible()
        expect(self.root.get_by_text("Try again")).to_have_count(0)
