/** Scripts that come from the kernel: each once per page, however many cells need it, kept by its hash. */

import type { Plotly } from '../../views/chart.js';
import type { Channel } from './channel.js';

export type CoreModule = typeof import('../core.js');

export interface LoadedCore {
  readonly module: CoreModule;
  readonly css: string;
}

declare global {
  var onnxlabLoaded: Map<string, Promise<unknown>> | undefined;
}

export function loadCore(hash: string, channel: Channel): Promise<LoadedCore> {
  return once(hash, async () => {
    const [script, css] = await channel.ask('core');
    const module = (await run(script)) as CoreModule;
    return { module, css: new TextDecoder().decode(css) };
  });
}

export function loadPlotly(hash: string, channel: Channel): Promise<Plotly> {
  return once(hash, async () => {
    const [script] = await channel.ask('plotly');
    await run(script);
    if (!globalThis.onnxlabPlotly) throw new Error('The script that draws charts did not start.');
    return globalThis.onnxlabPlotly;
  });
}

function once<T>(hash: string, load: () => Promise<T>): Promise<T> {
  globalThis.onnxlabLoaded ??= new Map();
  const loaded = globalThis.onnxlabLoaded;
  const known = loaded.get(hash) as Promise<T> | undefined;
  if (known) return known;
  const loading = load();
  loaded.set(hash, loading);
  loading.catch(() => loaded.delete(hash)); // so that the next cell tries again
  return loading;
}

async function run(script: Uint8Array | undefined): Promise<unknown> {
  if (!script) throw new Error('The kernel sent no script: restart it.');
  const url = URL.createObjectURL(new Blob([script as BlobPart], { type: 'text/javascript' }));
  try {
    return await import(/* webpackIgnore: true */ url);
  } finally {
    URL.revokeObjectURL(url);
  }
}
