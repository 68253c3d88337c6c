"""Tasks that run in a child process; they need onnx alone."""
