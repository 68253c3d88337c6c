"""A notebook in JupyterLab whose cells are run as a user runs them."""

from __future__ import annotations

import re
from contextlib import suppress

import nbformat
from browser.lab_server import LabServer
from playwright.sync_api import Locator, Page, expect

START_LIMIT_MS = 90_000


class Notebook:
    """Opened by the constructor; `run` runs the next cell."""

    def __init__(self, page: Page, lab: LabServer, name: str, *cells: str) -> None:
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        nbformat.write(notebook, lab.root / name)
        self.page = page
        self._next = 0
        page.goto(f"{lab.url}lab/tree/{name}?reset")
        page.locator(".jp-CodeCell .cm-content").first.click(timeout=START_LIMIT_MS)
        page.get_by_text("| Idle").wait_for(timeout=START_LIMIT_MS)

    def run(self) -> Locator:
        """Run the next cell and return its output area once it has finished."""
        cell = self.page.locator(".jp-CodeCell").nth(self._next)
        self._next += 1
        prompt = cell.locator(".jp-InputPrompt")
        for _ in range(3):  # a page under load may still be taking the keys elsewhere
            cell.locator(".cm-content").click()
            self.page.keyboard.press("Control+Enter")
            with suppress(AssertionError):
                expect(prompt).not_to_have_text("[ ]:", timeout=10_000)
                break
        expect(prompt).to_have_text(re.compile(r"\[\d+\]:"), timeout=START_LIMIT_MS)
        return cell.locator(".jp-OutputArea").first
