"""Child processes with time and memory limits. Knows nothing of ONNX."""
