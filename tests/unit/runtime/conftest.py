from __future__ import annotations

from collections.abc import Iterator

import pytest

from onnxlab.runtime.session import Runner
from onnxlab.sandbox.limits import Limits


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    with Runner(limits=Limits(time_s=60)) as runner:
        yield runner
