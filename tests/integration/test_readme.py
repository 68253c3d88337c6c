"""What the README tells readers to type works."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line.removeprefix("$ ")
    for language, text in BLOCKS
    if language == "console"
    for line in text.splitlines()
    if line.startswith("$ ")
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks like a checkout to whoever follows the README."""
    made = tmp_path_factory.mktemp("checkout")
    (made / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    return made


def test_there_is_something_to_try() -> None:
    assert len(COMMANDS) >= 5
    assert {language for language, _ in BLOCKS} == {"text", "python", "console"}


@pytest.mark.slow
def test_every_command_works_in_turn(folder: Path) -> None:
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        assert program == "onnxlab"
        line = [sys.executable, "-m", "onnxlab", *arguments]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), command
    assert {"report.html", "silero.html", "fast.onnx"} <= {p.name for p in folder.iterdir()}


@pytest.mark.slow
def test_the_python_tour_runs(folder: Path) -> None:
    for language, text in BLOCKS:
        if language == "python":
            done = subprocess.run(
                [sys.executable, "-c", text],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "target", re.findall(r"\]\((?!https?:)([^)#]+)\)", README), ids=lambda target: target
)
def test_links_lead_to_files(target: str) -> None:
    assert (ROOT / target).exists()


def test_make_targets_that_are_named_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    texts = README + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make (\w+)`", texts)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
