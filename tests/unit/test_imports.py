"""What must not be imported, asked of fresh interpreters."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("onnx", "onnxruntime", "pandas", "plotly", "numpy")


@pytest.mark.parametrize(
    "code",
    [
        "import onnxlab",
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "shell.run_line_magic('load_ext', 'onnxlab')\n"
        "assert 'onnx_profile' in shell.magics_manager.magics['line']",
        "from onnxlab.cli import main\nassert main(['--help']) == 0",
        "from onnxlab.cli import main\nassert main(['profile', '--help']) == 0",
    ],
    ids=["import", "load_ext", "help", "help of a verb"],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code: str) -> None:
    asked = f"{code}\nimport sys\nprint('|', *[n for n in {HEAVY} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].strip() == "|"


def test_loading_the_extension_prints_nothing() -> None:
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "InteractiveShell.instance().run_line_magic('load_ext', 'onnxlab')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""
