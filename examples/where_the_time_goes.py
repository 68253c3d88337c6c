"""Print the five costliest nodes of a model: ``python examples/where_the_time_goes.py m.onnx``."""

import sys

import onnxlab

profile = onnxlab.profile(sys.argv[1], budget="2 s")
print(profile)
print(profile.nodes.nlargest(5, "time_us")[["name", "op_type", "time_us", "share", "region"]])
for finding in profile.findings:
    print("-", finding.hazard, finding.remedy)
