"""Print what each pass that acts on a model does: ``python leave_one_pass_out.py m.onnx``."""

import sys

import onnxlab

with onnxlab.optimize(sys.argv[1]) as optimization:
    passes = optimization.passes
    for name in passes.loc[passes["acts"], "id"]:
        optimization.toggle(name, False)
        print(f"without {name}: {optimization.variant.node_count} nodes")
        optimization.toggle(name, True)
