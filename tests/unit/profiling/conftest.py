from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from onnxlab.mapping.origin import Fate, Insertion, KernelOrigin, OriginKind
from onnxlab.model.load import load
from onnxlab.profiling.attribute import KernelRecord
from onnxlab.profiling.cell import Cell, SessionTimes
from onnxlab.profiling.machine import read_machine
from onnxlab.profiling.options import MeasureOptions
from onnxlab.profiling.profile import InputFacts, ModelFacts, Profile
from onnxlab.testing import mlp

CPU = "CPUExecutionProvider"


def kernel(name: str, op_type: str, origin: KernelOrigin) -> KernelRecord:
    return KernelRecord(
        name=name, op_type=op_type, provider=CPU, origin=origin, optimised_row=0, calls=1.0
    )


@pytest.fixture
def cell() -> Cell:
    """A Gemm+Relu region, a Gemm alone, a layout change for it, and something unknown."""
    kernels = (
        kernel("a", "Gemm", KernelOrigin(kind=OriginKind.REGION, nodes=(0, 1), lead=0)),
        kernel(
            "b",
            "ReorderInput",
            KernelOrigin(kind=OriginKind.INSERTED, owner=2, insertion=Insertion.LAYOUT),
        ),
        kernel("c", "Gemm", KernelOrigin(kind=OriginKind.NODE, nodes=(2,), lead=2)),
        kernel("d", "Mystery", KernelOrigin(kind=OriginKind.UNATTRIBUTED)),
    )
    steady = np.full(20, 150_000, np.int64)
    session = SessionTimes(
        load_ns=2_000_000,
        first_run_ns=400_000,
        run_ns=steady,
        cpu_ns=steady,
        peak_rss_bytes=50_000_000,
    )
    return Cell(
        label="cpu",
        provider=CPU,
        sessions=(replace(session, load_ns=9_000_000), session, session),
        kernels=kernels,
        self_us=np.array([[60, 10, 30, 5]] * 9 + [[600, 100, 300, 50]], np.int64),
        fates=(Fate.REGION, Fate.REGION, Fate.EXECUTED, Fate.FOLDED),
    )


@pytest.fixture
def make_profile() -> Callable[..., Profile]:
    model = load(mlp(layers=2))

    def make(*cells: Cell) -> Profile:
        return Profile(
            model=ModelFacts(
                name="mlp.onnx",
                path="",
                summary=model.summary,
                entries=(("producer", "onnxlab"),),
                table=model.table,
                addresses=tuple(model.addresses.nodes()),
                scopes=tuple(model.nodes["scope"]),
            ),
            machine=read_machine(python="3.11", onnxruntime="1.31"),
            options=MeasureOptions(providers=tuple(cell.label for cell in cells) or ("cpu",)),
            inputs=InputFacts(values=(("x", "float32 1×8"),), dims={"batch": 1}, guessed=()),
            cells=cells,
        )

    return make
