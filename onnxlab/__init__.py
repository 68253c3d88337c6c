"""onnxlab: the workbench for ONNX models in Jupyter."""

from __future__ import annotations

__version__ = "0.1.0"
