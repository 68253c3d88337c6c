// Steps of the build beside tsc and JupyterLab's builder: `worker` (a string inside the core), `static` (what the
// widget, the report and the charts load) and `install`.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  const out = { ...common, outdir: OUT, metafile: true };
  const jsx = { jsx: 'automatic', jsxImportSource: 'preact' };
  const report = { report: 'src/hosts/report/index.ts' };
  const results = await Promise.all([
    build({ ...out, ...jsx, entryPoints: esm, format: 'esm' }),
    build({ ...out, ...jsx, entryPoints: report, format: 'iife' }),
    build({ ...out, entryPoints: { core: 'style/static.css' } }),
    build({
      ...out,
      entryPoints: { plotly: 'scripts/plotly.mjs' },
      format: 'iife',
      define: { global: 'globalThis' },
      loader: { '.css': 'empty' },
    }),
  ]);
  writeLicences(results.flatMap(({ metafile }) => Object.keys(metafile.inputs)));
}

/** The licences of the packages that were bundled, as these ask for. */
function writeLicences(inputs) {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
  const folders = new Set(inputs.map((input) => input.match(folder)?.[0]).filter(Boolean));
  const notices = [...folders].sort().map((place) => {
    const { name, version, license } = JSON.parse(readFileSync(`${place}/package.json`, 'utf8'));
    const file = readdirSync(place).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file ? readFileSync(`${place}/${file}`, 'utf8').trim() : '';
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  writeFileSync(`${OUT}/third-party-licences.txt`, notices.join(`\n${'-'.repeat(78)}\n\n`));
}

/** Tells `jupyter labextension list` that pip installed the extension. */
function addInstallNote() {
  copyFileSync('install.json', '../onnxlab/labextension/install.json');
}

const steps = { worker: bundleWorker, static: bundleStatic, install: addInstallNote };
const step = steps[process.argv[2]];
if (!step) throw new Error(`say one of ${Object.keys(steps).join(', ')}`);
await step();
