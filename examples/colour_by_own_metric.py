"""Write a model's graph, coloured by the bytes of each node's weights, as a page.

``python examples/colour_by_own_metric.py m.onnx graph.html``
"""

import sys

import onnxlab

model = onnxlab.load(sys.argv[1])
view = onnxlab.show(model, metrics=model.nodes["weight_bytes"].rename("bytes of weights"))
print(view.to_html(sys.argv[2]))
