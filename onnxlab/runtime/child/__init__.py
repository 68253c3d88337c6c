"""What runs in the child: onnxruntime, numpy and the standard library, nothing of onnxlab."""
