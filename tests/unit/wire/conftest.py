from __future__ import annotations

import numpy as np
import pytest

from onnxlab.mapping.origin import Fate, Insertion, KernelOrigin, OriginKind
from onnxlab.model.load import load
from onnxlab.model.model import Model
from onnxlab.profiling.attribute import KernelRecord
from onnxlab.profiling.cell import Cell, SessionTimes
from onnxlab.profiling.machine import read_machine
from onnxlab.profiling.options import MeasureOptions
from onnxlab.profiling.profile import InputFacts, ModelFacts, Profile
from onnxlab.testing import mlp

CPU = "CPUExecutionProvider"


@pytest.fixture(scope="module")
def model() -> Model:
    return load(mlp(layers=2))


@pytest.fixture
def profile(model: Model) -> Profile:
    """A Gemm+Relu region of 60 µs, a Gemm of 30 µs, a layout change of 10 µs for it."""
    origins = (
        KernelOrigin(kind=OriginKind.REGION, nodes=(0, 1), lead=0),
        KernelOrigin(kind=OriginKind.INSERTED, owner=2, insertion=Insertion.LAYOUT),
        KernelOrigin(kind=OriginKind.NODE, nodes=(2,), lead=2),
    )
    kernels = tuple(
        KernelRecord(name=op, op_type=op, provider=CPU, origin=origin, optimised_row=0, calls=1.0)
        for op, origin in zip(("Gemm", "ReorderInput", "Gemm"), origins, strict=True)
    )
    run_ns = np.full(20, 150_000, np.int64)
    session = SessionTimes(
        load_ns=1, first_run_ns=1, run_ns=run_ns, cpu_ns=run_ns, peak_rss_bytes=1
    )
    cell = Cell(
        label="cpu",
        provider=CPU,
        sessions=(session,) * 3,
        kernels=kernels,
        self_us=np.array([[60, 10, 30]] * 10, np.int64),
        fates=(Fate.REGION, Fate.REGION, Fate.EXECUTED, Fate.FOLDED),
    )
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
        options=MeasureOptions(providers=("cpu", "cuda")),
        inputs=InputFacts(values=(), dims={}, guessed=()),
        cells=(cell, Cell(label="cuda", error="no such device")),
    )
