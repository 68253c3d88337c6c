"""Execution providers by the names users type: data only."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

__all__ = ["CATALOG", "CatalogEntry", "ProviderChoice", "choose"]


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One execution provider.

    Attributes
    ----------
    name
        What users type.
    ort_name
        ONNX Runtime's name.
    install
        How to get it, as a pip command where there is a package.
    device_option
        The provider option that takes what follows the colon in ``cuda:1``; empty for none.
    needs
        What the machine must have.
    """

    name: str
    ort_name: str
    install: str
    device_option: str = ""
    needs: str = ""


CATALOG: tuple[CatalogEntry, ...] = (
    CatalogEntry("cpu", "CPUExecutionProvider", "pip install 'onnxlab[cpu]'"),
    CatalogEntry(
        "cuda",
        "CUDAExecutionProvider",
        "pip install 'onnxlab[gpu]' (in place of onnxruntime)",
        device_option="device_id",
        needs="an NVIDIA GPU with CUDA and cuDNN",
    ),
    CatalogEntry(
        "tensorrt",
        "TensorrtExecutionProvider",
        "pip install 'onnxlab[gpu]' tensorrt (in place of onnxruntime)",
        device_option="device_id",
        needs="an NVIDIA GPU with TensorRT",
    ),
    CatalogEntry(
        "nvtensorrtrtx",
        "NvTensorRTRTXExecutionProvider",
        "pip install onnxruntime-trt-rtx",
        device_option="device_id",
        needs="an NVIDIA RTX GPU",
    ),
    CatalogEntry(
        "openvino",
        "OpenVINOExecutionProvider",
        "pip install onnxruntime-openvino (in an environment of its own)",
        device_option="device_type",
        needs="an Intel CPU, GPU or NPU",
    ),
    CatalogEntry(
        "dnnl",
        "DnnlExecutionProvider",
        "build ONNX Runtime with --use_dnnl",
    ),
    CatalogEntry("xnnpack", "XnnpackExecutionProvider", "build ONNX Runtime with --use_xnnpack"),
    CatalogEntry(
        "coreml",
        "CoreMLExecutionProvider",
        "pip install onnxruntime",
        needs="macOS",
    ),
    CatalogEntry(
        "dml",
        "DmlExecutionProvider",
        "pip install onnxruntime-directml (in an environment of its own)",
        device_option="device_id",
        needs="Windows with a DirectX 12 GPU",
    ),
    CatalogEntry(
        "webgpu",
        "WebGpuExecutionProvider",
        "pip install onnxruntime-webgpu (in an environment of its own)",
        needs="a GPU with Vulkan, Metal or Direct3D 12",
    ),
    CatalogEntry(
        "qnn",
        "QNNExecutionProvider",
        "pip install onnxruntime-qnn (in an environment of its own)",
        needs="a Qualcomm NPU",
    ),
    CatalogEntry(
        "migraphx",
        "MIGraphXExecutionProvider",
        "pip install onnxruntime-migraphx (in an environment of its own)",
        device_option="device_id",
        needs="an AMD GPU with ROCm",
    ),
    CatalogEntry(
        "rocm",
        "ROCMExecutionProvider",
        "pip install onnxruntime-rocm (in an environment of its own)",
        device_option="device_id",
        needs="an AMD GPU with ROCm",
    ),
    CatalogEntry(
        "vitisai",
        "VitisAIExecutionProvider",
        "install AMD Ryzen AI Software",
        needs="an AMD NPU",
    ),
    CatalogEntry(
        "cann",
        "CANNExecutionProvider",
        "pip install onnxruntime-cann (in an environment of its own)",
        device_option="device_id",
        needs="a Huawei Ascend NPU",
    ),
)


# What people call a provider, and letters alone would not lead to it.
_MEANT = {"gpu": ["cuda"], "nvidia": ["cuda"], "trt": ["tensorrt"], "directml": ["dml"]}


@dataclass(frozen=True, slots=True)
class ProviderChoice:
    """A provider as asked for, such as ``cuda:1``, taken apart."""

    entry: CatalogEntry
    options: dict[str, str]


def choose(name: str) -> ProviderChoice:
    """Take a provider's name apart.

    Parameters
    ----------
    name
        ``cpu``, ``cuda``, ``cuda:1``, ``openvino:GPU``, or a name as ONNX Runtime has it.

    Raises
    ------
    ValueError
        No such provider; the message offers the nearest.
    """
    base, _, device = name.partition(":")
    entry = _find(base)
    if not device:
        return ProviderChoice(entry, {})
    if not entry.device_option:
        raise ValueError(f"'{entry.name}' takes no device, got '{name}'")
    return ProviderChoice(entry, {entry.device_option: device})


def _find(name: str) -> CatalogEntry:
    wanted = name.strip().lower()
    for entry in CATALOG:
        if wanted in (entry.name, entry.ort_name.lower()):
            return entry
    if name.endswith("ExecutionProvider"):  # a plugin's own name
        return CatalogEntry(name.removesuffix("ExecutionProvider").lower(), name, "")
    names = [entry.name for entry in CATALOG]
    near = _MEANT.get(wanted) or get_close_matches(wanted, names, n=1)
    advice = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(names)}"
    raise ValueError(f"there is no provider '{name}'; {advice}")
