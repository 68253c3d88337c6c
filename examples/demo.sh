#!/usr/bin/env bash
# The whole of onnxlab once, on the example models; run by `make demo`.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/demo
mkdir -p "$out"

onnxlab providers
for model in examples/models/*.onnx; do
	echo "profiling $model"
	onnxlab profile "$model" --budget 2s --out "$out/$(basename "$model" .onnx).html" --quiet
done

echo "executing notebooks/quickstart.ipynb"
cp notebooks/quickstart.ipynb "$out/quickstart.ipynb"
jupyter execute --inplace "$out/quickstart.ipynb" 2>&1 | sed -E '/\[(NbClientApp|IPKernelApp)\]/d'

cat <<END

The report of the quickstart:  $PWD/$out/report.html
The notebook with its results: $PWD/$out/quickstart.ipynb
One report per example model:  $PWD/$out/*.html
JupyterLab on the notebook:    make lab
END
