"""Rules about stored tensors."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from onnx import GraphProto, SparseTensorProto, TensorProto

from onnxlab.analysis.finding import Finding, Severity
from onnxlab.analysis.rules.report import MAX_ADDRESSES, counted, listed, value_label
from onnxlab.errors import ModelError, OnnxlabError
from onnxlab.model.external import external_place, is_external, resolve_location
from onnxlab.model.frames import size_text
from onnxlab.model.model import Model
from onnxlab.model.table import ValueKind
from onnxlab.model.tensors import TensorReader, element_count
from onnxlab.model.text import text
from onnxlab.model.types import packed_bytes
from onnxlab.model.weights import Weight

__all__ = ["RULES"]

MAX_CHECKED_TENSORS = 5_000
SMALL_BYTES = 4_096
_FLOATS = frozenset(
    (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16)
)


def external_data(model: Model) -> Iterator[Finding]:
    """Find external data that are missing, out of bounds, or outside of the folder."""
    problems: dict[str, list[Weight]] = defaultdict(list)
    sizes: dict[str, int | str] = {}
    for weight in model.weights.entries:
        tensor = weight.tensor
        if tensor is not None and is_external(tensor):
            problem = _external_problem(model, tensor, sizes)
            if problem:
                problems[problem].append(weight)
    for problem, weights in problems.items():
        missing = "is missing" in problem or "load the model by its path" in problem
        names = listed(value_label(model, weight.value) for weight in weights)
        yield _finding(
            model,
            weights,
            code="external-data-missing" if missing else "external-data-out-of-bounds",
            severity=Severity.WARNING if missing else Severity.ERROR,
            hazard=f"The data of {counted(len(weights), 'tensor')} ({names}) cannot be read: "
            f"{problem}.",
            remedy="Put the file beside the model." if missing else "Export the model again.",
            why="The graph can be looked at, but the model cannot run.",
        )


def _external_problem(model: Model, tensor: TensorProto, sizes: dict[str, int | str]) -> str:
    try:
        place = external_place(tensor)
        known = sizes.get(place.location)
        if known is None:
            known = sizes[place.location] = _file_size(model, place.location)
        needed = packed_bytes(tensor.data_type, element_count(tensor)) or 0
    except ModelError as error:
        return str(error)
    if isinstance(known, str):
        return known
    end = place.offset + max(needed, place.length or 0)
    if end > known:
        return f"it would end at byte {end:,} of {place.location!r}, which has {known:,}"
    return ""


def _file_size(model: Model, location: str) -> int | str:
    try:
        return resolve_location(location, model.folder, model=model.path).stat().st_size
    except ModelError as error:
        return str(error)
    except OSError as error:
        return f"{location!r} cannot be read: {error.strerror}"


def absent_data(model: Model) -> Iterator[Finding]:
    """Find tensors whose dimensions promise what the file does not hold."""
    absent, impossible = [], []
    for weight in model.weights.entries:
        tensor = weight.tensor
        if tensor is None or is_external(tensor):
            continue
        try:
            element_count(tensor)
        except ModelError:
            impossible.append(weight)
            continue
        if weight.storage == "absent":
            absent.append(weight)
    if absent:
        biggest = max(absent, key=_promised)
        yield _finding(
            model,
            absent,
            code="tensor-without-data",
            severity=Severity.ERROR,
            hazard=f"{counted(len(absent), 'stored tensor')} without data: "
            f"{listed(value_label(model, weight.value) for weight in absent)}; the largest "
            f"promises {_promised(biggest):.3g} elements.",
            remedy="Export the model again, with its weights.",
            why="The model cannot run.",
        )
    if impossible:
        yield _finding(
            model,
            impossible,
            code="impossible-dimensions",
            severity=Severity.ERROR,
            hazard=f"Stored tensors with impossible dimensions: "
            f"{listed(value_label(model, weight.value) for weight in impossible)}.",
            remedy="Export the model again.",
            why="Their elements cannot be counted, so they cannot be read.",
        )


def _promised(weight: Weight) -> float:
    tensor = weight.tensor
    return math.prod(map(float, tensor.dims)) if tensor is not None else 0.0


def wrong_sizes(model: Model) -> Iterator[Finding]:
    """Find tensors that hold more or fewer bytes than their dimensions say."""
    wrong = []
    for weight in model.weights.entries:
        tensor = weight.tensor
        if tensor is None or is_external(tensor) or weight.storage != "file":
            continue
        payload = model.payload(tensor)
        raw = payload is not None and payload.field == "raw_data" and not payload.framed
        if not raw and not tensor.HasField("raw_data"):
            continue
        stored = payload.length if payload is not None else len(tensor.raw_data)
        try:
            needed = packed_bytes(tensor.data_type, element_count(tensor))
        except ModelError:
            continue
        if needed is not None and stored != needed:
            wrong.append((weight, stored, needed))
    if wrong:
        first, stored, needed = wrong[0]
        yield _finding(
            model,
            [weight for weight, _, _ in wrong],
            code="tensor-size-mismatch",
            severity=Severity.ERROR,
            hazard=f"{counted(len(wrong), 'stored tensor')} of the wrong size: "
            f"{listed([value_label(model, first.value)])} holds {size_text(stored)} and needs "
            f"{size_text(needed)}.",
            remedy="Export the model again.",
            why="Dimensions and data contradict each other; runtimes refuse such a tensor.",
        )


def odd_numbers(model: Model) -> Iterator[Finding]:
    """Find small float tensors with NaN or infinite numbers; larger ones are not read."""
    reader = TensorReader(model)
    nan, infinite = [], []
    checked = 0
    for weight in model.weights.entries:
        tensor = weight.tensor
        if tensor is None or tensor.data_type not in _FLOATS or weight.storage != "file":
            continue
        if weight.size_bytes > SMALL_BYTES or model.payload(tensor) is not None:
            continue
        checked += 1
        if checked > MAX_CHECKED_TENSORS:
            break
        try:
            with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN like any other
                numbers = reader.dense(tensor).astype(np.float64)
        except OnnxlabError:
            continue  # another rule's
        if np.isnan(numbers).any():
            nan.append(weight)
        elif numbers.size > 1 and np.isinf(numbers).any():  # a scalar is a mask's filling
            infinite.append(weight)
    scope = f"Of the weights, {counted(checked, 'small tensor')} of up to 4 kB were looked at."
    if nan:
        yield _finding(
            model,
            nan,
            code="nan-weights",
            severity=Severity.WARNING,
            hazard=f"NaN in {counted(len(nan), 'stored tensor')}: "
            f"{listed(value_label(model, weight.value) for weight in nan)}.",
            remedy="Look at the training: a weight that is NaN makes its outputs NaN.",
            why=scope,
        )
    if infinite:
        yield _finding(
            model,
            infinite,
            code="infinite-weights",
            severity=Severity.INFO,
            hazard=f"Infinite numbers in {counted(len(infinite), 'stored tensor')}: "
            f"{listed(value_label(model, weight.value) for weight in infinite)}.",
            remedy="Masks hold them on purpose; weights should not.",
            why=scope,
        )


def quantization_annotations(model: Model) -> Iterator[Finding]:
    """Find quantisation annotations that name tensors which do not exist."""
    table = model.table
    dangling = []
    for visit in model.walk.visits:
        if not isinstance(visit.proto, GraphProto) or not visit.proto.quantization_annotation:
            continue
        defined = (table.value_graph == visit.row) & (table.value_kind != ValueKind.UNDEFINED)
        known = {table.strings[name] for name in table.value_name[defined].tolist()}
        for annotation in visit.proto.quantization_annotation:
            named = [text(annotation.tensor_name)]
            named += [text(entry.value) for entry in annotation.quant_parameter_tensor_names]
            dangling += [
                f"{name} (for {text(annotation.tensor_name)})"
                for name in named
                if name not in known
            ]
    if dangling:
        yield Finding(
            code="dangling-quantization-annotation",
            severity=Severity.WARNING,
            hazard=f"Quantisation annotations name tensors that do not exist: {listed(dangling)}.",
            remedy="Remove the annotation or add the tensor.",
            why="Tools that read the annotation cannot quantise as it says.",
            count=len(dangling),
        )


def unused_initializers(model: Model) -> Iterator[Finding]:
    """Find initializers that nothing reads."""
    table = model.table
    read = np.zeros(table.value_count + 1, bool)
    read[table.node_inputs] = True  # -1 falls on the spare last element
    read[table.graph_outputs] = True
    annotated = {
        text(entry.value)
        for annotation in model.proto.graph.quantization_annotation
        for entry in annotation.quant_parameter_tensor_names
    }
    unused = [
        weight
        for weight in model.weights.entries
        if not weight.in_constant
        and not read[weight.value]
        and not isinstance(weight.stored, SparseTensorProto)
        and value_label(model, weight.value) not in annotated
    ]
    size = sum(weight.size_bytes for weight in unused)
    if unused:
        yield _finding(
            model,
            unused,
            code="unused-initializer",
            severity=Severity.INFO,
            hazard=f"{counted(len(unused), 'initializer')} of {size_text(size)} that nothing "
            f"reads: {listed(value_label(model, weight.value) for weight in unused)}.",
            remedy="Remove them to make the file smaller.",
        )


def _finding(
    model: Model,
    weights: list[Weight],
    *,
    code: str,
    severity: Severity,
    hazard: str,
    remedy: str,
    why: str = "",
) -> Finding:
    addresses = tuple(model.value_address(weight.value) for weight in weights[:MAX_ADDRESSES])
    return Finding(
        code=code,
        severity=severity,
        hazard=hazard,
        remedy=remedy,
        why=why,
        addresses=addresses,
        count=len(weights),
    )


RULES = (
    external_data,
    absent_data,
    wrong_sizes,
    odd_numbers,
    quantization_annotations,
    unused_initializers,
)
