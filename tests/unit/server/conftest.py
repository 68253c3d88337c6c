"""pytest-jupyter's fixtures and its hook for coroutines, for the tests in this folder only."""

from __future__ import annotations

import pytest
from pytest_jupyter.jupyter_core import *  # noqa: F403
from pytest_jupyter.jupyter_server import *  # noqa: F403
from pytest_jupyter.pytest_tornasync import *  # noqa: F403


@pytest.fixture
def jp_server_config() -> dict[str, object]:
    return {"ServerApp": {"jpserver_extensions": {"onnxlab": True}}}
