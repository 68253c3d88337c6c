from __future__ import annotations

import pytest


@pytest.fixture
def jp_server_config() -> dict[str, object]:
    return {"ServerApp": {"jpserver_extensions": {"onnxlab": True}}}
