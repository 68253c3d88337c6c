// Steps of the build beside tsc and JupyterLab's builder: `worker` (a string inside the core), `static` (what the
// widget, the report and the charts load) and `install`.
import { copyFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const OUT = '../onnxlab/static';
const common = {
  bundle: true,
  minify: true,
  target: 'es2022',
  legalComments: 'eof',
  logLevel: 'warning',
};

/** The layout worker as text: every host starts it from a Blob, so none has to serve a second file. */
async function bundleWorker() {
  const entryPoints = ['src/core/layout.worker.ts'];
  const result = await build({ ...common, entryPoints, write: false, format: 'iife' });
  const [file] = result.outputFiles;
  writeFileSync(
    'src/core/layout.worker.gen.ts',
    `export const WORKER_SOURCE: string = ${JSON.stringify(file.text)};\n`,
  );
}

async function bundleStatic() {
  const esm = {
    core: 'src/hosts/core.ts',
    widget: 'src/hosts/widget/graph.ts',
    chart: 'src/hosts/widget/chart.ts',
  };
  const jsx = { jsx: 'automatic', jsxImportSource: 'preact' };
  await build({ ...common, ...jsx, entryPoints: esm, outdir: OUT, format: 'esm' });
  const report = { report: 'src/hosts/report/index.ts' };
  await build({ ...common, ...jsx, entryPoints: report, outdir: OUT, format: 'iife' });
  await build({ ...common, entryPoints: { core: 'style/static.css' }, outdir: OUT });
  await build({
    ...common,
    entryPoints: { plotly: 'scripts/plotly.mjs' },
    outdir: OUT,
    format: 'iife',
    define: { global: 'globalThis' },
    loader: { '.css': 'empty' },
  });
}

/** Tells `jupyter labextension list` that pip installed the extension. */
function addInstallNote() {
  copyFileSync('install.json', '../onnxlab/labextension/install.json');
}

const steps = { worker: bundleWorker, static: bundleStatic, install: addInstallNote };
const step = steps[process.argv[2]];
if (!step) throw new Error(`say one of ${Object.keys(steps).join(', ')}`);
await step();
